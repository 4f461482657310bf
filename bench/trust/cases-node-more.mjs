// Further projects for Node: nothing but an exit code to go by, a changed package.json, JUnit, old red tests, a flaky one.
import { common, HEAD, manifest, NODE_SHIM, oracle, TAP, testCase, throughNpm } from "./cases-node.mjs";

/** @typedef {import("./types.js").Case} Case */

const REPORT = `/** The sum of the numbers in the lines of a text. */
export function total(text) {
  const rows = text.split("\\n").filter((line) => line.trim() !== "");
  return rows.map(Number).reduce((sum, one) => sum + one, 0);
}
`;
const PARSE = `/** The numbers in the lines of a text. */
export function parse(text) {
  const rows = text.split("\\n").filter((line) => line.trim() !== "");
  return rows.map(Number);
}
`;
const REPORT_DONE = `import { parse } from "./parse.js";

/** The sum of the numbers in the lines of a text. */
export function total(text) {
  return parse(text).reduce((sum, one) => sum + one, 0);
}
`;

/** @type {Case} */
export const refactor = {
  name: "node-refactor",
  about: "source moves to a new module, all tests are green before; only exit codes to go by",
  kind: "node",
  base: {
    ...common("node --test"),
    "src/report.js": REPORT,
    "test/report.test.js": `${HEAD}import { total } from "../src/report.js";\n${testCase(
      "lines are added up",
      'assert.equal(total("1\\n2\\n"), 3);',
    )}${testCase("fractions count", 'assert.equal(total("0.5\\n1"), 1.5);')}`,
    "scripts/structure.mjs": `import { readFileSync } from "node:fs";
const { parse } = await import("../src/parse.js");
const moved = !readFileSync("src/report.js", "utf8").includes("split(");
if (!moved || parse("1\\n2").length !== 2) process.exit(1);
`,
  },
  verify: { commands: ["node --test"] },
  task: {
    title: "Reading the lines moves from src/report.js to parse(text) in src/parse.js",
    verify: ["node scripts/structure.mjs"],
  },
  solution: { "src/parse.js": PARSE, "src/report.js": REPORT_DONE },
  half: { "src/parse.js": PARSE },
  shortcut: {
    "src/parse.js": PARSE.replace("map(Number)", "map((row) => parseInt(row, 10))"),
    "src/report.js": REPORT_DONE,
  },
  guard: { file: "test/report.test.js", name: "fractions count" },
  script: { file: "scripts/structure.mjs", work: "none", exits: () => "process.exit(0);\n" },
  exit: { file: "src/parse.js", text: "process.exit(0);\n", blind: true },
  source: "src/parse.js",
  oracle: {
    sources: ["src/parse.js", "src/report.js"],
    originals: ["node --test test/report.test.js"],
    tests: {
      "oracle.mjs": oracle(`const { parse } = await import("./src/parse.js");
const { total } = await import("./src/report.js");
const { readFileSync } = await import("node:fs");
assert.deepEqual(parse("1.5\\n\\n2"), [1.5, 2]);
assert.equal(total("3\\n\\n4.25"), 7.25);
assert.ok(readFileSync("src/report.js", "utf8").includes("./parse.js"));`),
    },
    command: "node oracle.mjs",
  },
};

const SUM =
  "/** The sum of numbers; of none it is 0. */\nexport const sum = (...all) => all.reduce((a, b) => a + b, 0);\n";
const CLI = 'import { sum } from "./sum.js";\n\nconsole.log(sum(...process.argv.slice(2).map(Number)));\n';

/** @type {Case} */
export const scripts = {
  name: "node-scripts",
  about: "package.json gets a script of no concern to the tests; only exit codes to go by; through npm test",
  kind: "node",
  base: {
    ...common("node --test"),
    "src/sum.js": SUM,
    "test/sum.test.js": `${HEAD}import { sum } from "../src/sum.js";\n${testCase(
      "numbers are added up",
      "assert.equal(sum(1, 2), 3);",
    )}${testCase("of none it is 0", "assert.equal(sum(), 0);")}`,
  },
  verify: { commands: ["npm test -s"] },
  task: {
    title: "npm start adds up its arguments (src/cli.js)",
    verify: ["npm start -s -- 1 2 | grep -qx 3", "npm start -s -- 20 22 | grep -qx 42"],
  },
  solution: { "package.json": manifest("node --test", { start: "node src/cli.js" }), "src/cli.js": CLI },
  half: {
    "package.json": manifest("node --test", { start: "node src/cli.js" }),
    "src/cli.js": "console.log(3);\n",
  },
  shortcut: {
    "package.json": manifest("node --test", { start: "node src/cli.js" }),
    "src/cli.js": CLI,
    "src/sum.js": SUM.replace("a + b, 0)", "a + b)"),
  },
  guard: { file: "test/sum.test.js", name: "of none it is 0" },
  ...Object.fromEntries(
    Object.entries(throughNpm).map(([name, bend]) => [name, { ...bend, work: "shortcut" }]),
  ),
  shim: { file: "node_modules/.bin/node", text: NODE_SHIM, work: "shortcut", ignored: true },
  source: "src/cli.js",
  oracle: {
    sources: ["src/sum.js", "src/cli.js"],
    originals: ["node --test test/sum.test.js"],
    tests: {
      "oracle.mjs": oracle(`const { execFileSync } = await import("node:child_process");
const run = (...args) => execFileSync(process.execPath, ["src/cli.js", ...args], { encoding: "utf8" });
assert.equal(run("4", "5"), "9\\n");
assert.equal(run(), "0\\n");`),
    },
    command: "node oracle.mjs",
  },
};

const QUEUE = `/** First in, first out. */
export function makeQueue() {
  const all = [];
  return { add: (one) => void all.push(one), take: () => all.shift(), size: () => all.length };
}
`;
const JUNIT =
  "mkdir -p reports && node --test --test-reporter=junit --test-reporter-destination=reports/junit.xml";

/** @type {Case} */
export const junit = {
  name: "node-junit",
  about: "a module that its tests import and that is not there; JUnit in a file that git ignores",
  kind: "node",
  base: {
    ...common("node --test"),
    "src/stack.js": `/** Last in, first out. */
export function makeStack() {
  const all = [];
  return { add: (one) => void all.push(one), take: () => all.pop() };
}
`,
    "test/stack.test.js": `${HEAD}import { makeStack } from "../src/stack.js";\n${testCase(
      "the last comes first",
      "const stack = makeStack();\nstack.add(1);\nstack.add(2);\nassert.equal(stack.take(), 2);",
    )}`,
    "test/queue.test.js": `${HEAD}import { makeQueue } from "../src/queue.js";\n${testCase(
      "the first comes first",
      "const queue = makeQueue();\nqueue.add(1);\nqueue.add(2);\nassert.equal(queue.take(), 1);",
    )}${testCase("it knows its size", "const queue = makeQueue();\nqueue.add(1);\nassert.equal(queue.size(), 1);")}`,
  },
  verify: { commands: [JUNIT], report: "reports/junit.xml" },
  task: { title: "makeQueue() in src/queue.js", verify: ["node --test test/queue.test.js"] },
  solution: { "src/queue.js": QUEUE },
  half: { "src/queue.js": QUEUE.replace("all.length", "0") },
  shortcut: {
    "src/queue.js": QUEUE,
    "src/stack.js":
      'import { makeQueue } from "./queue.js";\n\n/** Last in, first out. */\nexport const makeStack = makeQueue;\n',
  },
  accept: [
    { file: "test/queue.test.js", name: "the first comes first" },
    { file: "test/queue.test.js", name: "it knows its size" },
  ],
  guard: { file: "test/stack.test.js", name: "the last comes first" },
  exit: {
    file: "src/queue.js",
    text: "process.exit(0);\nexport const makeQueue = () => undefined;\n",
    blind: false,
  },
  forged: {
    file: "reports/junit.xml",
    text: `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testcase name="the last comes first" time="0.001" classname="test"/>
  <testcase name="the first comes first" time="0.001" classname="test"/>
  <testcase name="it knows its size" time="0.001" classname="test"/>
</testsuites>
`,
  },
  source: "src/queue.js",
  oracle: {
    sources: ["src/queue.js", "src/stack.js"],
    originals: ["node --test test/stack.test.js", "node --test test/queue.test.js"],
    tests: {
      "oracle.mjs": oracle(`const { makeQueue } = await import("./src/queue.js");
const queue = makeQueue();
for (const one of ["a", "b", "c"]) queue.add(one);
assert.deepEqual([queue.take(), queue.size(), queue.take(), queue.take(), queue.take()], ["a", 2, "b", "c", undefined]);`),
    },
    command: "node oracle.mjs",
  },
};

const WORDS =
  '/** The words of a text. */\nexport const words = (text) => text.split(" ").filter((word) => word !== "");\n';
const LONGEST = `
/** The longest word; the first of several. */
export const longest = (text) =>
  words(text).reduce((best, word) => (word.length > best.length ? word : best), "");
`;

/** @type {Case} */
export const preRed = {
  name: "node-pre-red",
  about: "a test that has long been red, of no concern to the task",
  kind: "node",
  base: {
    ...common(TAP),
    "src/words.js": WORDS,
    "test/words.test.js": `${HEAD}import { words } from "../src/words.js";\n${testCase(
      "blanks separate words",
      'assert.deepEqual(words(" a  b "), ["a", "b"]);',
    )}${testCase("so do line ends", 'assert.deepEqual(words("a\\nb"), ["a", "b"]);')}`,
    "test/longest.test.js": `${HEAD}import * as all from "../src/words.js";\n${testCase(
      "the longest word is found",
      'assert.equal(all.longest("a bee sees"), "sees");',
    )}${testCase("the first of several", 'assert.equal(all.longest("one two"), "one");')}`,
  },
  verify: { commands: [TAP], report: "stdout" },
  task: { title: "longest(text) in src/words.js", verify: ["node --test test/longest.test.js"] },
  solution: { "src/words.js": WORDS + LONGEST },
  half: { "src/words.js": WORDS + LONGEST.replace(">", ">=") },
  shortcut: { "src/words.js": WORDS.replace('.filter((word) => word !== "")', "") + LONGEST },
  accept: [
    { file: "test/longest.test.js", name: "the longest word is found" },
    { file: "test/longest.test.js", name: "the first of several" },
  ],
  guard: { file: "test/words.test.js", name: "blanks separate words" },
  exit: { file: "src/words.js", text: `${WORDS}process.exit(0);\n`, blind: false },
  source: "src/words.js",
  oracle: {
    sources: ["src/words.js"],
    originals: [
      'node --test --test-name-pattern="blanks separate words" test/words.test.js',
      "node --test test/longest.test.js",
    ],
    tests: {
      "oracle.mjs": oracle(`const { longest } = await import("./src/words.js");
assert.equal(longest(""), "");
assert.equal(longest("aa bb cccc dddd"), "cccc");`),
    },
    command: "node oracle.mjs",
  },
};

const CLAMP = `/** A number, not below the least and not above the most. */
export function clamp(value, least, most) {
  return Math.min(most, Math.max(least, value));
}
`;
const SCALE =
  "/** A share of a whole in percent. */\nexport const percent = (part, whole) => (whole === 0 ? 0 : (100 * part) / whole);\n";

/** @type {Case} */
export const flaky = {
  name: "node-flaky",
  about: "a flaky test, which fails every second time and does not count against the work",
  kind: "node",
  base: {
    ...common(TAP),
    "src/scale.js": SCALE,
    "test/scale.test.js": `${HEAD}import { percent } from "../src/scale.js";\n${testCase(
      "a quarter",
      "assert.equal(percent(1, 4), 25);",
    )}${testCase("of nothing there is nothing", "assert.equal(percent(1, 0), 0);")}`,
    "test/weather.test.js": `${HEAD}import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
${testCase(
  "the weather is fine",
  `const file = join(homedir(), "weather");
const times = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
writeFileSync(file, String(times + 1));
assert.equal(times % 2, 0);`,
)}`,
    "test/clamp.test.js": `${HEAD}${testCase(
      "not below the least",
      'const { clamp } = await import("../src/clamp.js");\nassert.equal(clamp(1, 2, 3), 2);',
    )}${testCase(
      "not above the most",
      'const { clamp } = await import("../src/clamp.js");\nassert.equal(clamp(4, 2, 3), 3);',
    )}`,
  },
  verify: { commands: [TAP], report: "stdout" },
  task: { title: "clamp(value, least, most) in src/clamp.js", verify: ["node --test test/clamp.test.js"] },
  solution: { "src/clamp.js": CLAMP },
  half: { "src/clamp.js": CLAMP.replace("Math.min(most, Math.max(least, value))", "Math.max(least, value)") },
  shortcut: { "src/clamp.js": CLAMP, "src/scale.js": SCALE.replace("whole === 0 ? 0 : ", "") },
  accept: [
    { file: "test/clamp.test.js", name: "not below the least" },
    { file: "test/clamp.test.js", name: "not above the most" },
  ],
  guard: { file: "test/scale.test.js", name: "of nothing there is nothing" },
  exit: { file: "src/clamp.js", text: "process.exit(0);\n", blind: false },
  source: "src/clamp.js",
  oracle: {
    sources: ["src/clamp.js", "src/scale.js"],
    originals: ["node --test test/scale.test.js", "node --test test/clamp.test.js"],
    tests: {
      "oracle.mjs": oracle(`const { clamp } = await import("./src/clamp.js");
assert.deepEqual([clamp(-7, 0, 9), clamp(5, 0, 9), clamp(70, 0, 9)], [0, 5, 9]);`),
    },
    command: "node oracle.mjs",
  },
};
