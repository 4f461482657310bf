// Row 4: which changes of manifests, build files and lock files are part of the work. Manifests: they only
// gain or raise entries of their lists of dependencies. Build files: their lines only gain files of the work.
// Lock files: three rules, without their formats. Pure. Leaves reading the lists of dependencies to
// dependencies.ts.
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readManifest, type Dependency } from "./dependencies.js";
import {
  folderOf,
  isBelow,
  isNew,
  isTestish,
  pathAt,
  relative,
  type ChangedFile,
  type ReferenceFiles,
} from "./files.js";
import { LOCKS, MANIFEST, PLUGIN, PROGRAMS } from "./names.js";
import { isBeside, readTable, tableOf } from "./program-folders.js";

/** Whether row 4 is about a path. */
export function isManifest(path: string): boolean {
  return readManifest(path) !== undefined || isLock(path);
}

export function isLock(path: string): boolean {
  return Object.hasOwn(LOCKS, posix.basename(path));
}

/** Why a change of a manifest may decide a check; `undefined`: it only gains or raises plain dependencies. */
export function influenceOf({ path, before, after }: ChangedFile): string | undefined {
  const read = readManifest(path);
  if (before === undefined || after === undefined) return "it is new or gone";
  const [old, now] = [read?.(before), read?.(after)];
  if (old === undefined || now === undefined) return "it cannot be read";
  if (!isDeepStrictEqual(old.rest, now.rest)) return "more than its dependencies changed";
  for (const [key, { value }] of old.dependencies) {
    const entry = now.dependencies.get(key);
    if (entry === undefined) return `${key} was removed`;
    if (isDeepStrictEqual(entry.value, value)) continue;
    if (entry.odd !== undefined) return `${entry.name} ${entry.odd}`;
    if (!isRaised(value, entry.value)) return `${key} was changed`;
  }
  const names = new Set([...old.dependencies.values()].map(({ name }) => name));
  for (const [key, entry] of now.dependencies) {
    const reason = old.dependencies.has(key) ? undefined : reasonAgainst(entry, names);
    if (reason !== undefined) return `${entry.name} ${reason}`;
  }
  return undefined;
}

function reasonAgainst({ name, odd }: Dependency, known: ReadonlySet<string>): string | undefined {
  if (odd !== undefined) return odd;
  if (known.has(name)) return "was there with another version";
  if (PLUGIN.test(name)) return "is loaded by a test runner because it is there";
  return PROGRAMS.has(posix.basename(name)) ? `brings a program named ${posix.basename(name)}` : undefined;
}

/** Whether only numbers of a version differ, and the first that differs is greater. */
function isRaised(before: unknown, after: unknown): boolean {
  const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
  if (old.replaceAll(/\d/g, "") !== now.replaceAll(/\d/g, "")) return false;
  const [was, is] = [old.match(/\d+/g) ?? [], now.match(/\d+/g) ?? []];
  if (is.length < was.length) return false;
  for (const [at, digits] of is.entries()) {
    const [number, one] = [Number(digits), Number(was[at] ?? 0)];
    if (number !== one) return number > one;
  }
  return true;
}

/** Whether a new manifest is that of a new package of the program: no manifest or lock file had its name. */
export function isOfNewPackage(change: ChangedFile, { paths, text }: ReferenceFiles, home: string): boolean {
  const { path, after = "" } = change;
  const folder = folderOf(path);
  if (!isNew(change) || !MANIFEST.test(posix.basename(path)) || folder === home) return false;
  if (isBeside(folder) || isTestish(folder) || paths.some((one) => isBelow(one, folder))) return false;
  const table = tableOf(readTable(path, after));
  const name = [table, tableOf(table["package"]), tableOf(table["project"])]
    .map((table) => table["name"])
    .find((one) => typeof one === "string");
  const word = name ?? /^module[ \t]+(\S+)/m.exec(after)?.[1];
  if (word === undefined || word === "") return false;
  return !paths.some((one) => isManifest(one) && text(one)?.includes(word) === true);
}

/** An address of a file, a link, a repository or a path. */
const ADDRESS =
  /\b(?:file|link|portal|patch|exec|workspace|git|ssh|github|gitlab|bitbucket)(?:\+\w+)?:|\bgit\+|\.git\b|"link"\s*:\s*true|\b(?:path|directory|editable|virtual|url)["']?\s*[:=]|(?<![\w.])\.{1,2}\//;
/** Where a package is described, or asks for money, is not where it comes from. */
const DESCRIBES = /"(?:homepage|funding|support|docs|source|issues|forum|wiki|chat|email|notification-url)"/;
const PLAIN_URL = /^["']?(?:url|path)?["']?[ \t]{0,9}[:=]?[ \t]{0,9}["']?https?:/;
const HOST = /https?:\/\/([^/"'\s@)]+)/g;
/** Where packages come from unless settings say otherwise. */
const REGISTRIES = (
  "registry.npmjs.org registry.yarnpkg.com pypi.org files.pythonhosted.org crates.io static.crates.io index.crates.io " +
  "rubygems.org repo.packagist.org packagist.org github.com api.github.com codeload.github.com proxy.golang.org hex.pm repo.hex.pm"
).split(" ");

/** Why a change of a lock file may decide a check. `isSource`: of its manifest, also where unchanged. */
export function influenceOfLock(
  { path, before = "", after }: ChangedFile,
  isSource: (manifest: string) => boolean,
  newPackages: readonly string[],
): string | undefined {
  if (after === undefined) return "it is gone";
  const manifest = LOCKS[posix.basename(path)] ?? "";
  if (!isSource(posix.join(folderOf(path), manifest))) return `${manifest} is a check`;
  const old = new Set(before.split("\n").map((line) => line.trim()));
  const hosts = new Set([...before.matchAll(HOST)].map(([, host = ""]) => host));
  const known = hosts.size > 0 ? hosts : new Set(REGISTRIES);
  for (const line of after.split("\n")) {
    if (old.has(line.trim()) || newPackages.some((one) => line.includes(one))) continue;
    if (DESCRIBES.test(line)) continue;
    const named = [...line.matchAll(HOST)].map(([, host = ""]) => host);
    const added = named.find((host) => !known.has(host));
    const isPlain = named.length > 0 && added === undefined && !/\bgit\b/.test(line);
    if (ADDRESS.test(line) && !PLAIN_URL.test(line.trim()) && !isPlain)
      return `it names an address: ${line.trim().slice(0, 80)}`;
    if (added !== undefined) return `it names ${added}`;
  }
  return undefined;
}

/** Build files whose lists are of modules, without endings. */
const OF_MODULES = /\.cabal$|(?:^|\/)(?:dune|Package\.swift)$/;
/** Build files of make, whose other lines are commands: there a file of the work joins others of its ending. */
const OF_MAKE = /makefile(?:\.\w+)?$|\.mk$/i;

/** Whether each changed line of a build file only gains files of the work, or their objects. */
export function onlyGainsFiles({ path, before, after }: ChangedFile, work: readonly string[]): boolean {
  if (before === undefined || after === undefined) return false;
  const folder = folderOf(path);
  const names = work.flatMap((one) => {
    const written = isBelow(one, folder) ? [relative(folder, one)] : [];
    const bare = written.map((name) => name.replace(/\.\w+$/, ""));
    const objects = [...bare, posix.basename(one).replace(/\.\w+$/, "")].map((name) => `${name}.o`);
    const modules = OF_MODULES.test(path) ? [...bare, ...bare.map((name) => name.replaceAll("/", "."))] : [];
    return [...written, posix.basename(one), ...objects, ...modules];
  });
  const [allowed, isOfMake] = [new Set(names), OF_MAKE.test(path)];
  // A line that continues is one line: a backslash may not swallow the next.
  const linesOf = (text: string): string[] => text.replaceAll(/\\\r?\n/g, " ").split("\n");
  const [old, now] = [linesOf(before), linesOf(after)];
  const isGain = (line: string, more: string): boolean => gains(line, more, allowed, isOfMake);
  let at = 0;
  for (const line of now) {
    if (line === old[at] || (!isGain("", line) && isGain(old[at] ?? "", line))) at++;
    else if (!isGain("", line)) return false;
  }
  return at === old.length;
}

const WORD = /(["'])[\w./+-]+\1|[\w./+-]+|[^\s\w./+-]/g;

/** Whether a line only gains words that are allowed, with commas between them. */
function gains(before: string, after: string, allowed: ReadonlySet<string>, isOfMake: boolean): boolean {
  const [old, now] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  const endingOf = (at: number): string => posix.extname(now[at] ?? "");
  const isRecipe = after.startsWith("\t");
  let at = 0;
  let gained = 0;
  for (const [index, word] of now.entries()) {
    if (word === old[at]) at++;
    else if (word === "," && !isOfMake) continue;
    else if (!allowed.has(word.replaceAll(/["']/g, ""))) return false;
    else if (
      isOfMake &&
      (endingOf(index) === "" ||
        ![index - 1, ...(isRecipe ? [] : [index + 1])].some((one) => endingOf(one) === endingOf(index)))
    )
      return false;
    else gained++;
  }
  return at === old.length && gained > 0;
}

/** A module that go.mod replaces by a folder. */
const REPLACED = /^[ \t]{0,9}(?:replace[ \t]+)?([\w./~-]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.\S+)/gm;

/**
 * Folders that manifests take in for tests: `file:` in devDependencies, `path` in dev-dependencies; `replace`
 * in go.mod for a module that no Go file but tests mentions.
 */
export function foldersForTests({ paths, text, mentions }: ReferenceFiles): ReadonlySet<string> {
  const [forTests, needed] = [new Set<string>(), new Set<string>()];
  for (const path of paths.filter((one) => /(?:^|\/)go\.mod$/.test(one))) {
    for (const [, module = "", written = ""] of (text(path) ?? "").matchAll(REPLACED)) {
      const at = pathAt(folderOf(path), written) ?? "";
      const users = mentions(module).filter((one) => one.endsWith(".go") && !isBelow(one, at));
      const isForTests = users.length > 0 && users.every((one) => one.endsWith("_test.go"));
      (isForTests ? forTests : needed).add(at);
    }
  }
  for (const path of paths.filter((one) => /(?:^|\/)(?:package\.json|Cargo\.toml)$/.test(one))) {
    for (const [key, list] of Object.entries(tableOf(readTable(path, text(path) ?? "")))) {
      if (!/^(?:dev-|build-)?dependencies$|^devDependencies$/.test(key)) continue;
      for (const one of Object.values(tableOf(list))) {
        const written =
          typeof one === "string" ? /^(?:file|link|portal):(.+)/.exec(one)?.[1] : tableOf(one)["path"];
        const at = typeof written === "string" ? pathAt(folderOf(path), written) : undefined;
        if (at !== undefined && at !== "") (key.startsWith("dev") ? forTests : needed).add(at);
      }
    }
  }
  return new Set([...forTests].filter((folder) => !needed.has(folder)));
}
