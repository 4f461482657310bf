// The folders of the program: what `verify.source` says; else of each package those that its manifest names, else Python packages,
// else the usual ones, else every folder with code. Pure. Reads manifests at the reference and no other text.
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { isRecord, parseJson } from "../../system/text/json.js";
import { familyOf } from "./languages.js";
import {
  folderOf,
  foldersAbove,
  isBelow,
  isForeign,
  isTestish,
  matchPatterns,
  pathAt,
  relative,
  type ReferenceFiles,
} from "./files.js";
import { AROUND, MANIFEST, SETTINGS, SETTINGS_AT_TOP, TESTS, USUAL, matcherOf } from "./names.js";

/** With these manifests every folder holds files of the program. */
const COMPILED_WHOLE = /(?:go\.mod|\.(?:cs|fs|vb)proj)$/;

/** Where the program is. */
export interface ProgramFolders {
  /** The folder of the program that a path is in; `undefined`: none. */
  folderOf: (path: string) => string | undefined;
  /** Whether only the files of a folder itself are the program's, and not those of its folders. */
  isFlat: (folder: string) => boolean;
  /** The folders with a manifest. */
  packages: ReadonlySet<string>;
  /** Files that manifests name as the program's: `bin`, `main`. */
  entries: ReadonlySet<string>;
  /** A person said where it is: nothing else is source. */
  isSaid: boolean;
}

/** Finds them. `home`: the project's folder, from the top; `said`: the patterns of `verify.source`. */
export function programFolders(
  files: ReferenceFiles,
  { home, said }: { home: string; said: readonly string[] },
): ProgramFolders {
  const packages = new Set<string>([home]);
  const whole = new Set<string>();
  for (const path of files.paths) {
    const folder = folderOf(path);
    const name = posix.basename(path);
    const inside = relative(home, folder);
    if (!MANIFEST.test(name) || isForeign(path) || isBeside(inside) || isTestish(inside)) continue;
    packages.add(folder);
    if (COMPILED_WHOLE.test(name)) whole.add(folder);
  }
  const named = new Map([...packages].map((top) => [top, entriesIn(files, top).filter(files.has)]));
  const entries = new Set([...named.values()].flat());
  if (said.length > 0)
    return { folderOf: saidFolders(said, home), packages, entries, isSaid: true, isFlat: () => false };
  const code = codeFolders(files, home);
  const chosen = new Map([...named].map(([top, entries]) => [top, choose(files, code, { top, entries })]));
  return {
    packages,
    entries,
    isSaid: false,
    isFlat: (folder) => packages.has(folder) && !whole.has(folder),
    folderOf: onceFor((folder) => {
      const top = [folder, ...foldersAbove(folder)].find((one) => packages.has(one));
      const { folders, hasTop } = chosen.get(top ?? "") ?? {};
      if (top === undefined || folders === undefined) return undefined;
      if (whole.has(top)) return top;
      if (folder === top) return hasTop ? top : undefined;
      const below = posix.join(top, relative(top, folder).split("/")[0] ?? "");
      return folders.has(below) ? below : undefined;
    }),
  };
}

/** An answer about the folder of a path, which is found once for each folder. */
function onceFor(ask: (folder: string) => string | undefined): (path: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (path) => {
    const folder = folderOf(path);
    if (!known.has(folder)) known.set(folder, ask(folder));
    return known.get(folder);
  };
}

/**
 * The folders of a package that are of the program, with all below them: those that hold an entry; else
 * Python packages; else the usual ones; else all with code. `hasTop`: the files beside them are too.
 */
function choose(
  { has }: ReferenceFiles,
  code: ReadonlySet<string>,
  { top, entries }: { top: string; entries: readonly string[] },
): { folders: ReadonlySet<string>; hasTop: boolean } {
  const inside = [...code].filter((folder) => folderOf(folder) === top);
  const named = (folder: string): string => relative(top, folder);
  const holds = (folder: string): boolean =>
    named(folder) !== "bin" && entries.some((entry) => isBelow(entry, folder));
  const isRails = has(posix.join(top, "config/application.rb"));
  const kinds: ((folder: string) => boolean)[] = [
    holds,
    (folder) => has(`${folder}/__init__.py`) && !isBeside(named(folder)),
    (folder) => USUAL.has(named(folder)) || (isRails && /^(?:config|db)$/.test(named(folder))),
  ];
  const chosen = kinds.map((is) => inside.filter(is)).find((folders) => folders.length > 0);
  const isAtTop = [...entries, ...["index.js", "index.ts"].map((name) => posix.join(top, name))].some(
    (entry) => folderOf(entry) === top && has(entry),
  );
  const folders = chosen ?? inside.filter((folder) => !isBeside(named(folder)));
  const bin = inside.filter((folder) => named(folder) === "bin");
  return { folders: new Set([...folders, ...bin]), hasTop: isAtTop || chosen === undefined };
}

/** Whether a folder is below one that is beside a program: examples, tools, scripts. */
export function isBeside(folder: string): boolean {
  return folder.split("/").some((part) => AROUND.test(part));
}

const isSetting = matcherOf([...SETTINGS, ...SETTINGS_AT_TOP]);
const isTest = matcherOf(TESTS);

function codeFolders({ paths }: ReferenceFiles, home: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    if (found.has(folderOf(path)) || familyOf(path) === undefined || isForeign(path)) continue;
    if (isSetting(path) || isTest(path) || isTestish(relative(home, path))) continue;
    for (const folder of foldersAbove(path).slice(0, -1)) found.add(folder);
  }
  return found;
}

function saidFolders(said: readonly string[], home: string): (path: string) => string | undefined {
  const isSaid = matchPatterns(said);
  const matches = (path: string): boolean => isBelow(path, home) && isSaid(relative(home, path));
  return (path) => {
    if (!matches(path)) return undefined;
    return foldersAbove(path).findLast((folder) => folder !== "" && matches(`${folder}/`)) ?? folderOf(path);
  };
}

/** The files of the program that the manifests of a package name. */
function entriesIn(files: ReferenceFiles, top: string): string[] {
  const read = (name: string): Table => tableOf(readTable(name, files.text(posix.join(top, name)) ?? ""));
  const { main, module, browser, types, bin, exports } = read("package.json");
  const cargo = read("Cargo.toml");
  const crate = [tableOf(cargo["lib"])["path"], cargo["bin"]];
  const named = stringsIn([main, module, browser, types, bin, exports, crate, read("composer.json")["bin"]]);
  return named.flatMap((name) => pathAt(top, name) ?? []);
}

export type Table = Readonly<Record<string, unknown>>;

export function tableOf(value: unknown): Table {
  return isRecord(value) ? value : {};
}

/** All texts in a value, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The content of a manifest of TOML or JSON; `undefined` where it is neither, or has an error. */
export function readTable(path: string, text: string): unknown {
  if (path.endsWith(".json")) return parseJson(text);
  try {
    return path.endsWith(".toml") ? parseToml(text) : undefined;
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
