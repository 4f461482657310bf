// What is known of a path before its place in the program is looked at: by its name, by the commands that run it, by what a person says,
// and by what changed in a list of dependencies. Pure. Leaves the rest to classify.ts.
import { posix } from "node:path";
import ignore from "ignore";
import { influenceOf, listsDependencies } from "./dependencies.js";
import type { NameRules } from "./classify.js";
import type { Protection } from "./protected.js";
import type { Named } from "./protected-commands.js";

/** Files that say how the program or its tests are built, or that a tool runs because they are there. */
const BUILD = [
  "setup.py",
  "build.rs",
  "conanfile.py",
  "fabfile.py",
  "tasks.py",
  "noxfile.py",
  "[Gg]ulpfile.*",
  "[Gg]runtfile.*",
  "*.config.*",
  "*.conf.[cm]?js",
  "tsconfig*.json",
  "jsconfig*.json",
  "CMakeLists.txt",
  "*.cmake",
  "CTestCustom.*",
  "meson.build",
  "meson_options.txt",
  "BUILD",
  "BUILD.bazel",
  "WORKSPACE*",
  "MODULE.bazel",
  "pom.xml",
  "*.gradle",
  "*.gradle.kts",
  "gradle.properties",
  "gradlew*",
  "mvnw*",
  ".mvn/",
  "build.xml",
  "*.gemspec",
  "Rakefile",
  "*.rake",
  "Makefile*",
  "makefile",
  "GNUmakefile",
  "*.mk",
  "configure",
  "configure.ac",
  "Makefile.PL",
  "Build.PL",
  "*.csproj",
  "*.props",
  "*.targets",
  "*.sln",
  "Package.swift",
  "mix.exs",
  "rebar.config",
  "deno.json*",
  "Dockerfile*",
  "docker-compose*",
  "compose.y*ml",
  "turbo.json",
  "nx.json",
  "lerna.json",
  "pnpm-workspace.yaml",
  "go.work*",
] as const;

/** Builds the rules. `work`: the folder in which the commands run, from the top of the repository; "" is the top. */
export function nameRules(protection: Protection, named: Named, work: string): NameRules {
  const build = ignore({ ignorecase: false }).add([...BUILD]);
  const isBuild = (path: string): boolean => build.ignores(path.replaceAll(/[\n\r\u2028\u2029]/g, "_"));
  const kindOf: NameRules["kindOf"] = ({ path, from, to, before, after }) => {
    if (protection.isTakenOut(path)) return "source";
    const kind = from.mode === "000000" ? protection.kindOfNew(path, to) : protection.kindOf(path);
    if (kind === "test") return "test";
    if (kind !== "free") return "check";
    if (listsDependencies(path)) {
      if (before === undefined || after === undefined) return "check";
      return influenceOf({ path, before, after }, named.programs) === undefined ? "source" : "check";
    }
    return isBuild(path) ? "check" : "unknown";
  };
  const isHeld = (path: string): boolean =>
    protection.kindOf(path) !== "free" || isBuild(path) || listsDependencies(path);
  const folders = [...named.paths]
    .map((path) => posix.dirname(path))
    .map((folder) => (folder === "." ? "" : folder));
  const search = [
    "",
    work,
    ...SEARCHED.flatMap((name) => [name, posix.join(work, name)]),
    ...named.folders,
    ...folders,
  ];
  return { kindOf, isHeld, checkFolders: [...new Set(folders)], search: [...new Set(search)] };
}

/** Folders in which modules are looked up by custom. */
const SEARCHED = ["src", "lib", "include", "test", "tests", "t", "t/lib", "spec"];
