// Row 4: changes of manifests, new packages, lock files and build files, and folders that manifests take in for tests.
import { expect, test } from "vitest";
import { referenceOf, sorted, type After, type Texts } from "../testing/sorted.js";
import type { ChangedFile } from "./files.js";
import {
  foldersForTests,
  influenceOf,
  influenceOfLock,
  isLock,
  isManifest,
  isOfNewPackage,
  onlyGainsFiles,
} from "./manifests.js";

function change(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const [there, gone] = [
    { mode: "100644", oid: "x" },
    { mode: "000000", oid: "" },
  ];
  return {
    path,
    before,
    after,
    from: before === undefined ? gone : there,
    to: after === undefined ? gone : there,
  };
}

test.each([
  ["web/package.json", true, false],
  ["requirements-dev.txt", true, false],
  ["web/yarn.lock", true, true],
  ["pom.xml", false, false],
  ["constructor", false, false],
])("%s: manifest or lock file: %s, lock file: %s", (path, manifest, lock) => {
  expect([isManifest(path), isLock(path)]).toEqual([manifest, lock]);
});

const PACKAGE = '{"dependencies":{"a":"^1.9.0"}}';
const ODD = "does not come from a registry by a plain version";

test.each<[what: string, path: string, before?: string, after?: string, why?: string]>([
  ["a new manifest", "package.json", undefined, PACKAGE, "it is new or gone"],
  ["a manifest that is gone", "package.json", PACKAGE, undefined, "it is new or gone"],
  ["a file without such lists", "pom.xml", "<a/>", "<b/>", "it cannot be read"],
  ["a broken text before", "package.json", "{", PACKAGE, "it cannot be read"],
  ["a broken text after", "package.json", PACKAGE, "{", "it cannot be read"],
  [
    "another version of the package itself",
    "package.json",
    '{"version":"1.0.0"}',
    '{"version":"1.0.1"}',
    "more than its dependencies changed",
  ],
  ["a removed dependency", "package.json", PACKAGE, "{}", "dependencies a was removed"],
  ["a raised part with more digits", "package.json", PACKAGE, PACKAGE.replace("1.9.0", "1.10.0")],
  ["a higher first number above a lower second", "package.json", PACKAGE, PACKAGE.replace("1.9.0", "2.0.0")],
  [
    "a lower first number below a higher second",
    "package.json",
    PACKAGE,
    PACKAGE.replace("1.9.0", "0.10.0"),
    "dependencies a was changed",
  ],
  [
    "a lower number that has fewer digits",
    "package.json",
    '{"dependencies":{"a":"1.10.0"}}',
    PACKAGE.replace("^", ""),
    "dependencies a was changed",
  ],
  [
    "another range at the same version",
    "package.json",
    PACKAGE,
    PACKAGE.replace("^", ">="),
    "dependencies a was changed",
  ],
  [
    "the first number of a version",
    "package.json",
    '{"dependencies":{"a":""}}',
    '{"dependencies":{"a":"2"}}',
  ],
  ["the same version in other digits", "requirements.txt", "a==2024.01\n", "a==2024.1\n"],
  ["a version that becomes a folder", "package.json", PACKAGE, PACKAGE.replace("^1.9.0", "./a"), `a ${ODD}`],
  [
    "a folder that stays beside a new dependency",
    "package.json",
    '{"dependencies":{"a":"file:a"}}',
    '{"dependencies":{"a":"file:a","b":"1"}}',
  ],
  ["a new dependency from a folder", "package.json", "{}", '{"dependencies":{"a":"file:a"}}', `a ${ODD}`],
  [
    "a dependency that is listed a second time",
    "package.json",
    '{"devDependencies":{"a":"1"}}',
    '{"devDependencies":{"a":"1"},"dependencies":{"a":"0.1"}}',
    "a was there with another version",
  ],
  [
    "a plugin that pytest loads by itself",
    "requirements.txt",
    "a==1\n",
    "a==1\npytest-sugar==1\n",
    "pytest-sugar is loaded by a test runner because it is there",
  ],
  [
    "a package that brings a program of the checks",
    "package.json",
    "{}",
    '{"devDependencies":{"@box/jest":"1"}}',
    "@box/jest brings a program named jest",
  ],
])("a change of a manifest: %s", (_, ...[path, before, after, why]) => {
  expect(influenceOf(change(path, before, after))).toBe(why);
});

const BOX: Texts = { "package.json": '{"name":"box"}', "go.mod": "module x.org/box\n", "src/a.js": "" };

test.each<[what: string, is: boolean, path: string, text?: string, before?: Texts]>([
  ["of Node", true, "packages/new/package.json", '{"name":"new"}'],
  ["of Rust", true, "crates/new/Cargo.toml", '[package]\nname = "new"\n'],
  ["of Python", true, "packages/new/pyproject.toml", '[project]\nname = "new"\n'],
  ["of Go", true, "new/go.mod", "// module x.org/box\nmodule  x.org/new\n"],
  ["of Go with the name of another", false, "new/go.mod", "module x.org/box\n"],
  ["whose name another has", false, "packages/new/package.json", '{"name":"box"}'],
  [
    "whose name a file of the program has",
    true,
    "packages/new/package.json",
    '{"name":"new"}',
    {
      ...BOX,
      "src/a.js": 'import "new";',
    },
  ],
  [
    "whose name a lock file has",
    false,
    "packages/new/package.json",
    '{"name":"new"}',
    {
      ...BOX,
      "yarn.lock": "new@1:\n",
    },
  ],
  ["without a name", false, "packages/new/package.json", "{}", {}],
  ["with an empty name", false, "packages/new/package.json", '{"name":""}', {}],
  ["with a number for a name", false, "packages/new/package.json", '{"name":5}'],
  ["that tells no name in its text", false, "packages/new/setup.py", "setup()"],
  ["of the whole project", false, "package.json", '{"name":"new"}', {}],
  ["in examples", false, "examples/new/package.json", '{"name":"new"}'],
  ["in a folder of tests", false, "tests/new/package.json", '{"name":"new"}'],
  ["above files that were there", false, "src/package.json", '{"name":"new"}'],
  ["in a file of another kind", false, "packages/new/data.json", '{"name":"new"}'],
  [
    "that was there",
    false,
    "packages/new/package.json",
    '{"name":"new"}',
    {
      ...BOX,
      "packages/new/package.json": "{}",
    },
  ],
  ["that is gone", false, "packages/new/package.json"],
])("the manifest of a new package: %s: %s", (_, is, ...[path, text, before = BOX]) => {
  const one = change(path, before[path], text);
  // The manifest itself may not count as a file below its folder.
  const { [path]: _own, ...others } = before;
  expect(isOfNewPackage(one, referenceOf(others), "")).toBe(is);
});

test("the manifest of a new package beside a manifest that was not read", () => {
  const files = { ...referenceOf(BOX), text: () => undefined };
  expect(isOfNewPackage(change("new/package.json", undefined, '{"name":"new"}'), files, "")).toBe(true);
});

const NPM = '  resolved "https://registry.npmjs.org/a"\n';
const CORP = '  resolved "https://npm.corp.example/a"\n';
const GITHUB = '  resolved "https://github.com/a/a"\n';

test.each<[what: string, before: string | undefined, after: string | undefined, why?: string]>([
  ["that is gone", NPM, undefined, "it is gone"],
  ["that is new, of npm", undefined, NPM],
  ["that is new, of GitHub's packages", undefined, '  resolved "https://codeload.github.com/a"\n'],
  ["that is new, of another host", undefined, CORP, "it names npm.corp.example"],
  ["with a package more of its own host", CORP, `${CORP}  resolved "https://npm.corp.example/b"\n`],
  ["with npm beside its own host", CORP, CORP + NPM, "it names registry.npmjs.org"],
  [
    "with a longer name of its own host",
    CORP,
    CORP.replace("/a", ".evil/a"),
    "it names npm.corp.example.evil",
  ],
  ["with a package more of its own host without TLS", "http://a.example/a\n", "http://a.example/b\n"],
  ["with a host without TLS", CORP, "http://a.example/a\n", "it names a.example"],
  ["with a repository of a known host without TLS", "http://a.example/a\n", 'url = "http://a.example/b.git"'],
  ["whose folder stays", '  "file:a"\n', '  "file:a"\n  b@1\n'],
  ["whose folder moves to the right", '  "file:a"\n', '\t\t"file:a"\n'],
  ["with the folder of the new package", "{}", '"packages/new": { "link": true }'],
  ["with the page of a package", NPM, `${NPM}"homepage": "https://a.example"\n`],
  ["with an archive of a known host in a table", NPM, '[{ url = "https://registry.npmjs.org/b.tgz" }]'],
  [
    "with an archive of another host in a table",
    NPM,
    '[{ url = "https://a.example/b.tgz" }]',
    'it names an address: [{ url = "https://a.example/b.tgz" }]',
  ],
  ["with a repository as Composer has it", GITHUB, '  "url": "https://github.com/a/b.git",'],
  ["with the address of an archive in TOML", GITHUB, 'url = "https://github.com/a/b.git"'],
  ["with an address alone on its line", GITHUB, "  https://github.com/a/b.git"],
  [
    "with a repository of a known host",
    GITHUB,
    '  resolved "https://github.com/a/b.git"',
    'it names an address: resolved "https://github.com/a/b.git"',
  ],
  [
    "with a long address, of which the beginning is told",
    NPM,
    `      a file:${"b".repeat(90)}`,
    `it names an address: a file:${"b".repeat(73)}`,
  ],
])("a lock file %s", (_, before, after, why) => {
  const isSource = (path: string): boolean => path === "web/package.json";
  expect(influenceOfLock(change("web/yarn.lock", before, after), isSource, ["packages/new"])).toBe(why);
});

test("a lock file whose manifest is a check", () => {
  const lock = change("web/Cargo.lock", "", "a\n");
  expect(influenceOfLock(lock, (path) => path !== "web/Cargo.toml", [])).toBe("Cargo.toml is a check");
});

test.each<[line: string, isAddress: boolean]>([
  ['"a": "file:b"', true],
  ['"a": "link+local:b"', true],
  ["git+git@example", true],
  ['"link": true', true],
  ['"link":true', true],
  ['"link" : true', true],
  ['"link": false', false],
  ['path = "b"', true],
  ['"path":"b"', true],
  ["path-key@^3.0.0:", false],
  ["a ./b", true],
  ['a "./b"', true],
  ['a "../b"', true],
  ["a x./b", false],
  ['  version "1.0.0"', false],
])("a new line of a lock file: %s: an address: %s", (line, isAddress) => {
  const found = influenceOfLock(change("yarn.lock", "{}", `{}\n${line}`), () => true, []);
  expect(found).toBe(isAddress ? `it names an address: ${line.trim()}` : undefined);
});

test.each<[what: string, is: boolean, path: string, before?: string, after?: string, work?: string[]]>([
  ["a new file", false, "CMakeLists.txt", undefined, "more.c"],
  ["a file that is gone", false, "CMakeLists.txt", "more.c", undefined],
  ["a line of its own", true, "CMakeLists.txt", "add(a\n\na.c)\n", "add(a\nmore.c\n\na.c)\n"],
  ["a line of its own at the end", true, "CMakeLists.txt", "a.c", "a.c\nmore.c"],
  ["a flag on a line of its own", false, "CMakeLists.txt", "add(a\na.c)\n", "add(a\n-DALL\na.c)\n"],
  ["a last word in the place of another", false, "CMakeLists.txt", "a.c b.c", "a.c more.c"],
  ["a file in the place of another", false, "CMakeLists.txt", "add(a a.c)\n", "add(a more.c)\n"],
  ["a line that is removed as well", false, "CMakeLists.txt", "a.c\nb.c\n", "a.c more.c\n"],
  ["a last line that is removed", false, "CMakeLists.txt", "a.c\nadd(x)", "a.c"],
  ["the name of the file without its folder", true, "CMakeLists.txt", "a.c", "a.c more.c"],
  [
    "a path from the folder of the build file",
    true,
    "sub/CMakeLists.txt",
    "a.c",
    "a.c src/more.c",
    ["sub/src/more.c"],
  ],
  ["a path from the top", false, "sub/CMakeLists.txt", "a.c", "a.c sub/src/more.c", ["sub/src/more.c"]],
  ["a file in quotes after a comma", true, "meson.build", "['a.c']", "['a.c', 'more.c']"],
  ["a comma alone", false, "meson.build", "['a.c' 'b.c']", "['a.c', 'b.c']"],
  ["a quoted word with a bracket", false, "meson.build", "['a.c']", "['a.c', 'more.c')]"],
  [
    "a file in quotes in a folder named makefiles",
    true,
    "makefiles/meson.build",
    "['a.c']",
    "['a.c', 'more.c']",
  ],
  ["a file in quotes in a folder named a.mk.d", true, "a.mk.d/meson.build", "['a.c']", "['a.c', 'more.c']"],
  ["an object in a Makefile", true, "Makefile", "O = a.o", "O = a.o more.o"],
  ["an object before another", true, "Makefile", "O = a.o", "O = more.o a.o"],
  ["an object in its folder", true, "Makefile", "O = src/a.o", "O = src/a.o src/more.o"],
  ["an object of C++", true, "Makefile", "O = src/a.o", "O = src/a.o src/more.o more.o", ["src/more.cpp"]],
  [
    "an object of a file with two dots",
    true,
    "Makefile",
    "O = a.o",
    "O = a.o src/b.win.o b.win.o",
    ["src/b.win.c"],
  ],
  ["an object by a shorter name", false, "Makefile", "O = a.o", "O = a.o b.o", ["src/b.win.c"]],
  ["a name without its ending in a Makefile", false, "Makefile", "O = a", "O = a src/more"],
  ["a comma in a Makefile", false, "Makefile", "O = a.o", "O = a.o, more.o"],
  ["a source among other endings", false, "Makefile", "all: a.o", "all: more.c a.o"],
  ["a source after another in a recipe", true, "Makefile", "\tcc a.c -o t", "\tcc a.c more.c -o t"],
  ["a source before another in a recipe", false, "Makefile", "\tsh a.c", "\tsh more.c a.c"],
  ["a program before a check", false, "Makefile", "\tsh check.sh", "\tbin/quiet sh check.sh", ["bin/quiet"]],
  ["a program before another", false, "Makefile", "\tnice sh a.sh", "\tnice quiet sh a.sh", ["bin/quiet"]],
  ["the same in Makefile.am", false, "Makefile.am", "\tsh a.c", "\tsh more.c a.c"],
  ["the same in rules.mk", false, "rules.mk", "\tsh a.c", "\tsh more.c a.c"],
  ["a continued line without a blank", true, "Makefile", "O = a.o\\\nb.o\n", "O = a.o\\\nb.o\\\nmore.o\n"],
  ["a module of Haskell", true, "box.cabal", "modules: A", "modules: A, Box.More", ["Box/More.hs"]],
  ["a module of OCaml at the top", true, "dune", "(modules a)", "(modules a more)", ["more.ml"]],
  ["a module of OCaml in a folder", true, "lib/dune", "(modules a)", "(modules a more)", ["lib/more.ml"]],
  [
    "a bare name in a folder named a.cabal",
    false,
    "a.cabal/CMakeLists.txt",
    "a",
    "a more",
    ["a.cabal/more.ml"],
  ],
  ["a bare name in a folder named dune", false, "dune/CMakeLists.txt", "a", "a more", ["dune/more.ml"]],
])(
  "a build file only gains files of the work: %s: %s",
  (_, is, ...[path, before, after, work = ["src/more.c"]]) => {
    expect(onlyGainsFiles(change(path, before, after), work)).toBe(is);
  },
);

const DEV = '{"devDependencies":{"a":"file:lib/a"}';

test.each<[what: string, folders: string[], texts: Texts]>([
  ["a folder in devDependencies", ["lib/a"], { "package.json": `${DEV}}` }],
  ["from the folder of the package", ["web/lib/a"], { "web/package.json": `${DEV}}` }],
  ["a link in devDependencies", ["a"], { "package.json": '{"devDependencies":{"a":"link:./a"}}' }],
  ["a version in devDependencies", [], { "package.json": '{"devDependencies":{"a":"1"}}' }],
  ["another scheme before", [], { "package.json": '{"devDependencies":{"a":"npm:file:a"}}' }],
  ["a folder in dependencies", [], { "package.json": '{"dependencies":{"a":"file:lib/a"}}' }],
  ["a folder in both", [], { "package.json": `${DEV},"dependencies":{"a":"file:lib/a"}}` }],
  [
    "a folder that another package needs",
    [],
    {
      "package.json": `${DEV}}`,
      "web/package.json": '{"dependencies":{"a":"file:../lib/a"}}',
    },
  ],
  [
    "a key that ends in dependencies",
    ["lib/a"],
    {
      "package.json": `${DEV},"old-dependencies":{"a":"file:lib/a"},"olddevDependencies":{"a":"file:lib/a"}}`,
    },
  ],
  [
    "settings of dependencies",
    ["lib/a"],
    {
      "package.json": `${DEV},"dependenciesMeta":{"a":"file:lib/a"},"devDependenciesMeta":{"b":"file:b"}}`,
    },
  ],
  ["a folder outside of the project", [], { "package.json": '{"devDependencies":{"a":"file:../a"}}' }],
  ["the whole project", [], { "package.json": '{"devDependencies":{"a":"file:."}}' }],
  ["other files of JSON", [], { "data.json": `${DEV}}`, "package.json.old.json": `${DEV}}` }],
  ["a crate for tests", ["help"], { "Cargo.toml": '[dev-dependencies]\na = { path = "help" }\n' }],
  [
    "a crate for the build too",
    [],
    {
      "Cargo.toml":
        '[dev-dependencies]\na = { path = "help" }\n[build-dependencies]\na = { path = "help" }\n',
    },
  ],
])("folders that a package takes in for tests: %s", (_, folders, texts) => {
  expect([...foldersForTests(referenceOf(texts))]).toEqual(folders);
});

const USED: Texts = { "a_test.go": 'import "x.org/same"', "same/a.go": "package same // x.org/same" };

test.each<[what: string, folders: string[], mod: string, more?: Texts]>([
  ["on a line", ["same"], "replace x.org/same => ./same"],
  ["with more blanks", ["same"], "replace  x.org/same   =>   ./same"],
  ["with a version", ["same"], "replace x.org/same  v1.0.0 => ./same"],
  ["in a block", ["same"], "replace (\n\tx.org/same => ./same\n)"],
  ["in a remark", [], "// replace x.org/same => ./same"],
  ["by a module of a registry", [], "replace x.org/same => x.org/other v1.0.0"],
  ["that the program mentions", [], "replace x.org/same => ./same", { "a.go": 'import "x.org/same"' }],
  ["that a document mentions", ["same"], "replace x.org/same => ./same", { "README.md": "x.org/same" }],
  ["without a mention", [], "replace x.org/none => ./none"],
  ["by a folder outside", [], "replace x.org/out => ../out", { "a_test.go": 'import "x.org/out"' }],
  ["by the whole project", [], "replace x.org/same => ./"],
])("a module that go.mod replaces for tests: %s", (_, folders, mod, more = {}) => {
  const texts = { "go.mod": `module box\n${mod}\n`, ...USED, ...more };
  expect([...foldersForTests(referenceOf(texts))]).toEqual(folders);
});

test("only go.mod replaces modules", () => {
  const replaces = "replace x.org/same => ./same\n";
  const texts = { "notes.txt": replaces, "go.mod.old": replaces, ...USED };
  expect([...foldersForTests(referenceOf(texts))]).toEqual([]);
});

test.each<[path: string, kind: string, old: string, now: string, work: After]>([
  ["CMakeLists.txt", "check", "COMMAND check.sh)", "COMMAND bin/ok check.sh)", { "bin/ok": "#!/bin/sh\n" }],
  ["CMakeLists.txt", "check", "COMMAND sh check.sh)", "COMMAND sh src/ok.sh check.sh)", { "src/ok.sh": "" }],
  ["Makefile", "check", "T = check.sh", "T = src/ok.sh check.sh", { "src/ok.sh": "" }],
  [
    "CMakeLists.txt",
    "check",
    "COMMAND check.c)",
    "COMMAND src/ok.c check.c)",
    { "src/ok.c": { mode: "100755", text: "" } },
  ],
  ["CMakeLists.txt", "source", "add(box src/a.c)", "add(box src/a.c src/ok.c)", { "src/ok.c": "" }],
])("a line of %s is a %s: %j to %j", (path, kind, ...[old, now, work]) => {
  const before = { [path]: old, "src/a.c": "", "src/a.sh": "", "check.sh": "" };
  expect(sorted({}, before, { ...work, [path]: now }).at(-1)).toMatchObject({ kind });
});

test("a version that loses its number is not raised", () => {
  const text = (version: string): string => `{"dependencies":{"a":"${version}"}}`;
  expect(influenceOf(change("package.json", text("2"), text("")))).toBeDefined();
  expect(influenceOf(change("package.json", text("2"), text("3")))).toBeUndefined();
});
