// Whether a changed manifest or lock file only adds dependencies of the kind that cannot decide a check: new names, plain versions,
// from where the others come from, and nothing that was there before changed. Pure. Leaves every other change to classify.ts.
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, TomlError } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { parseJson } from "../../system/text/json.js";
import { PROGRAMS } from "./protected-patterns.js";

/** A changed manifest or lock file. */
export interface ManifestChange {
  path: string;
  before: string;
  after: string;
}

type Table = Readonly<Record<string, unknown>>;

/** A file's dependencies by name, and the rest of it. */
interface Split {
  dependencies: ReadonlyMap<string, unknown>;
  rest: unknown;
}

type Read = (text: string) => Split | undefined;

const MANIFESTS: Readonly<Record<string, Read>> = {
  "package.json": (text) =>
    splitTables(readJson(text), [
      "dependencies",
      "devDependencies",
      "optionalDependencies",
      "peerDependencies",
    ]),
  "composer.json": (text) => splitTables(readJson(text), ["require", "require-dev"]),
  "Cargo.toml": (text) =>
    splitTables(readToml(text), ["dependencies", "dev-dependencies", "build-dependencies"]),
  "pyproject.toml": splitPyproject,
  "requirements.txt": splitLines,
  "go.mod": splitGoModule,
  Gemfile: splitLines,
};

/** Lock files: their entries by name, each with its version, source and hash. */
const LOCKS: Readonly<Record<string, Read>> = {
  "package-lock.json": splitPackageLock,
  "npm-shrinkwrap.json": splitPackageLock,
  "pnpm-lock.yaml": splitPnpmLock,
  "yarn.lock": splitParagraphs,
  "composer.lock": splitComposerLock,
  "Cargo.lock": splitTomlLock,
  "poetry.lock": splitTomlLock,
  "uv.lock": splitTomlLock,
  "go.sum": splitLines,
  "Gemfile.lock": splitLines,
};

/** Whether a file of this name lists dependencies. */
export function listsDependencies(path: string): boolean {
  return readerOf(path) !== undefined;
}

/** Why a change of a manifest or lock file may decide a check; `undefined`: it only adds plain dependencies. */
export function influenceOf(
  { path, before, after }: ManifestChange,
  programs: ReadonlySet<string>,
): string | undefined {
  const read = readerOf(path);
  const [old, now] = [read?.(before), read?.(after)];
  if (old === undefined || now === undefined) return "it cannot be read";
  if (!isDeepStrictEqual(old.rest, now.rest)) return "more than its dependencies changed";
  for (const [name, entry] of old.dependencies) {
    if (!now.dependencies.has(name)) return `${name} was removed`;
    if (!isDeepStrictEqual(now.dependencies.get(name), entry)) return `${name} was changed`;
  }
  const hosts = hostsIn([...old.dependencies.values()]);
  const added = [...now.dependencies].filter(([name]) => !old.dependencies.has(name));
  for (const [name, entry] of added) {
    const reason = reasonAgainst(name, entry, { hosts, programs });
    if (reason !== undefined) return `${name} ${reason}`;
  }
  return undefined;
}

function readerOf(path: string): Read | undefined {
  const name = posix.basename(path);
  return MANIFESTS[name] ?? LOCKS[name] ?? (/^requirements[\w.-]*\.txt$/.test(name) ? splitLines : undefined);
}

/** What is not a plain version of a registry: a folder, an archive, a repository, another name. */
const ELSEWHERE =
  /(?:^|["'\s@=:])(?:file|link|portal|patch|npm|workspace|exec|git|git\+\w+|ssh|github|gitlab|bitbucket|gist):|\bgit@|@\s*(?:https?|file|git)|^\s*(?:-e|--editable|-i|--index-url|--extra-index-url|-f|--find-links|-r|-c)\b|"(?:git|path|url|registry)"|^(?:[./]|~\/)|\.(?:tgz|tar\.gz|whl|zip)\b(?!["'#])/;
/** Packages that a test runner or checking tool loads because they are there. */
const PLUGIN =
  /^(?:pytest[-_]|.*[-_]pytest$|flake8[-_]|pylint[-_]|mypy[-_]|rspec-|minitest-|phpunit\/|sitecustomize|usercustomize|coverage[-_]enable|python-startup|nose)/i;

/** What speaks against a dependency that is added. */
function reasonAgainst(
  name: string,
  entry: unknown,
  { hosts, programs }: { hosts: ReadonlySet<string>; programs: ReadonlySet<string> },
): string | undefined {
  const text = typeof entry === "string" ? entry : JSON.stringify(entry);
  if (ELSEWHERE.test(text)) return "does not come from a registry by a plain version";
  const bare = name.replace(/^.*node_modules\//, "").replace(/[\s=<>~!;[(].*$/, "");
  if (PLUGIN.test(bare)) return "is loaded by a test runner because it is there";
  const from = hostsIn([entry]);
  if (hosts.size > 0 && [...from].some((host) => !hosts.has(host)))
    return "comes from another place than the others";
  const takes = binsOf(bare, entry).find((bin) => PROGRAMS.has(bin) || programs.has(bin));
  return takes === undefined ? undefined : `brings a program named ${takes}`;
}

/** The programs that a package of npm installs; one that does not say may install one of its own name. */
function binsOf(name: string, entry: unknown): string[] {
  const bin = isTable(entry) ? entry["bin"] : undefined;
  return [posix.basename(name), ...(isTable(bin) ? Object.keys(bin) : [])];
}

function hostsIn(entries: readonly unknown[]): ReadonlySet<string> {
  const text = JSON.stringify(entries);
  return new Set([...text.matchAll(/https?:\/\/([^/"\\\s]+)\//g)].map(([, host = ""]) => host));
}

/** The tables of a manifest as one list of dependencies, each by its table and name. */
function splitTables(value: Table | undefined, tables: readonly string[]): Split | undefined {
  if (value === undefined) return undefined;
  const dependencies = new Map<string, unknown>();
  const rest: Record<string, unknown> = { ...value };
  for (const table of tables) {
    const found = value[table];
    if (found !== undefined && !isTable(found)) return undefined;
    for (const [name, entry] of Object.entries(found ?? {})) dependencies.set(name, entry);
    Reflect.deleteProperty(rest, table);
  }
  return { dependencies, rest };
}

function splitPyproject(text: string): Split | undefined {
  const value = readToml(text);
  if (value === undefined) return undefined;
  const project = isTable(value["project"]) ? value["project"] : {};
  const list = Array.isArray(project["dependencies"]) ? project["dependencies"].map(String) : [];
  const { dependencies: _, ...others } = project;
  return { dependencies: byRequirement(list), rest: { ...value, project: others } };
}

function splitLines(text: string): Split {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return {
    dependencies: byRequirement(lines.filter((line) => line !== "" && !line.startsWith("#"))),
    rest: undefined,
  };
}

/** `name>=1` by its name; two lines of one name are both kept. */
function byRequirement(lines: readonly string[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const name = /^[\w.-]+(?=\s*(?:[[=<>~!;]|$))/.exec(line)?.[0].toLowerCase() ?? line;
    const before = found.get(name);
    found.set(name, before === undefined ? line : `${before}\n${line}`);
  }
  return found;
}

function splitGoModule(text: string): Split {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\/\/.*$/, "").trim());
  const dependencies = new Map<string, unknown>();
  const rest: string[] = [];
  let inside = "";
  for (const line of lines) {
    if (/^\w+\s*\($/.test(line)) inside = line.split(/\s/)[0] ?? "";
    else if (line === ")") inside = "";
    else {
      const whole = inside === "" ? line : `${inside} ${line}`;
      const [, name, version] = /^require\s+(\S+)\s+(\S+)$/.exec(whole) ?? [];
      if (name !== undefined) dependencies.set(name, version);
      else if (whole !== "") rest.push(whole);
    }
  }
  return { dependencies, rest };
}

function splitPackageLock(text: string): Split | undefined {
  const value = readJson(text);
  const packages = value?.["packages"];
  if (value === undefined || !isTable(packages)) return undefined;
  // The entry of the project itself says what its manifest says, and `dependencies` repeats it all for old clients.
  const { "": own, ...entries } = packages;
  const { packages: _, dependencies: __, ...rest } = value;
  const named = isTable(own) ? { name: own["name"] } : {};
  return { dependencies: new Map(Object.entries(entries)), rest: { ...rest, ...named } };
}

function splitPnpmLock(text: string): Split | undefined {
  const value = readYaml(text);
  if (value === undefined) return undefined;
  const { importers, dependencies: _, devDependencies: __, ...rest } = value;
  const dependencies = new Map<string, unknown>();
  for (const table of ["packages", "snapshots"]) {
    const found = rest[table];
    if (found !== undefined && !isTable(found)) return undefined;
    for (const [name, entry] of Object.entries(found ?? {})) dependencies.set(`${table} ${name}`, entry);
    Reflect.deleteProperty(rest, table);
  }
  for (const [folder, importer] of Object.entries(isTable(importers) ? importers : {})) {
    for (const [kind, list] of Object.entries(isTable(importer) ? importer : {})) {
      for (const [name, entry] of Object.entries(isTable(list) ? list : {}))
        dependencies.set(`${folder} ${kind} ${name}`, entry);
    }
  }
  return { dependencies, rest };
}

function splitParagraphs(text: string): Split {
  const blocks = text.split(/\r?\n\r?\n+/).map((block) => block.trim());
  const entries = blocks.filter((block) => block !== "" && !block.startsWith("#"));
  const lines = entries.map((block): [string, unknown] => [block.split("\n")[0] ?? "", block]);
  return { dependencies: new Map(lines), rest: undefined };
}

function splitComposerLock(text: string): Split | undefined {
  const value = readJson(text);
  if (value === undefined) return undefined;
  const { packages, "packages-dev": dev, "content-hash": _, ...rest } = value;
  const lists = [packages, dev].filter((one) => one !== undefined);
  if (!lists.every((one) => Array.isArray(one))) return undefined;
  return { dependencies: byName(lists.flat()), rest };
}

function splitTomlLock(text: string): Split | undefined {
  const value = readToml(text);
  const list = value?.["package"] ?? [];
  if (value === undefined || !Array.isArray(list)) return undefined;
  const { package: _, metadata: __, ...rest } = value;
  return { dependencies: byName(list), rest };
}

function byName(entries: readonly unknown[]): ReadonlyMap<string, unknown> {
  const tables = entries.filter(isTable);
  return new Map(tables.map((one) => [`${String(one["name"])} ${String(one["version"])}`, one]));
}

function readJson(text: string): Table | undefined {
  const value = parseJson(text);
  return isTable(value) ? value : undefined;
}

function readToml(text: string): Table | undefined {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

function readYaml(text: string): Table | undefined {
  try {
    const value: unknown = parseYaml(text, { maxAliasCount: 0 });
    return isTable(value) ? value : undefined;
  } catch {
    // Not YAML, or with aliases, which no lock file has.
    return undefined;
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
