// Files of the program that an attempt moves to a folder which the reference does not know.
import { expect, test } from "vitest";
import { kindsOf, type After, type Setting, type Texts } from "../../testing/classified.js";

const ADD = "export function add(a, b) {\n  return a - b;\n}\n";
const FIXED = ADD.replace("-", "+");
const APP: Texts = {
  "package.json": "{}",
  "src/add.js": ADD,
  "src/twice.js": 'import { add } from "./add.js";\nexport const twice = (a) => add(a, a);\n',
  "test/add.test.js": 'import { add } from "../src/add.js";\nimport "../support/same.js";\n',
  "support/same.js": "export const same = (a, b) => a === b;\n",
};
const TWICE = APP["src/twice.js"] ?? "";

test.each<[string, After, Record<string, string>, Setting]>([
  [
    "with its content, a fix and an import of a new file",
    {
      ...{ "src/add.js": undefined, "src/twice.js": undefined, "lib/twice.js": TWICE },
      ...{
        "lib/add.js": `import "./extra.js";\n${FIXED}`,
        "lib/extra.js": "export {};\n",
        "lib/other.js": "1",
      },
    },
    {
      ...{ "src/add.js": "source", "lib/add.js": "source", "lib/twice.js": "source" },
      ...{ "lib/extra.js": "source", "lib/other.js": "doubt" },
    },
    {},
  ],
  [
    "with another name and the same content",
    { "src/add.js": undefined, "core/sum.js": ADD },
    { "core/sum.js": "source" },
    {},
  ],
  [
    "with most of it replaced",
    { "src/add.js": undefined, "lib/add.js": "export const add = 5;\n" },
    { "lib/add.js": "doubt" },
    {},
  ],
  ["and stays", { "lib/add.js": ADD }, { "lib/add.js": "doubt" }, {}],
  [
    "to two places",
    { "src/add.js": undefined, "lib/add.js": FIXED, "other/add.js": FIXED },
    { "lib/add.js": "source", "other/add.js": "doubt" },
    {},
  ],
  ["to where tests are", { "src/add.js": undefined, "test/add.js": ADD }, { "test/add.js": "check" }, {}],
  [
    "to a name that says helper",
    { "src/add.js": undefined, "helpers/add.js": ADD },
    { "helpers/add.js": "doubt" },
    {},
  ],
  [
    "to where a command runs files",
    { "src/add.js": undefined, "checks/add.js": ADD },
    { "checks/add.js": "check" },
    { commands: ["for f in checks/*.js; do node $f || exit 1; done"] },
  ],
  [
    "to a folder with a dot",
    { "src/add.js": undefined, ".hidden/add.js": ADD },
    { ".hidden/add.js": "doubt" },
    {},
  ],
  [
    "into what is installed",
    { "src/add.js": undefined, "vendor/add.js": ADD },
    { "vendor/add.js": "doubt" },
    {},
  ],
])("a file of the program that is moved %s", (_name, after, kinds, setting) => {
  expect(kindsOf(setting, APP, after)).toMatchObject(kinds);
});

test("a helper of tests that is moved is no more of the program than before", () => {
  const moved = { "support/same.js": undefined, "core/same.js": `${APP["support/same.js"] ?? ""}// more\n` };
  expect(kindsOf({}, APP, moved)).toMatchObject({ "core/same.js": "doubt" });
  const test = { "test/add.test.js": undefined, "core/add.js": APP["test/add.test.js"] ?? "" };
  expect(kindsOf({}, APP, test)).toMatchObject({ "core/add.js": "doubt" });
});

test("a module that is moved before one of the language's library is a check", () => {
  const before = { "src/json.py": "def loads(text):\n    return 5\n", "tests/test_a.py": "import json\n" };
  const after = { "src/json.py": undefined, "json.py": before["src/json.py"] };
  expect(kindsOf({ commands: ["python3 -m pytest"] }, before, after)).toMatchObject({ "json.py": "check" });
});
