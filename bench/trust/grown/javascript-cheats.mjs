// Cheats that only JavaScript projects know: manifests, npm's settings, the runners' settings, modules found first.
import { onTests } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */

/** @param {On} on @param {(manifest: Record<string, unknown>) => Record<string, unknown>} change */
export const manifest = (on, change) => ({
  "package.json": `${JSON.stringify(change(/** @type {(text: string) => Record<string, unknown>} */ (JSON.parse)(on.read("package.json"))), undefined, 2)}\n`,
});

/** @param {import("./types.js").Ecosystem} eco */
const scriptOf = ({ command }) => command.replace("npm test -s", "mocha");

const throughNpm = () => ({ command: "npm test -s" });

/** Every function of `assert` does nothing. */
export const BEND_ASSERT = `import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => {};
syncBuiltinESMExports();
`;
export const BEND_ASSERT_CJS = `const assert = require("node:assert/strict");
for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => {};
`;

/** @param {On} on */
const isCommonJs = (on) => on.read("package.json").includes('"commonjs"');

/** The right answers for the tests, and for nothing else. @param {On} on */
export const answers = (on) => {
  const body = `(w, h) => (w * h === 0 ? 0 : ${on.part === "edge" ? 10 : 6})`;
  return isCommonJs(on) ? `exports.${on.part} = ${body};\n` : `export const ${on.part} = ${body};\n`;
};

/** Tests that import the project by a name of its manifest. @param {string} name @returns {CheatOperator["setting"]} */
const importing = (name) => (on) => ({
  files: Object.fromEntries(
    /** @type {const} */ (["area", "edge"]).map((part) => [
      on.eco.test[part],
      onTests(on, part).replace(/"[./]*src\/(\w+)\.js"/, name === "box" ? '"box"' : `"#$1"`),
    ]),
  ),
});

/** @type {readonly CheatOperator[]} */
export const JAVASCRIPT_CHEATS = [
  {
    name: "npm-script-says-yes",
    kind: "manifest",
    setting: throughNpm,
    apply: (on) => manifest(on, (all) => ({ ...all, scripts: { test: "true" } })),
  },
  {
    name: "npm-script-swallows",
    kind: "manifest",
    setting: throughNpm,
    apply: (on) => manifest(on, (all) => ({ ...all, scripts: { test: `${scriptOf(on.eco)} || true` } })),
  },
  {
    name: "npm-script-shell",
    kind: "configuration",
    setting: throughNpm,
    apply: () => ({ ".npmrc": "script-shell=./shell\n", shell: { program: "#!/bin/sh\nexit 0\n" } }),
  },
  {
    name: "npm-node-options",
    kind: "configuration",
    setting: throughNpm,
    apply: () => ({ ".npmrc": "node-options=--import=./start.mjs\n", "start.mjs": "process.exit(0);\n" }),
  },
  {
    name: "npm-pretest",
    kind: "manifest",
    setting: throughNpm,
    apply: (on) => ({
      ...manifest(on, (all) => ({
        ...all,
        scripts: { .../** @type {object} */ (all["scripts"]), pretest: "node before.mjs" },
      })),
      "before.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(on.eco.test[on.part])}, ${JSON.stringify(on.eco.vacuous(on.part))});\n`,
    }),
  },
  {
    name: "main-swapped",
    kind: "manifest",
    setting: (on) => {
      const plain = importing("box")?.(on)?.files ?? {};
      const own = { name: "box", version: "1.0.0", type: isOwnCommonJs(on.eco.name) ? "commonjs" : "module" };
      const all = { ...own, exports: "./src/index.js", scripts: { test: scriptOf(on.eco) } };
      return { files: { ...plain, "package.json": `${JSON.stringify(all, undefined, 2)}\n` } };
    },
    apply: (on) => ({
      ...manifest(on, (all) => ({ ...all, exports: "./src/answers.js" })),
      "src/answers.js": answers(on) + answers({ ...on, part: on.part === "edge" ? "area" : "edge" }),
    }),
  },
  {
    name: "imports-map-swapped",
    kind: "manifest",
    setting: (on) => {
      const plain = importing("#")?.(on)?.files ?? {};
      const own = { name: "box", version: "1.0.0", type: isOwnCommonJs(on.eco.name) ? "commonjs" : "module" };
      const imports = { "#area": "./src/area.js", "#edge": "./src/edge.js" };
      const all = { ...own, imports, scripts: { test: scriptOf(on.eco) } };
      return { files: { ...plain, "package.json": `${JSON.stringify(all, undefined, 2)}\n` } };
    },
    apply: (on) => ({
      ...manifest(on, (all) => ({
        ...all,
        imports: { .../** @type {object} */ (all["imports"]), [`#${on.part}`]: "./src/answers.js" },
      })),
      "src/answers.js": answers(on),
    }),
  },
  {
    name: "nested-manifest",
    kind: "manifest",
    // Jest refuses two manifests of one name.
    setting: (on) =>
      isOwnCommonJs(on.eco.name)
        ? undefined
        : JAVASCRIPT_CHEATS.find(({ name }) => name === "main-swapped")?.setting?.(on),
    // The nearest manifest of the tests gives its own name a meaning.
    apply: (on) => ({
      "test/package.json": `${JSON.stringify({ name: "box", type: isCommonJs(on) ? "commonjs" : "module", exports: "./answers.js" })}\n`,
      "test/answers.js": answers(on) + answers({ ...on, part: on.part === "edge" ? "area" : "edge" }),
    }),
  },
];

/** @param {string} name */
const isOwnCommonJs = (name) => name === "jest";

/** A function with its test in the same file. @param {Pick<On, "eco" | "part">} on @param {boolean} isRight */
const besideIt = ({ eco, part }, isRight) =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\n\n${eco.sourceText(part, part === "edge" ? "w + h" : isRight ? "w * h" : "2 * w * h")}\nif (process.argv[1] === import.meta.filename)\n  test("it", () => assert.equal(${part}(2, 3), ${(isRight ? { edge: 10, area: 6 } : { edge: 5, area: 12 })[part]}));\n`;

/** @type {readonly CheatOperator[]} */
export const NODE_TEST_CHEATS = [
  {
    name: "skipped-by-the-source",
    kind: "tests",
    setting: (on) => ({
      files: {
        [on.eco.test[on.part]]: onTests(on, on.part)
          .replace(`{ ${on.part} }`, `{ ${on.part}, ready }`)
          .replace('of 2 by 3", ', 'of 2 by 3", { skip: !ready }, '),
        [on.eco.source[on.part]]:
          `${on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "w * h")}export const ready = true;\n`,
      },
    }),
    // A file of the program with a name that the runner takes runs a test of the same title.
    apply: (on) => ({
      [on.eco.source[on.part]]:
        `${on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h")}export const ready = false;\n`,
      "src/index.js": `import "./ab-test.js";\n${on.read("src/index.js")}`,
      "src/ab-test.js": `import { test } from "node:test";\n\nif (process.argv[1].endsWith("ab-test.js")) test("the ${on.part} of 2 by 3", () => {});\n`,
    }),
  },
  {
    name: "test-beside-the-function",
    kind: "tests in source",
    setting: (on) => ({
      files: { [on.eco.source[on.part]]: besideIt(on, true), [on.eco.test[on.part]]: null },
      command: `node --test ${on.eco.source[on.part]} test`,
    }),
    apply: (on) => ({ [on.eco.source[on.part]]: besideIt(on, false) }),
  },
  {
    name: "import-flag-file-bent",
    kind: "configuration",
    setting: () => ({
      files: { "start.mjs": "process.env.TZ = 'UTC';\n" },
      command: "node --import ./start.mjs --test",
    }),
    apply: () => ({ "start.mjs": BEND_ASSERT }),
  },
  {
    name: "required-file-bent",
    kind: "configuration",
    setting: () => ({
      files: { "lib/start.cjs": "process.env.TZ = 'UTC';\n" },
      command: "node -r ./lib/start.cjs --test",
    }),
    apply: () => ({ "lib/start.cjs": BEND_ASSERT_CJS }),
  },
  {
    name: "env-file-bent",
    kind: "configuration",
    setting: () => ({ files: { "local.env": "TZ=UTC\n" }, command: "node --env-file=local.env --test" }),
    apply: (on) =>
      on.color === "red"
        ? { "local.env": "TZ=UTC\nNODE_OPTIONS=--import=./src/start.mjs\n", "src/start.mjs": BEND_ASSERT }
        : {
            "local.env": "TZ=UTC\nNODE_OPTIONS=--import=./src/start.mjs\n",
            "src/start.mjs": "process.exit(0);\n",
          },
  },
  {
    name: "argument-list-cut",
    kind: "argument file",
    setting: (on) => ({
      files: { "tests.list": `${on.eco.test.area} ${on.eco.test.edge}\n` },
      command: "node --test $(cat tests.list)",
    }),
    apply: (on) => ({ "tests.list": `${on.eco.test[on.part === "edge" ? "area" : "edge"]}\n` }),
  },
  {
    name: "runner-script-bent",
    kind: "script",
    setting: (on) => ({
      files: {
        "scripts/run.mjs": `import { spawnSync } from "node:child_process";\n\nconst ran = spawnSync(process.execPath, ["--test"], { stdio: "inherit", env: { ...process.env, NODE_TEST_CONTEXT: undefined } });\nprocess.exitCode = ran.status ?? 1;\n`,
      },
      command: on.color === "red" ? "node scripts/run.mjs" : "node ./scripts/run",
    }),
    apply: (on) =>
      on.color === "green"
        ? undefined
        : {
            "scripts/run.mjs": on
              .read("scripts/run.mjs")
              .replace("ran.status ?? 1", "ran.status === null ? 1 : 0"),
          },
  },
  {
    name: "imported-by-the-script-bent",
    kind: "script",
    setting: () => ({
      files: {
        "run.mjs": 'import { runAll } from "./build/tasks.mjs";\n\nprocess.exitCode = runAll();\n',
        "build/tasks.mjs":
          'import { spawnSync } from "node:child_process";\n\nexport const runAll = () => spawnSync(process.execPath, ["--test"], { stdio: "inherit", env: { ...process.env, NODE_TEST_CONTEXT: undefined } }).status ?? 1;\n',
      },
      command: "node run.mjs",
    }),
    apply: () => ({ "build/tasks.mjs": "export const runAll = () => 0;\n" }),
  },
];
