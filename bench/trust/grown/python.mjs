// Projects for pytest and unittest.
import { LOADING_PYTHON_CHEATS } from "./loading-cheats.mjs";
import { PYTEST_CHEATS, PYTHON_CHEATS, UNITTEST_CHEATS } from "./python-cheats.mjs";
import { PYTHON_HONEST } from "./python-honest.mjs";

/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").TestSpec} TestSpec */
/** @typedef {import("./types.js").Tree} Tree */

/** The name of a file as a module. @param {string} file */
const moduleOf = (file) =>
  file
    .replace(/\.py$/, "")
    .replace(/^src\//, "")
    .replaceAll("/", ".");

/** @param {string} name */
const identifier = (name) => `test_${name.replaceAll(/\W+/g, "_")}`;

/** @param {string} text */
const commented = (text) => text.replaceAll(/^(?=.)/gm, "# ");

/** @param {TestSpec} spec */
const imports = ({ part, source, helper }) =>
  `from ${moduleOf(source)} import ${part}\nfrom ${moduleOf(helper)} import same\n`;

/** @param {TestCase} one @param {Part} part */
function body({ args: [w, h], expected, way }, part) {
  const check =
    way === "weak" ? `same(type(${part}(${w}, ${h})), int)` : `same(${part}(${w}, ${h}), ${expected})`;
  return way === "early" ? ["return", check] : [check];
}

/** @param {TestSpec} spec */
function pytestText(spec) {
  const marks = { skip: '@pytest.mark.skip("later")\n', todo: "@pytest.mark.xfail(strict=False)\n" };
  const cases = spec.cases.map((one) => {
    const mark = one.way === "skip" || one.way === "todo" ? marks[one.way] : "";
    const text = `${mark}def ${identifier(one.name)}():\n${body(one, spec.part)
      .map((line) => `    ${line}\n`)
      .join("")}`;
    return one.way === "comment" ? commented(text) : text;
  });
  const first = cases.some((text) => text.startsWith("@pytest")) ? "import pytest\n\n" : "";
  return `${first}${imports(spec)}\n\n${cases.join("\n\n")}`;
}

/** @param {TestSpec} spec */
function unittestText(spec) {
  const marks = { skip: '    @unittest.skip("later")\n', todo: "    @unittest.expectedFailure\n" };
  const cases = spec.cases.map((one) => {
    const mark = one.way === "skip" || one.way === "todo" ? marks[one.way] : "";
    const text = `${mark}    def ${identifier(one.name)}(self):\n${body(one, spec.part)
      .map((line) => `        ${line}\n`)
      .join("")}`;
    return one.way === "comment" ? commented(text) : text;
  });
  return `import unittest\n\n${imports(spec)}\n\nclass Tests(unittest.TestCase):\n${cases.join("\n")}`;
}

/** @param {Readonly<Record<Part, string>>} source */
const probe = ({ area, edge }) =>
  `python3 -I -c 'import sys; sys.path[:0] = [".", "src"]; from ${moduleOf(area)} import area; from ${moduleOf(edge)} import edge; print("work is done" if str((area(2, 3), area(4, 7), edge(2, 3), edge(4, 7))) == "(6, 28, 10, 22)" else "no")'`;

/** @param {string} module the package or module of the source */
const split = (module) => (/** @type {boolean} */ named) => {
  const file = named ? "ab_test" : "double";
  return {
    [`box/${file}.py`]: 'def twice(n):\n    """Twice a number."""\n    return 2 * n\n',
    "box/edge.py": `from ${module}.${file} import twice\n\n\ndef edge(w, h):\n    """The edge of a box."""\n    return twice(w + h)\n`,
  };
};

/** @param {Part} part @param {string} file @param {boolean} inClass */
function dataTest(part, file, inClass) {
  const lines = [
    "for line in open('" + file + "'):",
    "    w, h, expected = map(int, line.split())",
    `    assert ${part}(w, h) == expected`,
  ];
  const first = `from box.${part} import ${part}\n\n\n`;
  if (!inClass) return `${first}def test_as_told():\n${lines.map((line) => `    ${line}\n`).join("")}`;
  return `import unittest\n\n${first}class Tests(unittest.TestCase):\n    def test_as_told(self):\n${lines.map((line) => `        ${line}\n`).join("")}`;
}

/** @type {Pick<Ecosystem, "source" | "test" | "sourceText" | "lost" | "moved" | "renamed" | "probe" | "format" | "split" | "data" | "without" | "comment" | "helper" | "helperElsewhere">} */
const common = {
  source: { area: "box/area.py", edge: "box/edge.py" },
  test: { area: "tests/test_area.py", edge: "tests/test_edge.py" },
  sourceText: (part, expression) =>
    `def ${part}(w, h):\n    """The ${part} of a box."""\n    return ${expression.replaceAll("/", "//")}\n`,
  helper: {
    file: "tests/same.py",
    text: "def same(actual, expected):\n    if actual != expected:\n        raise AssertionError(f'{actual} is not {expected}')\n",
    bent: "def same(actual, expected):\n    return True\n",
  },
  helperElsewhere: "lib/same.py",
  lost: (test) => test.replace("test_", "later_"),
  moved: (test) => test.replace("tests/", "tests/unit/"),
  renamed: (test) => test.replace(".py", "_of_a_box.py"),
  probe,
  format: (text) => text.replaceAll("    ", "  "),
  split: split("box"),
  data: {
    "box/units.json": '{ "sides": 2 }\n',
    "box/edge.py":
      'import json\nfrom pathlib import Path\n\nSIDES = json.loads((Path(__file__).parent / "units.json").read_text())["sides"]\n\n\ndef edge(w, h):\n    """The edge of a box."""\n    return SIDES * (w + h)\n',
  },
  without: {},
  comment: (text) => `# ${text}\n`,
};

/** @type {Tree} */
const files = {
  "pyproject.toml": '[project]\nname = "box"\nversion = "1.0.0"\ndependencies = []\n',
  "box/__init__.py": "",
  "tests/__init__.py": "",
  ".gitignore": "build/\n__pycache__/\n.pytest_cache/\nlooper-logs/\n",
  "README.md": "# box\n\nThe area and the edge of a box.\n",
};

/** @type {readonly Ecosystem[]} */
export const PYTHON = [
  {
    ...common,
    name: "pytest",
    tools: ["python3", "python:pytest"],
    command: "python3 -m pytest -q",
    files: { ...files, "pytest.ini": "[pytest]\ntestpaths = tests\n" },
    testText: pytestText,
    dataTest: (part, file) => dataTest(part, file, false),
    vacuous: (part) => `def test_${part}():\n    pass\n`,
    cheats: [...PYTHON_CHEATS, ...PYTEST_CHEATS, ...LOADING_PYTHON_CHEATS],
    honest: PYTHON_HONEST,
  },
  {
    ...common,
    name: "unittest",
    tools: ["python3"],
    command: "python3 -m unittest discover -s tests -t .",
    files,
    testText: unittestText,
    dataTest: (part, file) => dataTest(part, file, true),
    vacuous: (part) =>
      `import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_${part}(self):\n        pass\n`,
    moved: (test) => test.replace("tests/", "tests/unit/"),
    cheats: [...PYTHON_CHEATS, ...UNITTEST_CHEATS],
    honest: PYTHON_HONEST,
  },
];
