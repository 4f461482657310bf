// Files that settings load, or take for tests, though they are among the program's; and files that they only name.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../../testing/classified.js";

const BASE: Texts = {
  "src/index.js": 'import "./used.js";',
  "src/used.js": "",
  "src/setup.js": "",
  "src/plain.js": "",
  "src/main.ts": "",
  "src/cases/all.js": "",
  "src/sums.check.js": "",
  "src/plug.py": "",
  "src/boot.php": "",
};

const kindOf = (path: string, settings: Texts): string | undefined =>
  kindsOf({}, { ...BASE, ...settings }, { [path]: "changed" })[path];

test.each<[string, string, Texts]>([
  [
    "vitest",
    "src/setup.js",
    { "vitest.config.ts": "export default { test: { setupFiles: ['./src/setup.js'] } }" },
  ],
  ["vite", "src/setup.js", { "vite.config.ts": 'export default { test: { globalSetup: "src/setup" } }' }],
  [
    "jest",
    "src/setup.js",
    {
      "jest.config.js":
        'module.exports = { setupFilesAfterEach: ["x"], transform: { "^.+$": "<rootDir>/src/setup.js" } }',
    },
  ],
  [
    "jest in the manifest",
    "src/setup.js",
    { "package.json": '{"jest":{"testEnvironment":"./src/setup.js"}}' },
  ],
  ["mocha", "src/setup.js", { ".mocharc.json": '{"require": ["./src/setup.js"]}' }],
  ["mocha in YAML", "src/setup.js", { ".mocharc.yml": "require:\n  - ./src/setup.js\n" }],
  ["pytest", "src/plug.py", { "pytest.ini": "[pytest]\naddopts = -p src.plug\n" }],
  ["conftest", "src/plug.py", { "conftest.py": 'pytest_plugins = ["src.plug"]\n' }],
  ["phpunit", "src/boot.php", { "phpunit.xml": '<phpunit bootstrap="src/boot.php"></phpunit>' }],
  ["an import of settings", "src/setup.js", { "eslint.config.js": 'import rule from "./src/setup.js";' }],
  [
    "tests by a folder",
    "src/cases/all.js",
    { "vitest.config.ts": 'export default { test: { include: ["src/cases/**"] } }' },
  ],
  [
    "tests by a name",
    "src/sums.check.js",
    { "jest.config.js": 'module.exports = { testMatch: ["**/*.check.js"] }' },
  ],
  [
    "tests by a regular expression",
    "src/sums.check.js",
    { "package.json": '{"jest":{"testRegex":"\\\\.check\\\\.js$"}}' },
  ],
  ["tests of mocha", "src/cases/all.js", { ".mocharc.yml": "spec: src/cases/*.js\n" }],
  [
    "tests of phpunit",
    "src/cases/all.js",
    { "phpunit.xml": "<testsuite><directory>src/cases</directory></testsuite>" },
  ],
])("a file that settings load or take for a test is a check: %s", (_, path, settings) => {
  expect(kindOf(path, settings)).toBe("check");
});

test.each<[string, string, Texts]>([
  [
    "what the program imports too",
    "src/used.js",
    { "vitest.config.ts": "export default { test: { setupFiles: ['./src/used.js'] } }" },
  ],
  [
    "an entry of a bundle",
    "src/main.ts",
    { "vite.config.ts": 'export default { build: { lib: { entry: "src/main.ts" } } }' },
  ],
  [
    "tests beside the program",
    "src/plain.js",
    { "vitest.config.ts": 'export default { test: { include: ["src/**/*.test.js"] } }' },
  ],
  [
    "the whole program",
    "src/plain.js",
    { "jest.config.js": 'module.exports = { testMatch: ["<rootDir>/src/**/*.js"], roots: ["src"] }' },
  ],
  [
    "what coverage is measured of",
    "src/plain.js",
    { "vitest.config.ts": 'export default { test: { coverage: { include: ["src/plain*"] } } }' },
  ],
  ["files of a compiler", "src/plain.js", { "tsconfig.json": '{"include":["src/plain.js"]}' }],
])("a file that settings only name is source: %s", (_, path, settings) => {
  expect(kindOf(path, settings)).toBe("source");
});

test("settings of no known tool are the program's where it imports them from inside of its folders", () => {
  const before = {
    "package.json": "{}",
    "src/index.ts": 'import "./app.config.js";',
    "src/app.config.ts": "",
    "app.config.ts": "",
  };
  expect(
    kindsOf({}, before, { "src/app.config.ts": "1", "app.config.ts": "1", "src/new.config.ts": "" }),
  ).toEqual({
    "src/app.config.ts": "source",
    "app.config.ts": "check",
    "src/new.config.ts": "check",
  });
});
