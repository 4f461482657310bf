// Which new files would be found before another that is read or started now: programs, modules of Python,
// which looks them up in a script's folder first (docs.python.org/3/library/sys_path_init.html), files of Ruby
// below `lib/`, and headers (gcc.gnu.org/onlinedocs/cpp/Search-Path.html). Pure. names.ts has the modules and headers of the standard
// libraries; other installed ones are not known.
import { posix } from "node:path";
import type { Family } from "./languages.js";
import { folderOf, isBelow, relative, type ChangedFile, type ReferenceFiles } from "./files.js";
import { C_LIBRARY, PROGRAMS, PYTHON_LIBRARY, PYTHON_RUNNERS, RUBY_LIBRARY } from "./names.js";

/** Where names are looked up. */
export interface Lookup {
  files: ReferenceFiles;
  /** Whether the machine has a program of this name. */
  hasProgram: (name: string) => boolean;
  /** Folders in which modules are looked up. */
  searched: readonly string[];
  /** The file's language; `undefined`: it is not code. */
  language: Family | undefined;
  isProgram: (path: string) => boolean;
}

/** The program, module or header that a new file would be found before; `undefined`: nothing. */
export function foundBefore(change: ChangedFile, lookup: Lookup): string | undefined {
  const { path } = change;
  const name = posix.basename(path);
  if (mayBeProgram(change) && (PROGRAMS.has(name) || lookup.hasProgram(name))) return `the program ${name}`;
  return (
    moduleBefore(path, lookup) ??
    rubyBefore(path, lookup) ??
    javaBefore(path, lookup) ??
    headerBefore(path, lookup)
  );
}

/** Whether a file can be started by its name alone. */
export function mayBeProgram({ path, to }: ChangedFile): boolean {
  return to.mode !== "100644" || posix.basename(folderOf(path)) === "bin";
}

function moduleBefore(path: string, { files, searched, language, isProgram }: Lookup): string | undefined {
  if (language !== "python" && !/\.(?:so|pyd|pyc)$/.test(path)) return undefined;
  for (const root of searched) {
    if (!isBelow(path, root) || files.has(`${root}/__init__.py`)) continue;
    const name = /^([^/.]+)(?:\.[^/]*|\/__init__\.[^/]*)$/.exec(relative(root, path))?.[1];
    if (name === undefined) continue;
    if (PYTHON_LIBRARY.has(name) || PYTHON_RUNNERS.has(name)) return `the module ${name}`;
    // A package that checks find by a path of their own, such as `PYTHONPATH=vendored`.
    const before = files.paths.find((one) => one.endsWith(`/${name}/__init__.py`) && !isProgram(one));
    if (before !== undefined && !files.has(`${folderOf(folderOf(before))}/__init__.py`)) return before;
  }
  return PYTHON_RUNNERS.has(posix.basename(path).replace(/\.\w+/, "")) && language === "python"
    ? "a module that runs tests"
    : undefined;
}

/** A file of Ruby in a name of its library that the program has not had. */
function rubyBefore(path: string, { files, language }: Lookup): string | undefined {
  const [root = "", name = ""] = /^(?:.*\/)?lib\/([\w-]+)/.exec(path) ?? [];
  const isTaken = files.paths.some((one) => one.startsWith(`${root}/`) || one === `${root}.rb`);
  return language === "ruby" && RUBY_LIBRARY.has(name) && !isTaken ? `Ruby's ${name}` : undefined;
}

/** A class in a package of a library that runs tests, unless the program is that library. */
function javaBefore(path: string, { files, language }: Lookup): string | undefined {
  const library = /(?:^|\/)((?:junit|org\/(?:junit|hamcrest|mockito|testng|assertj))\/)/.exec(path)?.[1];
  if (language !== "java" || library === undefined) return undefined;
  return files.paths.some((one) => one.includes(library)) ? undefined : `the library's ${library}`;
}

/** A header of a name that another one has, or one of the standard library. */
function headerBefore(path: string, { files }: Lookup): string | undefined {
  if (!/\.h(?:h|pp|xx)?$/.test(path)) return undefined;
  const name = posix.basename(path);
  const other = files.paths.find((one) => one !== path && posix.basename(one) === name);
  return other ?? (C_LIBRARY.has(name.replace(/\.h$/, "")) ? `the header ${name}` : undefined);
}
