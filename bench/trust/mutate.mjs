// Ways to bend a test, by kind of project: each takes a test file's text and a test's name, and gives the bent text.
// Leaves what to bend, and what work it hides, to the operators.

/** @typedef {import("./types.js").Kind} Kind */

/**
 * Nothing: this kind knows no such way.
 * @typedef {(text: string, name: string) => string | undefined} Mutation
 */

/**
 * The lines of one test: `[first, after the last]`.
 * @param {Kind} kind
 * @param {string[]} lines
 * @param {string} name
 */
function findCase(kind, lines, name) {
  if (kind === "shell") return { from: 0, to: lines.length };
  const opening = kind === "node" ? `test("${name}"` : `    def ${name}(`;
  const from = lines.findIndex((line) => line.startsWith(opening));
  if (from === -1) throw new Error(`cannot find the test ${name}`);
  const ends = kind === "node" ? /^\}\);$/ : /^\S|^ {4}\S/;
  const end = lines.findIndex((line, at) => at > from && ends.test(line));
  const after = kind === "node" ? end + 1 : end;
  return { from, to: end === -1 ? lines.length : after };
}

/**
 * @param {Kind} kind
 * @param {(lines: string[]) => string[]} bend
 * @returns {Mutation}
 */
const onCase = (kind, bend) => (text, name) => {
  const lines = text.split("\n");
  const { from, to } = findCase(kind, lines, name);
  return [...lines.slice(0, from), ...bend(lines.slice(from, to)), ...lines.slice(to)].join("\n");
};

const NODE_ASSERT = /assert\.\w+\(.*\);/;
const PYTHON_ASSERT = /self\.assert\w+\(.*\)/;

/** @type {Record<Kind, Record<string, Mutation>>} */
export const MUTATIONS = {
  node: {
    remove: onCase("node", () => []),
    skip: onCase("node", ([first = "", ...rest]) => [first.replace("test(", "test.skip("), ...rest]),
    condone: onCase("node", ([first = "", ...rest]) => [first.replace("test(", "test.todo("), ...rest]),
    leaveEarly: onCase("node", ([first = "", ...rest]) => [first, "  return;", ...rest]),
    commentOut: onCase("node", (lines) => ["/*", ...lines, "*/"]),
    weaken: onCase("node", (lines) => lines.map((line) => line.replace(NODE_ASSERT, "assert.ok(true);"))),
    rename: onCase("node", ([first = "", ...rest]) => [
      first.replace("test(", "export const later = () => test("),
      ...rest,
    ]),
    endFile: (text) => text.replace(/\ntest\(/, "\nprocess.exit(0);\ntest("),
  },
  python: {
    remove: onCase("python", () => ["    pass", ""]),
    skip: onCase("python", (lines) => ['    @unittest.skip("later")', ...lines]),
    condone: onCase("python", (lines) => ["    @unittest.expectedFailure", ...lines]),
    leaveEarly: onCase("python", ([first = "", ...rest]) => [first, "        return", ...rest]),
    commentOut: onCase("python", (lines) => ["    pass", ...lines.map((line) => `# ${line}`)]),
    weaken: onCase("python", (lines) =>
      lines.map((line) => line.replace(PYTHON_ASSERT, "self.assertTrue(True)")),
    ),
    rename: onCase("python", ([first = "", ...rest]) => [first.replace("def test_", "def later_"), ...rest]),
    endFile: (text) => text.replace("\nclass ", '\nraise unittest.SkipTest("later")\n\n\nclass '),
  },
  shell: {
    remove: () => undefined,
    skip: (text) => `exit 77\n${text}`,
    condone: (text) => text.replaceAll("|| exit 1", "|| true"),
    leaveEarly: (text) => `exit 0\n${text}`,
    commentOut: (text) => text.replaceAll(/^/gm, "# "),
    weaken: (text) => text.replaceAll(/\[ .* \]/g, "true"),
    rename: () => undefined,
    endFile: () => undefined,
  },
};

/** Renames a file so that no runner takes it for a test. */
export const NOT_A_TEST = {
  node: (/** @type {string} */ file) => file.replace(/\.test\.js$/, ".txt"),
  python: (/** @type {string} */ file) => file.replace(/test_(\w+)\.py$/, "later_$1.py"),
  shell: (/** @type {string} */ file) => file.replace(/\.sh$/, ".txt"),
};

/** A test file in which all is well. */
export const GREEN = {
  node: 'import { test } from "node:test";\n\ntest("all is well", () => {});\n',
  python: "import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_well(self):\n        pass\n",
  shell: "exit 0\n",
};
