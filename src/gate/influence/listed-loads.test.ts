// Code that a check finds by listing a folder of the program.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../testing/classified.js";

const NODE: Texts = {
  "src/add.js": "export const add = 1;",
  "src/cases/add.js": "export default [2, 3, 5];",
  "test/add.test.js":
    'import { add } from "../src/add.js";\nfor (const f of readdirSync("src").filter((f) => f.startsWith("want"))) want = (await import(`../src/${f}`)).default;\n',
  "test/cases.test.js": 'for (const f of readdirSync("src/cases")) await import("../src/cases/" + f);\n',
};
const PYTHON: Texts = {
  "calc/__init__.py": "from . import core\n",
  "calc/core.py": "",
  "calc/tables/one.py": "WANT = 5\n",
  "tests/test_a.py":
    'for f in Path("calc/tables").iterdir():\n    m = import_module(f"calc.tables.{f.stem}")\n',
};
const COMMANDS: Texts = {
  "src/index.js": "export const run = async (name) => (await import(`./commands/${name}.js`)).default();",
  "src/commands/one.js": "",
  "test/a.test.js":
    'import "../src/index.js";\nfor (const f of readdirSync("src/commands")) await import(`../src/commands/${f}`);\n',
};

test.each([
  ["a new file", NODE, "src/want.js"],
  ["a file of a folder that only checks read", NODE, "src/cases/add.js"],
  ["a module of Python", PYTHON, "calc/tables/one.py"],
])("%s that a check finds by listing is in doubt", (_, before, path) => {
  expect(kindsOf({ commands: ["npm test"] }, before, { [path]: "other" })).toEqual({ [path]: "doubt" });
});

test.each<[string, Texts, string, Texts]>([
  ["a check also names", NODE, "src/add.js", {}],
  ["the program loads in the same way", COMMANDS, "src/commands/one.js", {}],
  ["is new and that the program loads in the same way", COMMANDS, "src/commands/two.js", {}],
  ["is new and that the program imports", NODE, "src/want.js", { "src/add.js": 'import "./want.js";' }],
  [
    "is beside one that is imported",
    { ...NODE, "src/cases/index.js": 'import "./more.js";', "src/cases/more.js": "" },
    "src/cases/add.js",
    {},
  ],
])("a file that %s is source beside a check that lists its folder", (_, before, path, more) => {
  expect(kindsOf({ commands: ["npm test"] }, before, { [path]: "other", ...more })[path]).toBe("source");
});
