// The folders of the program: by what a person says, by manifests, and by custom.
import { expect, test } from "vitest";
import { referenceOf, type Texts } from "../testing/sorted.js";
import { isBeside, programFolders, readTable, stringsIn, type ProgramFolders } from "./program-folders.js";

/** The program of a project: files by their paths alone, and those with a text. */
function programOf(
  paths: string,
  { texts = {}, home = "", said = [] }: { texts?: Texts; home?: string; said?: readonly string[] } = {},
): ProgramFolders {
  const files = Object.fromEntries(paths.split(" ").map((path) => [path, ""]));
  return programFolders(referenceOf({ ...files, ...texts }), { home, said });
}

type Places = Readonly<Record<string, string | undefined>>;

test.each<[about: string, paths: string, places: Places, texts?: Texts]>([
  [
    "no manifest and no usual folder: every folder with code",
    "foo/a.js box/deep/b.js tools/c.js data/x.json vendor/d.js etc/vite.config.js more/e.test.js kit/helper.js",
    {
      ...{ "x.js": "", "foo/x.js": "foo", "box/x.js": "box", "box/deep/more/x.js": "box" },
      ...{ "tools/x.js": undefined, "data/x.js": undefined, "vendor/x.js": undefined, "etc/x.js": undefined },
      ...{ "more/x.js": undefined, "kit/x.js": undefined },
    },
  ],
  [
    "usual folders",
    "src/a.js lib/b.js foo/c.js",
    {
      "src/x.js": "src",
      "lib/deep/x.js": "lib",
      "foo/x.js": undefined,
      "foo/src/x.js": undefined,
      "x.js": undefined,
    },
  ],
  ["usual folders without code", "lib/a.json src/b.js", { "lib/x.js": undefined, "src/x.js": "src" }],
  ["bin beside usual folders", "src/a.js bin/b.js", { "bin/x.js": "bin", "src/x.js": "src" }],
  ["bin beside other folders", "foo/a.js bin/b.js", { "bin/x.js": "bin", "foo/x.js": undefined }],
  ["a file index.js at the top", "src/a.js index.js", { "x.js": "", "src/x.js": "src" }],
  ["a file index.ts at the top", "src/a.ts index.ts", { "x.ts": "", "src/x.ts": "src" }],
  ["another file at the top", "src/a.js other.js", { "x.js": undefined }],
  [
    "packages of Python",
    "box/__init__.py src/a.py tools/__init__.py other/b.py",
    { "box/deep/x.py": "box", "src/x.py": undefined, "tools/x.py": undefined, "other/x.py": undefined },
  ],
  [
    "a program on Rails",
    "config/application.rb config/a.rb db/b.rb app/c.rb mydb/d.rb dbs/e.rb configs/f.rb extras/g.rb",
    {
      ...{ "config/x.rb": "config", "db/x.rb": "db", "app/x.rb": "app", "mydb/x.rb": undefined },
      ...{ "dbs/x.rb": undefined, "configs/x.rb": undefined, "extras/x.rb": undefined },
    },
  ],
  [
    "the same folders without Rails",
    "config/a.rb db/b.rb app/c.rb",
    { "config/x.rb": undefined, "db/x.rb": undefined },
  ],
  ["a module of Go", "go.mod a.go", { "deep/er/x.go": "", "x.go": "" }],
  [
    "a project of C#",
    "app/Box.csproj app/A.cs",
    { "app/deep/X.cs": "app", "app/X.cs": "app", "x/X.cs": undefined },
  ],
  [
    "the folder of an entry",
    "src/a.js kit/b.js main.js",
    { "kit/x.js": "kit", "src/x.js": undefined, "x.js": undefined },
    { "package.json": '{"main":"./kit/b.js"}' },
  ],
  [
    "bin beside the folder of an entry",
    "src/a.js kit/b.js bin/c.js",
    { "kit/x.js": "kit", "bin/x.js": "bin", "src/x.js": undefined },
    { "package.json": '{"main":"./kit/b.js"}' },
  ],
  [
    "an entry at the top",
    "src/a.js main.js",
    { "x.js": "", "src/x.js": "src" },
    { "package.json": '{"main":"main.js"}' },
  ],
  [
    "an entry at the top that is not there",
    "src/a.js",
    { "x.js": undefined, "src/x.js": "src" },
    { "package.json": '{"main":"main.js"}' },
  ],
  [
    "an entry in bin, which says nothing of the other folders",
    "src/a.js bin/b.js",
    { "src/x.js": "src", "bin/x.js": "bin" },
    { "package.json": '{"bin":"bin/b.js"}' },
  ],
  [
    "a package in a folder, beside usual folders of another",
    "src/a.js packages/a/package.json packages/a/foo/b.js",
    { "packages/a/foo/x.js": "packages/a/foo", "packages/a/x.js": "packages/a", "src/x.js": "src" },
  ],
  [
    "a package in a folder with usual folders",
    "packages/a/package.json packages/a/src/b.js packages/a/foo/c.js",
    {
      "packages/a/src/x.js": "packages/a/src",
      "packages/a/foo/x.js": undefined,
      "packages/a/x.js": undefined,
    },
  ],
])("the program of a project with %s", (_, paths, places, texts = {}) => {
  const { folderOf, isSaid } = programOf(paths, { texts });
  expect(Object.fromEntries(Object.keys(places).map((path) => [path, folderOf(path)]))).toEqual(places);
  expect(isSaid).toBe(false);
});

test("a project in a folder has no program outside of it", () => {
  const { folderOf, packages } = programOf("tests/foo/a.js other/b.js", { home: "tests" });
  const paths = ["tests/foo/x.js", "tests/x.js", "other/x.js", "x.js"];
  expect(paths.map(folderOf)).toEqual(["tests/foo", "tests", undefined, undefined]);
  expect([...packages]).toEqual(["tests"]);
});

test("folders with a manifest are packages, unless they are tests, examples or others' code", () => {
  const manifests = [
    "a/package.json",
    "go.mod",
    "test/b/package.json",
    "examples/c/package.json",
    "vendor/d/go.mod",
  ];
  const { packages, isFlat } = programOf(`${manifests.join(" ")} app/Box.fsproj`);
  expect([...packages]).toEqual(["", "a", "app"]);
  expect(["a", "", "app", "b"].map(isFlat)).toEqual([true, false, false, false]);
});

test.each<[said: readonly string[], places: Places]>([
  [["src"], { "src/a/b.js": "src", "lib/a.js": undefined, "a.js": undefined }],
  [["*"], { "src/a/b.js": "src", "a.js": "" }],
  [["src/a"], { "src/a/b/c.js": "src/a", "src/b.js": undefined }],
  [["src/**/*.js"], { "src/a/b.js": "src/a", "src/a/b.py": undefined }],
])("a person says where the program is: %j", (said, places) => {
  const { folderOf, isFlat, isSaid } = programOf("src/a/b.js lib/a.js a.js", { said });
  expect(Object.fromEntries(Object.keys(places).map((path) => [path, folderOf(path)]))).toEqual(places);
  expect([isSaid, isFlat("")]).toEqual([true, false]);
});

test("a person says it from the project's folder", () => {
  const everything = programOf("app/src/a.js", { home: "app", said: ["*"] });
  expect(everything.folderOf("app/src/a.js")).toBe("app/src");
  const { folderOf } = programOf("app/src/a.js lib/b.js", { home: "app", said: ["/src"] });
  expect(["app/src/a.js", "lib/b.js"].map(folderOf)).toEqual(["app/src", undefined]);
});

test.each([
  ["package.json", '{"main":"a.js"}', "a.js"],
  ["package.json", '{"module":"./a.mjs"}', "a.mjs"],
  ["package.json", '{"browser":{"./x.js":"./b.js"}}', "b.js"],
  ["package.json", '{"types":"a.d.ts"}', "a.d.ts"],
  ["package.json", '{"bin":{"box":"bin/box.js"}}', "bin/box.js"],
  ["package.json", '{"exports":{".":{"import":"./a.mjs","default":["./c.cjs"]}}}', "a.mjs c.cjs"],
  ["package.json", '{"main":"../a.js","other":"b.js"}', ""],
  ["package.json", '{"main":"none.js"}', ""],
  ["package.json", "{", ""],
  ["Cargo.toml", '[lib]\npath = "a.rs"\n[[bin]]\nname = "b"\npath = "src/b.rs"\n', "a.rs src/b.rs"],
  ["Cargo.toml", "[lib", ""],
  ["composer.json", '{"bin":["bin/box"]}', "bin/box"],
])("the entries in %s of %j: %s", (manifest, text, entries) => {
  const paths = "a.js a.mjs b.js a.d.ts bin/box.js c.cjs a.rs src/b.rs bin/box";
  expect([...programOf(paths, { texts: { [manifest]: text } }).entries].join(" ")).toBe(entries);
  const inFolder = programOf(`app/${paths.replaceAll(" ", " app/")}`, {
    texts: { [`app/${manifest}`]: text },
  });
  const there = entries === "" ? "" : `app/${entries.replaceAll(" ", " app/")}`;
  expect([...inFolder.entries].join(" ")).toBe(there);
  const said = programOf(paths, { texts: { [manifest]: text }, said: ["src"] });
  expect([...said.entries].join(" ")).toBe(entries);
});

test.each([
  ["examples", true],
  ["a/tools/b", true],
  ["Docs/a", true],
  ["src/a", false],
  ["", false],
])("%s is beside a program: %s", (folder, is) => {
  expect(isBeside(folder)).toBe(is);
});

test("the texts of a value are found at any depth", () => {
  expect(stringsIn({ a: "x", b: ["y", { c: "z" }], d: 1, e: null, f: undefined })).toEqual(["x", "y", "z"]);
});

test.each([
  ["a.json", '{"a":1}', { a: 1 }],
  ["a.json", "a = 1", undefined],
  ["a.toml", "a = 1", { a: 1 }],
  ["a.toml", "a =", undefined],
  ["a.yaml", "a = 1", undefined],
])("%s is read as a table: %j", (path, text, table) => {
  expect(readTable(path, text)).toEqual(table);
});
