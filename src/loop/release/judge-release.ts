// Judges whether an agent's changes are a release and nothing else; reads, compares and raises versions. Pure. release.ts reads the
// changes.
import { basename } from "node:path";
import { listSome } from "../../system/text/cut.js";
import { never } from "../../system/never.js";

/** The facts about the project before the agent works. Paths are relative to the top of the repository. */
export interface ProjectFacts {
  /** The current version: of the version file, else of the last tag; absent: there is none. */
  from?: string;
  /** The version of the last tag. */
  tagged?: string;
  /** The text before the version in tags, such as "v". */
  prefix: string;
  /** Every tag. */
  tags: ReadonlySet<string>;
  /** patch, minor, major or a version; absent: the agent chooses. */
  wanted?: string;
  /** The one file whose version is read. */
  versionFile?: string;
  /** The changelog, where there is one. */
  changelog?: string;
}

/** A file that the agent changed. */
export interface ReleasedFile {
  path: string;
  /** The text before and after; absent: the file was not there, or is not text. */
  before?: string;
  after?: string;
  /** A regular file before and after, with the executable bit unchanged. */
  plain: boolean;
}

/** `version`: absent if the changes do not say which one it is. `notes`: the entry of the changelog. */
export interface Judgement {
  version?: string;
  notes: string;
  problems: readonly string[];
}

/** The names of version files, in the order in which one is taken. */
const VERSION_FILES = ["package.json", "Cargo.toml", "pyproject.toml", "VERSION", "version.txt"];

/** The version file among the names of a folder. */
export function findVersionFile(names: readonly string[]): string | undefined {
  return VERSION_FILES.find((name) => names.includes(name));
}

/** The first version that the text of a version file names. */
export function readVersion(path: string, text: string): string | undefined {
  const found = /^(?:version|VERSION)/.test(basename(path))
    ? text.trim()
    : /^[ \t]*"?version"?[ \t]*[:=][ \t]*["']([^"'\n]+)["']/m.exec(text)?.[1];
  return found !== undefined && isVersion(found) ? found : undefined;
}

/** The changelog among the names of a folder. */
export function findChangelog(names: readonly string[]): string | undefined {
  return names.find((name) => /^(?:changelog|changes|history|news)(?:\.md)?$/i.test(name));
}

/** A heading of Markdown with a version, after at most one other word. */
const HEADING = /^#{1,3}[ \t]+(?:[^\s[\d]+[ \t]+)?\[?v?(\d+(?:\.\d+){1,3}[^\s\])]*)/i;

/** The entries of a changelog: version → text below its heading. */
export function readEntries(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  let version: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const found = HEADING.exec(line)?.[1];
    // "### Added" is part of an entry, "## Unreleased" ends one.
    if (found !== undefined || /^#{1,2}[ \t]/.test(line)) version = found;
    if (found !== undefined) entries.set(found, "");
    else if (version !== undefined) entries.set(version, `${entries.get(version) ?? ""}${line}\n`);
  }
  return new Map([...entries].map(([name, body]) => [name, body.trim()]));
}

/** The requested version. A requested part is raised from the current one; `undefined` if that is unknown. */
export function resolveWanted({ wanted, from }: Pick<ProjectFacts, "wanted" | "from">): string | undefined {
  const bump = BUMPS.find((one) => one === wanted);
  if (bump === undefined) return wanted?.replace(/^v/i, "");
  return from === undefined ? undefined : raiseVersion(from, bump);
}

/** Judges an agent's changes. `changelogText`: of the changelog as it is now, changed or not. */
export function judgeRelease(
  known: ProjectFacts,
  changes: readonly ReleasedFile[],
  changelogText: string,
): Judgement {
  const changelog = changes.find(({ path }) => path === (known.changelog ?? "CHANGELOG.md"));
  const before = readEntries(changelog === undefined ? changelogText : (changelog.before ?? ""));
  const after = readEntries(changelogText);
  const fresh = [...after.keys()].filter((version) => !before.has(version));
  const version = findVersion(known, changes, fresh);
  if (version === undefined)
    return { notes: "", problems: [`no version was raised${stillIn(known, known.from)}`] };
  const notes = after.get(version) ?? "";
  const lost = [...before].filter(([old, text]) => old !== version && after.get(old) !== text);
  const strange = changes.filter((change) => change !== changelog && !hasOnlyVersion(change, version));
  const name = known.changelog ?? "CHANGELOG.md";
  const problems = [
    ...checkVersion(known, version),
    ...(notes === "" ? [`${name} has no entry for ${version}`] : []),
    ...(lost.length === 0
      ? []
      : [`${name} changed an earlier entry: ${lost.map(([old]) => old).join(", ")}`]),
    ...(strange.length === 0
      ? []
      : [
          `the agent changed files that are not part of a release: ${listSome(strange.map((one) => one.path))}`,
        ]),
  ];
  return { version, notes, problems };
}

function stillIn({ versionFile }: ProjectFacts, from = "absent"): string {
  return versionFile === undefined ? "" : `: it is still ${from} in ${versionFile}`;
}

/** The new version: of the version file, else of the one new entry of the changelog, else the requested one. */
function findVersion(
  known: ProjectFacts,
  changes: readonly ReleasedFile[],
  fresh: readonly string[],
): string | undefined {
  const { versionFile, from } = known;
  if (versionFile === undefined) return (fresh.length === 1 ? fresh[0] : undefined) ?? resolveWanted(known);
  const text = changes.find(({ path }) => path === versionFile)?.after;
  const version = text === undefined ? undefined : readVersion(versionFile, text);
  return version === from ? undefined : version;
}

/** The reasons against a version. */
export function checkVersion(known: ProjectFacts, version: string): string[] {
  const { from, tagged, prefix, tags } = known;
  const wanted = resolveWanted(known);
  const last = [from, tagged].filter((one) => one !== undefined).sort(compareVersions);
  const greatest = last.at(-1);
  return [
    ...(wanted === undefined || wanted === version ? [] : [`${wanted} was asked for, not ${version}`]),
    ...(greatest === undefined || compareVersions(version, greatest) > 0
      ? []
      : [`${version} is not greater than the current version ${greatest}`]),
    ...(tags.has(prefix + version) ? [`tag ${prefix}${version} exists already`] : []),
  ];
}

/** Whether nothing but lines with the new version changed: what stands for it was a version or a date before. */
function hasOnlyVersion({ before, after, plain }: ReleasedFile, version: string): boolean {
  if (!plain || before === undefined || after === undefined) return false;
  const [then, now] = [before.split("\n"), after.split("\n")];
  return (
    then.length === now.length &&
    then.every((line, at) => {
      const other = now[at] ?? "";
      return line === other || (other.includes(version) && maskVersions(line) === maskVersions(other));
    })
  );
}

function maskVersions(line: string): string {
  return line.replaceAll(/\b\d{4}-\d\d-\d\d\b|(?<!\d)\d{1,9}(?:\.\d{1,9}){1,3}[-+.0-9A-Za-z]*/g, "\0");
}

const SHAPE =
  /^v?(\d{1,9}(?:\.\d{1,9}){1,3})(?:-([0-9A-Za-z.-]+)|\.?([A-Za-z][0-9A-Za-z.]*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** The parts of a version that can be raised. */
export const BUMPS = ["patch", "minor", "major"] as const;
export type Bump = (typeof BUMPS)[number];

export function isVersion(text: string): boolean {
  return SHAPE.test(text);
}

function numbersOf(text: string): number[] {
  return (SHAPE.exec(text)?.[1] ?? "").split(".").map(Number);
}

/** The words after the numbers; empty: it is not a pre-release. */
export function preReleaseOf(text: string): string {
  const [, , pre, python] = SHAPE.exec(text) ?? [];
  return pre ?? python ?? "";
}

/** Below 0: `a` comes before `b`. A pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < 4; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  const [pre, otherPre] = [preReleaseOf(a), preReleaseOf(b)];
  if (pre === "" || otherPre === "") return Number(pre === "") - Number(otherPre === "");
  return pre.localeCompare(otherPre, "en", { numeric: true });
}

/** Raises a part of a version. A pre-release becomes its release if that raises enough (1.2.0-rc.1 and minor: 1.2.0). */
export function raiseVersion(from: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(from);
  const before = preReleaseOf(from) !== "";
  switch (bump) {
    case "major":
      return `${String(before && minor === 0 && patch === 0 ? major : major + 1)}.0.0`;
    case "minor":
      return `${String(major)}.${String(before && patch === 0 ? minor : minor + 1)}.0`;
    case "patch":
      return `${String(major)}.${String(minor)}.${String(before ? patch : patch + 1)}`;
    default:
      return never(bump);
  }
}
