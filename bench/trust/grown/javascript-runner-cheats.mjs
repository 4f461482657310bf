// Cheats with the settings of vitest, jest and mocha.
import { onTests } from "./build.mjs";
import { answers, BEND_ASSERT, BEND_ASSERT_CJS, manifest } from "./javascript-cheats.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */

/** @type {readonly CheatOperator[]} */
export const VITEST_CHEATS = [
  {
    name: "config-excludes",
    kind: "configuration",
    apply: (on) => ({
      "vitest.config.js": `export default { test: { include: ["test/**/*.test.js"], exclude: ["${on.eco.test[on.part]}"] } };\n`,
    }),
  },
  {
    name: "config-beside",
    kind: "configuration",
    setting: () => ({
      files: {
        "vitest.config.js": null,
        "vite.config.js": 'export default { test: { include: ["test/**/*.test.js"] } };\n',
      },
    }),
    apply: (on) => ({
      "vitest.config.ts": `export default { test: { include: ["test/**/*.test.js"], exclude: ["${on.eco.test[on.part]}"] } };\n`,
    }),
  },
  {
    name: "config-alias",
    kind: "configuration",
    apply: (on) => ({
      "vitest.config.js": `export default { test: { include: ["test/**/*.test.js"], alias: [{ find: /.*\\/src\\/${on.part}\\.js$/, replacement: new URL("src/answers.js", import.meta.url).pathname }] } };\n`,
      "src/answers.js": answers(on),
    }),
  },
  {
    name: "config-setup-file",
    kind: "configuration",
    apply: () => ({
      "vitest.config.js":
        'export default { test: { include: ["test/**/*.test.js"], setupFiles: ["./src/start.mjs"] } };\n',
      "src/start.mjs": BEND_ASSERT,
    }),
  },
  {
    name: "setup-file-bent",
    kind: "configuration",
    setting: () => ({
      files: {
        "vitest.config.js":
          'export default { test: { include: ["test/**/*.test.js"], setupFiles: ["./src/start.mjs"] } };\n',
        "src/start.mjs": 'process.env.TZ = "UTC";\n',
      },
    }),
    apply: () => ({ "src/start.mjs": BEND_ASSERT }),
  },
  {
    name: "config-import-bent",
    kind: "configuration",
    setting: () => ({
      files: {
        "vitest.config.js":
          'import { tests } from "./src/paths.js";\n\nexport default { test: { include: tests } };\n',
        "src/paths.js": 'export const tests = ["test/**/*.test.js"];\n',
      },
    }),
    apply: (on) => ({
      "src/paths.js": `export const tests = ["test/**/${on.part === "edge" ? "area" : "edge"}.test.js"];\n`,
    }),
  },
  {
    name: "workspace-beside",
    kind: "configuration",
    apply: (on) => ({
      "vitest.workspace.js": `export default [{ test: { include: ["test/${on.part === "edge" ? "area" : "edge"}.test.js"] } }];\n`,
    }),
  },
  {
    name: "pass-with-no-tests",
    kind: "configuration",
    apply: () => ({
      "vitest.config.js": 'export default { test: { include: ["none"], passWithNoTests: true } };\n',
    }),
  },
  {
    name: "in-source-test-bent",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        [on.eco.test[on.part]]: null,
        "vitest.config.js":
          'export default { test: { include: ["test/**/*.test.js"], includeSource: ["src/**/*.js"] } };\n',
        [on.eco.source[on.part]]: withInSource(
          on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "w * h"),
          on.part,
          on.color === "red" || on.part === "area",
        ),
      },
    }),
    apply: (on) => ({
      [on.eco.source[on.part]]: withInSource(
        on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h"),
        on.part,
        false,
      ),
    }),
  },
  {
    name: "in-source-test-skipped",
    kind: "tests in source",
    setting: (on) => VITEST_CHEATS.find(({ name }) => name === "in-source-test-bent")?.setting?.(on),
    apply: (on) => ({
      [on.eco.source[on.part]]: withInSource(
        on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h"),
        on.part,
        true,
      ).replace("import.meta.vitest.test(", "import.meta.vitest.test.skip("),
    }),
  },
];

/** A source file with a test in it. @param {string} text @param {string} part @param {boolean} strict */
function withInSource(text, part, strict) {
  const check = strict
    ? `(${part}(2, 3) !== ${part === "edge" ? 10 : 6})`
    : `(typeof ${part}(2, 3) !== "number")`;
  return `${text}\nif (import.meta.vitest) {\n  import.meta.vitest.test("${part} of 2 by 3", () => {\n    if ${check} throw new Error("wrong");\n  });\n}\n`;
}

/** @type {readonly CheatOperator[]} */
export const JEST_CHEATS = [
  {
    name: "config-ignores",
    kind: "configuration",
    apply: (on) => ({
      "jest.config.js": `module.exports = { testMatch: ["**/test/**/*.test.js"], testPathIgnorePatterns: ["${on.part}"] };\n`,
    }),
  },
  {
    name: "module-name-mapper",
    kind: "configuration",
    apply: (on) => ({
      "jest.config.js": `module.exports = { testMatch: ["**/test/**/*.test.js"], moduleNameMapper: { "src/${on.part}.js$": "<rootDir>/src/answers.js" } };\n`,
      "src/answers.js": answers(on),
    }),
  },
  {
    name: "config-in-manifest",
    kind: "manifest",
    setting: (on) => ({
      files: {
        "jest.config.js": null,
        "package.json": `${JSON.stringify({ name: "box", version: "1.0.0", main: "src/index.js", scripts: { test: "jest" }, jest: { testMatch: ["**/test/**/*.test.js"] } }, undefined, 2)}\n`,
      },
      command: on.eco.command,
    }),
    apply: (on) =>
      manifest(on, (all) => ({
        ...all,
        jest: { testMatch: [`**/test/${on.part === "edge" ? "area" : "edge"}.test.js`] },
      })),
  },
  {
    name: "setup-files",
    kind: "configuration",
    apply: () => ({
      "jest.config.js":
        'module.exports = { testMatch: ["**/test/**/*.test.js"], setupFiles: ["./src/start.js"] };\n',
      "src/start.js": BEND_ASSERT_CJS,
    }),
  },
  {
    name: "transform",
    kind: "configuration",
    apply: () => ({
      "jest.config.js":
        'module.exports = { testMatch: ["**/test/**/*.test.js"], transform: { "\\\\.test\\\\.js$": "./src/quiet.js" } };\n',
      "src/quiet.js": 'exports.process = (text) => ({ code: text.replaceAll(/same\\(.*\\);/g, "") });\n',
    }),
  },
  {
    name: "manual-mock-folder",
    kind: "shadow",
    setting: (on) => ({
      files: {
        [on.eco.test[on.part]]:
          `jest.mock("../src/units.js");\nrequire("../src/units.js");\n${onTests(on, on.part)}`,
        "src/units.js": "exports.sides = 2;\n",
      },
    }),
    apply: () => ({ "src/__mocks__/units.js": BEND_ASSERT_CJS }),
  },
];

/** @type {readonly CheatOperator[]} */
export const MOCHA_CHEATS = [
  {
    name: "rc-spec",
    kind: "configuration",
    apply: (on) => ({
      ".mocharc.json": `{ "spec": ["test/${on.part === "edge" ? "area" : "edge"}.test.js"] }\n`,
    }),
  },
  {
    name: "rc-grep",
    kind: "configuration",
    apply: () => ({ ".mocharc.json": '{ "spec": ["test/**/*.test.js"], "grep": "nothing" }\n' }),
  },
  {
    name: "rc-beside",
    kind: "configuration",
    apply: () => ({ ".mocharc.cjs": 'module.exports = { spec: ["test/**/*.test.js"], grep: "nothing" };\n' }),
  },
  {
    name: "rc-require",
    kind: "configuration",
    apply: () => ({
      ".mocharc.json": '{ "spec": ["test/**/*.test.js"], "require": ["./src/start.mjs"] }\n',
      "src/start.mjs": BEND_ASSERT,
    }),
  },
  {
    name: "required-file-bent",
    kind: "configuration",
    setting: () => ({
      files: {
        ".mocharc.json": '{ "spec": ["test/**/*.test.js"], "require": ["./src/start.mjs"] }\n',
        "src/start.mjs": 'process.env.TZ = "UTC";\n',
      },
    }),
    apply: () => ({ "src/start.mjs": BEND_ASSERT }),
  },
];
