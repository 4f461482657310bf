// Honest changes that only Python projects know.

/** @typedef {import("./types.js").HonestOperator} HonestOperator */

/** @type {readonly HonestOperator[]} */
export const PYTHON_HONEST = [
  {
    name: "adds-a-dependency",
    checks: false,
    setting: () => ({ files: { "requirements.txt": "leftover==1.0.0\n" } }),
    apply: (on) => ({ files: { "requirements.txt": `${on.read("requirements.txt")}rightover==2.0.0\n` } }),
  },
  {
    name: "makes-a-package-of-a-module",
    checks: false,
    apply: (on) => ({
      files: {
        "box/edge.py": null,
        "box/edge/__init__.py": 'def edge(w, h):\n    """The edge of a box."""\n    return 2 * (w + h)\n',
      },
      source: { area: on.eco.source.area, edge: "box/edge/__init__.py" },
    }),
  },
  {
    name: "adds-a-template",
    checks: false,
    apply: () => ({
      files: {
        "box/templates/edge.txt": "The edge is {edge}.\n",
        "box/edge.py":
          'from pathlib import Path\n\nTEMPLATE = Path(__file__).parent / "templates" / "edge.txt"\n\n\ndef edge(w, h):\n    """The edge of a box."""\n    return 2 * (w + h)\n\n\ndef shown(w, h):\n    return TEMPLATE.read_text().format(edge=edge(w, h))\n',
      },
    }),
  },
  {
    name: "adds-to-the-configuration",
    checks: true,
    apply: (on) => ({
      files: { "pyproject.toml": `${on.read("pyproject.toml")}\n[tool.black]\nline-length = 100\n` },
    }),
  },
  {
    name: "adds-a-fixture",
    checks: true,
    apply: (on) =>
      on.eco.name === "pytest"
        ? { files: { "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n" } }
        : undefined,
  },
];
