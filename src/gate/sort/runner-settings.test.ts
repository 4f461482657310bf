// The files that settings of test runners load or take for tests.
import { expect, test } from "vitest";
import { referenceOf } from "../testing/sorted.js";
import { loadedBySettings } from "./runner-settings.js";

/** Folders that hold a folder of the program. */
const PROGRAM = ["", "app/src"];

/** The settings that load a file or take it for a test, in a project of these files. */
const loader = (files: Record<string, string>, path: string): string | undefined =>
  loadedBySettings(referenceOf(files), (folder) => PROGRAM.includes(folder))(path);

const NAMES =
  "package.json pyproject.toml pytest.ini pytest.toml .pytest.ini tox.ini setup.cfg phpunit.xml phpunit.ci.xml " +
  "phpunit.xml.dist .rspec conftest.py jest.config.js jest-unit.config.cjs vitest.config.ts vitest.workspace.ts " +
  "vite.config.mts ava.config.js karma.conf.js playwright.config.ts cypress.config.ts wdio.conf.ts nightwatch.conf.js " +
  "web-test-runner.config.mjs nyc.config.js mocha.config.js tap.config.js c8.config.js box.config box.unit.conf " +
  ".mocharc .mocharc.yml .taprc .nycrc.json .c8rc .jasminerc .proverc jasmine.json bunfig.toml behat.yml behat.yaml " +
  "codeception.yml codeception.dist.yml nextest.toml";

test.each(NAMES.split(" "))("%s has settings of runners", (name) => {
  expect(loader({ [name]: 'require: "./pre.cjs"', "pre.cjs": "" }, "pre.cjs")).toBe(name);
});

const OTHERS = "my-package.json package.json5 box.config.js eslint.config.js phpunit.xml.old nextest.toml.md";

test.each(OTHERS.split(" "))("%s has none", (name) => {
  expect(loader({ [name]: 'require: "./pre.cjs"', "pre.cjs": "" }, "pre.cjs")).toBeUndefined();
});

const KEYS =
  "setupFiles setupFilesAfterEnv globalSetup globalTeardown testEnvironment environment transform reporter reporters " +
  "plugin plugins resolver runner testRunner snapshotSerializers snapshotResolver testSequencer testResultsProcessor " +
  "preset preload loader loaders require import extraNodeArgs nodeArguments node-option bootstrap watchPlugins " +
  "dependencyExtractor ui helpers pytest_plugins addopts";

test.each(KEYS.split(" "))("the key %s names modules that are loaded", (key) => {
  const files = { "package.json": `{\n  "${key}": ["./pre.cjs"]\n}`, "pre.cjs": "" };
  expect(loader(files, "pre.cjs")).toBe("package.json");
});

test.each("--require -r --import --loader -p".split(" "))(
  "the option %s names a module that is loaded",
  (option) => {
    expect(loader({ ".rspec": `--color\n${option} ./pre.rb\n`, "pre.rb": "" }, "pre.rb")).toBe(".rspec");
    expect(loader({ ".rspec": `--color ${option} ./pre.rb\n`, "pre.rb": "" }, "pre.rb")).toBe(".rspec");
    expect(loader({ ".rspec": `--color ${option}=./pre.rb\n`, "pre.rb": "" }, "pre.rb")).toBe(".rspec");
    expect(loader({ ".rspec": `--no${option} ./pre.rb\n`, "pre.rb": "" }, "pre.rb")).toBeUndefined();
    expect(loader({ ".rspec": `${option}s ./pre.rb\n`, "pre.rb": "" }, "pre.rb")).toBeUndefined();
  },
);

type Row = [what: string, settings: string, text: string, path: string];

const LOADED: Row[] = [
  ["without quotes", "jest.config.js", 'export default {\n  setupFiles: ["./a.js"],\n};', "a.js"],
  ["a key of a table in TOML", "pyproject.toml", '[tool.pytest]\naddopts = "-p box.plug"\n', "box/plug.py"],
  ["no space before the value", "jest.config.js", 'setupFiles:["./a.js"]', "a.js"],
  ["a value on the next line", "jest.config.js", 'globalSetup:\n    "./a.js"', "a.js"],
  ["a list over lines", "jest.config.js", 'setupFiles: [\n"./a.js",\n"./b.js",\n]', "b.js"],
  ["a list of YAML", ".mocharc.yml", "require:\n  - ./a.js\n  - ./b.js\n", "b.js"],
  ["options on further lines", "pytest.ini", "[pytest]\naddopts = -v\n  -p one.a\n  -p two.b\n", "two/b.py"],
  ["words with commas", "tox.ini", "plugins = one.a, two.b\n", "two/b.py"],
  ["a value in an object", "jest.config.js", 'transform: { "x": "./a.js" }', "a.js"],
  ["a value in a tuple", "conftest.py", 'pytest_plugins = (\n"b",\n"a",\n)', "a.py"],
  ["an option with its value in one word", "pytest.ini", "addopts = -pbox.plug\n", "box/plug.py"],
  ["a short option with a sign", "pytest.ini", "addopts = -c=box/a.py\n", "box/a.py"],
  ["a long option with a sign", "pytest.ini", "addopts = --my-conf=box/a.py\n", "box/a.py"],
  ["a name with a dash", "jest.config.js", 'setupFiles: ["./pre-run.js"]', "pre-run.js"],
  ["a name with a dash and a sign", "jest.config.js", 'setupFiles: ["./a-b=c.js"]', "a-b=c.js"],
  ["a place below the settings", "box/jest.config.js", 'setupFiles: ["<rootDir>/a.js"]', "box/a.js"],
  ["a place from the top", "box/jest.config.js", 'setupFiles: ["checks/a.js"]', "checks/a.js"],
  ["a place above the settings", "box/jest.config.js", 'setupFiles: ["../a.js"]', "a.js"],
  ["a module without an ending", "jest.config.js", 'setupFiles: ["./a"]', "a.mjs"],
  ["a module in a folder", "jest.config.js", 'setupFiles: ["./a"]', "a/index.js"],
  ["a module of TypeScript in a folder", "jest.config.js", 'setupFiles: ["./a"]', "a/index.ts"],
  ["a file of Ruby", ".rspec", "--require ./a\n", "a.rb"],
  ["a file of Ruby's lib/", ".rspec", "--require box/a\n", "lib/box/a.rb"],
  ["the same with its ending", ".rspec", "--require box/a.rb\n", "lib/box/a.rb"],
  ["a module of Python", "conftest.py", 'pytest_plugins = ["box.a"]', "box/a.py"],
  ["a package of Python", "conftest.py", 'pytest_plugins = ["box.a"]', "box/a/__init__.py"],
  ["what they import", "vitest.config.ts", 'import "./a.js";', "a.js"],
  ["what they import by a name", "vitest.config.mts", "import { a }  from './a.js';", "a.js"],
  ["what they import from above", "box/jest.config.cjs", 'const a = require("../a.js");', "a.js"],
  ["what they import in a call", "jest.config.js", 'const a = await import("./a.js");', "a.js"],
];

test.each(LOADED)("settings load a file: %s", (_, settings, text, path) => {
  expect(loader({ [settings]: text, [path]: "" }, path)).toBe(settings);
});

const NOT_LOADED: Row[] = [
  ["a longer key", "jest.config.js", 'xsetupFiles: ["./a.js"]', "a.js"],
  ["a key of another library", "jest.config.js", '$setupFiles: ["./a.js"]', "a.js"],
  ["a word without a value", "jest.config.js", '// setupFiles "./a.js"', "a.js"],
  ["the text behind a list", "jest.config.js", 'setupFiles:  ["./b.js"], other: "./a.js"', "a.js"],
  ["the text behind an object", "jest.config.js", 'transform: { x: "./b.js" }, other: "./a.js"', "a.js"],
  ["the text behind a tuple", "conftest.py", 'pytest_plugins = ("b",); other = "a"', "a.py"],
  ["the next key", "pytest.ini", "[pytest]\naddopts = -p b\nother = a.js\n", "a.js"],
  ["a further key that is set in", "pytest.ini", "addopts = -p b\n  other = a.js\n", "a.js"],
  ["an empty name", "box/jest.config.js", 'setupFiles: ["", "./b.js"]', "box/index.js"],
  ["settings of an installed package", "node_modules/x/jest.config.js", 'setupFiles: ["./a.js"]', "a.js"],
  ["a package that is imported", "jest.config.js", 'import "a.js";', "a.js"],
  ["an import in a text of JSON", "jest.config.json", "\"import './a.js'\"", "a.js"],
];

test.each(NOT_LOADED)("settings do not load a file: %s", (_, settings, text, path) => {
  expect(loader({ [settings]: text, [path]: "" }, path)).toBeUndefined();
});

test("the first settings that load a file are named; a file that is not there yet has none", () => {
  const files = {
    "ava.config.js": 'require: ["./a.js", "./new.js"]',
    "jest.config.js": 'preset: "./a.js"',
    "a.js": "",
  };
  expect(loader(files, "a.js")).toBe("ava.config.js");
  expect(loader(files, "new.js")).toBeUndefined();
});

test("settings that were not read load nothing", () => {
  const unread = { ...referenceOf({ "jest.config.js": "", "a.js": "" }), text: () => undefined };
  expect(loadedBySettings(unread, () => false)("a.js")).toBeUndefined();
});

const TAKING =
  "testMatch testRegex testDir testFiles testpaths python_files specPattern spec specs spec_dir spec_files";

test.each(TAKING.split(" "))("the key %s says which files are tests", (key) => {
  expect(loader({ "package.json": `{ "${key}": ["checks/*.js"] }` }, "checks/a.js")).toBe("package.json");
  expect(loader({ "tox.ini": `[tox]\n${key}  = checks\n` }, "checks/a.js")).toBe("tox.ini");
  expect(loader({ "tox.ini": `[tox]\nx${key} = checks\n` }, "checks/a.js")).toBeUndefined();
  expect(loader({ "tox.ini": `[tox]\n$${key} = checks\n` }, "checks/a.js")).toBeUndefined();
});

const TAKEN: Row[] = [
  ["a folder", "playwright.config.ts", '  testDir: "./checks/deep/",', "checks/deep/a/b.ts"],
  ["a folder beside the settings", "box/playwright.config.ts", 'testDir: "<rootDir>"', "box/a.ts"],
  ["a folder of PHPUnit", "phpunit.xml", '<directory suffix=".php">checks</directory>', "checks/a.php"],
  ["a file of PHPUnit", "phpunit.xml", "<file>checks/a.php</file>\n", "checks/a.php"],
  ["a name of files anywhere", "jest.config.js", 'testMatch: ["*.check.js"]', "src/a.check.js"],
  ["a name with any ending", "jest.config.js", 'testMatch: ["*.check.*"]', "src/a.check.js"],
  ["files of a folder", "jest.config.js", 'testMatch: ["**/checks/*.js"]', "src/checks/a.js"],
  [
    "files of the program by their name",
    "jest.config.js",
    'testMatch: ["app/src/*.check.js"]',
    "app/src/a.check.js",
  ],
  ["a group in a pattern", "jest.config.js", 'testMatch: ["checks/(unit)*.js"]', "checks/unit-a.js"],
  ["a folder with a dollar", "jest.config.js", 'testMatch: ["$lib/*.check.js"]', "$lib/a.check.js"],
  ["a name with a roof", "jest.config.js", 'testMatch: ["checks/^*.js"]', "checks/^a.js"],
  ["a choice of names", "jest.config.js", 'testMatch: ["{probe,check}*.js"]', "check-a.js"],
  ["names in braces", "vitest.config.ts", 'test: { include: ["**/*.{probe,check}.js"] }', "src/a.check.js"],
  ["what Vite includes", "vite.config.ts", 'test: { include: ["checks/*.js"] }', "checks/a.js"],
  ["what Vitest includes", "vitest.config.ts", 'test: { include : ["checks/*.js"] }', "checks/a.js"],
];

test.each(TAKEN)("settings take a file for a test: %s", (_, settings, text, path) => {
  expect(loader({ [settings]: text }, path)).toBe(settings);
});

const NOT_TAKEN: Row[] = [
  ["a regular expression", "jest.config.js", 'testRegex: "^checks/.*$"', "^checks/.a$"],
  ["a regular expression with its beginning", "jest.config.js", 'testRegex: "^checks/a*"', "^checks/ab"],
  ["a regular expression with its end", "jest.config.js", 'testRegex: "checks/a*$"', "checks/ab$"],
  ["the whole project", "playwright.config.ts", 'testDir: "."', "a.ts"],
  ["the folder of the program", "playwright.config.ts", 'testDir: "app/src/"', "app/src/a.ts"],
  ["every file of an ending", "jest.config.js", 'testMatch: ["*.js"]', "a.js"],
  ["every file of an ending, anywhere", "jest.config.js", 'testMatch: ["**/*.js"]', "src/a.js"],
  ["a choice of endings", "jest.config.js", 'testMatch: ["**/*.{js,ts}"]', "src/a.js"],
  ["a choice of endings with their dots", "jest.config.js", 'testMatch: ["**/*{.js,.ts}"]', "src/a.js"],
  ["every file of the program", "jest.config.js", 'testMatch: ["app/src/*.js"]', "app/src/a.js"],
  ["numbers in any folder", "jest.config.js", 'testMatch: ["case*/1.js"]', "cases/1.js"],
  ["what others include", "jest.config.js", 'include: ["checks/*.js"]', "checks/a.js"],
  ["another element of XML", "phpunit.xml", "<directories>checks</directories>", "checks/a.php"],
];

test.each(NOT_TAKEN)("settings do not take a file for a test: %s", (_, settings, text, path) => {
  expect(loader({ [settings]: text }, path)).toBeUndefined();
});
