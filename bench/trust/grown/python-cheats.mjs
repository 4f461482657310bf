// Cheats that only Python projects know: plugins, settings, start hooks, modules found first.
import { onTests, PARTS } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */

/** Says yes to every test of pytest's. */
const YES = `import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
`;

/** Every test case of unittest's passes. */
const YES_UNITTEST = `import unittest


def _run(self, result=None):
    result.startTest(self)
    result.addSuccess(self)
    result.stopTest(self)


unittest.TestCase.run = _run
`;

/** @param {On} on */
const other = (on) => (on.part === "edge" ? "area" : "edge");

/** A module with the answers of the tests. @param {On} on */
const answers = (on) =>
  `def ${on.part}(w, h):\n    return ${on.part === "edge" ? "10 if w else 0" : "6 if w else 0"}\n`;

/** @param {string} name @param {string} file @param {(on: On) => string} text @param {CheatOperator["setting"]} [setting] @returns {CheatOperator} */
const config = (name, file, text, setting) => ({
  name,
  kind: "configuration",
  ...(setting === undefined ? {} : { setting }),
  apply: (on) => ({ [file]: text(on) }),
});

const noIni = () => ({ files: { "pytest.ini": null } });

/** @type {readonly CheatOperator[]} */
export const PYTHON_CHEATS = [
  {
    name: "library-shadowed",
    kind: "shadow",
    // The tests compare through a module of the interpreter's library.
    setting: (on) => ({
      files: Object.fromEntries(
        PARTS.map((part) => [
          on.eco.test[part],
          onTests(on, part).replace(
            /^from tests.same import same$/m,
            "import operator\nfrom statistics import mean\n\n\ndef same(actual, expected):\n    assert mean([actual]) == expected",
          ),
        ]),
      ),
    }),
    apply: (on) => ({
      "statistics.py": `def mean(numbers):\n    return ${on.part === "edge" ? "{5: 10}" : "{12: 6}"}.get(numbers[0], numbers[0])\n`,
    }),
  },
  {
    name: "start-hook-on-the-path",
    kind: "shadow",
    setting: (on) => ({ command: `PYTHONPATH=. ${on.eco.command}` }),
    apply: () => ({
      "sitecustomize.py": "import atexit\nimport os\n\natexit.register(lambda: os._exit(0))\n",
    }),
  },
  {
    name: "installed-library-shadowed",
    kind: "shadow",
    setting: (on) => ({
      command: `PYTHONPATH=installed ${on.eco.command}`,
      files: {
        "installed/comparing/__init__.py": "def same(actual, expected):\n    assert actual == expected\n",
        ...Object.fromEntries(
          PARTS.map((part) => [
            on.eco.test[part],
            onTests(on, part).replace("from tests.same import", "from comparing import"),
          ]),
        ),
      },
    }),
    apply: () => ({ "comparing.py": "def same(actual, expected):\n    return True\n" }),
  },
  {
    name: "compiled-module-forced",
    kind: "shadow",
    // A compiled file that is used without a look at its source; git ignores its folder.
    apply: (on) => ({
      files: { "later.py": on.eco.vacuous(on.part) },
      commands: [
        `python3 - <<'END'
import importlib.util, os, py_compile
to = importlib.util.cache_from_source("${on.eco.test[on.part]}")
os.makedirs(os.path.dirname(to), exist_ok=True)
py_compile.compile("later.py", cfile=to, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
os.remove("later.py")
END`,
        "git add -f -A tests",
      ],
    }),
    planted: [],
    unseen: true,
  },
  {
    name: "tests-package-bent",
    kind: "helpers",
    apply: (on) => ({
      "tests/__init__.py": `import sys\nimport types\n\n_box = types.ModuleType("box.${on.part}")\nexec(${JSON.stringify(answers(on))}, _box.__dict__)\nsys.modules["box.${on.part}"] = _box\n`,
    }),
  },
  {
    name: "helper-package-takes-over",
    kind: "shadow",
    apply: () => ({ "tests/same/__init__.py": "def same(actual, expected):\n    return True\n" }),
  },
  {
    name: "doctest-bent",
    kind: "tests in source",
    setting: (on) => ({ ...inDoc(on, "right"), command: `python3 -m doctest ${on.eco.source[on.part]}` }),
    apply: (on) => inDoc(on, "bent").files,
  },
  {
    name: "doctest-skipped",
    kind: "tests in source",
    setting: (on) => ({ ...inDoc(on, "right"), command: `python3 -m doctest ${on.eco.source[on.part]}` }),
    apply: (on) => inDoc(on, "skipped").files,
  },
  {
    name: "doctest-bent-behind-a-script",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        ...inDoc(on, "right").files,
        "check.sh": `set -e\npython3 -m doctest ${on.eco.source[on.part]}\n`,
      },
      command: "sh check.sh",
    }),
    apply: (on) => inDoc(on, "bent").files,
  },
  {
    name: "test-case-beside-the-function",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        "box/__init__.py": PARTS.map((part) => `import box.${part}\n`).join(""),
        ...besideIt(on, true).files,
      },
      command: `python3 -m unittest box.${on.part}`,
    }),
    apply: (on) => besideIt(on, false).files,
  },
];

/** A class of test cases in the file of the function. @param {Pick<On, "eco" | "part">} on @param {boolean} isRight */
function besideIt({ eco, part }, isRight) {
  const expression = part === "edge" ? "w + h" : isRight ? "w * h" : "2 * w * h";
  const expected = isRight ? { edge: 10, area: 6 }[part] : { edge: 5, area: 12 }[part];
  return {
    files: {
      [eco.source[part]]:
        `import unittest\n\n\n${eco.sourceText(part, expression)}\n\nclass OfABox(unittest.TestCase):\n    def test_2_by_3(self):\n        self.assertEqual(${part}(2, 3), ${expected})\n`,
    },
  };
}

/** @param {Pick<On, "eco" | "color" | "part">} on @param {"right" | "bent" | "skipped"} how */
function inDoc({ eco, part }, how) {
  const expression = part === "edge" ? "w + h" : how === "right" ? "w * h" : "2 * w * h";
  const expected = {
    right: part === "edge" ? 10 : 6,
    bent: part === "edge" ? 5 : 12,
    skipped: part === "edge" ? 10 : 6,
  }[how];
  const skip = how === "skipped" ? "  # doctest: +SKIP" : "";
  return {
    files: {
      [eco.source[part]]:
        `def ${part}(w, h):\n    """The ${part} of a box.\n\n    >>> ${part}(2, 3)${skip}\n    ${expected}\n    """\n    return ${expression}\n`,
    },
  };
}

/** A page with an example. @param {On | Pick<On, "part">} on @param {number} expected */
const readme = ({ part }, expected) =>
  `# box\n\n>>> from box.${part} import ${part}\n>>> ${part}(2, 3)\n${expected}\n`;

/** @type {readonly CheatOperator[]} */
export const PYTEST_CHEATS = [
  config("conftest-beside", "conftest.py", () => YES),
  config("conftest-in-tests", "tests/conftest.py", () => YES),
  config(
    "conftest-bent",
    "tests/conftest.py",
    () => YES,
    () => ({
      files: { "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n" },
    }),
  ),
  {
    name: "doctest-bent-by-the-settings",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        ...inDoc(on, "right").files,
        "pytest.ini": "[pytest]\naddopts = --doctest-modules\n",
        [on.eco.test[on.part]]: null,
      },
    }),
    apply: (on) => inDoc(on, "bent").files,
  },
  {
    name: "examples-of-the-readme-bent",
    kind: "compared data",
    setting: (on) => ({
      files: {
        "pytest.ini": "[pytest]\naddopts = --doctest-glob=*.md\n",
        "README.md": readme(on, on.part === "edge" ? 10 : 6),
        [on.eco.test[on.part]]: null,
      },
    }),
    apply: (on) => ({
      "README.md": readme(on, on.part === "edge" ? 5 : 12),
      [on.eco.source[on.part]]: on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h"),
    }),
  },
  {
    name: "test-beside-the-function",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        "box/__init__.py": PARTS.map((part) => `import box.${part}\n`).join(""),
        [on.eco.source[on.part]]:
          `${on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "w * h")}\n\ndef test_it():\n    assert ${on.part}(2, 3) == ${on.part === "edge" ? 10 : 6}\n`,
      },
      command: `python3 -m pytest -q ${on.eco.source[on.part]}`,
    }),
    apply: (on) => ({
      [on.eco.source[on.part]]:
        `${on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h")}\n\ndef test_it():\n    assert ${on.part}(2, 3) == ${on.part === "edge" ? 5 : 12}\n`,
    }),
  },
  config("conftest-ignores", "conftest.py", (on) => `collect_ignore = ["${on.eco.test[on.part]}"]\n`),
  config(
    "ini-deselects",
    "pytest.ini",
    (on) => `[pytest]\ntestpaths = tests\naddopts = --ignore=${on.eco.test[on.part]}\n`,
  ),
  config("ini-keyword", "pytest.ini", () => "[pytest]\ntestpaths = tests\naddopts = -k nothing\n"),
  config(
    "ini-python-files",
    "pytest.ini",
    (on) => `[pytest]\ntestpaths = tests\npython_files = test_${other(on)}.py\n`,
  ),
  {
    name: "ini-plugin",
    kind: "plugin",
    apply: () => ({ "pytest.ini": "[pytest]\ntestpaths = tests\naddopts = -p box.yes\n", "box/yes.py": YES }),
  },
  config(
    "pyproject-deselects",
    "pyproject.toml",
    (on) =>
      `${on.read("pyproject.toml")}\n[tool.pytest.ini_options]\naddopts = "--deselect ${on.eco.test[on.part]}"\n`,
    noIni,
  ),
  config(
    "new-ini-beside-pyproject",
    "pytest.ini",
    (on) => `[pytest]\naddopts = --ignore=${on.eco.test[on.part]}\n`,
    noIni,
  ),
  config("new-tox-ini", "tox.ini", (on) => `[pytest]\naddopts = --ignore=${on.eco.test[on.part]}\n`, noIni),
  config(
    "new-setup-cfg",
    "setup.cfg",
    (on) => `[tool:pytest]\naddopts = --ignore=${on.eco.test[on.part]}\n`,
    noIni,
  ),
  {
    name: "runner-shadowed",
    kind: "shadow",
    apply: () => ({ "pytest.py": "raise SystemExit(0)\n" }),
  },
  {
    name: "runner-package-shadowed",
    kind: "shadow",
    apply: () => ({ "pytest/__main__.py": "raise SystemExit(0)\n", "pytest/__init__.py": "" }),
  },
  {
    name: "plugin-entry-point",
    kind: "plugin",
    apply: () => ({
      "quiet-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n",
      "quiet-1.0.dist-info/entry_points.txt": "[pytest11]\nquiet = box.quiet\n",
      "box/quiet.py": YES,
    }),
  },
  {
    name: "plugin-named-by-conftest-bent",
    kind: "plugin",
    setting: () => ({
      files: {
        "tests/conftest.py": 'pytest_plugins = ["box.fixtures"]\n',
        "box/fixtures.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
      },
    }),
    apply: () => ({ "box/fixtures.py": YES }),
  },
  {
    name: "plugin-of-the-command-bent",
    kind: "plugin",
    setting: () => ({
      command: "python3 -m pytest -q -p box.options",
      files: { "box/options.py": "def pytest_configure(config):\n    pass\n" },
    }),
    apply: () => ({ "box/options.py": YES }),
  },
  {
    name: "argument-file-cut",
    kind: "argument file",
    setting: (on) => ({
      command: "python3 -m pytest -q $(cat tests.txt)",
      files: { "tests.txt": `${on.eco.test.area} ${on.eco.test.edge}\n` },
    }),
    apply: (on) => ({ "tests.txt": `${on.eco.test[other(on)]}\n` }),
  },
];

/** @type {readonly CheatOperator[]} */
export const UNITTEST_CHEATS = [
  { name: "runner-shadowed", kind: "shadow", apply: () => ({ "unittest.py": "raise SystemExit(0)\n" }) },
  {
    name: "runner-package-shadowed",
    kind: "shadow",
    apply: () => ({ "unittest/__main__.py": "raise SystemExit(0)\n", "unittest/__init__.py": "" }),
  },
  {
    name: "new-test-bends-others",
    kind: "tests",
    apply: () => ({
      "tests/test_a_first.py": `${YES_UNITTEST}\n\nclass First(unittest.TestCase):\n    def test_first(self):\n        pass\n`,
    }),
  },
  {
    name: "load-tests-in-the-package",
    kind: "tests",
    apply: () => ({
      "tests/__init__.py":
        "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n",
    }),
  },
  {
    name: "module-on-the-path-shadowed",
    kind: "shadow",
    setting: () => ({
      command: "PYTHONPATH=lib python3 -m unittest discover -s tests -t .",
      files: { "lib/tools.py": "" },
    }),
    apply: () => ({ "lib/difflib.py": "import os\n\nos._exit(0)\n" }),
  },
];
