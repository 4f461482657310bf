// Tampering that is found by paths, modes and whole texts, and how it is reported. Single lines are tested in
// tamper.test.ts and tamper-words.test.ts.
import { expect, test } from "vitest";
import { NOTHING, type Version } from "../../git/base/diff.js";
import { protect } from "./protected.js";
import { findNamedFiles } from "./protected-commands.js";
import { addsCode, findTampering, type ChangedFile } from "./tamper.js";

const protection = protect({
  patterns: [],
  project: "",
  work: "",
  named: findNamedFiles({ project: [], own: [] }, "", { has: () => false, text: () => undefined }),
});

const FILE = "100644";
const PROGRAM = "100755";
const LINK = "120000";
const REPOSITORY = "160000";

/** A version with a text; the same text has the same oid. */
const version = (mode: string, text: string | undefined): [Version, string | undefined] => [
  { mode, oid: `oid of ${text ?? "what is too long"}` },
  text,
];
const NONE: [Version, undefined] = [NOTHING, undefined];

type Side = [Version, string | undefined];
const change = (path: string, [from, before]: Side, [to, after]: Side): ChangedFile => ({
  path,
  from,
  to,
  before,
  after,
});
const edit = (path: string, before: string | undefined, after: string | undefined): ChangedFile =>
  change(
    path,
    before === undefined ? NONE : version(FILE, before),
    after === undefined ? NONE : version(FILE, after),
  );

const isOurs = (module: string): boolean => module.startsWith(".");
const found = (...files: ChangedFile[]): string[] =>
  findTampering(files, protection, isOurs).map(
    ({ path, what, detail }) => `${what} ${path ?? ""}: ${detail}`,
  );

const links: [what: string, path: string, target: string, leaves: boolean][] = [
  ["an absolute path", "src/a.js", "/etc/passwd", true],
  ["a path inside", "src/a.js", "../lib/a.js", false],
  ["a neighbour", "a.js", "b.js", false],
  ["the project itself", "src/all", "..", false],
  ["the folder above the project", "all", "..", true],
  ["the folder above, from deeper", "src/deep/all", "../../..", true],
  ["the folder above, with a slash", "all", "../", true],
  ["a file above the project", "src/a.js", "../../outside.js", true],
  ["out and in again, by the project's own name", "src/a.js", "../../project/a.js", true],
  ["in, out and in again", "src/a.js", "./deep/../b.js", false],
  ["a name that begins with dots", "a.js", "..a/b.js", false],
  ["git's own folder", "git", ".git", true],
  ["a file of git's own", "src/a.js", "../.git/config", true],
  ["a file whose name begins like it", "ignored", ".gitignore", false],
  ["a folder whose name ends like it", "a", "bare.git/config", false],
];

test.each(links)("a new link leads to %s: %s -> %s", (_, path, target, leaves) => {
  expect(found(change(path, NONE, version(LINK, target)))).toEqual(
    leaves ? [`settings ${path}: a symlink out of the project: ${target}`] : [],
  );
});

test("only a link that is new or has another target is checked", () => {
  const path = "src/a.js";
  const outside = version(LINK, "/etc/passwd");
  const told = [`settings ${path}: a symlink out of the project: /etc/passwd`];
  expect(found(change(path, version(LINK, "b.js"), outside))).toEqual(told);
  expect(found(change(path, version(FILE, "x"), outside))).toEqual(told);
  expect(found(change(path, version(FILE, "/etc/passwd"), outside))).toEqual(told);
  expect(found(change(path, outside, outside))).toEqual([]);
  expect(found(change(path, outside, NONE))).toEqual([]);
  expect(found(change(path, outside, version(LINK, "b.js")))).toEqual([]);
  expect(found(change(path, NONE, version(FILE, "/etc/passwd")))).toEqual([]);
  expect(found(change(path, NONE, version(PROGRAM, "../../a")))).toEqual([]);
});

test("the target of a link is reported in UTF-8, and cut if long", () => {
  const [one] = findTampering(
    [change("a", NONE, version(LINK, Buffer.from("/ä".repeat(300)).toString("latin1")))],
    protection,
    isOurs,
  );
  expect(one?.detail).toBe(`a symlink out of the project: ${"/ä".repeat(100)}`);
});

test.each([
  [".looper/config.json", true],
  [".looper/config.toml", true],
  ["packages/a/.looper/config.yaml", true],
  [".looper/config", false],
  [".looper/config.d/a.json", false],
  [".looper/prompts/config.md", false],
  ["my.looper/config.json", false],
  ["looper/config.json", false],
])("Looper's settings are protected: %s", (path, held) => {
  const told = [`settings ${path}: settings of Looper's own are not an agent's to change`];
  expect(found(edit(path, "{}", '{"a":1}'))).toEqual(held ? told : []);
  expect(found(edit(path, undefined, "{}"))).toEqual(held ? told : []);
});

const WITH = '{"name":"a","looper":{"verify":["npm test"]}}';
const WITHOUT = '{"name":"a"}';
const keys: [
  what: string,
  path: string,
  before: string | undefined,
  after: string | undefined,
  told: boolean,
][] = [
  ["added", "package.json", WITHOUT, WITH, true],
  ["added with the file", "package.json", undefined, WITH, true],
  ["added in a package", "packages/a/package.json", WITHOUT, WITH, true],
  ["taken out", "package.json", WITH, WITHOUT, true],
  ["taken out with the file", "package.json", WITH, undefined, true],
  ["left as it is", "package.json", WITH, WITH.replace('"a"', '"b"'), false],
  ["in no text", "package.json", WITHOUT, WITHOUT.replace('"a"', '"b"'), false],
  ["in no new text", "package.json", undefined, WITHOUT, false],
  ["in no text that goes", "package.json", WITHOUT, undefined, false],
  ["in a file of another name", "src/my-package.json", WITHOUT, WITH, false],
];

test.for(keys)("a change of the key looper is found, %s: %s", ([, path, before, after, told]) => {
  expect(found(edit(path, before, after))).toEqual(
    told ? [`settings ${path}: the key looper is not an agent's to change`] : [],
  );
});

const T = "test/a.test.js";
const TEXT = 'test("adds", () => {\n  equal(add(1, 2), 3);\n});\n';

test("a deleted test is reported, with its new path if it was moved", () => {
  const old = edit(T, TEXT, undefined);
  expect(found(old)).toEqual([`deleted ${T}: the file is gone`]);
  expect(found(old, edit("test/b.test.js", undefined, TEXT))).toEqual([
    `deleted ${T}: moved to test/b.test.js`,
  ]);
  // A file with another text, or one that had the text before, is not its new path.
  expect(found(old, edit("test/b.test.js", undefined, `${TEXT}\n`))).toEqual([
    `deleted ${T}: the file is gone`,
  ]);
  expect(found(old, change("src/b.js", version(FILE, "x"), version(FILE, TEXT)))).toEqual([
    `deleted ${T}: the file is gone`,
  ]);
});

test("a test that is replaced by something else is reported", () => {
  const told = [`deleted ${T}: something else is in the file's place`];
  expect(found(change(T, version(FILE, TEXT), version(LINK, "b.js")))).toEqual(told);
  expect(found(change(T, version(PROGRAM, TEXT), version(REPOSITORY, undefined)))).toEqual(told);
  expect(found(change(T, version(LINK, "b.js"), version(FILE, TEXT)))).toEqual(told);
  expect(found(change(T, version(LINK, "b.js"), version(LINK, "c.js")))).toEqual([
    `weakened ${T}: line 1 is gone or changed: b.js`,
  ]);
});

test("a changed executable bit of a test is reported", () => {
  expect(found(change(T, version(PROGRAM, TEXT), version(FILE, TEXT)))).toEqual([
    `weakened ${T}: the file cannot be run any more`,
  ]);
  expect(found(change(T, version(FILE, TEXT), version(PROGRAM, TEXT)))).toEqual([]);
  expect(found(change(T, version(FILE, TEXT), version(PROGRAM, `${TEXT}more();\n`)))).toEqual([]);
});

test("new tests and files that are not tests may change", () => {
  expect(found(edit(T, undefined, "process.exit(0);\n"))).toEqual([]);
  expect(found(edit("src/a.js", TEXT, undefined))).toEqual([]);
  expect(found(edit("src/a.js", TEXT, ""))).toEqual([]);
});

const LONG = undefined;
const unread: [what: string, before: string | undefined, after: string | undefined][] = [
  ["too long before", LONG, TEXT],
  ["too long now", TEXT, LONG],
  ["bytes before", "\0", TEXT],
  ["bytes now", TEXT, `${TEXT}\0`],
  ["bytes in both", "a\0", "a\0b"],
];

test.each(unread)("a test that cannot be read as text may not change: %s", (_, before, after) => {
  expect(found(change(T, version(FILE, before), version(FILE, after)))).toEqual([
    `weakened ${T}: the file was changed`,
  ]);
});

test("another commit of a submodule among the tests is reported", () => {
  const at = (oid: string): Side => [{ mode: REPOSITORY, oid }, undefined];
  expect(found(change("test/fixtures/suite", at("a"), at("b")))).toEqual([
    "weakened test/fixtures/suite: the file was changed",
  ]);
});

test("the first deleted line is reported with the number of others", () => {
  const lines = ["one();", "", "// why", "two();", "three();", ""];
  const without = (...gone: string[]): string => lines.filter((line) => !gone.includes(line)).join("\n");
  const told = (after: string): string[] => found(edit(T, lines.join("\n"), after));
  expect(told(without("two();"))).toEqual([`weakened ${T}: line 4 is gone or changed: two();`]);
  expect(told(without("two();", "three();"))).toEqual([
    `weakened ${T}: line 4 is gone or changed: two();, and 1 more`,
  ]);
  expect(told("")).toEqual([`weakened ${T}: line 1 is gone or changed: one();, and 2 more`]);
  expect(told(without("// why", ""))).toEqual([]);
  expect(told(without("two();") + 'it.skip("a", run);\n')).toEqual([
    `skipped ${T}: line 4 is gone or changed: two();`,
  ]);
});

test("a line that occurs twice must stay twice", () => {
  const times = (count: number): string => "check();\n".repeat(count);
  expect(found(edit(T, times(2), times(1)))).toEqual([`weakened ${T}: line 2 is gone or changed: check();`]);
  expect(found(edit(T, times(5), times(2)))).toEqual([
    `weakened ${T}: line 3 is gone or changed: check();, and 2 more`,
  ]);
  expect(found(edit(T, times(2), times(2) + "// one more\n"))).toEqual([]);
  expect(found(edit(T, times(2), times(3)))).toEqual([]);
});

test("a line is reported in UTF-8, and cut if long", () => {
  const before = Buffer.from(`check("${"ä".repeat(300)}");\n`).toString("latin1");
  expect(found(edit(T, before, "x();\n"))).toEqual([
    `weakened ${T}: line 1 is gone or changed: check("${"ä".repeat(193)}`,
  ]);
});

test("a swapped import is reported in UTF-8, and cut if long", () => {
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  const from = (module: string): string => `import { equal } from "${module}";\n${TEXT}`;
  expect(found(edit(T, from("node:assert"), from(bytes("./prüfen.js"))))).toEqual([
    `weakened ${T}: equal came from node:assert and comes from ./prüfen.js`,
  ]);
  const [long = ""] = found(edit(T, from("node:assert"), from(`./${"x".repeat(300)}`)));
  expect(long.length).toBe(`weakened ${T}: `.length + 200);
});

const additions: [what: string, before: string, after: string, adds: boolean][] = [
  ["nothing", TEXT, TEXT, false],
  ["a line", TEXT, `${TEXT}more();\n`, true],
  ["a line in place of another", TEXT, TEXT.replace("3", "4"), true],
  ["a line once more", TEXT, `${TEXT}  equal(add(1, 2), 3);\n`, true],
  ["a comment", TEXT, `// why\n${TEXT}`, false],
  ["an import", TEXT, `import a from "a";\n${TEXT}`, false],
  ["blank lines", TEXT, TEXT.replaceAll("\n", "\n\n"), false],
  ["other indentation", TEXT, TEXT.replaceAll("  ", "\t"), false],
  ["one line less", TEXT, TEXT.replace("  equal(add(1, 2), 3);\n", ""), false],
];

test.each(additions)("new code in a text is recognised: %s", (_, before, after, adds) => {
  expect(addsCode(T, before, after)).toBe(adds);
});

test("all tampering is reported, file by file", () => {
  expect(
    found(edit(T, TEXT, undefined), edit("package.json", WITH, WITHOUT), edit("src/a.js", "1", "2")),
  ).toEqual([
    `deleted ${T}: the file is gone`,
    "settings package.json: the key looper is not an agent's to change",
  ]);
  expect(found(change(T, version(FILE, TEXT), version(LINK, "/tmp/a.js")))).toEqual([
    `settings ${T}: a symlink out of the project: /tmp/a.js`,
    `deleted ${T}: something else is in the file's place`,
  ]);
});
