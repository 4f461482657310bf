// Judges a path before its place in the program is looked at: by its name, by the commands that run it, by the user's settings,
// and by the changes in a list of dependencies. Pure. Leaves the rest to classify.ts.
import { posix } from "node:path";
import ignore from "ignore";
import { influenceOf, listsDependencies } from "./dependencies/dependencies.js";
import type { Family } from "./program/families.js";
import { GONE, type ChangedFile, type NameKind, type NameRules } from "./program/kinds.js";
import type { Named } from "./checks/protected-commands.js";
import type { Protection } from "./checks/protected.js";

/** Files that say how the program or its tests are built, wherever they are. */
const BUILD = [
  "conanfile.py",
  "CMakeLists.txt",
  "CMakePresets.json",
  "CMakeUserPresets.json",
  "*.cmake",
  "CTestCustom.*",
  "meson.build",
  "meson_options.txt",
  "meson.options",
  "BUILD.bazel",
  "MODULE.bazel",
  "pom.xml",
  "*.gradle",
  "*.gradle.kts",
  "gradle.properties",
  "gradle-wrapper.*",
  ".mvn/",
  "*.gemspec",
  "Rakefile",
  "*.rake",
  "Makefile*",
  "makefile",
  "GNUmakefile",
  "*.mk",
  "configure.ac",
  "Makefile.PL",
  "Build.PL",
  "*.csproj",
  "*.fsproj",
  "*.vbproj",
  "*.props",
  "*.targets",
  "*.sln",
  "*.slnx",
  "Package.swift",
  "rebar.config",
  "deno.json*",
  "tsconfig*.json",
  "jsconfig*.json",
  "go.work*",
  "rust-toolchain*",
  "pnpm-workspace.yaml",
  "Dockerfile*",
  "docker-compose*",
  "compose.y*ml",
  "Pipfile*",
  "setup.cfg",
  "MANIFEST.in",
  "nuget.config",
  "junit-platform.properties",
  "build.zig*",
  "*.cabal",
  "cabal.project*",
  "package.yaml",
  "stack.yaml*",
  "Setup.*hs",
  "dune",
  "dune-project",
  "dune-workspace",
  "*.opam",
  "pubspec.*",
  "analysis_options.yaml",
  "DESCRIPTION",
  "NAMESPACE",
  "deps.edn",
  "bb.edn",
  "shadow-cljs.edn",
  "*.nimble",
  "*.nims",
  "nim.cfg",
  "shard.*",
  "*.rockspec",
  "dub.json",
  "dub.sdl",
  "fpm.toml",
  "foundry.toml",
  "remappings.txt",
  "elm.json",
  "gleam.toml",
  // Clojure loads it from any folder of sources before everything else.
  "user.clj*",
] as const;

/** Programs of a build that tools read only where a package begins: deeper, the same names are the program's. */
const AT_TOP = [
  "setup.py",
  "build.rs",
  "fabfile.py",
  "tasks.py",
  "noxfile.py",
  "dodo.py",
  "magefile.go",
  "[Gg]ulpfile.*",
  "[Gg]runtfile.*",
  "Jakefile*",
  "BUILD",
  "WORKSPACE*",
  "build.xml",
  "build.sbt",
  "mix.exs",
  "mvnw*",
  "gradlew*",
  "configure",
  "project.clj",
  "project.json",
  "global.json",
  "environment.y*ml",
  "turbo.json",
  "nx.json",
  "lerna.json",
] as const;

/** Named as settings mostly are. */
const SETTINGS = ["*.config.*", "*.conf.[cm]?js", "*.conf.ts", ".*rc", ".*rc.*"] as const;

/** Facts about the place, besides the names. */
export interface Surroundings {
  /** The folder in which the commands run, from the top of the repository; "" is the top. */
  work: string;
  isInstalled?: (family: Family, name: string) => boolean;
}

/** Builds the rules. `around`: also the folder in which the commands run alone. */
export function nameRules(protection: Protection, named: Named, around: string | Surroundings): NameRules {
  const { work, isInstalled } =
    typeof around === "string" ? { work: around, isInstalled: undefined } : around;
  const build = matcher(BUILD);
  const atTop = matcher(AT_TOP);
  const settings = matcher(SETTINGS);
  const isBuild = (path: string): boolean => build(path) || (atTop(path) && isWhereBuildsBegin(path));
  const kindByName: Protection["kindByName"] = (path) => {
    const kind = protection.kindByName(path);
    return kind === "test" && isNoTestOf(path) ? "free" : kind;
  };
  const runOf = (path: string): "command" | "script" | undefined => {
    const run =
      named.runs.get(path) ?? named.wild.find(({ by, matches }) => by !== "names" && matches(path))?.by;
    return run !== undefined && run !== "names" && kindByName(path) === "free" ? run : undefined;
  };
  const kindOf = (change: ChangedFile): NameKind => {
    const { path, from, to } = change;
    if (protection.isTakenOut(path)) return "source";
    if (protection.isPutIn(path)) return "check";
    const isNew = from.mode === GONE;
    const kind = isNew && protection.kindOfNew(path, to) === "shadow" ? "shadow" : kindByName(path);
    if (kind === "test") return "test";
    if (kind !== "free") return "check";
    if (listsDependencies(path)) return kindOfManifest(change, named.programs);
    if (isBuild(path) || named.builds.has(path)) return "check";
    return runOf(path) ?? (settings(path) ? "settings" : "unknown");
  };
  const isHeld = (path: string): boolean =>
    !protection.isTakenOut(path) &&
    (kindByName(path) !== "free" ||
      isBuild(path) ||
      named.builds.has(path) ||
      listsDependencies(path) ||
      settings(path));
  const ran = [...named.runs.keys(), ...named.paths].map(dirname);
  const search = ["", work, ...SEARCHED.flatMap((name) => [name, posix.join(work, name)])];
  const places = [...search, ...named.folders, ...named.roots, ...ran].map((one) => (one === "." ? "" : one));
  return {
    ...{
      kindOf,
      isHeld,
      runOf,
      modules: named.modules,
      pathFolders: named.pathFolders,
      optional: named.optional,
      home: work,
    },
    ...(isInstalled === undefined ? {} : { isInstalled }),
    isNamedByCommands: (path) => named.words.has(path) || named.wild.some(({ matches }) => matches(path)),
    checkFolders: [...new Set(ran)],
    testFolders: [...named.testFolders],
    search: [...new Set(places)],
  };
}

/** Folders in which modules are looked up by custom. */
const SEARCHED = ["src", "lib", "include", "test", "tests", "t", "t/lib", "spec"];
/** Folders in which the name of a build's program is that of a module. */
const INSIDE = /(?:^|\/)(?:src|lib|app|internal|pkg)\//;

function isWhereBuildsBegin(path: string): boolean {
  return !INSIDE.test(path);
}

/** By the rules of Go and of Maven, these are part of the program whatever their names say. */
function isNoTestOf(path: string): boolean {
  if (/(?:^|\/)src\/main\/(?:java|kotlin|scala|groovy)\//.test(path)) return true;
  const isInTests = /(?:^|\/)(?:tests?|testdata|e2e|spec)\//.test(path);
  return path.endsWith(".go") && !path.endsWith("_test.go") && !isInTests;
}

function kindOfManifest(
  { path, before, after }: ChangedFile,
  programs: ReadonlySet<string>,
): "source" | "check" {
  if (before === undefined || after === undefined) return "check";
  return influenceOf({ path, before, after }, programs) === undefined ? "source" : "check";
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add([...patterns]);
  return (path) => rules.ignores(path.replaceAll(/[\n\r\u2028\u2029]/g, "_"));
}

function dirname(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}
