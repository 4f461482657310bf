// What stands in a rule's bracket, and what it matches: commands, paths, URLs, names. Pure. Leaves what a shell text consists
// of to the floor `shell`, and which tools and lists there are to decide.ts.
import { posix } from "node:path";
import { readShell, type ShellCommand } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { covers, ONE, overlaps, STAR } from "./wildcard.js";

/** `maybe`: only the shell knows. */
export type Match = "yes" | "maybe" | "no";

/** A pattern for commands: any of them, spelled as `ShellCommand.text`. */
export interface CommandPattern {
  texts: readonly string[];
}

/** The pattern, or what is wrong with it. */
export function compileCommandPattern(raw: string): CommandPattern | { problem: string } {
  const prefix = raw.endsWith(":*");
  const text = prefix ? raw.slice(0, -2) : raw;
  // Only the quotes are read like a shell reads them; a star is a letter until then.
  const { commands, isWhole, writes } = readShell(text.replaceAll("*", STAR).replaceAll("?", ONE));
  const [command, ...more] = commands;
  if (command === undefined || more.length > 0 || writes || (!isWhole && command.runs !== "others"))
    return { problem: "is no single plain command; a text is split into its commands, so name one of them" };
  if (command.text.includes(ANY))
    return { problem: "has something in it that only a shell can tell ($, {…} or […]); quote it, or use *" };
  const plain = command.text.replaceAll(ONE, "?");
  if (prefix) return { texts: [plain, `${plain} ${STAR}`, `${plain}:${STAR}`] };
  return { texts: plain.endsWith(` ${STAR}`) ? [plain, plain.slice(0, -2)] : [plain] };
}

/** Whether a pattern allows the command: all that it can turn out to be must be meant. */
export function allowsCommand({ texts }: CommandPattern, command: ShellCommand): boolean {
  switch (command.runs) {
    case "nothing":
      return true;
    case "others":
      // What it runs stands somewhere in its words: they are allowed word for word.
      return texts.some((text) => text === command.text);
    default:
      return texts.some((text) => covers(text, command.text));
  }
}

/** Whether a pattern is against the command, whatever it is called by. */
export function meetsCommand({ texts }: CommandPattern, { spellings }: ShellCommand): Match {
  let match: Match = "no";
  for (const text of texts) {
    for (const spelling of spellings) {
      if (covers(text, spelling)) return "yes";
      if (spelling.includes(ANY) && overlaps(text, spelling)) match = "maybe";
    }
  }
  return match;
}

/** A pattern for paths, each way in segments below the root, or from `/`. */
export interface PathPattern {
  ways: readonly (readonly string[])[];
  /** Says nothing about folders: a file of that name anywhere, to a rule against it. */
  isBareName: boolean;
}

const MOST_WAYS = 100;

/** Relative to `root` (absolute), `*` and `?` within a name, `**` for folders, `{a,b}` for either. */
export function compilePathPattern(raw: string, root: string): PathPattern | { problem: string } {
  if (raw.startsWith("~")) return { problem: "begins with ~; write the folder out" };
  const spelled = expandBraces(raw);
  if (spelled.length > MOST_WAYS)
    return { problem: `stands for more than ${MOST_WAYS} patterns; write fewer {…}` };
  return {
    ways: spelled.map((one) =>
      toSegments(one, root).map((segment) => segment.replaceAll("*", STAR).replaceAll("?", ONE)),
    ),
    isBareName: !raw.includes("/"),
  };
}

function expandBraces(raw: string): string[] {
  const done: string[] = [];
  const waiting = [raw];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const found = /^([^{}]*)\{([^{}]*,[^{}]*)\}/.exec(one);
    const [whole = "", before = "", choices = ""] = found ?? [];
    if (found === null || done.length + waiting.length > MOST_WAYS) done.push(one);
    else for (const choice of choices.split(",")) waiting.push(before + choice + one.slice(whole.length));
  }
  return done;
}

/** Below the root without it, else from `/` with an empty first one. */
function toSegments(path: string, root: string): string[] {
  const absolute = posix.resolve(root, path.replace(/^\/\//, "/"));
  const below = posix.relative(root, absolute);
  if (below === "") return [];
  return below === ".." || below.startsWith("../") ? absolute.split("/") : below.split("/");
}

const FOLDERS = STAR + STAR;

/**
 * Whether a pattern means the path. `wide` (a rule against it): also all that lies in what it means, a bare name in any folder,
 * and the folder of `folder/**` itself.
 */
export function meetsPath(
  { ways, isBareName }: PathPattern,
  path: string,
  place: { root: string; wide: boolean },
) {
  const segments = toSegments(path, place.root);
  return ways.some((way) => {
    if (!place.wide) return meetsSegments(way, segments, way.at(-1)?.includes(STAR) === false);
    const last = way.at(-1) === FOLDERS ? way.slice(0, -1) : way;
    return meetsSegments(isBareName ? [FOLDERS, ...last] : last, segments, true);
  });
}

/** `below`: what lies in a folder that is met is met too. */
function meetsSegments(way: readonly string[], segments: readonly string[], below: boolean): boolean {
  // The numbers of segments of the way that may be behind: like `overlaps`, with names for letters.
  let reached = skipFolders(way, new Set([0]));
  for (const name of segments) {
    if (below && reached.has(way.length)) return true;
    const further = new Set<number>();
    for (const at of reached) {
      const wanted = way[at];
      if (wanted === FOLDERS) further.add(at);
      else if (wanted !== undefined && covers(wanted, name)) further.add(at + 1);
    }
    reached = skipFolders(way, further);
  }
  return reached.has(way.length);
}

function skipFolders(way: readonly string[], places: Set<number>): Set<number> {
  for (const at of places) if (way[at] === FOLDERS) places.add(at + 1);
  return places;
}

/** Whether a pattern that names something in a folder is met when the folder itself goes away. */
export function namesPathBelow({ ways }: PathPattern, path: string, root: string): boolean {
  const segments = toSegments(path, root);
  return ways.some((way) => segments.length < way.length && segments.every((name, at) => way[at] === name));
}

/** `domain:host`, `domain:*.host`, or a URL with `*`. `wide` (a rule against it): hosts below the host too. */
export function meetsUrl(pattern: string, url: string, wide: boolean): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, href } = new URL(url);
  if (!pattern.startsWith("domain:")) return covers(pattern.replaceAll("*", STAR), href);
  const wanted = pattern.slice("domain:".length).trim().toLowerCase().replace(/\.$/, "");
  const host = hostname.replace(/\.$/, "");
  return covers(wanted.replaceAll("*", STAR), host) || (wide && host.endsWith(`.${wanted}`));
}
