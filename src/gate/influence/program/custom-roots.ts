// The folders in which a program is by custom, or because nothing else in the project is code. Pure.
// Leaves what manifests declare to entry-points.ts, and which of these folders count to program-roots.ts.
import { posix } from "node:path";
import { familyIn, familyOf } from "./families.js";
import {
  folderOf,
  isBelow,
  isForeign,
  isTestish,
  type ProjectFiles,
  type RootFiles,
} from "./project-paths.js";

/** Folders of a program by custom, most telling first. */
const USUAL = [
  "src/main",
  "src",
  "lib",
  "app",
  "cmd",
  "pkg",
  "internal",
  "include",
  "bin",
  "Sources",
  "R",
  "lua",
  "contracts",
];
const MONOREPO = /^(?:packages|apps|libs|crates|modules|services|plugins)\/[^/]+$/;

/** Folders of a part of a program by the custom of some framework; others beside them are the program's as well. */
const PARTS = [
  ...["server", "client", "backend", "frontend", "web", "api", "core", "source", "code"],
  ...["pages", "components", "routes", "controllers", "models", "views", "services", "functions"],
];

/** Folders beside a program, which are a program themselves only where no other is. */
const AROUND =
  /^(?:scripts?|tools?|ci|build|bench(?:marks?)?|examples?|demos?|docs?|config|support|harness)$/;

/** The folders that hold a program by custom, as far as they hold a program file. */
export function usualRoots(files: ProjectFiles, top: string, folders: ReadonlySet<string>): string[] {
  const holds = (folder: string): boolean => folders.has(folder) && holdsProgram(files, folder);
  const isPackage = (folder: string): boolean => files.has(`${folder}/__init__.py`);
  const inside = USUAL.map((name) => posix.join(top, name)).filter((one) => holds(one) && !isPackage(one));
  // `src/main` is the program, and `src/test` beside it the tests.
  const named = inside.filter(
    (folder) => folder !== posix.join(top, "src") || !inside.includes(`${folder}/main`),
  );
  const members = top === "" ? [...folders].filter((folder) => MONOREPO.test(folder) && holds(folder)) : [];
  return [...named, ...members.filter((folder) => !inside.some((one) => isBelow(folder, one)))];
}

/** The folders of parts of a program, in which checks have nothing. */
export function besideRoots(files: RootFiles, top: string, folders: ReadonlySet<string>): string[] {
  return PARTS.map((name) => posix.join(top, name)).filter(
    (folder) => folders.has(folder) && isFreeOfChecks(files, folder) && holdsProgram(files, folder),
  );
}

/** The folders of code in a package that has code nowhere else: what its tests test can only be there. */
export function onlyRoots(files: RootFiles, top: string, folders: ReadonlySet<string>): string[] {
  if (files.paths.some((path) => folderOf(path) === top && isProgramAtTop(files, path))) return [];
  const found = [...folders].filter(
    (folder) =>
      folder !== "" &&
      folderOf(folder) === top &&
      !isForeign(`${folder}/`) &&
      isFreeOfChecks(files, folder) &&
      holdsProgram(files, folder),
  );
  const plain = found.filter((folder) => !AROUND.test(posix.basename(folder)));
  return plain.length > 0 ? plain : found;
}

/** A script of the shell there often only starts or installs what is in the folders. */
function isProgramAtTop(files: RootFiles, path: string): boolean {
  return (
    isCode(files, path) &&
    familyOf(path) !== "shell" &&
    !isTestish(path, files.home) &&
    files.isHeld?.(path) !== true &&
    files.isRunByChecks?.(path) !== true
  );
}

function isFreeOfChecks({ paths, isRunByChecks }: RootFiles, folder: string): boolean {
  return isRunByChecks === undefined || !paths.some((path) => isBelow(path, folder) && isRunByChecks(path));
}

/** A file of a language that is known here, by its extension or its first line. */
function isCode({ text }: ProjectFiles, path: string): boolean {
  return (
    familyOf(path) !== undefined || (posix.extname(path) === "" && familyIn(path, text(path)) !== undefined)
  );
}

function holdsProgram(files: ProjectFiles, folder: string): boolean {
  return files.paths.some(
    (path) => isBelow(path, folder) && isCode(files, path) && !isTestish(path, files.home),
  );
}
