// Imports of an old test that follow a moved file of the work, and imports that stay.
import { expect, test } from "vitest";
import { followMoves } from "./protected-imports.js";

interface Project {
  gone: string;
  work: string;
  roots?: readonly string[];
}

/** The old text as it is run; `undefined`: as it was. */
function follow(path: string, before: string, after: string, { gone, work, roots = [""] }: Project): unknown {
  const isOneOf =
    (paths: string) =>
    (path: string): boolean =>
      paths.split(" ").includes(path);
  return followMoves(path, { before, after }, { isGone: isOneOf(gone), isWork: isOneOf(work), roots });
}

const MOVED: Project = { gone: "src/a.js", work: "src/lib/a.js src/b.js" };

test.each([
  ['import { a } from "@";', "names"],
  ["import { a } from '@';", "single quotes"],
  ['import a from"@";', "no space"],
  ['import {\n  a,\n} from\n  "@";', "more lines"],
  ['import "@";', "for its effects"],
  ['import"@";', "for its effects, no space"],
  ['export * from "@";', "passed on"],
  ['const a = require("@");', "require"],
  ['const a = require ( "@" );', "require with spaces"],
  ['const a = await import("@");', "when it is needed"],
  ['const a = await import ( "@" );', "when it is needed, with spaces"],
  ["import type { A } from '@';", "a type"],
])("JavaScript: %s", (line) => {
  const text = (specifier: string): string => `${line.replace("@", specifier)}\na("./x");\n`;
  expect(follow("test/a.test.js", text("../src/a.js"), text("../src/lib/a.js"), MOVED)).toBe(
    text("../src/lib/a.js"),
  );
});

test.each([
  ["no import", 'const at = "@";'],
  ["a name that only ends like one", 'xfrom "@"; reimport("@"); myrequire("@");'],
  ["a mock, by its name", 'vi.mock("@");'],
  ["a path from the top", 'import a from "/@";'],
  ["a package", 'import a from "src/a.js";'],
  ["quotes that do not match", "import a from \"@';"],
  ["a template", "import(`@`);"],
])("an import in JavaScript is not followed: %s", (_, line) => {
  const before = `${line.replaceAll("@", "../src/a.js")}\n`;
  expect(follow("test/a.test.js", before, 'import a from "../src/lib/a.js";', MOVED)).toBeUndefined();
});

test.each<[string, string, string, Project]>([
  ["../src/a", "../src/lib/a", "no ending, .js", { gone: "src/a.js", work: "src/lib/a.js" }],
  ["../src/a", "../src/lib/a", "no ending, .ts", { gone: "src/a.ts", work: "src/lib/a.ts" }],
  ["../src/a", "../src/lib/a", "no ending, .mjs", { gone: "src/a.mjs", work: "src/lib/a.mjs" }],
  ["../src/a", "../src/lib/a", "no ending, .cjs", { gone: "src/a.cjs", work: "src/lib/a.cjs" }],
  ["../src/a", "../src/lib/a", "no ending, .mts", { gone: "src/a.mts", work: "src/lib/a.mts" }],
  ["../src/a", "../src/lib/a", "no ending, .jsx", { gone: "src/a.jsx", work: "src/lib/a.jsx" }],
  ["../src/a", "../src/lib/a", "no ending, .tsx", { gone: "src/a.tsx", work: "src/lib/a.tsx" }],
  ["../src/a", "../src/lib/a", "a folder", { gone: "src/a/index.js", work: "src/lib/a/index.js" }],
  ["../src/a", "../src/lib/a", "a folder, .ts", { gone: "src/a/index.ts", work: "src/lib/a/index.ts" }],
  ["../src/a", "../src/lib/a", "a folder, .mjs", { gone: "src/a/index.mjs", work: "src/lib/a/index.mjs" }],
  ["../src/a.js", "../src/lib/a.js", ".js means .ts", { gone: "src/a.ts", work: "src/lib/a.ts" }],
  ["../src/a.mjs", "../src/lib/a.mjs", ".mjs means .mts", { gone: "src/a.mts", work: "src/lib/a.mts" }],
  ["../src/a.cjs", "../src/lib/a.cjs", ".cjs means .cts", { gone: "src/a.cts", work: "src/lib/a.cts" }],
  ["../src/a.js", "../src/lib/a.js", ".js means .tsx", { gone: "src/a.tsx", work: "src/lib/a.tsx" }],
  ["../src/a.jsx", "../src/lib/a.jsx", ".jsx means .tsx", { gone: "src/a.tsx", work: "src/lib/a.tsx" }],
  ["../data/a.json", "../src/a.json", "any ending", { gone: "data/a.json", work: "src/a.json" }],
  ["./a.js", "../src/a.js", "out of the test's folder", { gone: "test/a.js", work: "src/a.js" }],
  ["../src/a.js", "../src/sum.js", "a new name", { gone: "src/a.js", work: "src/sum.js" }],
])("JavaScript: %s is %s: %s", (from, to, _, project) => {
  const line = (specifier: string): string => `import { a } from "${specifier}";\n`;
  expect(follow("test/a.test.js", line(from), line(to), project)).toBe(line(to));
});

test.each<[string, string, string, Project]>([
  [
    "another ending inside",
    "../src/a.js.txt",
    "../src/lib/a.js.txt",
    { gone: "src/a.ts.txt", work: "src/lib/a.ts.txt" },
  ],
  [
    "another ending inside, .jsx",
    "../src/a.jsx.b",
    "../lib/a.jsx.b",
    { gone: "src/a.tsx.b", work: "lib/a.tsx.b" },
  ],
  ["an ending of no kind", "../src/a.xjs", "../lib/a.xjs", { gone: "src/a.xts", work: "lib/a.xts" }],
  [
    "what is there in another form",
    "../src/a",
    "../src/lib/a",
    { gone: "src/a.js", work: "src/a.ts src/lib/a.js" },
  ],
  ["what was never there", "../src/a.js", "../src/lib/a.js", { gone: "src/c.js", work: "src/lib/a.js" }],
  ["what was moved among the tests", "../src/a.js", "./fake/a.js", { gone: "src/a.js", work: "src/b.js" }],
])("an import in JavaScript stays: %s", (_, from, to, project) => {
  const line = (specifier: string): string => `import { a } from "${specifier}";\n`;
  expect(follow("test/a.test.js", line(from), line(to), project)).toBeUndefined();
});

test("each of several moved files in JavaScript is found by its name", () => {
  const project = { gone: "src/a.js src/b.js src/c.js", work: "lib/a.js lib/b.js lib/d.js" };
  const text = (a: string, b: string): string => `import a from "${a}";\nimport b from "${b}";\n`;
  const before = text("../src/a.js", "../src/b.js");
  expect(follow("test/x.js", before, text("../lib/b.js", "../lib/a.js"), project)).toBe(
    text("../lib/a.js", "../lib/b.js"),
  );
  // Neither of two new files has the name, so the target is unknown.
  expect(follow("test/x.js", 'import "../src/c.js";', text("../lib/a.js", "../lib/b.js"), project)).toBe(
    undefined,
  );
  // An import that the old test had already is not the target of another.
  const had = 'import "../lib/d.js";\nimport "../src/c.js";\n';
  expect(follow("test/x.js", had, 'import "../lib/d.js";\n', project)).toBeUndefined();
  // An import that the new test still has stays.
  expect(
    follow("test/x.js", 'import "../src/c.js";', 'import "../src/c.js";import "../lib/d.js";', project),
  ).toBe(undefined);
});

const CALC: Project = { gone: "calc.py", work: "pkg/calc.py pkg/other.py" };

test.each([
  ["from calc import add", "from pkg.calc import add", "from pkg.calc import add"],
  ["from calc import add, sub", "from pkg.calc import sub, add, mul", "from pkg.calc import add, sub"],
  [
    "from calc import (\n    add,\n    sub,\n)",
    "from pkg.calc import add, sub",
    "from pkg.calc import (\n    add,\n    sub,\n)",
  ],
  ["from calc import add", "from pkg.calc import (\n    sub,\n    add,\n)", "from pkg.calc import add"],
  ["from\tcalc \t import \t add", "from  pkg.calc  import  add", "from\tpkg.calc \t import \t add"],
  [
    "def test():\n    from calc import add",
    "\tfrom pkg.calc import add",
    "def test():\n    from pkg.calc import add",
  ],
  ["from calc import add as plus", "from pkg.calc import add as plus", "from pkg.calc import add as plus"],
  ["from calc import importer", "from pkg.calc import importer", "from pkg.calc import importer"],
  [
    "from calc import add\nfrom calc import sub",
    "from pkg.calc import add, sub",
    "from pkg.calc import add\nfrom pkg.calc import sub",
  ],
  ["import calc", "from pkg import calc", "from pkg import calc"],
  ["import calc", "from pkg import calc as c", "from pkg import calc"],
  ["import  calc \t", "from pkg import other, calc", "from pkg import calc"],
  ["def test():\n\t import calc\n", "from pkg import calc", "def test():\n\t from pkg import calc\n"],
  ["import calc", "from pkg import calc; import os; os._exit(0)", "from pkg import calc"],
])("Python: %j with %j", (before, after, expected) => {
  expect(follow("tests/test_a.py", before, after, CALC)).toBe(expected);
});

test.each([
  ["a name that was not moved along", "from calc import add, sub", "from pkg.calc import add"],
  ["a module that is not part of the work", "from calc import add", "from tests.calc import add"],
  ["a module the package does not have", "import calc", "from other import calc"],
  ["no import of it", "import calc", "from pkg import calculator"],
  ["a line that only ends like one", "x = 1; from calc import add", "from pkg.calc import add"],
  ["… whole", "x = 1; import calc", "from pkg import calc"],
  ["a name for it", "import calc as c", "from pkg import calc"],
  ["more than one", "import calc, os", "from pkg import calc"],
  ["a remark", "# import calc\n# from calc import add", "from pkg import calc\nfrom pkg.calc import add"],
  ["a part of the path alone", "from .calc import add", "from pkg.calc import add"],
  ["what was not moved", "import os\nfrom sys import path", "from pkg import os\nfrom pkg.other import path"],
  ["a line in JavaScript's way", 'from "./calc"', 'from "./pkg/calc"'],
])("an import in Python stays: %s", (_, before, after) => {
  const project = { gone: "calc.py", work: "pkg/calc.py pkg/other.py pkg/os.py" };
  expect(follow("tests/test_a.py", before, after, project)).toBeUndefined();
});

test.each<[string, Project]>([
  ["a package", { gone: "calc/__init__.py", work: "pkg/calc/__init__.py" }],
  ["below a root", { gone: "src/calc.py", work: "src/pkg/calc.py", roots: ["src"] }],
  ["below the second root", { gone: "lib/calc.py", work: "lib/pkg/calc.py", roots: ["", "lib"] }],
  ["beside the test", { gone: "tests/calc.py", work: "tests/pkg/calc.py" }],
])("modules of Python are found %s", (_, project) => {
  expect(follow("tests/test_a.py", "from calc import add", "from pkg.calc import add", project)).toBe(
    "from pkg.calc import add",
  );
  expect(follow("tests/test_a.py", "import calc", "from pkg import calc", project)).toBe(
    "from pkg import calc",
  );
});

test("an existing module of Python is preferred to a removed one", () => {
  const project = { gone: "calc.py", work: "calc/__init__.py pkg/calc.py" };
  expect(
    follow("tests/test_a.py", "from calc import add", "from pkg.calc import add", project),
  ).toBeUndefined();
  expect(follow("tests/test_a.py", "import calc", "from pkg import calc", project)).toBeUndefined();
});

test("a name in Python that is not a module of the package stays", () => {
  const project = { gone: "calc.py", work: "pkg/other.py" };
  expect(follow("tests/test_a.py", "import calc", "from pkg.other import calc", project)).toBeUndefined();
  expect(follow("tests/test_a.py", "import calc", "from pkg import calc", project)).toBeUndefined();
});

test("the first module of Python with every name is used", () => {
  const project = { gone: "calc.py", work: "a.py b.py" };
  const after =
    "from none import add, sub\nfrom a import add\nfrom b import add, sub\nfrom a import add, sub\n";
  expect(follow("tests/test_a.py", "from calc import add, sub", after, project)).toBe(
    "from b import add, sub",
  );
});

test("the language of a test is recognised by its name", () => {
  expect(follow("tests/a.pyx.js", 'import "../src/a.js"', 'import "../src/lib/a.js"', MOVED)).toBe(
    'import "../src/lib/a.js"',
  );
  expect(follow("tests/apy", "import calc", "from pkg import calc", CALC)).toBeUndefined();
});
