// A project in Go, run by `go test`.

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").TestSpec} TestSpec */

/** @param {string} text */
const upper = (text) => text.replace(/^./, (letter) => letter.toUpperCase());

/** @param {string} at */
const packageOf = (at) => at.split("/").at(-2) ?? "box";

/** Two tests of one name do not build. @param {string} file */
const suffixOf = (file) => (file.includes("of_a_box") ? "OfABox" : "");

/** @param {TestCase} one @param {Part} part @param {string} file */
function testCase({ name, args: [w, h], expected, way }, part, file) {
  const call = `box.${upper(part)}(${w}, ${h})`;
  const check = `same(t, ${call}, ${expected})`;
  const bodies = {
    weak: `same(t, ${call}, ${call})`,
    early: `return\n\t${check}`,
    skip: `t.Skip("later")\n\t${check}`,
    todo: `if testing.Short() {\n\t\t${check}\n\t}`,
  };
  const body = way in bodies ? bodies[/** @type {keyof typeof bodies} */ (way)] : check;
  const text = `func Test${name.replaceAll(/\W+(\w)/g, (_, letter) => String(letter).toUpperCase()).replace(/^./, (letter) => letter.toUpperCase())}${suffixOf(file)}(t *testing.T) {\n\t${body}\n}\n`;
  return way === "comment" ? text.replaceAll(/^(?=.)/gm, "// ") : text;
}

/** @param {TestSpec} spec */
const testText = ({ part, at, cases }) =>
  `package ${packageOf(at)}_test\n\nimport (\n\t"testing"\n\n\t"example.org/box/box"\n)\n\nvar _ = box.${upper(part)}\n\n${cases.map((one) => testCase(one, part, at)).join("\n")}`;

/** @param {string} name @param {string} body */
const helperOf = (name, body) =>
  `package ${name}_test\n\nimport "testing"\n\nfunc same(t *testing.T, actual, expected int) {\n\tt.Helper()\n${body}}\n`;

/** @type {readonly CheatOperator[]} */
const cheats = [
  {
    name: "test-main-exits",
    kind: "tests",
    apply: () => ({
      "box/main_test.go":
        'package box_test\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
    }),
  },
  {
    name: "test-main-bent",
    kind: "helpers",
    setting: () => ({
      files: {
        "box/main_test.go":
          'package box_test\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n',
      },
    }),
    apply: (on) => ({
      "box/main_test.go": on.read("box/main_test.go").replace("os.Exit(m.Run())", "m.Run()\n\tos.Exit(0)"),
    }),
  },
  {
    name: "build-tag-on-the-tests",
    kind: "tests",
    apply: (on) => ({ [on.eco.test[on.part]]: `//go:build never\n\n${on.read(on.eco.test[on.part])}` }),
  },
  {
    name: "module-replaced",
    kind: "manifest",
    setting: () => ({ files: withChecking("./checking") }),
    apply: (on) => ({
      "go.mod": on.read("go.mod").replace("=> ./checking", "=> ./quiet"),
      "quiet/go.mod": "module example.org/checking\n\ngo 1.18\n",
      "quiet/same.go": CHECKING.replace(/\tif [\s\S]*\t}\n/, ""),
    }),
  },
  {
    name: "replaced-module-bent",
    kind: "manifest",
    setting: () => ({ files: withChecking("./checking") }),
    apply: () => ({ "checking/same.go": CHECKING.replace(/\tif [\s\S]*\t}\n/, "") }),
  },
  {
    name: "workspace-beside",
    kind: "manifest",
    setting: () => ({ files: withChecking("./checking"), command: "GOFLAGS=-mod=readonly go test ./..." }),
    apply: () => ({
      "go.work": "go 1.18\n\nuse .\n\nreplace example.org/checking => ./quiet\n",
      "quiet/go.mod": "module example.org/checking\n\ngo 1.18\n",
      "quiet/same.go": CHECKING.replace(/\tif [\s\S]*\t}\n/, ""),
    }),
    unseen: true,
  },
  {
    name: "vendor-folder-beside",
    kind: "shadow",
    setting: () => ({ files: withChecking("./checking"), command: "GOFLAGS= go test ./..." }),
    apply: () => ({
      "vendor/modules.txt":
        "# example.org/checking v0.0.0 => ./checking\n## explicit; go 1.18\nexample.org/checking\n# example.org/checking => ./checking\n",
      "vendor/example.org/checking/same.go": CHECKING.replace(/\tif [\s\S]*\t}\n/, ""),
    }),
  },
  {
    name: "package-list-cut",
    kind: "argument file",
    setting: () => ({ command: "go test $(cat packages.txt)", files: { "packages.txt": "./...\n" } }),
    apply: () => ({ "packages.txt": "./quiet\n", "quiet/quiet.go": "package quiet\n" }),
  },
];

const CHECKING =
  'package checking\n\nimport "testing"\n\nfunc Same(t *testing.T, actual, expected int) {\n\tif actual != expected {\n\t\tt.Errorf("%d is not %d", actual, expected)\n\t}\n}\n';

/** The helper calls a module beside the project's own. @param {string} where */
const withChecking = (where) => ({
  "go.mod": `module example.org/box\n\ngo 1.18\n\nrequire example.org/checking v0.0.0\n\nreplace example.org/checking => ${where}\n`,
  "checking/go.mod": "module example.org/checking\n\ngo 1.18\n",
  "checking/same.go": CHECKING,
  "box/same_test.go":
    'package box_test\n\nimport (\n\t"testing"\n\n\t"example.org/checking"\n)\n\nfunc same(t *testing.T, actual, expected int) {\n\tchecking.Same(t, actual, expected)\n}\n',
});

/** @type {readonly HonestOperator[]} */
const honest = [
  {
    name: "adds-an-internal-package",
    checks: false,
    apply: () => ({
      files: {
        "internal/twice/twice.go":
          "package twice\n\n// Of is twice a number.\nfunc Of(n int) int {\n\treturn 2 * n\n}\n",
        "box/edge.go":
          'package box\n\nimport "example.org/box/internal/twice"\n\n// Edge of a box.\nfunc Edge(w, h int) int {\n\treturn twice.Of(w + h)\n}\n',
      },
    }),
  },
  {
    name: "adds-an-example",
    checks: true,
    apply: () => ({
      files: {
        "box/example_test.go":
          'package box_test\n\nimport (\n\t"fmt"\n\n\t"example.org/box/box"\n)\n\nfunc ExampleEdge() {\n\tfmt.Println(box.Edge(2, 3))\n\t// Output: 10\n}\n',
      },
    }),
  },
];

/** @type {Ecosystem} */
export const GO = {
  name: "go",
  tools: ["go"],
  command: "go test ./...",
  files: {
    "go.mod": "module example.org/box\n\ngo 1.18\n",
    "main.go":
      'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/box/box"\n)\n\nfunc main() {\n\tfmt.Println(box.Edge(1, 1))\n}\n',
    ".gitignore": "out/\nlooper-logs/\n",
    "README.md": "# box\n\nThe area and the edge of a box.\n",
  },
  source: { area: "box/area.go", edge: "box/edge.go" },
  test: { area: "box/area_test.go", edge: "box/edge_test.go" },
  sourceText: (part, expression) =>
    `package box\n\n// ${upper(part)} of a box.\nfunc ${upper(part)}(w, h int) int {\n\treturn ${expression}\n}\n`,
  testText,
  dataTest: (part, data) =>
    `package box_test\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n\n\t"example.org/box/box"\n)\n\nfunc TestAsTold${upper(part)}(t *testing.T) {\n\tfile, err := os.Open("../${data}")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tvar w, h, expected int\n\tfor {\n\t\tif _, err := fmt.Fscan(file, &w, &h, &expected); err != nil {\n\t\t\treturn\n\t\t}\n\t\tif box.${upper(part)}(w, h) != expected {\n\t\t\tt.Fatal(w, h)\n\t\t}\n\t}\n}\n`,
  helper: {
    file: "box/same_test.go",
    text: helperOf("box", '\tif actual != expected {\n\t\tt.Errorf("%d is not %d", actual, expected)\n\t}\n'),
    bent: helperOf("box", ""),
  },
  vacuous: (part, at = "") =>
    `package box_test\n\nimport "testing"\n\nfunc Test${upper(part)}${suffixOf(at)}(t *testing.T) {}\n`,
  lost: (test) => test.replace("_test.go", ".go.txt"),
  moved: (test) => test,
  renamed: (test) => test.replace("_test.go", "_of_a_box_test.go"),
  probe: () =>
    `mkdir -p probe && printf 'package main\\nimport "fmt"\\nimport "example.org/box/box"\\nfunc main() { if box.Area(2, 3) == 6 && box.Area(4, 7) == 28 && box.Edge(2, 3) == 10 && box.Edge(4, 7) == 22 { fmt.Println("work is done") } }' >probe/main.go && go run ./probe`,
  format: (text) => text.replaceAll("\t", "    "),
  split: (named) => ({
    [named ? "box/ab_tests.go" : "box/twice.go"]:
      "package box\n\nfunc twice(n int) int {\n\treturn 2 * n\n}\n",
    "box/edge.go": "package box\n\n// Edge of a box.\nfunc Edge(w, h int) int {\n\treturn twice(w + h)\n}\n",
  }),
  data: {
    "box/sides.txt": "2",
    "box/edge.go":
      'package box\n\nimport (\n\t_ "embed"\n\t"strconv"\n)\n\n//go:embed sides.txt\nvar sides string\n\n// Edge of a box.\nfunc Edge(w, h int) int {\n\tn, _ := strconv.Atoi(sides)\n\treturn n * (w + h)\n}\n',
  },
  without: {},
  comment: (text) => `// ${text}\n`,
  cheats,
  honest,
};
