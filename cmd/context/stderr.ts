// stderr for commands: every note goes through here, in the level and format that were asked for.
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";
import {
  LEVELS,
  LOG_FORMATS,
  noteText,
  type Diagnostics,
  type StderrNote,
} from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";

export interface Stderr {
  /** The stream itself; text written to it directly counts as a warning. */
  err: Output;
  /** Writes a note, if its level is wanted. */
  report(note: StderrNote): Promise<void>;
}

/** `now`: epoch ms. */
export function openStderr(raw: Output, diagnostics: Diagnostics, now: () => number): Stderr {
  const report = (note: StderrNote): Promise<void> => {
    const text = noteText(note, diagnostics, now());
    return text === "" ? Promise.resolve() : raw.write(text);
  };
  const write = async (text: string): Promise<void> => {
    if (diagnostics.level === "error") return;
    if (diagnostics.format === "text") return raw.write(text);
    for (const line of text.split("\n")) if (line !== "") await report({ level: "warn", lines: [line] });
  };
  return { report, err: { ...raw, write, colour: raw.colour && diagnostics.format === "text" } };
}

type Env = Readonly<Record<string, string | undefined>>;

const LEVEL = { flag: "--log-level", env: "LOOPER_LOG_LEVEL", words: LEVELS } as const;
const FORMAT = { flag: "--log-format", env: "LOOPER_LOG_FORMAT", words: LOG_FORMATS } as const;

export const USUAL: Diagnostics = { level: "info", format: "text" };

/** The diagnostics of options and environment; an unknown word is a `usage` error. */
export function diagnosticsOf(
  { logLevel, logFormat }: { logLevel?: string; logFormat?: string },
  env: Env,
): Diagnostics {
  return {
    level: chosen(LEVEL, logLevel, env) ?? USUAL.level,
    format: chosen(FORMAT, logFormat, env) ?? USUAL.format,
  };
}

/** A guess for a command line that could not be parsed, to print its error. Never throws. */
export function guessDiagnostics(argv: readonly string[], env: Env): Diagnostics {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const at = words.findLastIndex((word) => word === FORMAT.flag || word.startsWith(`${FORMAT.flag}=`));
  const word = words[at];
  const said =
    word === FORMAT.flag ? words[at + 1] : (word?.slice(FORMAT.flag.length + 1) ?? env[FORMAT.env]);
  return { ...USUAL, format: FORMAT.words.find((format) => format === said) ?? USUAL.format };
}

function chosen<T extends string>(
  { flag, env: name, words }: { flag: string; env: string; words: readonly T[] },
  typed: string | undefined,
  env: Env,
): T | undefined {
  const said = typed ?? env[name] ?? "";
  if (said.trim() === "" && typed === undefined) return undefined;
  const plain = said.trim().toLowerCase();
  const found = words.find((word) => word === plain);
  if (found !== undefined) return found;
  const known = `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
  throw usageError(
    `${typed === undefined ? name : flag} is ${JSON.stringify(said)}, which is not ${known}`,
    hintOn(said, words, `use ${known}`),
  );
}
