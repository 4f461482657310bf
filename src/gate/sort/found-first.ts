// Which new files would be found before another that is read or started now: programs, modules, headers. By how each language looks up
// modules: docs.python.org/3/library/sys_path_init.html (a script's folder comes first), gcc.gnu.org/onlinedocs/cpp/Search-Path.html.
// Pure. names.ts has the modules and headers of the standard libraries; other installed ones are not known.
import { posix } from "node:path";
import type { Family } from "./languages.js";
import { folderOf, isBelow, type ChangedFile, type ReferenceFiles } from "./files.js";
import { C_LIBRARY, PROGRAMS, PYTHON_LIBRARY, PYTHON_RUNNERS } from "./names.js";

/** Where names are looked up. */
export interface Lookup {
  files: ReferenceFiles;
  /** Whether the machine has a program of this name. */
  hasProgram: (name: string) => boolean;
  /** Folders in which modules are looked up; those that commands name for it. */
  searched: readonly string[];
  named: ReadonlySet<string>;
  /** The file's language; `undefined`: it is not code. */
  language: Family | undefined;
}

/** The program, module or header that a new file would be found before, in a few words; `undefined`: nothing. */
export function foundBefore(change: ChangedFile, lookup: Lookup): string | undefined {
  const { path } = change;
  const name = posix.basename(path);
  if (mayBeProgram(change) && (PROGRAMS.has(name) || lookup.hasProgram(name))) return `the program ${name}`;
  return (
    moduleBefore(path, lookup) ??
    otherBefore(path, lookup) ??
    headerBefore(path, lookup) ??
    javaBefore(path, lookup)
  );
}

/** Whether a file can be started by its name alone. */
export function mayBeProgram({ path, to }: ChangedFile): boolean {
  return to.mode !== "100644" || posix.basename(folderOf(path)) === "bin";
}

function moduleBefore(path: string, { files, searched, language }: Lookup): string | undefined {
  if (language !== "python" && !/\.(?:so|pyd|pyc)$/.test(path)) return undefined;
  for (const root of searched) {
    if (!isBelow(path, root) || (root !== "" && files.has(`${root}/__init__.py`))) continue;
    const inside = root === "" ? path : path.slice(root.length + 1);
    const name = /^([^/.]+)(?:\.[^/]*|\/__init__\.[^/]*)$/.exec(inside)?.[1];
    if (name !== undefined && (PYTHON_LIBRARY.has(name) || PYTHON_RUNNERS.has(name)))
      return `the module ${name}`;
  }
  return PYTHON_RUNNERS.has(posix.basename(path).replace(/\.\w+$/, "")) && language === "python"
    ? "a module that runs tests"
    : undefined;
}

/** A header of a name that another one has, or one of the standard library. */
function headerBefore(path: string, { files }: Lookup): string | undefined {
  if (!/\.h(?:h|pp|xx)?$/.test(path)) return undefined;
  const name = posix.basename(path);
  const other = files.paths.find((one) => one !== path && posix.basename(one) === name);
  return other ?? (C_LIBRARY.has(name.replace(/\.h$/, "")) ? `the header ${name}` : undefined);
}

/** A module of the same name in another folder that commands name for looking up modules. */
function otherBefore(path: string, { files, searched, named, language }: Lookup): string | undefined {
  if (language === undefined || named.size === 0) return undefined;
  const inside = (one: string, root: string): string | undefined =>
    isBelow(one, root) ? moduleName(root === "" ? one : one.slice(root.length + 1)) : undefined;
  const names = new Set(searched.map((root) => inside(path, root)));
  return files.paths.find((one) =>
    [...named].some((root) => {
      const name = inside(one, root);
      return name !== undefined && names.has(name) && !isBelow(path, root);
    }),
  );
}

/** `a/b.py`, `a/b/__init__.py` and `a/b/index.js` are one module. */
function moduleName(inside: string): string {
  return inside.replace(/\.\w+$/, "").replace(/\/(?:__init__|index)$/, "");
}

const JAVA = /(?:^|\/)src\/\w+\/(?:java|kotlin|scala|groovy)\//;
const JAVA_LIBRARY = /(?:^|\/)src\/\w+\/(?:java|kotlin|scala|groovy)\/([^/]+\/[^/]+)\//;

/** A class in a package of which the project has none: it is compiled before a library's. A library's package has at least two names. */
function javaBefore(path: string, { files }: Lookup): string | undefined {
  const start = JAVA_LIBRARY.exec(path)?.[1];
  if (start === undefined) return undefined;
  const classes = files.paths.filter((one) => JAVA.test(one));
  const isOwn = classes.length === 0 || classes.some((one) => one.includes(`/${start}/`));
  return isOwn ? undefined : `a library's package ${start.replace("/", ".")}`;
}
