// Which new files would be read in place of what checks read now: a library of the language, an installed package, a file that serves
// the checks. By how each language looks up modules: docs.python.org/3/library/sys_path_init.html (a script's folder comes first),
// gcc.gnu.org/onlinedocs/cpp/Search-Path.html (-I comes before the system's), perldoc.perl.org/lib, Ruby's $LOAD_PATH. Pure.
// Leaves reading imports to import-graph.ts, and what is installed on the machine to rooms/setup/installed-modules.ts.
import { posix } from "node:path";
import { escapeRegExp } from "../../system/text/escape-reg-exp.js";
import { familyIn, familyOf, type Family } from "./program/families.js";
import type { ImportGraph } from "./program/import-graph.js";
import type { Import } from "./program/imports.js";
import { GONE, type ChangedFile, type NameRules, type ReferenceFiles } from "./program/kinds.js";
import { folderOf, isBelow } from "./program/project-paths.js";
import { loadsIfThere } from "./guarded-loads.js";
import { ListedLoads } from "./listed-loads.js";
import { PYTHON_LIBRARY, PYTHON_RUNNERS } from "./checks/protected-patterns.js";

/** Loaded by an interpreter or runner because they are there: site, pytest, JUnit's ServiceLoader, PHP per folder, Perl's -Mlib, minitest. */
const START_HOOK =
  /(?:^|\/)(?:sitecustomize|usercustomize|conftest)(?:\.pyc?|\/__init__\.py)$|\.pth$|(?:^|\/)META-INF\/services\/|(?:^|\/)\.user\.ini$|(?:^|\/)sitecustomize\.pl$|(?:^|\/)minitest\/[^/]+_plugin\.rb$/;

/** Modules of Node that `baseUrl` and `paths` of tsconfig.json could lead away. */
const NODE_LIBRARY = new Set(
  (
    "assert async_hooks buffer child_process crypto dns events fs http http2 https module net os path perf_hooks process " +
    "querystring readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib"
  ).split(" "),
);

/** docs.oracle.com/javase/specs/jls/se21/html/jls-7.html#jls-7.4 */
const JAVA_PACKAGE = /^[ \t]*package\s+([\w.]+)/m;
const JAVA_LAYOUT = /(?:^|\/)src\/\w+\/(?:java|kotlin|scala|groovy)\/(.+)\/[^/]+$/;

/** Test libraries of PHP: an autoloader of the project that comes first would load one of their classes from here. */
const PHP_TEST_NAMESPACE =
  /^[ \t]*namespace[ \t]+((?:PHPUnit|SebastianBergmann|PharIo|Mockery|Prophecy|Pest|Codeception|Behat)(?:\\\w+)*)/im;

/** Whether a file is loaded before any test because of its name alone. */
export function isStartHook(path: string): boolean {
  return START_HOOK.test(path);
}

/** The answers of classify.ts about a file. */
interface Known {
  isHeld: (path: string) => boolean;
  isProgram: (path: string) => boolean;
}

/** Compares where names lead at the reference and with the attempt. */
export class Shadows {
  #listed: ListedLoads | undefined;
  readonly #taken = new Map<string, readonly Takeover[]>();

  constructor(
    private readonly graph: ImportGraph,
    private readonly reference: ReferenceFiles,
    private readonly rules: NameRules,
    private readonly known: Known,
  ) {}

  /** Why a new file takes the place of what checks read; `undefined`: it does not. */
  shadowedBy(change: ChangedFile): string | undefined {
    if (!isNew(change)) return undefined;
    const { path } = change;
    const optional = this.#loadedIfThere(path);
    if (optional !== undefined) return `${optional} loads it only if it is there`;
    for (const { by, what, before } of this.#takenOver(path)) {
      const isFromOutside = before.length === 0 && this.#isOutside(by, what, path);
      // A file that takes over from another file of the program replaces it, and does not come before it.
      const isOfChecks = before.some((one) => !this.known.isProgram(one) || this.#isBeside(one, path));
      if (isFromOutside || isOfChecks) return `${by} would read it in place of what it reads now`;
    }
    return (
      this.#libraryName(path) ??
      this.#libraryPackage(change) ??
      testNamespace(change) ??
      this.#programName(path)
    );
  }

  /** The check that finds a file by listing its folder, and loads it. */
  listedBy(path: string): string | undefined {
    this.#listed ??= new ListedLoads(this.graph, this.reference, this.known);
    return this.#listed.listerOf(path);
  }

  /** The check that loads a new file only if it is there, and ran without it. */
  #loadedIfThere(path: string): string | undefined {
    if (familyOf(path) === undefined) return undefined;
    return this.graph.candidatesFor(path).find((by) => {
      const text = this.reference.text(by);
      if (text === undefined || !this.known.isHeld(by)) return false;
      return loadsIfThere({ text, family: familyOf(by) ?? familyIn(by, text) }, path);
    });
  }

  /** A new file with the name of an installed program, in a folder that checks put on PATH. */
  #programName(path: string): string | undefined {
    const name = posix.basename(path);
    const folder = folderOf(path);
    if (this.rules.isInstalled?.("shell", name) !== true) return undefined;
    const isOnPath =
      this.rules.pathFolders?.has(folder) === true ||
      this.graph.filesWith(["PATH"], (text) => putsOnPath(text, folder)).some((by) => this.known.isHeld(by));
    return isOnPath ? `checks would start it as ${name}` : undefined;
  }

  /** Whether a file stays that a new one would be found before; a package stays around its modules. */
  #isBeside(one: string, path: string): boolean {
    const isAround = /(?:^|\/)__init__\.py$/.test(one) && isBelow(path, folderOf(one));
    return !isAround && this.graph.stays(one);
  }

  /** Whether a held file reads a new file in place of one of the program. */
  replacesProgram(change: ChangedFile): boolean {
    return isNew(change) && this.#takenOver(change.path).some(({ before }) => before.length > 0);
  }

  #takenOver(path: string): readonly Takeover[] {
    const known = this.#taken.get(path);
    if (known !== undefined) return known;
    const found = this.graph
      .candidatesFor(path)
      .filter((by) => this.known.isHeld(by))
      .flatMap((by) => this.graph.takenOver(path, by).map((one) => ({ by, ...one })));
    this.#taken.set(path, found);
    return found;
  }

  /** Whether a name that led nowhere in the project came from outside of it, and is not only missing. */
  #isOutside(by: string, { name, relative }: Import, path: string): boolean {
    if (relative) return false;
    const family = familyOf(by) ?? familyIn(by, this.reference.text(by));
    if (family === undefined) return false;
    // The project has such a file where only the commands know to look.
    if (family !== "js" && family !== "java" && this.#hasFile(family, name)) return true;
    switch (family) {
      case "js": {
        const bare = /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
        return name.startsWith("node:") || NODE_LIBRARY.has(bare) || this.graph.packages.has(bare);
      }
      case "python":
        return this.#isLibrary("python", name.replace(/\..*$/, ""), true);
      case "java":
        // A package that the project has no file of is a library's.
        return !this.#hasFolderLike(
          posix.dirname(name.replaceAll(".", "/")).split("/").slice(0, 2).join("/"),
          path,
        );
      case "perl":
      case "c":
      case "ruby":
      case "php":
      case "lua":
        return this.#isLibrary(family, asFile(family, name), true);
      default:
        return false;
    }
  }

  #hasFile(family: Family, name: string): boolean {
    const file = family === "python" ? name.replaceAll(".", "/") : asFile(family, name);
    const ends = family === "python" ? [`/${file}.py`, `/${file}/__init__.py`] : [`/${file}`];
    return this.reference.paths.some((one) => ends.some((end) => one.endsWith(end)));
  }

  #hasFolderLike(folder: string, path: string): boolean {
    return this.reference.paths.some((one) => one !== path && one.includes(`/${folder}/`));
  }

  /** A new module on a search path with the name of a library: runners import what no test does. */
  #libraryName(path: string): string | undefined {
    const family = familyOf(path);
    if (family === undefined) return undefined;
    for (const root of this.rules.search) {
      if (root !== "" && !path.startsWith(`${root}/`)) continue;
      const inside = root === "" ? path : path.slice(root.length + 1);
      const name = libraryFile(family, inside);
      if (name === undefined || this.#isPackage(root, path)) continue;
      if (this.#isLibrary(family, name, false) || this.rules.modules?.has(name) === true)
        return `its name is that of a library: ${name}`;
    }
    return undefined;
  }

  /**
   * A new class in a package of which the project has no class, by the first two names: its classes are compiled before a
   * library's. A package of one name is never a library's.
   */
  #libraryPackage({ path, after }: ChangedFile): string | undefined {
    const name = packageOf(path, after);
    if (name === undefined || !name.includes(".")) return undefined;
    const [first = "", second = ""] = name.split(".");
    const naming = this.reference.mentions(second).filter((one) => one !== path);
    const isShared = naming.some((one) => `${this.#packageOf(one) ?? ""}.`.startsWith(`${first}.${second}.`));
    if (isShared || this.#hasFolderLike(`${first}/${second}`, path)) return undefined;
    const by = naming.find((one) => this.known.isHeld(one) && this.reference.text(one)?.includes(`${name}.`));
    if (by !== undefined) return `${by} reads the package ${name} from a library`;
    const hasPackages = this.reference.paths.some(
      (one) => one !== path && this.#packageOf(one) !== undefined,
    );
    return hasPackages ? "its package is none of the project's" : undefined;
  }

  #packageOf(path: string): string | undefined {
    return packageOf(path, familyOf(path) === "java" ? this.reference.text(path) : undefined);
  }

  /** In a package, modules have the package's name before their own. */
  #isPackage(root: string, path: string): boolean {
    return familyOf(path) === "python" && root !== "" && this.reference.has(`${root}/__init__.py`);
  }

  /** `unknown`: the answer where nothing is known of the machine. */
  #isLibrary(family: Family, name: string, unknown: boolean): boolean {
    if (family === "python" && (PYTHON_LIBRARY.has(name) || PYTHON_RUNNERS.has(name))) return true;
    return this.rules.isInstalled?.(family, name) ?? unknown;
  }
}

/** Whether a line of a text names PATH and then a folder: `PATH="$PWD/bin:$PATH"`, `env: { PATH: join(top, "bin") }`. */
function putsOnPath(text: string, folder: string): boolean {
  const name = escapeRegExp(posix.basename(folder));
  const place =
    folder === ""
      ? String.raw`(?:\$\{?PWD\}?|\$\(CURDIR\)|[=:"']\.)(?=[:"'])`
      : `(?<![\\w.-])${name}(?![\\w-])`;
  return new RegExp(`\\bPATH\\b[^\\n]{0,400}${place}`).test(text);
}

interface Takeover {
  by: string;
  what: Import;
  before: readonly string[];
}

/** The package that a class declares, else the one of its folder in the layout of Maven and Gradle. */
function packageOf(path: string, text: string | undefined): string | undefined {
  if (familyOf(path) !== "java") return undefined;
  return JAVA_PACKAGE.exec(text ?? "")?.[1] ?? JAVA_LAYOUT.exec(path)?.[1]?.replaceAll("/", ".");
}

function isNew({ from, to }: ChangedFile): boolean {
  return from.mode === GONE && to.mode !== GONE;
}

/** The name by which a library of the language would be found, of a file right below a search path. */
function libraryFile(family: Family, inside: string): string | undefined {
  switch (family) {
    case "python": {
      const [first = "", ...rest] = inside.split("/");
      if (rest.length === 0) return first.replace(/\.\w+$/, "");
      return folderOf(inside) === first && /^__init__\./.test(rest[0] ?? "") ? first : undefined;
    }
    case "perl":
    case "ruby":
    case "lua":
    case "c":
      return inside;
    default:
      return undefined;
  }
}

function asFile(family: Family, name: string): string {
  if (family === "perl")
    return name.endsWith(".pm") || name.includes("/") ? name : `${name.replaceAll("::", "/")}.pm`;
  if (family === "ruby") return name.endsWith(".rb") ? name : `${name}.rb`;
  if (family === "lua") return `${name.replaceAll(".", "/")}.lua`;
  return family === "php" ? `${name.replaceAll("\\", "/")}.php` : name;
}

function testNamespace({ path, after }: ChangedFile): string | undefined {
  if (familyOf(path) !== "php") return undefined;
  const name = PHP_TEST_NAMESPACE.exec(after ?? "")?.[1];
  return name === undefined ? undefined : `it declares ${name}, which is a test library's`;
}
