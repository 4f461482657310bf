// The dependencies that a manifest lists, and the rest of it: package.json, composer.json, Cargo.toml, pyproject.toml, requirements of
// pip, go.mod, Gemfile. By their documented formats. Pure.
// Leaves what a change of them means to manifests.ts.
import { posix } from "node:path";
import { parseJson } from "../../system/text/json.js";
import { readToml as parseToml } from "./program-folders.js";

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
type Table = Readonly<Record<string, unknown>>;

/** The reason against what is not a plain version of a registry: a folder, an archive, a repository, another name. */
const ELSEWHERE = "does not come from a registry by a plain version";

const MANIFESTS: ReadonlyMap<string, Read> = new Map([
  [
    "package.json",
    (text: string) =>
      splitTables(readJson(text), [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
      ]),
  ],
  ["composer.json", (text: string) => splitTables(readJson(text), ["require", "require-dev"])],
  [
    "Cargo.toml",
    (text: string) => splitTables(readToml(text), ["dependencies", "dev-dependencies", "build-dependencies"]),
  ],
  ["pyproject.toml", splitPyproject],
  ["go.mod", splitGoModule],
  ["Gemfile", splitGemfile],
]);

/** The reader of a manifest by its name. */
export function readManifest(path: string): Read | undefined {
  const name = posix.basename(path);
  return (
    MANIFESTS.get(name) ?? (/^requirements[\w.-]*\.(?:txt|in)$/.test(name) ? splitRequirements : undefined)
  );
}

/** The tables of a manifest as one list of dependencies, each by its table and name. */
function splitTables(value: Table | undefined, tables: readonly string[]): Split | undefined {
  if (value === undefined) return undefined;
  const dependencies = new Map<string, Dependency>();
  const rest: Record<string, unknown> = { ...value };
  for (const table of tables) {
    const found = value[table];
    if (found !== undefined && !isTable(found)) return undefined;
    for (const [name, entry] of Object.entries(found ?? {}))
      dependencies.set(keyIn(dependencies, table, name), { name, value: entry, odd: oddVersion(entry) });
    Reflect.deleteProperty(rest, table);
  }
  return { dependencies, rest };
}

/** The name alone where one table has it, so that a reason names it. */
function keyIn(dependencies: ReadonlyMap<string, unknown>, table: string, name: string): string {
  return dependencies.has(name) ? `${table} ${name}` : name;
}

const TABLE_OF_VERSION = new Set([
  "version",
  "features",
  "default-features",
  "optional",
  "extras",
  "python",
  "markers",
]);

/** A range of versions has neither a slash nor a colon; a table of one says nothing of a place. */
function oddVersion(entry: unknown): string | undefined {
  if (isTable(entry)) {
    const isPlain = Object.keys(entry).every((key) => TABLE_OF_VERSION.has(key));
    return isPlain && typeof entry["version"] === "string" ? oddVersion(entry["version"]) : ELSEWHERE;
  }
  return typeof entry === "string" &&
    /^[\w\s.,*^~<>=|+@!-]*$/.test(entry) &&
    !/\.(?:tgz|gz|zip|whl)$/.test(entry)
    ? undefined
    : ELSEWHERE;
}

function splitPyproject(text: string): Split | undefined {
  const value = readToml(text);
  if (value === undefined) return undefined;
  const rest = structuredClone(value) as Record<string, unknown>;
  const dependencies = new Map<string, Dependency>();
  const takeList = (owner: unknown, key: string, group: string): void => {
    const list = isTable(owner) ? owner[key] : undefined;
    if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) return;
    for (const [name, one] of requirements(list)) dependencies.set(`${group}${name}`, one);
    Reflect.deleteProperty(owner as object, key);
  };
  const takeTable = (owner: unknown, key: string, group: string): void => {
    const table = isTable(owner) ? owner[key] : undefined;
    if (!isTable(table)) return;
    for (const [name, one] of Object.entries(table))
      dependencies.set(`${group}${name}`, { name: normal(name), value: one, odd: oddVersion(one) });
    Reflect.deleteProperty(owner as object, key);
  };
  const project = (rest["project"] ??= {});
  takeList(project, "dependencies", "");
  for (const [owner, label] of [
    [isTable(project) ? project["optional-dependencies"] : undefined, "extra"],
    [rest["dependency-groups"], "group"],
  ] as const)
    if (isTable(owner)) for (const group of Object.keys(owner)) takeList(owner, group, `${label} ${group} `);
  const tool = rest["tool"];
  const poetry = isTable(tool) ? tool["poetry"] : undefined;
  takeTable(poetry, "dependencies", "poetry ");
  const groups = isTable(poetry) ? poetry["group"] : undefined;
  if (isTable(groups))
    for (const [group, owner] of Object.entries(groups)) takeTable(owner, "dependencies", `poetry ${group} `);
  return { dependencies, rest: withoutEmpty(rest) };
}

/** Tables that hold nothing say nothing. */
function withoutEmpty(value: unknown): unknown {
  if (!isTable(value)) return value;
  const kept = Object.entries(value).map(([key, one]) => [key, withoutEmpty(one)] as const);
  return Object.fromEntries(kept.filter(([, one]) => !isTable(one) || Object.keys(one).length > 0));
}

function splitRequirements(text: string): Split {
  const lines = text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
  return { dependencies: requirements(lines), rest: undefined };
}

const REQUIREMENT =
  /^([A-Za-z0-9][\w.-]*) ?(?:\[[\w ,.-]*\] ?)?(?:[<>=!~]{1,3} ?[^;@\s/<>=!~,]+ ?(?:, ?)?)*(?:;[^/]*|(?: ?--hash=\S+)*)$/;

/** `name>=1; marker` by its name; two lines of one name are both kept. */
function requirements(lines: readonly string[]): ReadonlyMap<string, Dependency> {
  const found = new Map<string, Dependency>();
  for (const line of lines) {
    const plain = REQUIREMENT.exec(line.replaceAll(/\s+/g, " "))?.[1];
    const name = normal(plain ?? /^[A-Za-z0-9][\w.-]*(?=\s*(?:[[@<>=!~;]|$))/.exec(line)?.[0] ?? line);
    const before = found.get(name);
    const odd = plain === undefined ? ELSEWHERE : before?.odd;
    found.set(name, { name, value: before === undefined ? line : [before.value, line], odd });
  }
  return found;
}

/** As the index compares names: https://packaging.python.org/en/latest/specifications/name-normalization/ */
function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

function splitGoModule(text: string): Split {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\/\/.*$/, "").trim());
  const dependencies = new Map<string, Dependency>();
  const rest: string[] = [];
  let inside = "";
  for (const line of lines) {
    if (/^\w+\s*\($/.test(line)) inside = line.split(/\s/)[0] ?? "";
    else if (line === ")") inside = "";
    else {
      const whole = inside === "" ? line : `${inside} ${line}`;
      const [, name, version] = /^require\s+(\S+)\s+(\S+)$/.exec(whole) ?? [];
      if (name !== undefined)
        dependencies.set(keyIn(dependencies, version ?? "", name), { name, value: version });
      else if (whole !== "") rest.push(whole);
    }
  }
  return { dependencies, rest };
}

/** A Gemfile is code of Ruby: only lines that name a gem with versions are dependencies. */
const GEM =
  /^gem[ (]+(["'])([\w-]+)\1((?:\s*,\s*(["'])[\w\s.~<>=!-]*\4)*)(?:\s*,\s*(?:require:\s*(?:false|true)|groups?:\s*(?::\w+|\[[:\w\s,]*\])))*\s*\)?$/;

function splitGemfile(text: string): Split {
  const dependencies = new Map<string, Dependency>();
  const rest: string[] = [];
  for (const line of text.split(/\r?\n/).map((one) => one.replace(/\s#.*$|^#.*$/, "").trim())) {
    const name = GEM.exec(line)?.[2];
    if (name !== undefined) dependencies.set(keyIn(dependencies, line, name), { name, value: line });
    else if (line !== "") rest.push(line);
  }
  return { dependencies, rest };
}

function readJson(text: string): Table | undefined {
  const value = parseJson(text);
  return isTable(value) ? value : undefined;
}

function readToml(text: string): Table | undefined {
  const value = parseToml(text);
  return isTable(value) ? value : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
