// Which folders hold the program, by manifests and by custom, and how paths of all kinds fare in them.
import { expect, test } from "vitest";
import { classified, kindsOf, type After, type Texts } from "../../testing/classified.js";

test.each<[string, Texts, Record<string, string>]>([
  [
    "the folders of entry points",
    {
      "package.json": '{"exports":{".":"./core/main.js","./x/*":"./extra/*.js"}}',
      "core/main.js": "",
      "extra/a.js": "",
    },
    { "core/b.js": "source", "extra/b.js": "source", "other/c.js": "doubt" },
  ],
  [
    "an entry point at the top and folders by custom",
    { "package.json": '{"main":"index.js"}', "index.js": "", "lib/a.js": "" },
    { "b.js": "source", "lib/b.js": "source", "other/c.js": "doubt" },
  ],
  [
    "packages of a workspace",
    {
      "package.json": '{"workspaces":["packages/*"]}',
      "packages/a/package.json": "{}",
      "packages/a/src/a.js": "",
      "packages/b/b.js": "",
    },
    { "packages/a/src/b.js": "source", "packages/b/c.js": "source", "packages/a/x/c.js": "doubt" },
  ],
  [
    "packages of Python, also further down",
    { "pkg/__init__.py": "", "server/app/__init__.py": "", "main.py": "" },
    { "pkg/deep/a.py": "source", "server/app/b.py": "source", "server/c.py": "doubt", "d.py": "source" },
  ],
  [
    "a module beside a package of Python that only tests read",
    {
      "box/__init__.py": "",
      "same.py": "",
      "run.py": "import box",
      "test/test_all.py": "import same, run",
    },
    { "same.py": "doubt", "run.py": "source", "other.py": "source" },
  ],
  [
    "folders of any name where no other folder has code",
    {
      "next.config.js": "",
      "install.sh": "",
      "engine/a.js": "",
      "game/deep/b.js": "",
      "scripts/tool.js": "",
      "checks/a.test.js": 'import "../engine/a.js";',
    },
    {
      "engine/a.js": "source",
      "engine/new/c.js": "source",
      "game/deep/b.js": "source",
      "scripts/tool.js": "doubt",
      "other/c.js": "doubt",
    },
  ],
  [
    "scripts and tools where nothing else is code",
    { "scripts/a.py": "", "tests/test_all.py": "from scripts.a import edge" },
    { "scripts/a.py": "source", "scripts/b.py": "source" },
  ],
  [
    "no helper of the tests, where its library tells it",
    { "engine/a.js": "", "harness2/same.js": 'import assert from "node:assert";' },
    { "engine/a.js": "source", "harness2/same.js": "doubt" },
  ],
  [
    "only a folder by custom where there is one",
    { "src/a.js": "", "engine/a.js": "", "test/all.test.js": 'import "../engine/a.js";' },
    { "src/a.js": "source", "engine/a.js": "doubt" },
  ],
  [
    "the parts of a program beside its usual folder",
    { "lib/db.ts": "", "components/button.ts": "", "test/all.test.ts": 'import "../components/button.js";' },
    { "components/button.ts": "source", "components/icon.ts": "source", "lib/db.ts": "source" },
  ],
  [
    "the folder of the file that npm start runs",
    {
      "package.json": '{"scripts":{"start":"node --watch motor/main.js"}}',
      "src/a.js": "",
      "motor/main.js": "",
      "motor/a.js": "",
      "test/all.test.js": 'import "../motor/a.js";',
    },
    { "motor/a.js": "source", "src/a.js": "source" },
  ],
  [
    "a file after which a test is named",
    {
      "index.js": "",
      "shapes/edge.js": 'import "./corner.js";',
      "shapes/corner.js": "",
      "shapes/same.js": "",
      "test/edge.test.js": 'import "../shapes/edge.js";\nimport "../shapes/same.js";',
    },
    {
      "shapes/edge.js": "source",
      "shapes/corner.js": "source",
      "shapes/same.js": "doubt",
      "shapes/new.js": "doubt",
    },
  ],
  [
    "what CMake builds",
    {
      "CMakeLists.txt":
        "add_library(core source/a.c)\nadd_executable(run_checks source/checks.c)\nadd_test(NAME c COMMAND run_checks)\n",
      "source/a.c": "",
      "source/checks.c": "",
    },
    { "source/b.c": "source", "source/checks.c": "check", "other/c.c": "doubt" },
  ],
  [
    "a program that CTest runs",
    {
      "CMakeLists.txt": "add_executable(greet src/main.c)\nadd_test(NAME c COMMAND greet World)\n",
      "src/main.c": "",
    },
    { "src/main.c": "source" },
  ],
  [
    "Maven",
    { "pom.xml": "", "src/main/java/A.java": "" },
    { "src/main/java/B.java": "source", "src/it/java/C.java": "doubt" },
  ],
  [
    "a module of Go",
    { "go.mod": "module x", "a.go": "" },
    { "any/where/b.go": "source", "vendor/c.go": "doubt" },
  ],
  [
    "a project of .NET",
    { "App/App.csproj": "", "App/A.cs": "" },
    { "App/Deep/B.cs": "source", "Other/C.cs": "doubt" },
  ],
  [
    "folders of a compiler in the sources",
    { "src/build/a.js": "", "src/a.js": "" },
    { "src/build/b.js": "source", "build/c.js": "doubt", "dist/c.js": "doubt" },
  ],
])("%s", (_, before, expected) => {
  const after: After = Object.fromEntries(Object.keys(expected).map((path) => [path, "new"]));
  expect(kindsOf({}, before, after)).toEqual(expected);
});

test("an existing file at the top that imports the program belongs to it", () => {
  const before = {
    "app.py": "from lib import a",
    "report.py": "",
    "lib/a.py": "",
    "tests/test_a.py": "import app",
  };
  expect(kindsOf({}, before, { "app.py": "1", "report.py": "1" })).toEqual({
    "app.py": "source",
    "report.py": "doubt",
  });
});

test("names that say test, mock or helper are doubt in a folder of the program unless it imports them", () => {
  const before = { "src/a.js": 'import "./mock-clock.js";', "src/mock-clock.js": "" };
  const names = ["testkit.js", "fakeClock.js", "test_helpers/a.js", "fixtures.js", "stubs.js"];
  const after = Object.fromEntries<string>(names.map((name) => [`src/${name}`, ""]));
  expect(new Set(Object.values(kindsOf({}, before, after)))).toEqual(new Set(["doubt"]));
  expect(
    kindsOf({}, before, { "src/mock-clock.js": "1", "src/latest.js": "", "src/contest.js": "" }),
  ).toEqual({
    "src/mock-clock.js": "source",
    "src/latest.js": "source",
    "src/contest.js": "source",
  });
});

test("a new file that a new file of the program imports from among the tests stays a check", () => {
  const before = { "src/a.js": "", "tests/a.test.js": "" };
  expect(
    kindsOf({}, before, { "src/b.js": 'import "../tests/help.js";', "tests/help.js": "" }),
  ).toMatchObject({
    "tests/help.js": "check",
  });
});

test("a file that the user protects is a check, and a file taken out of the protection is source", () => {
  const before = { "src/a.js": 'import "./ab-test.js";', "src/ab-test.js": "", "test/x.js": "" };
  const setting = { patterns: ["src/ab-test.js", "!test/x.js"] };
  expect(kindsOf(setting, before, { "src/ab-test.js": "1", "test/x.js": "1" })).toEqual({
    "src/ab-test.js": "check",
    "test/x.js": "source",
  });
});

test("a project without a program has no source", () => {
  const before = { "package.json": "{}", "README.md": "", "test/a.test.js": 'import "../src/a.js"' };
  expect(kindsOf({}, before, { "src/a.js": "", "b.py": "" })).toEqual({
    "src/a.js": "doubt",
    "b.py": "doubt",
  });
});

test("another language of the same family is source, and one of another family is in doubt", () => {
  const before = { "src/a.js": "" };
  expect(kindsOf({}, before, { "src/b.ts": "", "src/c.tsx": "", "src/d.py": "", "src/e.sh": "" })).toEqual({
    "src/b.ts": "source",
    "src/c.tsx": "source",
    "src/d.py": "doubt",
    "src/e.sh": "doubt",
  });
});

test("a file whose name differs from another by upper and lower case alone is in doubt", () => {
  const before = { "src/Greet.js": "" };
  expect(kindsOf({}, before, { "src/greet.js": "", "SRC/Greet.js": "" })).toEqual({
    "src/greet.js": "doubt",
    "SRC/Greet.js": "doubt",
  });
});

test("odd names are classified as any other", () => {
  const before = { "src/a.js": "", "test/a.test.js": "" };
  const names = [
    "-rf.js",
    "a\nb.js",
    "__proto__",
    "constructor.js",
    "...",
    "a b.js",
    "$(x).js",
    "a'\".js",
    "\ud800.js",
  ];
  const after = Object.fromEntries<string>([
    ...names.map((name): [string, string] => [`src/${name}`, "x"]),
    ["...", "x"],
    ["__proto__/a.js", "x"],
  ]);
  const found = classified({ commands: ["node --test"] }, before, after);
  expect(found).toHaveLength(names.length + 2);
  expect(Object.fromEntries(found.map(({ path, kind }) => [path, kind]))).toMatchObject({
    "src/-rf.js": "source",
    "src/a\nb.js": "source",
    "src/constructor.js": "source",
    "src/...": "doubt",
  });
});

test("binary and big files are judged by their places", () => {
  const before = { "src/a.js": 'read("logo.png")' };
  const after = {
    "src/b.js": { mode: "100644" },
    "src/logo.png": { mode: "100644" },
    "src/c.js": `${"x".repeat(1_000_000)}\n`,
  };
  expect(kindsOf({}, before, after)).toEqual({
    "src/b.js": "source",
    "src/logo.png": "source",
    "src/c.js": "source",
  });
});

test("10,000 changed paths of a project of 10,000 files are classified in seconds", () => {
  const file = (at: number): [string, string] => [
    `src/m${at % 100}/file${at}.js`,
    `import "../m${(at + 1) % 100}/file${at + 1}.js";\nimport x from "lodash";\n${"const a = 1;\n".repeat(50)}`,
  ];
  const before = Object.fromEntries<string>([
    ["package.json", '{"main":"src/index.js"}'],
    ["src/index.js", 'import "./m0/file0.js";'],
    ["test/a.test.js", 'import "../src/m1/file1.js"'],
    ...Array.from({ length: 10_000 }, (_, at) => file(at)),
  ]);
  const after = Object.fromEntries<string>([
    ...Array.from({ length: 5_000 }, (_, at): [string, string] => [file(at)[0], `${file(at)[1]}//`]),
    ...Array.from({ length: 4_000 }, (_, at): [string, string] => [
      `src/new${at % 10}/n${at}.js`,
      `import "./n${at + 1}.js";`,
    ]),
    ...Array.from({ length: 1_000 }, (_, at): [string, string] => [`src/data/d${at}.json`, "{}"]),
  ]);
  const from = process.cpuUsage();
  const found = classified({ commands: ["node --test"] }, before, after);
  expect(found).toHaveLength(10_000);
  expect(found.filter(({ kind }) => kind === "source")).toHaveLength(9_000);
  // Time of the processor: other work on the machine does not count.
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(30_000);
});

test.each(["ci", "proving"])(
  "a folder with a script that a check runs serves the checks, where no other folder tells of the program: %s",
  (folder) => {
    const [run, other] = [`${folder}/verify.js`, `${folder}/other.js`];
    const before = { [run]: "", [other]: "", "engine/a.js": "" };
    const expected = { [run]: "check", [other]: "check", "engine/a.js": "source" };
    const after = Object.fromEntries(Object.keys(expected).map((path) => [path, "changed"]));
    expect(kindsOf({ commands: [`node ${run}`] }, before, after)).toEqual(expected);
  },
);
