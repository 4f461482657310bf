// Which new files would be found before another that is read or started now: programs, modules, headers. By how each language looks up
// modules: docs.python.org/3/library/sys_path_init.html (a script's folder comes first), gcc.gnu.org/onlinedocs/cpp/Search-Path.html,
// perldoc.perl.org/lib, Ruby's $LOAD_PATH. Pure. Leaves what is installed on the machine to rooms/setup/installed-modules.ts.
import { posix } from "node:path";
import type { Family } from "./languages.js";
import { folderOf, isBelow, type ChangedFile, type ReferenceFiles } from "./files.js";
import { PROGRAMS, PYTHON_LIBRARY, PYTHON_RUNNERS } from "./names.js";

/** Whether a language's library or an installed package has a file or module of this name; `shell`: a program. */
export type IsInstalled = (family: Family, name: string) => boolean;

/** Where names are looked up. */
export interface Lookup {
  files: ReferenceFiles;
  isInstalled: IsInstalled;
  pathFolders: ReadonlySet<string>;
  /** Folders in which modules and headers are looked up; those that commands name for it. */
  searched: readonly string[];
  named: ReadonlySet<string>;
  /** The file's language; `undefined`: it is not code. */
  language: Family | undefined;
}

/** The program, module or header that a new file would be found before, in a few words; `undefined`: nothing. */
export function foundBefore({ path, to }: ChangedFile, lookup: Lookup): string | undefined {
  const name = posix.basename(path);
  const folder = folderOf(path);
  const isProgram =
    to.mode !== "100644" || posix.basename(folder) === "bin" || lookup.pathFolders.has(folder);
  if (isProgram && (PROGRAMS.has(name) || lookup.isInstalled("shell", name))) return `the program ${name}`;
  return (
    moduleBefore(path, lookup) ??
    otherBefore(path, lookup) ??
    headerBefore(path, lookup) ??
    javaBefore(path, lookup)
  );
}

function moduleBefore(path: string, { files, isInstalled, searched, language }: Lookup): string | undefined {
  if (!/\.(?:so|pyd|pyc)$/.test(path) && (language === undefined || !MODULES.has(language))) return undefined;
  for (const root of searched) {
    if (!isBelow(path, root)) continue;
    const inside = root === "" ? path : path.slice(root.length + 1);
    if (language === "python" || language === undefined) {
      if (root !== "" && files.has(`${root}/__init__.py`)) continue;
      const name = /^([^/.]+)(?:\.[^/]*|\/__init__\.[^/]*)$/.exec(inside)?.[1];
      if (name === undefined) continue;
      if (PYTHON_LIBRARY.has(name) || PYTHON_RUNNERS.has(name) || isInstalled("python", name))
        return `the module ${name}`;
    } else if (isInstalled(language, inside)) return `${inside} of a library`;
  }
  return PYTHON_RUNNERS.has(posix.basename(path).replace(/\.\w+$/, "")) && language === "python"
    ? "a module that runs tests"
    : undefined;
}

const MODULES: ReadonlySet<Family> = new Set(["python", "perl", "ruby", "lua", "php", "c"]);

/** A header of a name that another one has, or a header of the system. */
function headerBefore(path: string, { files, isInstalled }: Lookup): string | undefined {
  if (!/\.h(?:h|pp|xx)?$/.test(path)) return undefined;
  const name = posix.basename(path);
  const other = files.paths.find((one) => one !== path && posix.basename(one) === name);
  return other ?? (isInstalled("c", name) ? `the header ${name}` : undefined);
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
