// Judges whether an agent's changes are a release and nothing else. Pure. src/loop/perform/perform-release.ts reads the changes.
import { basename, dirname } from "node:path";
import { readEntries, findChangelog, type ChangelogEntry } from "./changelog.js";
import { findVersions, type VersionLocation } from "./places.js";
import { removeLeadingV, compareVersions, isVersion, raiseVersion, BUMPS, type Bump } from "./version.js";

/** The facts about the project before the agent worked. */
export interface ProjectFacts {
  /** The current version; absent: no file and no tag has one. */
  from?: string | undefined;
  /** The version of the last tag, if there is one. */
  tagged?: string | undefined;
  /** The text before the version in tags, such as "v". */
  prefix: string;
  /** Every tag, here and at the remote. */
  tags: ReadonlySet<string>;
  /** The requested part to raise, or the requested version. */
  wanted?: string | undefined;
  /** Where files have the version. */
  places: readonly VersionLocation[];
  /** Relative to the top of the repository; absent: there is none. */
  changelog?: string | undefined;
  /** Its text. */
  changelogText?: string | undefined;
  /** The project's folder relative to the top of the repository: "" or "a/b". */
  folder: string;
}

/** A file that the agent changed; the path is relative to the top of the repository. */
export interface ReleasedFile {
  path: string;
  /** The text before; absent: the file did not exist or is not text. */
  before?: string;
  /** The text after; absent: the file was removed or is not text. */
  after?: string;
  /** A regular file before and after (or only after), with the executable bit unchanged. */
  plain: boolean;
}

/** A reason against the release. */
export interface ReleaseProblem {
  check: "version" | "places" | "changelog" | "tag" | "remote";
  message: string;
}

export interface Judgement {
  /** Absent: the version is unknown. */
  version?: string;
  problems: readonly ReleaseProblem[];
  /** Changed paths that are not part of a release. */
  strange: readonly string[];
  /** The entry of the changelog. */
  notes: string;
}

/** The requested version. A requested part is raised from the current version; `undefined` if that is unknown. */
export function resolveWantedVersion(
  wanted: string | undefined,
  from: string | undefined,
): string | undefined {
  if (wanted === undefined) return undefined;
  const bump = BUMPS.find((one) => one === wanted);
  if (bump === undefined) return removeLeadingV(wanted);
  return from === undefined ? undefined : raiseVersion(from, bump satisfies Bump);
}

/** Judges an agent's changes. */
export function judgeRelease(known: ProjectFacts, changes: readonly ReleasedFile[]): Judgement {
  const moved = new Map(changes.map((change) => [change.path, change]));
  const added = findNewEntries(known, moved);
  const { version, problems } = findVersion(known, moved, added);
  if (version === undefined) return { problems, strange: listStrange(known, changes, ""), notes: "" };
  // An entry that a person wrote before counts as well.
  const entry = added.all.find((one) => compareVersions(one.version, version) === 0);
  return {
    version,
    problems: [...problems, ...checkVersion(known, version), ...checkChangelog(added, entry, version)],
    strange: listStrange(known, changes, version),
    notes: entry?.text ?? "",
  };
}

type ChangedFiles = ReadonlyMap<string, ReleasedFile>;

/** Finds the one new version: in the places of the old one, or in the changelog if no file has a version. */
function findVersion(
  known: ProjectFacts,
  moved: ChangedFiles,
  added: NewEntries,
): { version?: string; problems: ReleaseProblem[] } {
  const { places, from } = known;
  if (places.length === 0) {
    const asked = resolveWantedVersion(known.wanted, from);
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
  const now = places.map((place) => ({ place, version: findVersionNow(place, places, moved) }));
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
      message: `no version was raised: it is still ${from ?? ""} in ${formatPaths(left)}`,
    });
  else if (left.length > 0)
    problems.push({ check: "places", message: `still ${from ?? ""}: ${formatPaths(left)}` });
  if (gone.length > 0)
    problems.push({ check: "places", message: `the version is missing: ${formatPaths(gone)}` });
  if (fresh.size > 1) {
    const list = [...fresh].map(([one, { path }]) => `${one} in ${path}`).join(", ");
    problems.push({ check: "version", message: `more than one new version: ${list}` });
  }
  return version === undefined ? { problems } : { version, problems };
}

/** The version that a place has now; places with the same name in one file are matched by order. */
function findVersionNow(
  place: VersionLocation,
  places: readonly VersionLocation[],
  moved: ChangedFiles,
): string | undefined {
  const change = moved.get(place.path);
  if (change === undefined) return place.version;
  if (change.after === undefined) return undefined;
  const isSame = (one: VersionLocation): boolean => one.path === place.path && one.where === place.where;
  // `places` has only those with the old version, so the file's earlier text tells which of the same name this one is.
  const before = findVersions(place.path, change.before ?? "").filter(isSame);
  const after = findVersions(place.path, change.after).filter(isSame);
  const nth = places.filter(isSame).indexOf(place);
  const old = before.flatMap(({ version }, at) => (version === place.version ? [at] : []));
  return after[old[nth] ?? nth]?.version;
}

function formatPaths(list: readonly { place: VersionLocation }[]): string {
  const names = list.map(({ place }) => `${place.path} (${place.where})`);
  return [...new Set(names)].join(", ");
}

function checkVersion(
  { from, tagged, wanted, prefix, tags }: ProjectFacts,
  version: string,
): ReleaseProblem[] {
  const problems: ReleaseProblem[] = [];
  const asked = resolveWantedVersion(wanted, from);
  if (!isVersion(version)) problems.push({ check: "version", message: `${version} is not a version` });
  if (asked !== undefined && asked !== version)
    problems.push({ check: "version", message: `${asked} was asked for, not ${version}` });
  const last = [from, tagged]
    .filter((one) => one !== undefined)
    .sort(compareVersions)
    .at(-1);
  if (last !== undefined && compareVersions(version, last) <= 0)
    problems.push({ check: "version", message: `${version} is not greater than ${last}` });
  if (tags.has(prefix + version))
    problems.push({ check: "tag", message: `tag ${prefix}${version} exists already` });
  return problems;
}

interface NewEntries {
  /** Relative to the top of the repository; absent: no changelog exists, not even a new one. */
  path?: string;
  /** The entries that did not exist before. */
  entries: readonly ChangelogEntry[];
  all: readonly ChangelogEntry[];
  /** Versions whose entry was removed or changed. */
  lost: readonly string[];
}

function findNewEntries(known: ProjectFacts, moved: ChangedFiles): NewEntries {
  const path = known.changelog ?? findNewChangelog(known, moved);
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

function findNewChangelog({ folder }: ProjectFacts, moved: ChangedFiles): string | undefined {
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
      message: `the changelog is missing: write an entry for ${version} in CHANGELOG.md`,
    });
  else if (entry === undefined)
    problems.push({ check: "changelog", message: `${path} has no new entry for ${version}` });
  else if (entry.text === "")
    problems.push({ check: "changelog", message: `the entry for ${version} in ${path} is empty` });
  if (lost.length > 0)
    problems.push({
      check: "changelog",
      message: `${path ?? ""} changed the entry of an earlier version: ${lost.join(", ")}`,
    });
  return problems;
}

/** Changes that are not part of a release: all except the changelog, and lines in which only the version (or a date) changed. */
function listStrange(known: ProjectFacts, changes: readonly ReleasedFile[], version: string): string[] {
  const moved = new Map(changes.map((change) => [change.path, change]));
  const changelog = known.changelog ?? findNewChangelog(known, moved);
  return changes
    .filter((change) => !isExpected(known, change, { version, changelog }))
    .map(({ path }) => path)
    .sort();
}

function isExpected(
  { from = "" }: ProjectFacts,
  { path, before, after, plain }: ReleasedFile,
  { version, changelog }: { version: string; changelog: string | undefined },
): boolean {
  if (!plain || after === undefined) return false;
  if (path === changelog) return true;
  if (before === undefined || version === "") return false;
  // A lock file may have had an older version.
  const old = [from, ...findVersions(path, before).map((place) => place.version)].filter((one) => one !== "");
  const then = before.split("\n");
  const now = after.split("\n");
  return (
    then.length === now.length &&
    then.every((line, at) => {
      const other = now[at] ?? "";
      return line === other || old.some((one) => maskVersion(line, one) === maskVersion(other, version));
    })
  );
}

/** Replaces that version in the line by a placeholder, and also the date if the line mentions one. */
function maskVersion(line: string, version: string): string {
  const escaped = version.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const alone = new RegExp(String.raw`(?<![0-9A-Za-z.])(v?)${escaped}(?![0-9A-Za-z]|\.\d)`, "g");
  const same = line.replace(alone, "$1\u0000");
  return /date/i.test(same) ? same.replace(/\b\d{4}-\d\d-\d\d\b/g, "\u0001") : same;
}
