// Rules against reading, for everything that would return a file's content: other tools, shell texts and results. Pure.
// decide.ts applies them to calls; session/permissions/screen.ts and the tools apply them to results.
import { posix } from "node:path";
import type { CalledWords as Words, ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import type { Subject } from "../tool.js";
import { meetsPath, namesPathBelow, strongest, type Match, type PathPattern } from "./patterns.js";
import type { PermissionRules, PermissionRule } from "./read-rules.js";
import { overlaps, STAR } from "./wildcard.js";

/** Returns the deny or ask rule that covers reading the path (relative to the project or absolute), deny rules first. */
export function findReadRule({ all, root }: PermissionRules, path: string): PermissionRule | undefined {
  return all.find(
    ({ isAgainstReading, pattern }) =>
      isAgainstReading && (pattern === undefined || meetsPath(pattern.path, path, { root, wide: true })),
  );
}

/** Tools that take a path and return nothing of the file's content. */
const SHOW_NOTHING: ReadonlySet<string> = new Set(["fs_writeFile", "fs_delete", "fs_mkdir"]);

/** Returns whether a call of another tool would read a path that the rule covers. `readings`: those of its shell texts. */
export function meetsAsReading(
  { pattern }: PermissionRule,
  call: { tool: string; subjects: readonly Subject[]; folders?: readonly string[] | undefined },
  { readings, root }: { readings: readonly ShellReading[]; root: string },
): Match {
  if (pattern === undefined) return "no";
  for (const subject of call.subjects) {
    if (subject.kind !== "path" || SHOW_NOTHING.has(call.tool)) continue;
    // Of a shell text these are the files that it changes.
    if (readings.length > 0 && subject.use === "write") continue;
    if (meetsPath(pattern.path, subject.path, { root, wide: true })) return "yes";
    if (call.tool === "fs_move" && namesPathBelow(pattern.path, subject.path, root)) return "yes";
  }
  const starts = call.folders ?? [root];
  return strongest(readings.map((reading) => meetsText(pattern.path, reading, { root, starts })));
}

/** Programs that return nothing of a file they name. */
const QUIET = /^(?:rm|rmdir|mkdir|touch|ls|test|\[|chmod|chown|stat|pwd)$/;
/** Programs that copy whole folders. */
const COPIES = /^(?:cp|mv|ln|rsync|scp|tar|bsdtar|zip|7z|7za|cpio|pax|install)$/;

function meetsText(
  pattern: PathPattern,
  reading: ShellReading,
  { root, starts }: { root: string; starts: readonly string[] },
): Match {
  const { calls } = reading;
  const bases = listBases(calls, starts);
  const { sure, mentioned } = listWords(reading);
  const match = strongest([...sure].map((word) => meetsWord(pattern, word, { root, bases })));
  if (match !== "no") return match;
  if ([...mentioned].some((word) => meetsWord(pattern, word, { root, bases }) === "yes")) return "maybe";
  if (hidesRead(reading)) return "maybe";
  const copied = calls
    .filter(
      ([program = "", next]) => COPIES.test(posix.basename(program)) || (program === "git" && next === "mv"),
    )
    .flatMap(([, ...args]) => args.filter((word) => !word.startsWith("-") && !word.includes(ANY)));
  return copied.some((word) => namesPathBelow(pattern, word, root)) ? "maybe" : "no";
}

/** Give the files that they find or read to the program in their words, or to the text around them. */
const GIVES = /^(?:read|mapfile|readarray|find|fd|fdfind|xargs|parallel)$/;
/** Programs that print what they read as it is, so that its lines are found in their output, or that read nothing. */
const PLAIN =
  /^(?:cat|head|tail|[efz]?grep|rg|ag|wc|sort|uniq|less|more|nl|diff|sed|awk|git|echo|printf|find|fd|fdfind|xargs|parallel|read|mapfile|readarray|dirname|basename|realpath|file|du|cd|pushd|local|export|declare|sha\d*sum|md5sum|dos2unix|kill|sleep|which|node|npx|npm)$/;

/** Whether a program that may change what it reads is given files that only the shell knows. */
function hidesRead({ calls, loopsOverFiles }: ShellReading): boolean {
  const isHanded = loopsOverFiles || calls.some(([program = ""]) => GIVES.test(program));
  return calls.some(([name = "", ...args]) => {
    const program = posix.basename(name);
    const isGiven = args.some((word) => isUnknown(word) && (isHanded || word !== ANY));
    return isGiven && !PLAIN.test(program) && !QUIET.test(program);
  });
}

/** Whether nothing of a path is known: `$f`, `"$PWD"/*`, what `xargs` adds. */
export function isUnknown(word: string): boolean {
  return word.includes(ANY) && word.replaceAll(/[\uffff/.*?]/g, "") === "";
}

const MOST_FOLDERS = 64;

/** The folders that the shell may be in: those where it starts, and those that the text goes to from any of them. */
export function listFolders(calls: readonly Words[], starts: readonly string[]): string[] {
  const folders = new Set(starts);
  for (const [program = "", ...args] of calls) {
    if (!/^(?:cd|pushd)$/.test(program)) continue;
    const to = args.find((word) => !/^-./.test(word)) ?? "";
    if (to.includes(ANY) || folders.size > MOST_FOLDERS) continue;
    for (const folder of [...folders]) folders.add(posix.resolve(folder, to));
  }
  return [...folders];
}

/** The folders that words may begin at: also those of `-C` and the like, and `ANY` where the text goes to an unknown one. */
export function listBases(calls: readonly Words[], starts: readonly string[]): string[] {
  const folders = listFolders(calls, starts);
  const named = calls.flatMap((words) =>
    words.flatMap((word, at) => {
      const [, glued] = /^(?:-[^\WC]*C|--(?:chdir|directory|output-dir)=?)([^]*)$/.exec(word) ?? [];
      return (glued === "" ? words[at + 1] : glued) ?? [];
    }),
  );
  const strays = calls.some(
    ([program = "", ...args]) => /^(?:cd|pushd)$/.test(program) && args.some((word) => word.includes(ANY)),
  );
  const below = named.flatMap((to) => folders.map((folder) => posix.resolve(folder, to)));
  return [
    ...folders,
    ...below.slice(0, MOST_FOLDERS),
    ...(strays || named.some((to) => to.includes(ANY)) ? [ANY] : []),
  ];
}

/** The words that may be paths; `mentioned`: those in code of another language, and in variables. */
function listWords({ calls, mentions, opens, values }: ShellReading) {
  const sure = calls
    .filter(([program = ""]) => !QUIET.test(posix.basename(program)))
    .flatMap((one) => one.flatMap(readCandidates));
  const mentioned = [...new Set([...mentions.flat(), ...values])].flatMap(readCandidates);
  return { sure: new Set([...sure, ...opens]), mentioned: new Set(mentioned) };
}

const MOST_PATHS = 200;

/** Returns the absolute paths that a shell text may read, as far as it shows them: what they link to is not known here. */
export function listReadPaths(reading: ShellReading, starts: readonly string[]): string[] {
  const { calls } = reading;
  const { sure, mentioned } = listWords(reading);
  const words = [...sure, ...mentioned].map(readShortcuts).filter((word) => !word.includes(ANY));
  const bases = listBases(calls, starts).filter((base) => base !== ANY);
  const paths = bases.flatMap((base) => words.map((word) => posix.resolve(base, word)));
  return [...new Set(paths)].slice(0, MOST_PATHS);
}

/** Other names of folders: of the working folder, of the root, and of homes, which only the shell knows. */
function readShortcuts(word: string): string {
  return word
    .replace(/^\/+(?=\uffff)/, "")
    .replace(/^~\+(?=\/|$)/, ".")
    .replace(/^~[^/]*/, ANY)
    .replace(/^\/proc\/[^/]+\/cwd(?=\/|$)/, ".")
    .replace(/^\/proc\/[^/]+\/root(?=\/)/, "");
}

/** The parts of a word that may be a path: `--file=a`, `HEAD:a`, `-fa`, `@a`. */
function readCandidates(word: string): string[] {
  const parts = [word, ...word.split(/[=:,@<]/).slice(1)];
  const glued = /^-\w(.+)$/.exec(word)?.[1];
  return [...parts, ...(glued === undefined ? [] : [glued])].filter((one) => one !== "" && one.length < 4096);
}

/** Returns whether a word of a shell text names a path that the pattern covers. `bases`: where it may begin. */
export function meetsWord(
  pattern: PathPattern,
  word: string,
  { root, bases }: { root: string; bases: readonly string[] },
): Match {
  const open = readShortcuts(word).replaceAll(/[*?]|\[[^\]/]*\]/g, ANY);
  if (!open.includes(ANY)) {
    const isMet = bases.some((base) => meetsPath(pattern, posix.resolve(base, open), { root, wide: true }));
    if (isMet) return "yes";
  }
  // Above a folder that only the shell knows, a path may begin at the project.
  const [, below] = /^(?:\.\.\/|\uffff\/)+([^\uffff]+)$/.exec(open) ?? [];
  if (below !== undefined && meetsPath(pattern, below, { root, wide: true })) return "maybe";
  if (!open.includes(ANY)) {
    // From a folder that only the shell knows, the end of the path is compared.
    const isOpen = bases.includes(ANY) && !open.startsWith("/");
    return isOpen && pattern.ways.some((way) => mayMeet(way, `${ANY}/${open}`, pattern.isBareName))
      ? "maybe"
      : "no";
  }
  return pattern.ways.some((way) => mayMeet(way, open, pattern.isBareName)) ? "maybe" : "no";
}

/** An unknown beginning of a word may be any folder, so that only the end is compared. */
function mayMeet(way: readonly string[], word: string, isBareName: boolean): boolean {
  const last = way.at(-1) ?? "";
  const name = word.split("/").at(-1) ?? "";
  const known = word.split(ANY)[0]?.replace(/^(?:\.?\/)+/, "") ?? "";
  const [first = "", ...below] = word.replace(/^(?:\.\/)+/, "").split("/");
  const isFolder = below.length > 0 && first.replaceAll(ANY, "") !== "" && overlaps(way[0] ?? "", first);
  if ((known === "" && !isFolder) || isBareName) {
    const isKnown = name.replaceAll(ANY, "") !== "";
    return isKnown && last.replaceAll(STAR, "") !== "" && overlaps(last, name);
  }
  return overlaps(way.join("/").replaceAll(`/${STAR}${STAR}`, STAR), word.replace(/^(?:\.\/)+/, ""));
}
