// Uses ripgrep, if it is available, to select the files worth searching. search-files.ts does the search itself, so the
// results are the same without ripgrep.
import { z } from "zod";
import type { Processes } from "../../../system/ports.js";

const RgModule = z.object({ rgPath: z.string() });

/** Finds the program on PATH, otherwise the one from the optional package. */
export async function findRipgrep(
  processes: Processes,
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd: string },
): Promise<string | undefined> {
  const found = await processes.which("rg", env.PATH ?? "", cwd);
  if (found !== undefined) return found;
  try {
    const { rgPath } = RgModule.parse(await import("@vscode/ripgrep"));
    return rgPath;
  } catch {
    // Not installed, or not available for this platform.
    return undefined;
  }
}

/** How ripgrep is started. */
interface Ripgrep {
  processes: Processes;
  program: string;
  env: Readonly<Record<string, string>>;
  /** The folder the paths are relative to. */
  cwd: string;
}

/** The most characters of paths on one command line. */
const MOST_CHARACTERS = 60_000;
const TIMEOUT_MS = 15_000;

/** Selects the files that may hold a match: all that do, and rarely others. Returns all files if ripgrep cannot decide. */
export async function selectFiles(
  ripgrep: Ripgrep,
  paths: readonly string[],
  search: { source: string; ignoreCase: boolean },
): Promise<readonly string[]> {
  const pattern = translatePattern(search.source);
  if (pattern === undefined) return paths;
  const options = ["--no-config", "--files-with-matches", "--null", "--text", "--crlf", "--no-messages"];
  if (search.ignoreCase) options.push("--ignore-case");
  const worth = new Set<string>();
  for (const some of splitIntoBatches(paths)) {
    const args = [...options, "-e", pattern, "--", ...some];
    const { processes, program, env, cwd } = ripgrep;
    const { end, stdout, timedOut } = await processes.run(
      { command: program, args, cwd, env },
      { timeoutMs: TIMEOUT_MS },
    );
    // Exit code 1: no match. 2: a file could not be read or the pattern is too large, so a match may be missing.
    if (timedOut || end.how !== "exited" || end.code > 1) return paths;
    for (const name of new TextDecoder().decode(stdout).split("\0")) worth.add(name);
  }
  return paths.filter((name) => worth.has(name));
}

function* splitIntoBatches(paths: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const name of paths) {
    if (batch.length > 0 && characters + name.length > MOST_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(name);
    characters += name.length;
  }
  if (batch.length > 0) yield batch;
}

/** A byte outside any character, which JavaScript decodes as a replacement character. */
const NO_CHARACTER = "(?-u:[\\x80-\\xff])";

/** The tokens of a pattern and their ripgrep spelling. Any other token means something different in ripgrep. */
const TOKENS: readonly [RegExp, (found: string) => string][] = [
  [/^(?:\(\?:|\((?!\?)|[)|^$*+?]|\{\d+(?:,\d*)?\})/, keep],
  [/^\.|^\[\^(?:[^\\[\]&~^-]|[^\\[\]&~^-]-[^\\[\]&~^-])+\]/, (found) => `(?:${found}|${NO_CHARACTER})`],
  [/^\[(?:[^\\[\]&~^-]|[^\\[\]&~^-]-[^\\[\]&~^-]|\\[dw])+\]/, keep],
  [/^\\[dwt]/, keep],
  [/^\\s/, () => "[\\s\\x{FEFF}]"],
  [/^\\b/, () => "(?-u:\\b)"],
  [/^\\[^a-z0-9\n]/i, (found) => escapeLiteral(found.slice(1))],
  [/^[^\\{}[\]()|^$*+?.\n\r\uFFFD]/u, escapeLiteral],
];

/** Returns the translated pattern; `undefined` if ripgrep has no equivalent. */
function translatePattern(source: string): string | undefined {
  let translated = "";
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const token = TOKENS.map(([form, say]) => ({ found: form.exec(rest)?.[0], say })).find(
      ({ found }) => found !== undefined,
    );
    if (token?.found === undefined) return undefined;
    translated += token.say(token.found);
    at += token.found.length;
  }
  return translated;
}

function keep(found: string): string {
  return found;
}

function escapeLiteral(char: string): string {
  return /^[A-Za-z0-9 ]$/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
