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
    const index = await listSpecs(place, ["ls-files", "-z", "--", ...specs]);
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
    const past = await listSpecs(place, [...history, "--diff-filter=AM", "-m", "--", ...specs]);
    for (const file of [...index, ...past]) if (findReadRule(rules, file) !== undefined) found.add(file);
  }
  if (guardsSecrets())
    for (const file of (await listByGit(place, ["ls-files", "-z"])).names)
      if (hasSecretName(file)) found.add(file);
  return [...found];
}

const GLOB = ":(glob)";
const TIMEOUT_MS = 10_000;
const KEEP = { head: 4 * 1024 * 1024, tail: 0 };

/** The names that git lists. A history that takes too long may have any of them: the patterns then stand for files. */
async function listSpecs(place: ProgramWorld, args: readonly string[]): Promise<string[]> {
  const { names, timedOut } = await listByGit(place, args);
  return timedOut ? args.flatMap((one) => (one.startsWith(GLOB) ? [one.slice(GLOB.length)] : [])) : names;
}

/** The names that git lists below a folder; none outside a repository. */
export async function listByGit(
  world: ProgramWorld,
  args: readonly string[],
): Promise<{ names: string[]; timedOut: boolean }> {
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
  const program = { command: "git", args: [...settings, ...args], timeoutMs: TIMEOUT_MS, keep: KEEP };
  const ofGit = { ...world, env: createGitEnv(world.env) };
  const { stdout, timedOut } = await runProgram(ofGit, program, new AbortController().signal);
  const names = stdout.split(/[\0\n]/).filter((name) => name !== "" && !name.startsWith("[… "));
  return { names: names.slice(0, MOST_FILES), timedOut };
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
