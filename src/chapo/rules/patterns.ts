// Patterns in a rule's brackets, matched against commands, paths and URLs. Pure. The floor `shell` reads shell texts, and
// decide.ts applies tools and lists.
import { posix } from "node:path";
import { readShell, runsOthers, spellingsOf, type CalledWords } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { covers, ONE, overlaps, STAR } from "./wildcard.js";

/** `maybe`: only the shell can resolve the text. */
export type Match = "yes" | "maybe" | "no";

/** Returns the match that counts: one for certain, or a possible one. */
export function strongest(matches: readonly Match[]): Match {
  return matches.includes("yes") ? "yes" : matches.includes("maybe") ? "maybe" : "no";
}

/** A pattern for commands: alternatives, spelled like `joined`. */
export interface CommandPattern {
  texts: readonly string[];
}

/** Returns the pattern, or its problem. */
export function compileCommandPattern(raw: string): CommandPattern | { problem: string } {
  const prefix = raw.endsWith(":*");
  const text = prefix ? raw.slice(0, -2) : raw;
  // Stars are replaced first, so that the shell reader handles only the quotes.
  const { commands, isWhole, writes } = readShell(text.replaceAll("*", STAR).replaceAll("?", ONE));
  const [command, ...more] = commands;
  if (command === undefined || more.length > 0 || writes.length > 0 || (!isWhole && !runsOthers(command)))
    return { problem: "is not a single plain command; texts are split into commands, so write one of them" };
  const whole = joined(command);
  if (whole.includes(ANY))
    return {
      problem: "contains something that only a shell can resolve ($, {…} or […]); quote it, or use *",
    };
  const plain = whole.replaceAll(ONE, "?");
  if (prefix) return { texts: [plain, `${plain} ${STAR}`, `${plain}:${STAR}`] };
  return { texts: plain.endsWith(` ${STAR}`) ? [plain, plain.slice(0, -2)] : [plain] };
}

/** Returns whether a pattern allows the command: it must match every text the command can expand to. */
export function allowsCommand({ texts }: CommandPattern, words: CalledWords): boolean {
  const command = joined(words);
  // A command that runs others, which its words name, must match exactly.
  const isExact = runsOthers(words);
  return texts.some((text) => (isExact ? text === command : covers(text, command)));
}

/** Returns whether a pattern against commands matches one of the calls; `maybe` for one that code mentions. */
export function meetsCommand(
  { texts }: CommandPattern,
  { calls, mentions }: { calls: readonly CalledWords[]; mentions: readonly CalledWords[] },
): Match {
  const spelled = calls.map(joined);
  if (texts.some((text) => spelled.some((one) => covers(text, one)))) return "yes";
  const open = [...spelled, ...mentions.flatMap(spellingsOf).map(joined)];
  return texts.some((text) => open.some((one) => overlaps(text, one))) ? "maybe" : "no";
}

/** Joins words to one text. A space inside a word becomes a no-break space. */
function joined(words: CalledWords): string {
  return words.map((word) => word.replace(/\s/g, "\u00a0")).join(" ");
}

/** A pattern for paths: alternatives, each as segments below the root or from `/`. */
export interface PathPattern {
  ways: readonly (readonly string[])[];
  /** Whether the pattern has no folder. A rule against it then matches the name in any folder. */
  isBareName: boolean;
}

const MOST_WAYS = 100;

/** Compiles a pattern relative to `root` (absolute): `*` and `?` within a name, `**` for folders, `{a,b}` for alternatives. */
export function compilePathPattern(raw: string, root: string): PathPattern | { problem: string } {
  if (raw.startsWith("~")) return { problem: "begins with ~; write the folder out" };
  const spelled = expandBraces(raw);
  if (spelled.length > MOST_WAYS)
    return { problem: `expands to more than ${MOST_WAYS} patterns; write fewer {…}` };
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
    const found = /^([^{}]*)\{([^{},]*,[^{}]*)\}/.exec(one);
    const [whole = "", before = "", choices = ""] = found ?? [];
    if (found === null || done.length + waiting.length > MOST_WAYS) done.push(one);
    else for (const choice of choices.split(",")) waiting.push(before + choice + one.slice(whole.length));
  }
  return done;
}

/** Returns the segments relative to the root, or from `/` with an empty first segment if the path is outside. */
function toSegments(path: string, root: string): string[] {
  const absolute = posix.resolve(root, path.replace(/^\/\//, "/"));
  const below = posix.relative(root, absolute);
  if (below === "") return [];
  return below === ".." || below.startsWith("../") ? absolute.split("/") : below.split("/");
}

const FOLDERS = STAR + STAR;

/**
 * Returns whether a pattern matches the path. `wide` (for a rule against it): also everything below a match, a bare name in any
 * folder, and the folder of `folder/**` itself.
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

/** Returns whether a pattern matches this very path, relative to the root. */
export function matchesPath({ ways }: PathPattern, path: string): boolean {
  return ways.some((way) => meetsSegments(way, path.split("/"), false));
}

/** `below`: everything inside a matching folder matches too. */
function meetsSegments(way: readonly string[], segments: readonly string[], below: boolean): boolean {
  // The possible positions in the pattern, as in `overlaps`, but with names instead of characters.
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

/** Returns whether a pattern names something inside the folder at `path`, which removing the folder would remove. */
export function namesPathBelow({ ways }: PathPattern, path: string, root: string): boolean {
  const segments = toSegments(path, root);
  return ways.some((way) => segments.length < way.length && segments.every((name, at) => way[at] === name));
}

/** Matches `domain:host`, `domain:*.host`, or a URL with `*`. `wide` (for a rule against it): also subdomains. */
export function meetsUrl(pattern: string, url: string, wide: boolean): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, href } = new URL(url);
  if (!pattern.startsWith("domain:")) return covers(pattern.replaceAll("*", STAR), href);
  const wanted = pattern.slice("domain:".length).trim().toLowerCase().replace(/\.$/, "");
  const host = hostname.replace(/\.$/, "");
  return covers(wanted.replaceAll("*", STAR), host) || (wide && host.endsWith(`.${wanted}`));
}

/** Returns whether the path is inside the folder and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`) && path.length > folder.length;
}

/** Returns whether the path is the folder, or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}
