// The dependencies that a manifest lists, and the rest of it: package.json, composer.json, Cargo.toml,
// pyproject.toml, requirements of pip, go.mod, Gemfile. By their documented formats. Pure. Leaves what a
// change of them means to manifests.ts.
import { posix } from "node:path";
import { isRecord } from "../../system/text/json.js";
import { readTable, type Table } from "./program-folders.js";

/** One entry of a manifest. */
export interface Dependency {
  name: string;
  value: unknown;
  /** Why it may decide a check if it is added. */
  odd?: string | undefined;
}

/** A file's dependencies, each by a key of its own, and the rest of it. */
interface Split {
  dependencies: ReadonlyMap<string, Dependency>;
  rest: unknown;
}

type Read = (text: string) => Split | undefined;

/** The reason against a folder, an archive, a repository or another name. */
const ELSEWHERE = "does not come from a registry by a plain version";

/** Where a manifest has its lists: tables of versions by name, or lists of requirements. */
const LISTS: Readonly<Record<string, RegExp>> = {
  "package.json": /^(?:dependencies|(?:dev|optional|peer)Dependencies)$/,
  "composer.json": /^require(?:-dev)?$/,
  "Cargo.toml": /^(?:dev-|build-)?dependencies$/,
  "pyproject.toml":
    /^(?:project\.(?:dependencies|optional-dependencies\..+)|dependency-groups\..+|tool\.poetry\.(?:group\.[^.]+\.)?dependencies)$/,
};

/** The reader of a manifest by its name. */
export function readManifest(path: string): Read | undefined {
  const name = posix.basename(path);
  const lists = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  if (lists !== undefined) return (text) => splitLists(readTable(name, text), lists);
  if (name === "go.mod") return (text) => splitLines(withoutBlocks(text), (line) => GO.exec(line)?.[1]);
  // A Gemfile is code of Ruby: only lines that name a gem with versions are dependencies.
  if (name === "Gemfile") return (text) => splitLines(text, (line) => GEM.exec(line)?.[2]);
  if (!/^requirements[\w.-]*\.(?:txt|in)$/.test(name)) return undefined;
  return (text) => splitLines(text.replaceAll(/\\\r?\n/g, " "), requirementOf);
}

/** The lists of a manifest as one, and the rest without them and without tables that held nothing else. */
function splitLists(value: unknown, lists: RegExp): Split | undefined {
  if (!isRecord(value)) return undefined;
  const dependencies = new Map<string, Dependency>();
  const withoutLists = (table: Table, above: string): Table => {
    const kept = Object.entries(table).flatMap(([key, one]): [string, unknown][] => {
      const at = above + key;
      const found = lists.test(at) ? entriesOf(one) : undefined;
      for (const entry of found ?? []) dependencies.set(`${at} ${entry.name}`, entry);
      if (found !== undefined) return [];
      if (!isRecord(one) || Object.keys(one).length === 0) return [[key, one]];
      const rest = withoutLists(one, `${at}.`);
      return Object.keys(rest).length === 0 ? [] : [[key, rest]];
    });
    return Object.fromEntries(kept);
  };
  return { rest: withoutLists(value, ""), dependencies };
}

/** The entries of a list; `undefined` if it is none. */
function entriesOf(list: unknown): Dependency[] | undefined {
  if (isRecord(list))
    return Object.entries(list).map(([name, value]) => ({ name, value, odd: oddVersion(value) }));
  if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) return undefined;
  return list.map((value) => {
    const name = requirementOf(value);
    return name === undefined ? { name: value, value, odd: ELSEWHERE } : { name, value };
  });
}

const OF_VERSION = /^(?:version|features|default-features|optional|extras|python|markers)$/;

/** A range of versions has neither a slash nor a colon; a table of one says nothing of a place. */
function oddVersion(entry: unknown): string | undefined {
  const isPlain = isRecord(entry) && Object.keys(entry).every((key) => OF_VERSION.test(key));
  const version = isPlain ? entry["version"] : entry;
  const isRange = typeof version === "string" && /^[\w\s.,*^~<>=|+@!-]*$/.test(version);
  return isRange && !/\.(?:tgz|gz|zip|whl)$/.test(version) ? undefined : ELSEWHERE;
}

const GO = /^require\s+(\S+)\s+\S+$/;
const GEM =
  /^gem[ (]+(["'])([\w-]+)\1((?:\s*,\s*(["'])[\w\s.~<>=!-]*\4)*)(?:\s*,\s*(?:require:\s*(?:false|true)|groups?:\s*(?::\w+|\[[:\w\s,]*\])))*\s*\)?$/;
const REQUIREMENT =
  /^([A-Za-z0-9][\w.-]*) ?(?:\[[\w ,.-]*\] ?)?(?:[<>=!~]{1,3} ?[^;@\s/<>=!~,]+ ?(?:, ?)?)*(?:;[^/]*|(?: ?--hash=\S+)*)$/;

/** The name in `name>=1; marker`, as packaging.python.org/en/latest/specifications/name-normalization says */
function requirementOf(line: string): string | undefined {
  const name = REQUIREMENT.exec(line.replaceAll(/\s+/g, " "))?.[1];
  return name?.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** The lines that name a dependency, and the others. A second line of a name has itself for a key. */
function splitLines(text: string, nameOf: (line: string) => string | undefined): Split {
  const dependencies = new Map<string, Dependency>();
  const rest: string[] = [];
  for (const line of text.split(/\r?\n/).map((one) => one.replace(/(?:^|\s)(?:#|\/\/)[^]*/, "").trim())) {
    const name = nameOf(line);
    if (name !== undefined) dependencies.set(dependencies.has(name) ? line : name, { name, value: line });
    else if (line !== "") rest.push(line);
  }
  return { dependencies, rest };
}

/** A go.mod in which each line of a block begins with its word. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^(\w+)[ \t]*\(([^()]*)\)/gm, (_, word: string, lines: string) =>
    lines.replaceAll(/^[ \t]*(?=[^\s/])/gm, `${word} `),
  );
}
