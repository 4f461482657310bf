// Finds the files that the settings of test runners load: setup files, plugins and reporters by their keys,
// and the files they take for tests. Follows the runners' documentation: jestjs.io/docs/configuration,
// vitest.dev/config, mochajs.org, docs.pytest.org/en/stable/reference/reference.html, docs.phpunit.de
// (configuration), playwright.dev/docs/test-configuration. Pure. Leaves what commands load to loads.ts.
// Linters' settings and those of continuous integration name the program, and are not read.
import { posix } from "node:path";
import { extensionsOf } from "./languages.js";
import { folderOf, isBelow, isForeign, type ReferenceFiles } from "./files.js";
import { wildPattern } from "./wildcards.js";

/** Files with settings of runners. */
const SETTINGS =
  /^(?:package\.json|pyproject\.toml|pytest\.(?:ini|toml)|\.pytest\.ini|tox\.ini|setup\.cfg|phpunit[\w.-]*\.xml(?:\.dist)?|\.rspec|conftest\.py|(?:jest|vitest|vite|ava|karma|playwright|cypress|wdio|nightwatch|web-test-runner|nyc|mocha|tap|c8)[\w.-]*\.(?:config|conf|workspace)\.\w+|[\w.-]+\.(?:config|conf)|\.(?:mocha|tap|nyc|c8|jasmine|prove)rc(?:\.\w+)?|jasmine\.json|bunfig\.toml|behat\.ya?ml|codeception[\w.-]*\.yml|nextest\.toml)$/;

/** Keys whose values are modules that the tool loads. */
const LOADS =
  /(?<![\w$])["']?(setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|testEnvironment|environment|transform|reporters?|plugins?|resolver|runner|testRunner|snapshotSerializers|snapshotResolver|testSequencer|testResultsProcessor|preset|preload|loaders?|require|import|extraNodeArgs|nodeArguments|node-option|bootstrap|watchPlugins|dependencyExtractor|ui|helpers|pytest_plugins|addopts)["']?[ \t]{0,20}[:=]|(?<=^|\s)(--require|-r|--import|--loader|-p)(?=[\s=])/gm;
/** Keys whose values say which files are tests. */
const IMPORTS = /\b(?:from|import|require\()[ \t]{0,20}\(?["'](\.{1,2}\/[^"'\n]+)["']/g;
const TAKES =
  /(?<![\w$])["']?(testMatch|testRegex|testDir|testFiles|testpaths|python_files|specPattern|specs?|spec_dir|spec_files)["']?[ \t]{0,20}[:=]|<(directory|file)\b[^<>]{0,500}>/gm;

/** In settings of Vitest a further key. */
const INCLUDES = /(?<![\w$])include[ \t]{0,20}:/g;

/**
 * Reads the settings at the reference, and returns those that load a file, or take it for a test.
 * `holdsRoot`: whether a folder is or holds one of the program.
 */
export function loadedBySettings(
  { paths, has, text }: ReferenceFiles,
  holdsRoot: (folder: string) => boolean,
): (path: string) => string | undefined {
  const files = new Map<string, string>();
  const tests: { by: string; matches: (path: string) => boolean }[] = [];
  for (const path of paths) {
    if (!SETTINGS.test(posix.basename(path)) || isForeign(path)) continue;
    const content = text(path);
    if (content === undefined) continue;
    const folder = folderOf(path);
    const imported = /\.[cm]?[jt]s$/.test(path) ? [...content.matchAll(IMPORTS)] : [];
    for (const name of [...valuesOf(content, LOADS), ...imported.map((one) => one[1] ?? "")])
      for (const one of [...modulePaths(folder, name), ...modulePaths("", name)])
        if (has(one) && !files.has(one)) files.set(one, path);
    const includes = posix.basename(path).startsWith("vite") ? valuesOf(content, INCLUDES) : [];
    for (const name of [...valuesOf(content, TAKES), ...includes]) {
      const matches = testMatcher(placeOf(folder, name), name, holdsRoot);
      if (matches !== undefined) tests.push({ by: path, matches });
    }
  }
  return (path) => files.get(path) ?? tests.find(({ matches }) => matches(path))?.by;
}

/** `<rootDir>/x` and `./x` are relative to the settings. */
function placeOf(folder: string, name: string): string {
  return posix.join(folder, name.replace(/^<rootDir>\/?/, ""));
}

/** A list to its end, else the rest of the line with the lines that continue it. */
const VALUE = /\s{0,99}(?:\[[^\]]{0,4000}|[{(][^)}]{0,4000}|[^\n]*(?:\n[ \t][^\n:=]*)*)/y;

/** The texts in the values of keys. */
function valuesOf(content: string, keys: RegExp): string[] {
  return [...content.matchAll(keys)].flatMap((found) => {
    VALUE.lastIndex = found.index + found[0].length;
    return textsIn(VALUE.exec(content)?.[0] ?? "");
  });
}

/** Quoted texts; without any, words. */
function textsIn(value: string): string[] {
  const quoted = [...value.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map((one) => one[2] ?? "");
  const words = (quoted.length > 0 ? quoted : [value]).flatMap(
    (one) => one.replace(/<\/.*/s, "").match(/(?:[^\s,{]|\{[^}]*\}?)+/g) ?? [],
  );
  return words.map((word) => word.replace(/^=|^-[pr]|^--?[\w-]+=/, "")).filter((word) => /\w/.test(word));
}

/** The files that the name of a module may mean: with an extension or without, by a path or by dots. */
function modulePaths(folder: string, name: string): string[] {
  const path = placeOf(folder, name);
  const dotted = placeOf(folder, name.replaceAll(".", "/"));
  const endings = ["", ...extensionsOf("js"), "/index.js", "/index.ts", ".rb"];
  return [
    ...endings.map((ending) => path + ending),
    ...[`lib/${path}.rb`, `lib/${path}`],
    `${dotted}.py`,
    `${dotted}/__init__.py`,
  ];
}

/** The files that a runner takes for tests; `undefined` where that is the whole program as well. */
function testMatcher(
  pattern: string,
  name: string,
  holdsRoot: (folder: string) => boolean,
): ((path: string) => boolean) | undefined {
  // A regular expression of the project is not tried: it may take any time. Row 6 knows the usual names.
  if (/\\|\(\?|\$$|^\^/.test(name)) return undefined;
  if (!/[*?{]/.test(pattern)) {
    const folder = pattern.replace(/\/$/, "");
    return holdsRoot(folder) ? undefined : (path) => isBelow(path, folder);
  }
  const fixed = pattern
    .split("/")
    .slice(0, -1)
    .filter((part) => !/[*?{]/.test(part));
  // A name without its ending: `*.{js,ts}` and `*{.js,.ts}` take any.
  const base = posix.basename(pattern).replace(/\{\.[^{}]*\}$|\.[\w*{},()?|[\]]*$/, "");
  const isNamed = /[A-Za-z]/.test(base);
  if (!isNamed && (fixed.length === 0 || holdsRoot(fixed.join("/")))) return undefined;
  return wildPattern(`**/${pattern.replaceAll(/[()]/g, "")}`);
}
