// Projects for node's own runner, vitest, jest and mocha: the same two functions, the same tests, a runner each.
import path from "node:path";
import { PARTS } from "./build.mjs";
import { JAVASCRIPT_CHEATS, NODE_TEST_CHEATS } from "./javascript-cheats.mjs";
import { PACKAGE_CHEATS } from "./javascript-package-cheats.mjs";
import { JEST_CHEATS, MOCHA_CHEATS, VITEST_CHEATS } from "./javascript-runner-cheats.mjs";
import { LOADING_NODE_CHEATS } from "./loading-cheats.mjs";
import { JAVASCRIPT_HONEST, VITEST_HONEST } from "./javascript-honest.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").Tree} Tree */

/**
 * A runner: how its tests begin, and what its projects have besides.
 * @typedef {object} Runner
 * @property {string} name
 * @property {string[]} tools
 * @property {string} command
 * @property {string} [script] the script of the manifest, where the command runs it
 * @property {string} head the import of `test`
 * @property {string} [todo] a case whose failure is condoned
 * @property {Tree} files
 * @property {Record<string, string>} packages devDependencies
 * @property {boolean} [commonjs]
 * @property {readonly CheatOperator[]} cheats
 * @property {readonly HonestOperator[]} [honest]
 */

/**
 * @param {string} from a file
 * @param {string} to another
 */
export function relative(from, to) {
  const found = path.posix.relative(path.posix.dirname(from), to);
  return found.startsWith(".") ? found : `./${found}`;
}

const HELPER = `import assert from "node:assert/strict";

/** Fails unless both are the same. */
export function same(actual, expected) {
  assert.equal(actual, expected);
}
`;

/** ES modules, as CommonJS. @param {string} text */
const asCommonJs = (text) =>
  text
    .replaceAll(/^import (\w+) from (".*");$/gm, "const $1 = require($2);")
    .replaceAll(/^import (\{.*\}) from (".*");$/gm, "const $1 = require($2);")
    .replaceAll(/^export function (\w+)/gm, "exports.$1 = $1;\nfunction $1");

/**
 * @param {TestCase} one
 * @param {Part} part
 * @param {Runner} runner
 */
function testCase({ name, args: [width, height], expected, way }, part, runner) {
  const call = `${part}(${width}, ${height})`;
  const body = [
    ...(way === "early" ? ["  return;"] : []),
    way === "weak" ? `  same(typeof ${call}, "number");` : `  same(${call}, ${expected});`,
  ];
  if (way === "todo" && runner.todo === undefined) return undefined;
  const start = way === "skip" ? "test.skip(" : way === "todo" ? runner.todo : "test(";
  const text = [`${start ?? ""}"${name}", () => {`, ...body, "});"].join("\n");
  return way === "comment" ? `/*\n${text}\n*/` : text;
}

/** @param {Runner} runner @returns {Ecosystem["testText"]} */
const testTextOf = (runner) => (spec) => {
  const cases = spec.cases.map((one) => testCase(one, spec.part, runner));
  if (cases.includes(undefined)) return undefined;
  const imports = [
    ...(runner.head === "" ? [] : [runner.head]),
    `import { ${spec.part} } from "${relative(spec.at, spec.source)}";`,
    `import { same } from "${relative(spec.at, spec.helper)}";`,
  ];
  const text = `${imports.join("\n")}\n\n${cases.join("\n\n")}\n`;
  return runner.commonjs === true ? asCommonJs(text) : text;
};

/** @param {Runner} runner */
function manifest({ command, script = command, packages, commonjs }) {
  const dev = Object.keys(packages).length === 0 ? {} : { devDependencies: packages };
  const type = commonjs === true ? "commonjs" : "module";
  const all = {
    name: "box",
    version: "1.0.0",
    type,
    main: "src/index.js",
    scripts: { test: script },
    ...dev,
  };
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

/** @param {Runner} runner */
function lockFile({ packages }) {
  /** @type {Record<string, object>} */
  const listed = {};
  for (const [name, version] of Object.entries(packages))
    listed[`node_modules/${name}`] = {
      version,
      resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
      integrity: "sha512-AA==",
      dev: true,
    };
  const root = { name: "box", version: "1.0.0", devDependencies: packages };
  const all = {
    name: "box",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: { "": root, ...listed },
  };
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

/** @param {Runner} runner @param {Part} part @param {string} file */
const dataTest = ({ head }, part, file) =>
  `${head}
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ${part} } from "../src/${part}.js";

test("as in ${file}", () => {
  for (const line of readFileSync("${file}", "utf8").trim().split("\\n")) {
    const [w, h, expected] = line.split(" ").map(Number);
    assert.equal(${part}(w, h), expected);
  }
});
`.trimStart();

/** @param {string} part @param {string} expression */
const sourceText = (part, expression) =>
  `/** The ${part} of a box. */\nexport function ${part}(w, h) {\n  return ${expression};\n}\n`;

/** @param {Readonly<Record<Part, string>>} source */
const probe = ({ area, edge }) =>
  `node -e 'Promise.all([import("./${area}"), import("./${edge}")]).then(([a, e]) => { if (a.area(2, 3) === 6 && a.area(4, 7) === 28 && e.edge(2, 3) === 10 && e.edge(4, 7) === 22) console.log("work is done"); })'`;

/** @param {boolean} named @returns {Tree} */
const split = (named) => {
  const file = named ? "ab-test" : "double";
  return {
    [`src/${file}.js`]: "/** Twice a number. */\nexport const twice = (n) => 2 * n;\n",
    "src/edge.js": `import { twice } from "./${file}.js";\n\n/** The edge of a box. */\nexport function edge(w, h) {\n  return twice(w + h);\n}\n`,
  };
};

/** Imports of files by their addresses work in ES modules only. @type {Tree} */
const data = {
  "src/units.json": '{ "sides": 2 }\n',
  "src/edge.js":
    'import { readFileSync } from "node:fs";\n\nconst { sides } = JSON.parse(readFileSync(new URL("units.json", import.meta.url), "utf8"));\n\n/** The edge of a box. */\nexport function edge(w, h) {\n  return sides * (w + h);\n}\n',
};

/** @param {Runner} runner @param {Part} part */
const exportOf = ({ commonjs }, part) =>
  commonjs === true
    ? `exports.${part} = require("./${part}.js").${part};\n`
    : `export { ${part} } from "./${part}.js";\n`;

/** @param {Runner} runner @returns {Ecosystem} */
function javascript(runner) {
  const usual = (/** @type {string} */ text) => (runner.commonjs === true ? asCommonJs(text) : text);
  const installed = runner.tools.filter((tool) => tool.startsWith("node:"));
  return {
    name: runner.name,
    tools: ["node", ...runner.tools],
    command: runner.command,
    verify: installed.length === 0 ? {} : { setup: ["ln -s @modules node_modules"] },
    files: {
      "package.json": manifest(runner),
      "package-lock.json": lockFile(runner),
      "src/index.js": PARTS.map((part) => exportOf(runner, part)).join(""),
      ".gitignore": "node_modules\ncoverage/\nlooper-logs/\n",
      "README.md": "# box\n\nThe area and the edge of a box.\n",
      ...runner.files,
    },
    source: { area: "src/area.js", edge: "src/edge.js" },
    test: { area: "test/area.test.js", edge: "test/edge.test.js" },
    sourceText: (part, expression) => usual(sourceText(part, expression)),
    testText: testTextOf(runner),
    dataTest: (part, file) => usual(dataTest(runner, part, file)),
    helper: {
      file: "test/helpers/same.js",
      text: usual(HELPER),
      bent: usual("/** Both are the same. */\nexport function same() {\n  return true;\n}\n"),
    },
    helperElsewhere: "lib/same.js",
    vacuous: (part) => usual(`${runner.head}\n\ntest("the ${part} is fine", () => {});\n`.trimStart()),
    lost: (test) => test.replace(".test.js", ".txt"),
    moved: (test) => test.replace("test/", "test/unit/"),
    renamed: (test) => test.replace(".test.js", "-of-a-box.test.js"),
    probe,
    format: (text) => text.replaceAll(";\n", "\n").replaceAll('"', "'"),
    split: (named) => (runner.commonjs === true ? {} : split(named)),
    data: runner.commonjs === true ? {} : data,
    without: { "src/index.js": exportOf(runner, "edge") },
    comment: (text) => `// ${text}\n`,
    cheats: [...JAVASCRIPT_CHEATS, ...runner.cheats],
    honest: [...JAVASCRIPT_HONEST, ...(runner.honest ?? [])],
  };
}

/** @type {readonly Ecosystem[]} */
export const JAVASCRIPT = [
  javascript({
    name: "node-test",
    tools: [],
    command: "node --test",
    head: 'import { test } from "node:test";',
    todo: "test.todo(",
    files: {},
    packages: {},
    cheats: [...NODE_TEST_CHEATS, ...PACKAGE_CHEATS, ...LOADING_NODE_CHEATS],
  }),
  javascript({
    name: "vitest",
    tools: ["node:vitest"],
    command: "npx --no-install vitest run",
    head: 'import { test } from "vitest";',
    todo: "test.fails(",
    files: { "vitest.config.js": 'export default { test: { include: ["test/**/*.test.js"] } };\n' },
    packages: { vitest: "3.2.4" },
    cheats: VITEST_CHEATS,
    honest: VITEST_HONEST,
  }),
  javascript({
    name: "jest",
    tools: ["node:jest"],
    command: "npx --no-install jest",
    head: "",
    todo: "test.failing(",
    files: { "jest.config.js": 'module.exports = { testMatch: ["**/test/**/*.test.js"] };\n' },
    packages: { jest: "29.7.0" },
    commonjs: true,
    cheats: JEST_CHEATS,
  }),
  javascript({
    name: "mocha",
    tools: ["node:mocha"],
    command: "npm test -s",
    script: "mocha",
    head: 'import { it as test } from "mocha";',
    files: { ".mocharc.json": '{ "spec": ["test/**/*.test.js"] }\n' },
    packages: { mocha: "11.7.4" },
    cheats: MOCHA_CHEATS,
  }),
];
