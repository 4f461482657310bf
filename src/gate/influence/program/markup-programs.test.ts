// Projects of web pages or SQL alone, and the ways in which such a file may be what a check compares with.
import { expect, test } from "vitest";
import { kindsOf, type Setting, type Texts } from "../../testing/classified.js";

const NPM = {
  "package.json": '{"scripts":{"test":"sh check.sh"}}',
  "README.md": "# p\n",
  "to-do.json": "{}",
};
const CSS = { ...NPM, "index.html": "<html>", "style.css": "a{}", "check.sh": 'grep -q "blue" style.css\n' };
const SQL = { "views.sql": "", "test/run.sh": '[ "$(cat views.sql | sqlite3)" = 5 ]\n' };

test.for<[string, string, string, Setting, Texts]>([
  ["a style sheet that a check reads", "style.css", "source", { commands: ["npm test"] }, CSS],
  ["a page that no check names", "index.html", "source", { commands: ["npm test"] }, CSS],
  ["the one file of SQL", "views.sql", "source", { commands: ["sh test/run.sh"] }, SQL],
  [
    "one of two files of SQL that a check reads",
    "cases.sql",
    "doubt",
    { commands: ["sh test/run.sh"] },
    { ...SQL, "cases.sql": "", "test/run.sh": "cat views.sql cases.sql | sqlite3 | grep -v FAIL\n" },
  ],
  [
    "one of two files of SQL behind a wildcard",
    "cases.sql",
    "doubt",
    { commands: ["sh test/run.sh"] },
    { ...SQL, "cases.sql": "", "test/run.sh": "cat *.sql | sqlite3 | grep -v FAIL\n" },
  ],
  [
    "a page that a check compares with",
    "want.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "page.html": "", "want.html": "", "check.sh": "tidy page.html | diff - want.html\n" },
  ],
  [
    "a page beside a program in another language",
    "page.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "gen.py": "", "page.html": "", "check.sh": '[ "$(python3 gen.py)" = "$(cat page.html)" ]\n' },
  ],
  [
    "a page that a shell program makes",
    "page.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "gen.sh": "", "page.html": "", "check.sh": '[ "$(sh gen.sh)" = "$(cat page.html)" ]\n' },
  ],
  [
    "a page beside texts that may be turned into it",
    "page.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "page.md": "", "page.html": "", "check.sh": '[ "$(pandoc *.md)" = "$(cat page.html)" ]\n' },
  ],
  [
    "a page of SQL's results",
    "page.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "views.sql": "", "page.html": "", "check.sh": '[ "$(sqlite3 < views.sql)" = "$(cat page.html)" ]\n' },
  ],
  [
    "a page with a script that may check the others",
    "verify.html",
    "doubt",
    { commands: ["sh check.sh"] },
    {
      "index.html": "",
      "verify.html": "<script>ok()</script>",
      "check.sh": "chromium --dump-dom verify.html | grep ok\n",
    },
  ],
  [
    "a page that only a command names",
    "index.html",
    "source",
    { commands: ["tidy -e index.html"] },
    { "index.html": "" },
  ],
  [
    "a fixture",
    "fixtures/a.html",
    "doubt",
    { commands: ["sh check.sh"] },
    { "index.html": "", "fixtures/a.html": "", "check.sh": "tidy fixtures/a.html\n" },
  ],
])("%s: %s is %s", ([, path, kind, setting, before]) => {
  expect(kindsOf(setting, before, { [path]: "new" })).toEqual({ [path]: kind });
});

test("a new page is in doubt", () => {
  expect(kindsOf({ commands: ["npm test"] }, CSS, { "other.css": "a{}" })).toEqual({ "other.css": "doubt" });
});

test("a file that changes the case of its name alone is the one it was, and one beside it is not", () => {
  const before = { "src/Plus.js": "export const a = 1;", "src/add.js": 'import "./Plus.js";' };
  const moved = {
    "src/Plus.js": undefined,
    "src/plus.js": "export const a = 2;",
    "src/add.js": 'import "./plus.js";',
  };
  expect(kindsOf({}, before, moved)).toMatchObject({ "src/plus.js": "source" });
  expect(kindsOf({}, before, { "src/plus.js": "" })).toEqual({ "src/plus.js": "doubt" });
});
