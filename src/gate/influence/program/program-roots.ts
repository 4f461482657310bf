// The folders in which the program of a project is, as its manifests declare them at the reference, else as is usual. Pure.
// Leaves reading the manifests to entry-points.ts, and which changed file is source to classify.ts.
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { buildTargets } from "./build-targets.js";
import { besideRoots, onlyRoots, usualRoots } from "./custom-roots.js";
import { declaredFolders, entriesOf, startedEntries } from "./entry-points.js";
import { familyOf } from "./families.js";
import {
  folderOf,
  isBelow,
  isForeign,
  isTestish,
  type ProjectFiles,
  type RootFiles,
} from "./project-paths.js";

/** Where a program is. */
export interface ProgramRoots {
  /** Folders whose files, at any depth, are in the program; "" is the top. */
  deep: readonly string[];
  /** Folders whose own files are, and not those in their folders. */
  flat: readonly string[];
  /** Files that manifests name as the program's entry points, and that exist. */
  entries: ReadonlySet<string>;
  /** The folder of each manifest, longest path first. */
  tops: readonly string[];
  /** Those of them whose manifest names every file that others may import. */
  closed: ReadonlySet<string>;
  /** Roots by custom alone, in a project with packages of Python: a helper of the tests may be there as well. */
  weak: ReadonlySet<string>;
  /** Roots whose only evidence is a usual name, or that all code is there. */
  guessed: ReadonlySet<string>;
  /** Files of programs that a build system makes to run them as tests. */
  tests: ReadonlySet<string>;
}

/** Manifests of a project or package; each makes its folder the top of one. */
const MANIFEST =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|Makefile\.PL|Build\.PL|cpanfile|[^/]+\.gemspec|Gemfile|[^/]+\.(?:cs|fs|vb)proj|mix\.exs|Package\.swift)$/;

/** With these manifests every folder holds files of the program; tests are told by their names. */
const COMPILED_WHOLE = /^(?:go\.mod|[^/]+\.(?:cs|fs|vb)proj)$/;

/** Finds the roots of all packages of a project. */
export function programRoots(files: RootFiles): ProgramRoots {
  const tops = new Map<string, boolean>([["", false]]);
  for (const path of files.paths) {
    const name = posix.basename(path);
    if (!MANIFEST.test(name) || isForeign(path)) continue;
    const folder = folderOf(path);
    if (folder === "" || !isTestish(folder, files.home))
      tops.set(folder, COMPILED_WHOLE.test(name) || tops.get(folder) === true);
  }
  const folders = foldersOf(files.paths);
  const targets = buildTargets(files);
  const roots = { deep: new Set<string>(), flat: new Set<string>(), entries: new Set<string>() };
  const closed = new Set<string>();
  const byCustom = new Set<string>();
  const further: string[] = [];
  for (const [top, isWhole] of tops) {
    const entries = entriesOf(files, top);
    const built = targets.program.filter((path) => folderOf(path) === top || tops.size === 1);
    const declared = [
      ...[...entries, ...built].map(folderOf).filter((folder) => folder !== top),
      ...declaredFolders(files, top).filter((one) => folders.has(one)),
    ];
    const usual = declared.length > 0 ? [] : usualRoots(files, top, folders).filter((one) => !tops.has(one));
    if (entries.some((entry) => familyOf(entry) === "js")) closed.add(top);
    for (const entry of entries) roots.entries.add(entry);
    for (const folder of usual) byCustom.add(folder);
    for (const folder of [...declared, ...usual, ...(isWhole ? [top] : [])]) roots.deep.add(folder);
    // An entry point at the top of a package says nothing of the folders there.
    const isAtTop = [...entries, ...built, posix.join(top, "index.js")].some(
      (entry) => folderOf(entry) === top && files.has(entry),
    );
    if (declared.length + usual.length === 0 || isAtTop) roots.flat.add(top);
    if (declared.length + usual.length === 0 && !isAtTop) byCustom.add(top);
    const started = startedEntries(files, top);
    for (const entry of started) roots.entries.add(entry);
    const hasOthers = declared.length + usual.length > 0 || (top === "" && tops.size > 1);
    further.push(
      ...[...started.map(folderOf), ...besideRoots(files, top, folders)],
      ...(hasOthers ? [] : onlyRoots(files, top, folders)),
    );
  }
  const packages = pythonPackages(files, folders);
  const isKnown = (folder: string): boolean =>
    tops.has(folder) ||
    roots.deep.has(folder) ||
    packages.some((one) => isBelow(one, folder) || isBelow(folder, one));
  const guessed = new Set(further.filter((one) => !isKnown(one)));
  for (const folder of [...packages, ...guessed]) roots.deep.add(folder);
  return {
    ...{ deep: [...roots.deep], flat: [...roots.flat], entries: roots.entries, closed },
    tops: [...tops.keys()].sort((a, b) => b.length - a.length),
    weak: new Set(weakRoots([...byCustom, ...guessed], packages)),
    guessed,
    tests: new Set(targets.tests),
  };
}

/** A root that only holds the packages is as certain as they are; the top also has files of its own. */
function weakRoots(roots: readonly string[], packages: readonly string[]): string[] {
  if (packages.length === 0) return [];
  return roots.filter((one) => one === "" || !packages.some((folder) => isBelow(folder, one)));
}

const Package = z.object({
  name: z.string().optional().catch(undefined),
  dependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
  devDependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** Folders of packages that the others of the project need for their checks and for nothing else. */
export function packagesForChecks(files: ProjectFiles): string[] {
  return [...npmPackagesForChecks(files), ...cratesForChecks(files)];
}

const Needs = z.record(z.string(), z.unknown()).optional().catch(undefined);
const Crate = z.object({ dependencies: Needs, "build-dependencies": Needs, "dev-dependencies": Needs });

/** doc.rust-lang.org/cargo/reference/specifying-dependencies.html#development-dependencies */
function cratesForChecks({ paths, text }: ProjectFiles): string[] {
  const crates = paths
    .filter((path) => posix.basename(path) === "Cargo.toml" && !isForeign(path))
    .map((path) => ({ folder: folderOf(path), ...readCrate(text(path) ?? "") }));
  const foldersIn = (folder: string, needs: Record<string, unknown> = {}): string[] =>
    Object.values(needs).flatMap((need) => {
      const path = z.object({ path: z.string() }).safeParse(need).data?.path;
      return path === undefined ? [] : [posix.join(folder, path)];
    });
  const needed = new Set(
    crates.flatMap(({ folder, dependencies, "build-dependencies": build }) => [
      ...foldersIn(folder, dependencies),
      ...foldersIn(folder, build),
    ]),
  );
  const dev = crates.flatMap(({ folder, "dev-dependencies": needs }) => foldersIn(folder, needs));
  return [...new Set(dev)].filter((folder) => folder !== "." && !needed.has(folder));
}

function readCrate(text: string): z.infer<typeof Crate> | undefined {
  try {
    return Crate.safeParse(parseToml(text)).data;
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

/** Packages that others name in their devDependencies and nowhere else. */
function npmPackagesForChecks({ paths, text }: ProjectFiles): string[] {
  const manifests = paths
    .filter((path) => posix.basename(path) === "package.json" && !isForeign(path))
    .map((path) => ({ folder: folderOf(path), ...Package.safeParse(parseJson(text(path) ?? "")).data }));
  const needed = new Set(manifests.flatMap(({ dependencies }) => Object.keys(dependencies ?? {})));
  const forChecks = new Set(manifests.flatMap(({ devDependencies }) => Object.keys(devDependencies ?? {})));
  return manifests
    .filter(({ folder, name = "" }) => folder !== "" && forChecks.has(name) && !needed.has(name))
    .map(({ folder }) => folder);
}

/** The root that a path is in, the longest if several; `undefined` if none. */
export function rootOf({ deep, flat }: ProgramRoots, path: string): string | undefined {
  const within = deep.filter((root) => isBelow(path, root));
  if (within.length > 0) return within.reduce((best, root) => (root.length > best.length ? root : best));
  return flat.includes(folderOf(path)) ? folderOf(path) : undefined;
}

/** The folder of the package that a path belongs to. */
export function topOf({ tops }: ProgramRoots, path: string): string {
  return tops.find((top) => isBelow(path, top)) ?? "";
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== "" && !found.has(folder); folder = folderOf(folder))
      found.add(folder);
  }
  return found;
}

/** The outermost packages of Python. */
function pythonPackages(files: ProjectFiles, folders: ReadonlySet<string>): string[] {
  const isPackage = (folder: string): boolean => files.has(posix.join(folder, "__init__.py"));
  return [...folders].filter(
    (folder) =>
      isPackage(folder) &&
      !isPackage(folderOf(folder)) &&
      !isTestish(folder, files.home) &&
      !isForeign(`${folder}/`),
  );
}
