// Finds files that git has, in its index or its history, and that a rule or their name protects: a git command that names no
// files may print them. rules/git-contents.ts tells which commands print content.
import path from "node:path";
import { readShell } from "../../../shell/shell-reading.js";
import { listContentCommands, printsFile } from "../../rules/git-contents.js";
import type { PermissionRules } from "../../rules/read-rules.js";
import { findReadRule } from "../../rules/reading.js";
import { hasSecretName } from "../../../system/text/secrets/secret-names.js";
import { ONE, STAR } from "../../rules/wildcard.js";
import { createGitEnv } from "../../tools/git/git.js";
import { runProgram, type ProgramWorld } from "../../tools/program.js";

/** Returns the protected files, relative to the project, that the git commands of a shell text may print. */
export type FindPrinted = (text: string) => Promise<readonly string[]>;

/** The project, and what protects its files. */
export interface TrackedPlace extends ProgramWorld {
  rules: PermissionRules;
  /** Whether files with secret names are protected too. */
  guardsSecrets: () => boolean;
}

/** Creates the search. A project without protected files that git has is never found. */
export function createPrintedFinder(place: TrackedPlace): FindPrinted {
  const { rules, root } = place;
  const specs = listPathspecs(rules);
  return async (text) => {
    if (!/git/.test(text) || (specs.length === 0 && !place.guardsSecrets())) return [];
    const commands = listContentCommands(readShell(text), root);
    if (commands.length === 0) return [];
    const files = await listProtected(place, specs);
    if (files.length === 0) return [];
    const printed = new Set<string>();
    for (const { paths, folder } of commands)
      for (const file of files) if (printsFile(paths, folder, path.resolve(root, file))) printed.add(file);
    return [...printed];
  };
}

async function listProtected(place: TrackedPlace, specs: readonly string[]): Promise<string[]> {
  const { rules, guardsSecrets } = place;
  const found = new Set<string>();
  if (specs.length > 0) {
    const index = await git(place, ["ls-files", "-z", "--", ...specs]);
    const history = [
      "log",
      "--all",
      "--reflog",
      "--format=",
      "--name-only",
      "--no-renames",
      "--relative",
      "-z",
    ];
    const past = await git(place, [...history, "--diff-filter=AM", "-m", "--", ...specs]);
    for (const file of [...index, ...past]) if (findReadRule(rules, file) !== undefined) found.add(file);
  }
  if (guardsSecrets())
    for (const file of await git(place, ["ls-files", "-z"])) if (hasSecretName(file)) found.add(file);
  return [...found];
}

const GLOB = ":(glob)";
const TIMEOUT_MS = 10_000;
const KEEP = { head: 4 * 1024 * 1024, tail: 0 };

/** The names that git lists; none outside a repository. */
async function git(place: TrackedPlace, args: readonly string[]): Promise<string[]> {
  const world = { ...place, env: createGitEnv(place.env) };
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
  const program = { command: "git", args: [...settings, ...args], timeoutMs: TIMEOUT_MS, keep: KEEP };
  const ran = await runProgram(world, program, new AbortController().signal);
  // A history that takes too long may have any of them: the patterns then stand for files.
  if (ran.timedOut) return args.flatMap((one) => (one.startsWith(GLOB) ? [one.slice(GLOB.length)] : []));
  return ran.stdout
    .split(/[\0\n]/)
    .filter((name) => name !== "" && !name.startsWith("[… "))
    .slice(0, MOST_FILES);
}

const MOST_FILES = 100_000;

/** The patterns of the rules against reading, as git's pathspecs relative to the project. */
function listPathspecs({ all }: PermissionRules): string[] {
  return all.flatMap(({ isAgainstReading, pattern }) => {
    if (!isAgainstReading || pattern === undefined) return [];
    const { ways, isBareName } = pattern.path;
    return ways
      .filter(([first]) => first !== undefined && first !== "")
      .map((way) => way.join("/").replaceAll(/[\\[]/g, "\\$&").replaceAll(STAR, "*").replaceAll(ONE, "?"))
      .map((way) => (isBareName ? `**/${way}` : way))
      .flatMap((way) => [`${GLOB}${way}`, `${GLOB}${way}/**`]);
  });
}
