// Files in folders of the program that links make a part of the checks.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../testing/classified.js";

const NODE: Texts = {
  "package.json": '{"main":"src/index.js"}',
  "src/index.js": 'export * from "./add.js";',
  "src/add.js": "export const add = 1;",
};
const SHELL: Texts = { "lib/add.sh": "add() { :; }\n", "lib/selfcheck.sh": ". lib/add.sh\n" };

interface Case {
  path: string;
  before?: Texts;
  links: Texts;
  command?: string;
}

test.each<[string, Case]>([
  ["a test", { path: "src/checks/add.js", links: { "test/add.test.js": "../src/checks/add.js" } }],
  [
    "a folder of tests",
    { path: "src/checks/add.js", links: { test: "src/checks" }, command: "node --test test/" },
  ],
  [
    "a folder whose files a command runs",
    {
      path: "src/checks/add.js",
      links: { checks: "src/checks" },
      command: "for f in checks/*.js; do node $f || exit 1; done",
    },
  ],
  [
    "a link to it",
    { path: "src/checks/add.js", links: { "test/a.js": "../b.js", "b.js": "src/checks/add.js" } },
  ],
  [
    "data of a test",
    { path: "src/tables/sums.json", links: { "test/cases.json": "../src/tables/sums.json" } },
  ],
  [
    "a script that a check runs",
    {
      path: "lib/selfcheck.sh",
      before: { ...SHELL, "test/run.sh": "for f in test/cases/*; do sh $f || exit 1; done\n" },
      links: { "test/cases/add": "../../lib/selfcheck.sh" },
      command: "sh test/run.sh",
    },
  ],
])("a file is a check behind a link that is %s", (_, { path, before = NODE, links, command }) => {
  const texts = { [path]: "1", ...before };
  expect(kindsOf({ commands: [command ?? "node --test"], links }, texts, { [path]: "2" })[path]).toBe(
    "check",
  );
});

test("data is in doubt behind a link that a test names", () => {
  const before = {
    ...NODE,
    "src/table.js": 'f("./tables/sums.json")',
    "src/tables/sums.json": "1",
    "test/a.test.js": 'f("../cases.json")',
  };
  const setting = { commands: ["node --test"], links: { "cases.json": "src/tables/sums.json" } };
  expect(kindsOf(setting, before, { "src/tables/sums.json": "2" })).toEqual({
    "src/tables/sums.json": "doubt",
  });
});

test("a file is a check behind a link of the attempt", () => {
  const after = { "test/a.test.js": { mode: "120000", text: "../src/more.js" }, "src/more.js": "2" };
  expect(kindsOf({ commands: ["node --test"] }, { ...NODE, "src/more.js": "1" }, after)["src/more.js"]).toBe(
    "check",
  );
});

test.each<[string, Texts]>([
  ["of the tests to the whole program", { "test/src": "../src" }],
  ["of the tests to a file that the program imports", { "test/add.js": "../src/add.js" }],
  ["of the tests to the top", { "test/root": ".." }],
  ["in a circle", { "test/a": "b", "test/b": "a" }],
  ["of the program", { "bin/add.js": "../src/add.js" }],
])("a file of the program stays source beside a link %s", (_, links) => {
  expect(kindsOf({ commands: ["node --test"], links }, NODE, { "src/add.js": "2" })).toEqual({
    "src/add.js": "source",
  });
});
