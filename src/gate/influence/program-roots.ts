// The folders in which the program of a project is, as its manifests declare them at the reference, else as is usual. Pure.
// Leaves which changed file is source to classify.ts.
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { z } from "zod";
import { parseJson } from "../../system/text/json.js";
import { familyOf } from "./families.js";

/** The files of a project at the reference. Paths are text, from the top of the repository. */
export interface ProjectFiles {
  paths: readonly string[];
  has: (path: string) => boolean;
  /** The text of a small file; `undefined` where it has none, or it was not read. */
  text: (path: string) => string | undefined;
}

/** Where a program is. */
export interface ProgramRoots {
  /** Folders whose files, at any depth, are in the program; "" is the top. */
  deep: readonly string[];
  /** Folders whose own files are, and not those in their folders. */
  flat: readonly string[];
  /** Files that manifests name as the program's entry points, and that are there. */
  entries: readonly string[];
}

/** Manifests of a project or package; each makes its folder the top of one. */
export const MANIFEST =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|Makefile\.PL|Build\.PL|cpanfile|[^/]+\.gemspec|Gemfile|[^/]+\.csproj|mix\.exs|Package\.swift)$/;

/** Folders of a program by custom, most telling first. */
const USUAL = ["src/main", "src", "lib", "app", "cmd", "pkg", "internal", "include", "bin"];
const MONOREPO = /^(?:packages|apps|libs|crates|modules|services|plugins)\/[^/]+$/;
/** With these manifests every folder holds files of the program; tests are told by their names. */
const COMPILED_WHOLE = ["go.mod"];

/** Finds the roots of all packages of a project. */
export function programRoots(files: ProjectFiles): ProgramRoots {
  const tops = new Set<string>([""]);
  for (const path of files.paths) {
    if (!MANIFEST.test(posix.basename(path)) || isForeign(path)) continue;
    const folder = folderOf(path);
    if (folder === "" || !isTestish(folder)) tops.add(folder);
  }
  const folders = foldersOf(files.paths);
  const roots = { deep: new Set<string>(), flat: new Set<string>(), entries: new Set<string>() };
  for (const top of tops) {
    const { entries, deep } = declaredRoots(files, top, folders);
    const { named, packages } = deep.length > 0 ? NO_USUAL : usualRoots(files, top, folders);
    for (const entry of entries) roots.entries.add(entry);
    for (const folder of [...deep, ...named, ...packages]) roots.deep.add(folder);
    // An entry point at the top of a package says nothing of the folders there.
    if (deep.length + named.length === 0 || entries.some((entry) => folderOf(entry) === top))
      roots.flat.add(top);
  }
  return { deep: [...roots.deep], flat: [...roots.flat], entries: [...roots.entries] };
}

const Package = z.object({
  name: z.string().optional().catch(undefined),
  dependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
  devDependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** Folders of packages that the others of the project name in their devDependencies and nowhere else. */
export function packagesForChecks({ paths, text }: ProjectFiles): string[] {
  const manifests = paths
    .filter((path) => posix.basename(path) === "package.json" && !isForeign(path))
    .map((path) => ({ folder: folderOf(path), ...Package.safeParse(parseJson(text(path) ?? "")).data }));
  const needed = new Set(manifests.flatMap(({ dependencies }) => Object.keys(dependencies ?? {})));
  const forChecks = new Set(manifests.flatMap(({ devDependencies }) => Object.keys(devDependencies ?? {})));
  return manifests
    .filter(({ folder, name = "" }) => folder !== "" && forChecks.has(name) && !needed.has(name))
    .map(({ folder }) => folder);
}

/** Whether a path is in one of the roots. */
export function isInRoots({ deep, flat }: ProgramRoots, path: string): boolean {
  return deep.some((root) => isBelow(path, root)) || flat.includes(folderOf(path));
}

/** The folder of a path; "" is the top. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** Whether a path is in a folder, or in one below; "" is the top. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** Installed, copied in or made: never the project's own program. */
export function isForeign(path: string): boolean {
  return /(?:^|\/)(?:node_modules|vendor|third[_-]party|dist|build|out|target|coverage|\.[^/]+)\//.test(path);
}

/** A name that says test, fixture, mock or helper in one of its words, or that a folder above has. */
export function isTestish(path: string): boolean {
  return path.split("/").some((part) => wordsOf(part).some((word) => TEST_WORDS.has(word)));
}

const TEST_WORDS = new Set(
  "test tests testing tester testdata testutil testutils testcase testcases spec specs fixture fixtures mock mocks stub stubs fake fakes helper helpers conftest e2e snapshot snapshots golden expected".split(
    " ",
  ),
);

function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== "" && !found.has(folder); folder = folderOf(folder))
      found.add(folder);
  }
  return found;
}

/** The entry points that a package declares, and the folders these are in or that it declares itself. */
function declaredRoots(
  files: ProjectFiles,
  top: string,
  folders: ReadonlySet<string>,
): { entries: readonly string[]; deep: readonly string[] } {
  const entries = entriesOf(files, top);
  const below = entries.map(folderOf).filter((folder) => folder !== top);
  return { entries, deep: [...below, ...declaredFolders(files, top).filter((one) => folders.has(one))] };
}

interface UsualRoots {
  /** Folders that are called `src`, `lib` and so on. */
  named: readonly string[];
  /** Packages of Python, members of a monorepo, and the top where every folder of it is compiled. */
  packages: readonly string[];
}

const NO_USUAL: UsualRoots = { named: [], packages: [] };

/** The folders that hold a program by custom, as far as they hold a program file. */
function usualRoots(files: ProjectFiles, top: string, folders: ReadonlySet<string>): UsualRoots {
  const isPackage = (folder: string): boolean => files.has(`${folder}/__init__.py`);
  const holds = (folder: string): boolean => folders.has(folder) && holdsProgram(files, folder);
  const inside = USUAL.map((name) => posix.join(top, name)).filter((one) => holds(one) && !isPackage(one));
  // `src/main` is the program, and `src/test` beside it the tests.
  const named = inside.filter(
    (folder) => folder !== posix.join(top, "src") || !inside.includes(`${folder}/main`),
  );
  const manifestIn = new Set(files.paths.filter((path) => MANIFEST.test(posix.basename(path))).map(folderOf));
  const packages = [...folders].filter((folder) => {
    if (isTestish(folder) || isForeign(`${folder}/`)) return false;
    if (folderOf(folder) === top && isPackage(folder)) return true;
    return top === "" && MONOREPO.test(folder) && !manifestIn.has(folder) && holds(folder);
  });
  const everywhere = COMPILED_WHOLE.some((manifest) => files.has(posix.join(top, manifest))) ? [top] : [];
  return { named, packages: [...packages, ...everywhere] };
}

function holdsProgram(files: ProjectFiles, folder: string): boolean {
  return files.paths.some(
    (path) => isBelow(path, folder) && familyOf(path) !== undefined && !isTestish(path),
  );
}

const Node = z.object({
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  browser: z.unknown().optional(),
  types: z.string().optional().catch(undefined),
  bin: z.unknown().optional(),
  exports: z.unknown().optional(),
  imports: z.unknown().optional(),
});

/** The files that the manifest of a package names as entry points, where they are there or have one source. */
function entriesOf(files: ProjectFiles, top: string): string[] {
  const read = (name: string): string => files.text(posix.join(top, name)) ?? "";
  const named = [
    ...nodeEntries(read("package.json")),
    ...cargoEntries(read("Cargo.toml")),
    ...pythonEntries(read("pyproject.toml")),
  ];
  const found = named.flatMap((name) => {
    const path = posix.normalize(posix.join(top, name));
    return variantsOf(path)
      .filter((one) => files.has(one))
      .slice(0, 1);
  });
  return [...new Set(found)].filter((path) => !path.startsWith("../") && !isForeign(path));
}

function nodeEntries(text: string): string[] {
  const parsed = Node.safeParse(parseJson(text));
  if (!parsed.success) return [];
  const { main, module, types, browser, bin, exports, imports } = parsed.data;
  return [
    main,
    module,
    types,
    ...stringsIn(browser),
    ...stringsIn(bin),
    ...stringsIn(exports),
    ...stringsIn(imports),
  ]
    .filter((one) => one !== undefined)
    .filter((one) => !one.includes("*"));
}

const Cargo = z.object({
  lib: z.object({ path: z.string() }).optional().catch(undefined),
  bin: z
    .array(z.object({ path: z.string().optional() }))
    .optional()
    .catch(undefined),
});

function cargoEntries(text: string): string[] {
  const parsed = Cargo.safeParse(readToml(text));
  if (!parsed.success) return [];
  return [parsed.data.lib?.path, ...(parsed.data.bin ?? []).map((one) => one.path)].filter(
    (one) => one !== undefined,
  );
}

const Python = z.object({
  project: z
    .object({
      scripts: z.record(z.string(), z.string()).optional(),
      "gui-scripts": z.record(z.string(), z.string()).optional(),
    })
    .optional()
    .catch(undefined),
  tool: z
    .object({
      poetry: z
        .object({
          scripts: z.record(z.string(), z.unknown()).optional(),
          packages: z.array(z.object({ include: z.string(), from: z.string().optional() })).optional(),
        })
        .optional()
        .catch(undefined),
      setuptools: z
        .object({
          packages: z.unknown().optional(),
          "py-modules": z.array(z.string()).optional(),
          "package-dir": z.record(z.string(), z.string()).optional(),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

function pythonEntries(text: string): string[] {
  const parsed = Python.safeParse(readToml(text));
  if (!parsed.success) return [];
  const { project, tool } = parsed.data;
  const scripts = [project?.scripts, project?.["gui-scripts"], tool?.poetry?.scripts].flatMap((one) =>
    stringsIn(one),
  );
  const modules = scripts.map((one) => one.split(":")[0] ?? "").filter((one) => /^\w[\w.]*$/.test(one));
  const files = modules.flatMap((module) => {
    const at = module.replaceAll(".", "/");
    return [`${at}.py`, `${at}/__init__.py`, `src/${at}.py`, `src/${at}/__init__.py`];
  });
  return [...files, ...(tool?.setuptools?.["py-modules"] ?? []).map((one) => `${one}.py`)];
}

/** Folders that a manifest declares to be the program. */
function declaredFolders(files: ProjectFiles, top: string): string[] {
  const at = (name: string): string => posix.normalize(posix.join(top, name)).replace(/\/$/, "");
  const python = Python.safeParse(readToml(files.text(posix.join(top, "pyproject.toml")) ?? "")).data;
  const composer = Composer.safeParse(parseJson(files.text(posix.join(top, "composer.json")) ?? "")).data;
  const folders = [
    ...(python?.tool?.poetry?.packages ?? []).map(({ include, from }) => posix.join(from ?? "", include)),
    ...Object.values(python?.tool?.setuptools?.["package-dir"] ?? {}),
    ...stringsIn(composer?.autoload?.["psr-4"]),
    ...stringsIn(composer?.autoload?.classmap),
  ];
  return folders.map(at).filter((folder) => folder !== "." && folder !== "" && !folder.startsWith(".."));
}

const Composer = z.object({
  autoload: z
    .object({ "psr-4": z.unknown().optional(), classmap: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/** `./dist/a.js` may be made from `src/a.ts`; only what is there counts. */
function variantsOf(path: string): string[] {
  const bare = path.replace(/\.d\.[cm]?ts$/, "").replace(/\.[cm]?[jt]sx?$/, "");
  const extensions = [
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".cts",
    ".tsx",
    ".jsx",
    "/index.js",
    "/index.ts",
    "/index.mjs",
  ];
  return [path, ...extensions.map((extension) => bare + extension)];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(stringsIn);
  return [];
}

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
