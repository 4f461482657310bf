// Data and documentation: part of the program, or what a check reads.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../testing/classified.js";

const kindOf = (path: string, before: Texts, after: Texts, commands = ["npm test"]): string | undefined =>
  kindsOf({ commands }, before, after)[path];

const NODE: Texts = {
  "package.json": '{"main":"src/add.js","scripts":{"test":"CASES=vectors node --test"}}',
  "src/add.js": "export const add = 1;",
};
const PYTHON: Texts = {
  "calc/__init__.py": "",
  "calc/core.py": 'HELP = os.path.join(os.path.dirname(__file__), "data", "add.json")\n',
  "calc/data/add.json": "{}",
  "cases/add.json": '{"want": 5}',
};

test.each<[string, string, Texts]>([
  ["an f-string", "cases/add.json", { ...PYTHON, "tests/test_a.py": 'open(f"cases/{name}.json")' }],
  ["format", "cases/add.json", { ...PYTHON, "tests/test_a.py": '"cases/{}.json".format("add")' }],
  ["printf", "cases/add.json", { ...PYTHON, "tests/a.c": 'sprintf(n, "cases/%s.json", c);' }],
  ["a begun name", "cases/add.json", { ...PYTHON, "tests/test_a.py": 'open("cases/ad" + "d.json")' }],
  ["a variable of the command", "vectors/add.json", { ...NODE, "vectors/add.json": "[2, 3, 5]" }],
  [
    "a walk through a folder above",
    "data/eu/add.json",
    { ...NODE, "data/eu/add.json": "[]", "test/a.test.js": 'readdirSync("data", { recursive: true })' },
  ],
  [
    "a walk for its ending through the program",
    "src/main/resources/cases/add.json",
    {
      ...NODE,
      "src/main/resources/cases/add.json": "[]",
      "test/a.test.js":
        'readdirSync("src/main/resources", { recursive: true }).filter((f) => f.endsWith(".json"))',
    },
  ],
  [
    "a walk for documentation",
    "docs/api/add.md",
    {
      ...NODE,
      "docs/api/add.md": "",
      "test/a.test.js": 'readdirSync("docs", o).filter((f) => f.endsWith(".md"))',
    },
  ],
  [
    "a walk by find",
    "doc/examples.md",
    { ...NODE, "doc/examples.md": "", "test/run.sh": 'find . -type f | grep "[.]md$" | xargs cat' },
  ],
  [
    "a walk for a list without an ending",
    "plans/a/CHANGES",
    { ...NODE, "plans/a/CHANGES": "add", "test/run.py": 'for top, _, files in os.walk("plans"):' },
  ],
])("data that a check names by %s is in doubt", (_, path, before) => {
  const after = { [path]: "other", "src/add.js": `export const DATA = "${path}";` };
  expect(kindOf(path, before, after)).toBe("doubt");
});

test("data that only the attempt names is in doubt, where it was there before", () => {
  const before = { ...NODE, "data/add.json": "1" };
  const after = {
    "data/add.json": "2",
    "data/new.json": "3",
    "src/add.js": 'f("data/add.json", "data/new.json")',
  };
  expect(kindsOf({ commands: ["npm test"] }, before, after)).toMatchObject({
    "data/add.json": "doubt",
    "data/new.json": "source",
  });
});

test("data is not named by the name of another file", () => {
  expect(
    kindsOf({ commands: ["pytest"] }, PYTHON, { "cases/add.json": "", "calc/data/add.json": "" }),
  ).toEqual({
    "cases/add.json": "doubt",
    "calc/data/add.json": "source",
  });
});

test.each<[string, string, Texts]>([
  [
    "an f-string",
    "calc/locales/de.json",
    { "calc/__init__.py": "", "calc/core.py": 'p / f"locales/{lang}.json"', "calc/locales/en.json": "{}" },
  ],
  [
    "a path from its own place",
    "src/data/a.json",
    { ...NODE, "src/b.js": 'f("./data/a.json")', "data/a.json": "" },
  ],
  [
    "the only file of its name",
    "conf/a.json",
    { ...NODE, "src/b.js": 'f(DIR, "a.json")', "conf/a.json": "" },
  ],
  [
    "its folder and its name",
    "conf/a.json",
    { ...NODE, "src/b.js": 'join("conf", "a.json")', "conf/a.json": "", "x/a.json": "" },
  ],
  [
    "a template beside a walk of the tests through another folder",
    "src/locales/de.json",
    {
      ...NODE,
      "src/t.js": "f(`./locales/${lang}.json`)",
      "src/locales/en.json": "{}",
      "test/a.test.js":
        'import "../src/t.js";\nreaddirSync("test/fixtures").filter((f) => f.endsWith(".json"))',
    },
  ],
])("data that the program names by %s is source", (_, path, before) => {
  expect(kindOf(path, before, { [path]: "{}" })).toBe("source");
});

test.each<[string, Texts]>([
  ["without a walk", { ...NODE, "test/a.test.js": 'all.find((f) => f.endsWith(".md"))' }],
  [
    "of another ending",
    { ...NODE, "test/a.test.js": 'readdirSync("test/fixtures").filter((f) => f === "README.md")' },
  ],
])("documentation is source beside a test %s", (_, before) => {
  expect(kindOf("docs/use.md", { ...before, "docs/use.md": "" }, { "docs/use.md": "more" })).toBe("source");
});
