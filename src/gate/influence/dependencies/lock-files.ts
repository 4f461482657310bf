// The entries of lock files, each with its version, source and hash: npm, pnpm, yarn, composer, cargo, poetry, uv, go, bundler. By their
// documented formats. Pure. Leaves what an added entry means to dependencies.ts.
import { posix } from "node:path";
import { parse as parseYaml } from "yaml";
import {
  ELSEWHERE,
  isTable,
  readJson,
  readToml,
  type Dependency,
  type Read,
  type Split,
  type Table,
} from "./manifests.js";

const LOCKS: ReadonlyMap<string, Read> = new Map([
  ["package-lock.json", splitPackageLock],
  ["npm-shrinkwrap.json", splitPackageLock],
  ["pnpm-lock.yaml", splitPnpmLock],
  ["yarn.lock", splitYarnLock],
  ["composer.lock", splitComposerLock],
  ["Cargo.lock", (text: string) => splitTomlLock(text, oddCrate)],
  ["poetry.lock", (text: string) => splitTomlLock(text, oddPython)],
  ["uv.lock", (text: string) => splitTomlLock(text, oddPython)],
  ["go.sum", splitGoSum],
  ["Gemfile.lock", splitGemfileLock],
]);

/** The reader of a lock file by its name. */
export function readLockFile(path: string): Read | undefined {
  return LOCKS.get(posix.basename(path));
}

/** Keys that installing does not depend on, and that an added dependency may change in other entries. */
const FLAGS = new Set(["dev", "optional", "devOptional", "peer", "extraneous"]);

function splitPackageLock(text: string): Split | undefined {
  const value = readJson(text);
  const packages = value?.["packages"];
  if (value === undefined || !isTable(packages)) return undefined;
  // The entry of the project itself says what its manifest says, and `dependencies` repeats it all for old clients.
  const { "": own, ...entries } = packages;
  const { packages: _, dependencies: old, ...rest } = value;
  const dependencies = new Map<string, Dependency>();
  for (const [key, entry] of Object.entries(entries).sort(byLength)) {
    const folder = key.slice(0, Math.max(0, key.lastIndexOf("/node_modules/")));
    const name = key.replace(/^.*node_modules\//, "");
    // A package of its own for another one that was there before changes that one.
    const isInside = folder.includes("node_modules/");
    dependencies.set(key, {
      ...{ name, value: isTable(entry) ? withoutFlags(entry) : entry, odd: oddNpm(name, entry) },
      ...{
        hosts: hostsIn(isTable(entry) ? { resolved: entry["resolved"] } : entry),
        bins: binsOf(entry),
        mayRepeat: isInside,
      },
    });
  }
  for (const [name, entry] of Object.entries(isTable(old) ? old : {}))
    if (isTable(entry))
      dependencies.set(`dependencies ${name}`, { name, value: versionOf(entry), mayRepeat: true });
  const named = isTable(own) ? { name: own["name"] } : {};
  return { dependencies: withoutGuests(dependencies), rest: { ...rest, ...named } };
}

/** A package inside of another is part of that one: what it holds is compared with it. */
function withoutGuests(entries: ReadonlyMap<string, Dependency>): ReadonlyMap<string, Dependency> {
  const found = new Map<string, Dependency>();
  for (const [key, entry] of entries) {
    const host = /^(.*)\/node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(key)?.[1] ?? "";
    const owner = found.get(host);
    if (owner === undefined) found.set(key, entry);
    else
      found.set(host, {
        ...{ name: owner.name, value: [owner.value, key, entry.value], odd: owner.odd ?? entry.odd },
        hosts: [...(owner.hosts ?? []), ...(entry.hosts ?? [])],
        bins: [...(owner.bins ?? []), ...(entry.bins ?? []), posix.basename(entry.name)],
        mayRepeat: owner.mayRepeat === true,
      });
  }
  return found;
}

/** The packages that hold others come first. */
function byLength([a]: [string, unknown], [b]: [string, unknown]): number {
  return a.length - b.length;
}

function withoutFlags(entry: Table): Table {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !FLAGS.has(key)));
}

function versionOf({ version, resolved, integrity }: Table): unknown {
  return { version, resolved, integrity };
}

function oddNpm(name: string, entry: unknown): string | undefined {
  if (!isTable(entry) || entry["link"] === true || typeof entry["version"] !== "string") return ELSEWHERE;
  if (entry["name"] !== undefined && entry["name"] !== name) return ELSEWHERE;
  const { resolved } = entry;
  return resolved === undefined || isTarballOf(name, resolved) ? undefined : ELSEWHERE;
}

/** A registry's archive is below the name of its package. */
function isTarballOf(name: string, resolved: unknown): boolean {
  if (typeof resolved !== "string" || !/^https?:\/\//.test(resolved)) return false;
  const path = resolved.replace(/%2f/gi, "/").replace(/[?#].*$/, "");
  return path.includes(`/${name}/-/`) || path.includes(`/${name}/${name}-`);
}

/** The programs that a package of npm installs. */
function binsOf(entry: unknown): string[] {
  const bin = isTable(entry) ? entry["bin"] : undefined;
  return isTable(bin) ? Object.keys(bin) : [];
}

function hostsIn(entry: unknown): string[] {
  const found = JSON.stringify(entry ?? null).matchAll(
    /"(?:resolved|url|registry|tarball|index)":"[^"]*?https?:\/\/([^/"\\\s]+)/g,
  );
  return [...found].map(([, host = ""]) => host);
}

function splitPnpmLock(text: string): Split | undefined {
  const value = readYaml(text);
  if (value === undefined) return undefined;
  const { importers, dependencies: _, devDependencies: __, ...rest } = value;
  const dependencies = new Map<string, Dependency>();
  for (const table of ["packages", "snapshots"]) {
    const found = rest[table];
    if (found !== undefined && !isTable(found)) return undefined;
    for (const [key, entry] of Object.entries(found ?? {})) {
      const name = /^\/?((?:@[^/]+\/)?[^@/(]+)/.exec(key)?.[1] ?? key;
      const odd = table === "packages" ? oddPnpm(key, entry) : undefined;
      dependencies.set(`${table} ${key}`, {
        name,
        value: entry,
        odd,
        hosts: hostsIn(entry),
        mayRepeat: true,
      });
    }
    Reflect.deleteProperty(rest, table);
  }
  for (const [folder, importer] of Object.entries(isTable(importers) ? importers : {}))
    for (const [kind, list] of Object.entries(isTable(importer) ? importer : {}))
      for (const [name, entry] of Object.entries(isTable(list) ? list : {})) {
        const odd = /"(?:\w+:|link:|file:)/.test(JSON.stringify(entry).replaceAll(/"\w+":/g, ""))
          ? ELSEWHERE
          : undefined;
        dependencies.set(`${folder} ${kind} ${name}`, { name, value: entry, odd, mayRepeat: true });
      }
  return { dependencies, rest };
}

function oddPnpm(key: string, entry: unknown): string | undefined {
  const resolution = isTable(entry) ? entry["resolution"] : undefined;
  const isPlain =
    isTable(resolution) && Object.keys(resolution).every((one) => one === "integrity" || one === "tarball");
  return isPlain && typeof resolution["integrity"] === "string" && !/@(?:\w+:|https?:)/.test(key)
    ? undefined
    : ELSEWHERE;
}

/** Each range that leads to an entry is a key of its own: an added dependency may add a range to an entry that was there. */
function splitYarnLock(text: string): Split {
  const dependencies = new Map<string, Dependency>();
  const rest: string[] = [];
  for (const block of text.split(/\r?\n(?:[ \t]*\r?\n)+/)) {
    const lines = block.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
    const [head = "", ...body] = lines;
    if (head === "") continue;
    if (head.startsWith("__metadata")) rest.push(lines.join("\n"));
    else
      for (const range of head.replace(/:$/, "").split(",")) {
        const key = range.replaceAll('"', "").trim();
        const name = /^@?[^@]+/.exec(key)?.[0] ?? key;
        const value = body.map((line) => line.trim()).join("\n");
        dependencies.set(key, {
          name,
          value,
          odd: oddYarn(key, name, value),
          hosts: urlHosts(value),
          mayRepeat: true,
        });
      }
  }
  return { dependencies, rest };
}

function oddYarn(key: string, name: string, body: string): string | undefined {
  const range = key.slice(name.length + 1);
  if (/^(?!npm:[\^~>=<*\dvx])[\w+]+:|\//.test(range)) return ELSEWHERE;
  const resolved = /^resolved "([^"]*)"/m.exec(body)?.[1];
  const resolution = /^resolution: "?([^"\n]*)"?/m.exec(body)?.[1];
  if (resolved !== undefined && !isTarballOf(name, resolved)) return ELSEWHERE;
  return resolution === undefined || resolution.startsWith(`${name}@npm:`) ? undefined : ELSEWHERE;
}

function urlHosts(text: string): string[] {
  return [...text.matchAll(/https?:\/\/([^/"\s]+)/g)].map(([, host = ""]) => host);
}

function splitComposerLock(text: string): Split | undefined {
  const value = readJson(text);
  if (value === undefined) return undefined;
  const { packages, "packages-dev": dev, "content-hash": _, ...rest } = value;
  const lists = [packages, dev].filter((one) => one !== undefined);
  if (!lists.every((one) => Array.isArray(one))) return undefined;
  return { dependencies: byName(lists.flat().filter(isTable), oddComposer), rest };
}

function oddComposer({ type, dist, bin }: Table): string | undefined {
  if (type === "composer-plugin") return "is loaded by composer because it is there";
  if (Array.isArray(bin) && bin.length > 0) return "brings programs";
  return isTable(dist) && dist["type"] === "path" ? ELSEWHERE : undefined;
}

function splitTomlLock(text: string, odd: (entry: Table) => string | undefined): Split | undefined {
  const value = readToml(text);
  const list = value?.["package"] ?? [];
  if (value === undefined || !Array.isArray(list)) return undefined;
  const { package: _, metadata: __, ...rest } = value;
  return { dependencies: byName(list.filter(isTable).map(withoutOwn), odd), rest };
}

/** Leaves out the dependencies of a package of the project itself: its manifest names them. */
function withoutOwn(entry: Table): Table {
  const { source } = entry;
  const isOwn = source === undefined ? entry["checksum"] === undefined : isTable(source) && isHere(source);
  if (!isOwn) return entry;
  const said = new Set(["dependencies", "dev-dependencies", "optional-dependencies", "metadata"]);
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !said.has(key)));
}

function isHere({ editable, virtual }: Table): boolean {
  return typeof (editable ?? virtual) === "string";
}

/** `source = "registry+https://…"`; one without it is a folder, one of `git+` a repository. */
function oddCrate({ source }: Table): string | undefined {
  return typeof source === "string" && /^(?:registry|sparse)\+https:/.test(source) ? undefined : ELSEWHERE;
}

function oddPython({ source }: Table): string | undefined {
  if (source === undefined) return undefined;
  if (!isTable(source)) return ELSEWHERE;
  return Object.keys(source).join() === "registry" || source["type"] === "legacy" ? undefined : ELSEWHERE;
}

function byName(
  entries: readonly Table[],
  odd: (entry: Table) => string | undefined,
): ReadonlyMap<string, Dependency> {
  return new Map(
    entries.map((one) => {
      const name = String(one["name"]);
      const key = `${name} ${String(one["version"])}`;
      return [key, { name, value: one, odd: odd(one), hosts: hostsIn(placesIn(one)), mayRepeat: true }];
    }),
  );
}

/** Where an entry comes from; not where it is described, or asks for money. */
function placesIn({ source, dist, sdist, wheels }: Table): unknown {
  return dist === undefined ? { source, sdist, wheels } : { dist };
}

function splitGoSum(text: string): Split {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const entries = lines.filter((line) => line !== "");
  return {
    dependencies: new Map(
      entries.map((line) => [line, { name: line.split(/\s/)[0] ?? line, value: line, mayRepeat: true }]),
    ),
    rest: undefined,
  };
}

/** Sections with indented lines: gems by name and version below `GEM`, everything else as it stands. */
function splitGemfileLock(text: string): Split {
  const dependencies = new Map<string, Dependency>();
  const rest: string[] = [];
  let section = "";
  let gem = "";
  for (const line of text.split(/\r?\n/)) {
    if (/^\S/.test(line)) section = line.trim();
    const [, indent = "", name, version] = /^( +)([\w.-]+)(!?|\s*\(.*\)!?)$/.exec(line) ?? [];
    if (name === undefined || !/^(?:GEM|DEPENDENCIES|CHECKSUMS)$/.test(section)) {
      if (line.trim() !== "") rest.push(`${section}: ${line.trim()}`);
      continue;
    }
    if (section === "GEM" && indent.length > 4) {
      // The lines below a gem name its dependencies, and are part of its entry.
      const owner = dependencies.get(gem);
      if (owner !== undefined) dependencies.set(gem, { ...owner, value: [owner.value, line.trim()] });
      continue;
    }
    gem = `${section} ${name}`;
    const odd = line.endsWith("!") ? ELSEWHERE : undefined;
    const key = dependencies.has(gem) ? `${gem} ${version ?? ""}` : gem;
    const mayRepeat = section !== "GEM";
    dependencies.set(key, { name, value: line.trim(), odd, mayRepeat });
  }
  return { dependencies, rest };
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
