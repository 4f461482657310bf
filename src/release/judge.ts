// Whether what an agent left is a release, and nothing but one. Pure. Leaves finding out what it left to perform.ts.
import { basename, dirname } from "node:path";
import { readEntries, findChangelog, type ChangelogEntry } from "./changelog.js";
import { findVersions, type VersionLocation } from "./places.js";
import { bareVersion, compareVersions, isVersion, raise, BUMPS, type Bump } from "./version.js";

/** What was known of the project before the agent worked. */
export interface Known {
  /** The version there is; absent: no file and no tag says one. */
  from?: string | undefined;
  /** The version of the last tag, where there is one. */
  tagged?: string | undefined;
  /** What stands before the version in tags. */
  prefix: string;
  /** Every tag there is, here and at the remote. */
  tags: ReadonlySet<string>;
  /** Asked for: which part to raise, or the version itself. */
  wanted?: string | undefined;
  /** Where the version stands in files. */
  places: readonly VersionLocation[];
  /** From the top of the repository; absent: there is none. */
  changelog?: string | undefined;
  /** What it says. */
  changelogText?: string | undefined;
  /** The project's folder from the top of the repository: "" or "a/b". */
  folder: string;
}

/** A file that the agent changed, from the top of the repository. */
export interface ReleasedFile {
  path: string;
  /** Absent: it was not there, or is no text. */
  before?: string;
  /** Absent: it is gone, or is no text. */
  after?: string;
  /** A file before and now (or only now), and as executable as before. */
  plain: boolean;
}

/** What speaks against it. */
export interface ReleaseProblem {
  check: "version" | "places" | "changelog" | "tag" | "remote";
  message: string;
}

export interface Judgement {
  /** Absent: it is not known which one it would be. */
  version?: string;
  problems: readonly ReleaseProblem[];
  /** Changed paths that are no part of a release. */
  strange: readonly string[];
  /** The changelog's entry. */
  notes: string;
}

/** The version that is asked for, as far as that can be said: a part is raised from what there is. */
export function wantedVersion(wanted: string | undefined, from: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  const bump = BUMPS.find((one) => one === wanted);
  if (bump === undefined) return bareVersion(wanted);
  return from === undefined ? undefined : raise(from, bump satisfies Bump);
}

/** Judges what an agent left. */
export function judgeRelease(known: Known, changes: readonly ReleasedFile[]): Judgement {
  const moved = new Map(changes.map((change) => [change.path, change]));
  const added = newEntries(known, moved);
  const { version, problems } = findVersion(known, moved, added);
  if (version === undefined) return { problems, strange: strangeAmong(known, changes, ""), notes: "" };
  // One that a person has written ahead is as good.
  const entry = added.all.find((one) => compareVersions(one.version, version) === 0);
  return {
    version,
    problems: [...problems, ...checkVersion(known, version), ...checkChangelog(added, entry, version)],
    strange: strangeAmong(known, changes, version),
    notes: entry?.text ?? "",
  };
}

type Moved = ReadonlyMap<string, ReleasedFile>;

/** The one new version: where the old one stood, or (no file says one) in the changelog. */
function findVersion(
  known: Known,
  moved: Moved,
  added: NewEntries,
): { version?: string; problems: ReleaseProblem[] } {
  const { places, from } = known;
  if (places.length === 0) {
    const asked = wantedVersion(known.wanted, from);
    const versions = [...new Set(added.entries.map(({ version }) => version))];
    const [only] = versions;
    if (asked !== undefined) return { version: asked, problems: [] };
    if (versions.length === 1 && only !== undefined) return { version: only, problems: [] };
    const message =
      versions.length === 0
        ? "no new entry in the changelog says which version it is"
        : `the changelog has several new entries: ${versions.join(", ")}`;
    return { problems: [{ check: "version", message }] };
  }
  const now = places.map((place) => ({ place, version: versionNow(place, places, moved) }));
  const left = now.filter(({ version }) => version === from);
  const gone = now.filter(({ version }) => version === undefined);
  const fresh = new Map(
    now.flatMap(({ place, version }): [string, VersionLocation][] =>
      version === undefined || version === from ? [] : [[version, place]],
    ),
  );
  const problems: ReleaseProblem[] = [];
  const [version] = fresh.keys();
  if (fresh.size === 0 && gone.length === 0)
    problems.push({
      check: "version",
      message: `no version was raised: it is still ${from ?? ""} in ${pathsOf(left)}`,
    });
  else if (left.length > 0)
    problems.push({ check: "places", message: `still ${from ?? ""}: ${pathsOf(left)}` });
  if (gone.length > 0)
    problems.push({ check: "places", message: `no version stands there any more: ${pathsOf(gone)}` });
  if (fresh.size > 1) {
    const said = [...fresh].map(([one, { path }]) => `${one} in ${path}`).join(", ");
    problems.push({ check: "version", message: `more than one new version: ${said}` });
  }
  return version === undefined ? { problems } : { version, problems };
}

/** What the same place says now; places of one name in a file are told apart by their order. */
function versionNow(
  place: VersionLocation,
  places: readonly VersionLocation[],
  moved: Moved,
): string | undefined {
  const change = moved.get(place.path);
  if (change === undefined) return place.version;
  if (change.after === undefined) return undefined;
  const isSame = (one: VersionLocation): boolean => one.path === place.path && one.where === place.where;
  // Only those that said the old version are known here: the file itself says which of the same name this one is.
  const before = findVersions(place.path, change.before ?? "").filter(isSame);
  const after = findVersions(place.path, change.after).filter(isSame);
  const nth = places.filter(isSame).indexOf(place);
  const old = before.flatMap(({ version }, at) => (version === place.version ? [at] : []));
  return after[old[nth] ?? nth]?.version;
}

function pathsOf(list: readonly { place: VersionLocation }[]): string {
  const said = list.map(({ place }) => `${place.path} (${place.where})`);
  return [...new Set(said)].join(", ");
}

function checkVersion({ from, tagged, wanted, prefix, tags }: Known, version: string): ReleaseProblem[] {
  const problems: ReleaseProblem[] = [];
  const asked = wantedVersion(wanted, from);
  if (!isVersion(version)) problems.push({ check: "version", message: `${version} is no version` });
  if (asked !== undefined && asked !== version)
    problems.push({ check: "version", message: `${asked} was asked for, not ${version}` });
  const last = [from, tagged]
    .filter((one) => one !== undefined)
    .sort(compareVersions)
    .at(-1);
  if (last !== undefined && compareVersions(version, last) <= 0)
    problems.push({ check: "version", message: `${version} is not greater than ${last}` });
  if (tags.has(prefix + version))
    problems.push({ check: "tag", message: `there is a tag ${prefix}${version} already` });
  return problems;
}

interface NewEntries {
  /** From the top of the repository; absent: there is no changelog, not even a new one. */
  path?: string;
  /** Those that were not there before. */
  entries: readonly ChangelogEntry[];
  all: readonly ChangelogEntry[];
  /** Versions it had an entry for, which is gone or says something else. */
  lost: readonly string[];
}

function newEntries(known: Known, moved: Moved): NewEntries {
  const path = known.changelog ?? newChangelog(known, moved);
  if (path === undefined) return { entries: [], all: [], lost: [] };
  const change = moved.get(path);
  const old = path === known.changelog ? (known.changelogText ?? "") : "";
  const before = readEntries(old);
  const after = readEntries(change === undefined ? old : (change.after ?? ""));
  const entries = after.filter((one) => !before.some(({ version }) => version === one.version));
  const lost = before.filter(
    (one) => !after.some((now) => now.version === one.version && now.text === one.text),
  );
  return { path, entries, all: after, lost: lost.map(({ version }) => version) };
}

function newChangelog({ folder }: Known, moved: Moved): string | undefined {
  const names = [...moved.values()]
    .filter(({ path, before, after }) => isIn(folder, path) && before === undefined && after !== undefined)
    .map(({ path }) => path);
  const name = findChangelog(names.map((path) => basename(path)));
  return names.find((path) => basename(path) === name);
}

function isIn(folder: string, path: string): boolean {
  return dirname(path) === (folder === "" ? "." : folder);
}

function checkChangelog(
  added: NewEntries,
  entry: ChangelogEntry | undefined,
  version: string,
): ReleaseProblem[] {
  const { path } = added;
  const lost = added.lost.filter((one) => compareVersions(one, version) !== 0);
  const problems: ReleaseProblem[] = [];
  if (path === undefined)
    problems.push({
      check: "changelog",
      message: `there is no changelog: an entry for ${version} is wanted, in CHANGELOG.md`,
    });
  else if (entry === undefined)
    problems.push({ check: "changelog", message: `${path} has no new entry for ${version}` });
  else if (entry.text === "")
    problems.push({ check: "changelog", message: `the entry for ${version} in ${path} is empty` });
  if (lost.length > 0)
    problems.push({
      check: "changelog",
      message: `what ${path ?? ""} said of ${lost.join(", ")} was changed`,
    });
  return problems;
}

/** What is no part of a release: all but the changelog, and lines in which nothing but the version (or a date) changed. */
function strangeAmong(known: Known, changes: readonly ReleasedFile[], version: string): string[] {
  const moved = new Map(changes.map((change) => [change.path, change]));
  const changelog = known.changelog ?? newChangelog(known, moved);
  return changes
    .filter((change) => !isExpected(known, change, { version, changelog }))
    .map(({ path }) => path)
    .sort();
}

function isExpected(
  { from = "" }: Known,
  { path, before, after, plain }: ReleasedFile,
  { version, changelog }: { version: string; changelog: string | undefined },
): boolean {
  if (!plain || after === undefined) return false;
  if (path === changelog) return true;
  if (before === undefined || version === "") return false;
  // A lock file may have been behind.
  const old = [from, ...findVersions(path, before).map((place) => place.version)].filter((one) => one !== "");
  const then = before.split("\n");
  const now = after.split("\n");
  return (
    then.length === now.length &&
    then.every((line, at) => {
      const other = now[at] ?? "";
      return line === other || old.some((one) => onlyVersion(line, one) === onlyVersion(other, version));
    })
  );
}

/** The line with that version made the same, and the date of a line that is about one. */
function onlyVersion(line: string, version: string): string {
  const escaped = version.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const alone = new RegExp(String.raw`(?<![0-9A-Za-z.])(v?)${escaped}(?![0-9A-Za-z]|\.\d)`, "g");
  const same = line.replace(alone, "$1\u0000");
  return /date/i.test(same) ? same.replace(/\b\d{4}-\d\d-\d\d\b/g, "\u0001") : same;
}
