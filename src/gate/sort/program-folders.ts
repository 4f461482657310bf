// The folders of the program: what `verify.source` says; else of each package those that its manifest names, else Python packages,
// else the usual ones, else every folder with code. Pure. Reads manifests at the reference and no other text.
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { parseJson } from "../../system/text/json.js";
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
import { AROUND, MANIFEST, MEMBERS, SETTINGS, SETTINGS_AT_TOP, TESTS, USUAL, matcherOf } from "./names.js";

/** With these manifests every folder holds files of the program. */
const COMPILED_WHOLE = /^(?:go\.mod|[^/]+\.(?:cs|fs|vb)proj)$/;

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

/** Finds them. `home`: the project's folder, from the top; `said`: `verify.source`, patterns as in .gitignore. */
export function programFolders(
  files: ReferenceFiles,
  { home, said }: { home: string; said: readonly string[] },
): ProgramFolders {
  const packages = new Set<string>([home]);
  const whole = new Set<string>();
  for (const path of files.paths) {
    const folder = folderOf(path);
    const isPart =
      MANIFEST.test(posix.basename(path)) && !isForeign(path) && !isBeside(relative(home, folder));
    if (!isPart || isTestish(relative(home, folder))) continue;
    packages.add(folder);
    if (COMPILED_WHOLE.test(posix.basename(path))) whole.add(folder);
  }
  const named = [...packages].map((top) => ({ top, isWhole: whole.has(top), ...namesIn(files, top) }));
  const entries = new Set(named.flatMap((one) => one.files.filter(files.has)));
  if (said.length > 0)
    return { folderOf: saidFolders(said, home), packages, entries, isSaid: true, isFlat: () => false };
  const code = codeFolders(files, home);
  const deep = new Set<string>();
  const flat = new Set<string>();
  for (const one of named) addFolders(one, { files, code, packages, deep, flat });
  return {
    packages,
    entries,
    isSaid: false,
    isFlat: (folder) => flat.has(folder) && !deep.has(folder),
    folderOf: (path) =>
      foldersAbove(path).find((folder) => deep.has(folder)) ??
      (flat.has(folderOf(path)) ? folderOf(path) : undefined),
  };
}

interface Making {
  files: ReferenceFiles;
  /** Folders with code of no test, with all above them. */
  code: ReadonlySet<string>;
  packages: ReadonlySet<string>;
  deep: Set<string>;
  flat: Set<string>;
}

function addFolders(
  { top, files: named, folders, isWhole }: Named & { top: string; isWhole: boolean },
  making: Making,
): void {
  const { files, code, packages, deep, flat } = making;
  if (isWhole) {
    deep.add(top);
    return;
  }
  const isProgram = (folder: string): boolean =>
    folder !== top && isBelow(folder, top) && code.has(folder) && !isForeign(`${folder}/`);
  const declared = folders.filter(isProgram);
  const isUsual = (folder: string): boolean => isProgram(folder) && !packages.has(folder);
  const usual = USUAL.map((name) => posix.join(top, name)).filter(isUsual);
  // An entry in src/lib says that src is the program: the rest of it is beside the entry.
  const ofEntries = named
    .map(folderOf)
    .filter(isProgram)
    .map((folder) => usual.find((one) => isBelow(folder, one)) ?? folder);
  for (const folder of [...declared, ...ofEntries]) deep.add(folder);
  const isOfEntry = [...named, ...["index.js", "index.ts"].map((one) => posix.join(top, one))];
  if (isOfEntry.some((one) => folderOf(one) === top && files.has(one))) flat.add(top);
  // The programs that a package installs say nothing of the rest.
  if (declared.length > 0 || ofEntries.some((folder) => posix.basename(folder) !== "bin")) return;
  const inside = [...code].filter(isProgram);
  const isPython = (folder: string): boolean => files.has(posix.join(folder, "__init__.py"));
  const python = inside.filter(
    (one) => isPython(one) && !isPython(folderOf(one)) && !isBeside(relative(top, one)),
  );
  const isRails = files.has(posix.join(top, "config/application.rb"));
  const rails = isRails ? ["config", "db"].map((name) => posix.join(top, name)).filter(isUsual) : [];
  const members = inside.filter((one) => MEMBERS.test(relative(top, one)));
  const found =
    python.length > 0
      ? [...python, ...usual.filter((one) => /(?:^|\/)bin$/.test(one))]
      : [...usual, ...members, ...rails];
  const isInMain = found.includes(posix.join(top, "src/main"));
  for (const folder of found) if (!isInMain || folder !== posix.join(top, "src")) deep.add(folder);
  if (found.length > 0) return;
  flat.add(top);
  for (const folder of inside)
    if (folderOf(folder) === top && !isBeside(relative(top, folder))) deep.add(folder);
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
    for (let at = folderOf(path); at !== "" && !found.has(at); at = folderOf(at)) found.add(at);
  }
  return found;
}

function saidFolders(said: readonly string[], home: string): (path: string) => string | undefined {
  const isSaid = matchPatterns(said);
  const matches = (path: string): boolean => isSaid(relative(home, path));
  return (path) => {
    if (!matches(path)) return undefined;
    return foldersAbove(path).findLast((folder) => folder !== "" && matches(`${folder}/`)) ?? folderOf(path);
  };
}

/** The files and folders that a manifest names as the program. */
interface Named {
  files: string[];
  folders: string[];
}

/** Where manifests name files of the program, modules of Python, and folders. */
const FILES: readonly [manifest: string, keys: string][] = [
  ["package.json", "main module browser types bin exports"],
  ["Cargo.toml", "lib.path bin"],
  ["composer.json", "bin"],
];
const MODULES: typeof FILES = [
  ["pyproject.toml", "project.scripts tool.poetry.scripts tool.setuptools.py-modules"],
];
const FOLDERS: typeof FILES = [
  ["package.json", "files"],
  ["composer.json", "autoload.psr-4 autoload.classmap"],
  ["pyproject.toml", "tool.setuptools.package-dir tool.setuptools.packages tool.poetry.packages"],
];

function namesIn(files: ReferenceFiles, top: string): Named {
  const textsAt = (places: typeof FILES): string[] =>
    places.flatMap(([manifest, keys]) => {
      const text = files.text(posix.join(top, manifest)) ?? "";
      const root = readTable(manifest, text);
      const valueAt = (key: string): unknown =>
        key.split(".").reduce<unknown>((value, part) => tableOf(value)[part], root);
      return keys.split(" ").flatMap((key) => stringsIn(valueAt(key)));
    });
  const entries = textsAt(FILES).filter((one) => !one.startsWith("#"));
  const modules = textsAt(MODULES).map((one) => `${(one.split(":")[0] ?? "").replaceAll(".", "/")}.py`);
  const isDotted = /^\w+(?:\.\w+)+$/;
  const places = [
    ...textsAt(FOLDERS).map((one) => (isDotted.test(one) ? one.replaceAll(".", "/") : one)),
    ...entries.filter((one) => one.includes("*")).map((one) => folderOf(one.slice(0, one.indexOf("*") + 1))),
  ];
  const isRust = files.has(posix.join(top, "Cargo.toml"));
  const at = (names: readonly string[]): string[] => names.flatMap((name) => pathAt(top, name) ?? []);
  return {
    files: at([...entries.filter((one) => !one.includes("*")), ...modules]),
    folders: at([...places, ...(isRust ? ["src"] : [])]),
  };
}

type Table = Readonly<Record<string, unknown>>;

export function tableOf(value: unknown): Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** All texts in a value, at any depth. */
function stringsIn(value: unknown): string[] {
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
