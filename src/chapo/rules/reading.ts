// Rules against reading, for everything that would return a file's content: other tools, shell texts and results. Pure.
// decide.ts applies them to calls; session/permissions/screen.ts and the tools apply them to results.
import { posix } from "node:path";
import type { ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import type { Subject } from "../tool.js";
import { meetsPath, namesPathBelow, type Match, type PathPattern } from "./patterns.js";
import type { PermissionRules, Rule } from "./read-rules.js";
import { overlaps, STAR } from "./wildcard.js";

/** Returns the deny or ask rule that covers reading the path (relative to the project or absolute), deny rules first. */
export function findReadRule({ all, root }: PermissionRules, path: string): Rule | undefined {
  return all.find(
    ({ isAgainstReading, pattern }) =>
      isAgainstReading && (pattern === undefined || meetsPath(pattern.path, path, { root, wide: true })),
  );
}

/** Tools that take a path and return nothing of the file's content. */
const SHOW_NOTHING: ReadonlySet<string> = new Set(["fs_writeFile", "fs_delete", "fs_mkdir"]);

/** Returns whether a call of another tool would read a path that the rule covers. `readings`: those of its shell texts. */
export function meetsAsReading(
  { pattern }: Rule,
  call: { tool: string; subjects: readonly Subject[] },
  { readings, root }: { readings: readonly ShellReading[]; root: string },
): Match {
  if (pattern === undefined) return "no";
  for (const subject of call.subjects) {
    if (subject.kind !== "path" || SHOW_NOTHING.has(call.tool)) continue;
    if (meetsPath(pattern.path, subject.path, { root, wide: true })) return "yes";
    if (call.tool === "fs_move" && namesPathBelow(pattern.path, subject.path, root)) return "yes";
  }
  const matches = readings.map((reading) => meetsText(pattern.path, reading, root));
  return matches.includes("yes") ? "yes" : matches.includes("maybe") ? "maybe" : "no";
}

/** Programs that return nothing of a file they name. */
const QUIET = /^(?:rm|rmdir|mkdir|touch|ls|test|\[|chmod|chown|stat|pwd)$/;
/** Programs that copy whole folders. */
const COPIES = /^(?:cp|mv|ln|rsync|scp|tar|bsdtar|zip|7z|7za|cpio|pax|install)$/;

function meetsText(pattern: PathPattern, { commands, opens }: ShellReading, root: string): Match {
  const calls = [...new Set(commands.flatMap(({ text, spellings }) => [text, ...spellings]))].map((one) =>
    one.split(" ").map((word) => word.replaceAll("\u00a0", " ")),
  );
  const folders = calls
    .filter(([program = ""]) => program === "cd" || program === "pushd")
    .map(([, to = ""]) => posix.resolve(root, to))
    .filter((folder) => !folder.includes(ANY));
  const bases = [...new Set([root, ...folders])];
  const words = calls
    .filter(([program = ""]) => !QUIET.test(posix.basename(program)))
    .flatMap((one) => one.flatMap(readCandidates));
  let match: Match = "no";
  for (const word of new Set([...words, ...opens])) {
    const one = meetsWord(pattern, word, { root, bases });
    if (one === "yes") return "yes";
    if (one === "maybe") match = "maybe";
  }
  const copied = calls
    .filter(([program = ""]) => COPIES.test(posix.basename(program)))
    .flatMap(([, ...args]) => args.filter((word) => !word.startsWith("-") && !word.includes(ANY)));
  return match === "no" && copied.some((word) => namesPathBelow(pattern, word, root)) ? "maybe" : match;
}

/** The parts of a word that may be a path: `--file=a`, `HEAD:a`, `-fa`, `@a`. */
function readCandidates(word: string): string[] {
  const parts = [word, ...word.split(/[=:,@<]/).slice(1)];
  const glued = /^-\w(.+)$/.exec(word)?.[1];
  return [...parts, ...(glued === undefined ? [] : [glued])].filter((one) => one !== "" && one.length < 4096);
}

function meetsWord(
  pattern: PathPattern,
  word: string,
  { root, bases }: { root: string; bases: readonly string[] },
): Match {
  const open = word.replaceAll(/[*?]|\[[^\]/]*\]/g, ANY);
  if (!open.includes(ANY)) {
    const isMet = bases.some((base) => meetsPath(pattern, posix.resolve(base, word), { root, wide: true }));
    return isMet ? "yes" : "no";
  }
  return pattern.ways.some((way) => mayMeet(way, open, pattern.isBareName)) ? "maybe" : "no";
}

/** An unknown beginning of a word may be any folder, so that only the end is compared. */
function mayMeet(way: readonly string[], word: string, isBareName: boolean): boolean {
  const known = word.split(ANY)[0]?.replace(/^(?:\.?\/)+/, "") ?? "";
  const last = way.at(-1) ?? "";
  const name = word.split("/").at(-1) ?? "";
  if (known === "" || isBareName) {
    const isKnown = name.replaceAll(ANY, "") !== "";
    return isKnown && last.replaceAll(STAR, "") !== "" && overlaps(last, name);
  }
  return overlaps(way.join("/").replaceAll(`/${STAR}${STAR}`, STAR), word.replace(/^(?:\.\/)+/, ""));
}
