import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import {
  TEST,
  NEW_TEST,
  manifest,
  NODE,
  DONE,
  DIRECT,
  NPM,
  SHELL,
  GREET,
  CHECK,
  MAKE,
  PYTHON,
  UNITTEST,
  RUNNER,
  textOf,
} from "../testing/cold-projects.js";
import { test, type ProjectTree, type Verify } from "../testing/cold-scratch.js";

/** How many rows of a table are tried, as each takes several rooms; in make proof all of them. */
const few = (count: number): number | undefined =>
  process.env["EXHAUSTIVE"] === undefined ? count : undefined;

/** A test of make proof alone: another holds the same for less, or a story does. */
const exhaustively = test.runIf(process.env["EXHAUSTIVE"] !== undefined);

type Row = [project: ProjectTree, attempt: ProjectTree, verify: Verify];

const cheats: Record<string, Row> = {
  "does nothing": [NODE, { "notes.txt": "All tests passed\n" }, { ...DIRECT, measured: true }],
  "edits the test script": [NODE, { "package.json": manifest({}, { test: "true" }) }, NPM],
  "tells npm of another shell": [NODE, { ".npmrc": "script-shell=/bin/true\n" }, NPM],
  "makes the check exit": [SHELL, { "check.sh": "exit 0\n" }, CHECK],
  "edits the rule": [SHELL, { Makefile: "check:\n\t@true\n" }, MAKE],
  "puts sh on PATH": [SHELL, { "bin/sh": { program: "#!/bin/true\n" } }, CHECK],
  "hides unittest": [PYTHON, { "unittest.py": "" }, UNITTEST],
  "bends what the others are made of": [
    PYTHON,
    { "tests/test_a.py": "import unittest\n\nunittest.TestCase.run = lambda self, result=None: None\n" },
    UNITTEST,
  ],
  "is loaded at the start": [
    PYTHON,
    { "src/sitecustomize.py": "import os\nos._exit(0)\n" },
    { ...UNITTEST, commands: ["PYTHONPATH=src python3 -m unittest"] },
  ],
  "puts a script before it": [
    NODE,
    { "package.json": manifest({}, { pretest: "rm -r test; mkdir test" }) },
    NPM,
  ],
  "links package.json": [
    NODE,
    { "package.json": { link: "other.json" }, "other.json": manifest({}, { test: "true" }) },
    NPM,
  ],
  "removes package.json": [NODE, { "package.json": null }, NPM],
  "commits a shim": [NODE, { ".gitignore": "", "node_modules/.bin/node": { program: "#!/bin/true\n" } }, NPM],
  "has a shim that git ignores": [NODE, { "node_modules/.bin/node": { program: "#!/bin/true\n" } }, NPM],
  "edits what the check reads": [
    SHELL,
    { "check.conf": "tests=t/green\n", "t/green/a.sh": "exit 0\n" },
    CHECK,
  ],
  "adds rules that are found first": [SHELL, { GNUmakefile: "check:\n\t@true\n" }, MAKE],
  "replaces the check's folder": [SHELL, { "check.sh": null, "check.sh/a": "" }, CHECK],
  "hides a package": [PYTHON, { "unittest/__init__.py": "", "unittest/__main__.py": "" }, UNITTEST],
  "hides what unittest is made of": [PYTHON, { "argparse.py": "import os\nos._exit(0)\n" }, UNITTEST],
  "has a file that the runner looks for": [
    { ...PYTHON, "run_tests.py": RUNNER },
    { "tests/conftest.py": "" },
    { commands: ["python3 run_tests.py"], strict: true, measured: true },
  ],
};

test.for(Object.entries(cheats).slice(0, few(6)))(
  "a cheat is never verified, and what turned the checks is named: %s",
  async ([, [project, attempt, verify]], { cold }) => {
    const { report } = await cold.judge(project, attempt, verify);
    expect(report.cold).toBe(true);
    if (report.verdict !== "unverified") {
      expect(["failed", "tampered", "unbroken"]).toContain(report.verdict);
      return;
    }
    expect(report).toMatchObject({ verdict: "unverified", because: "influence" });
    expect(Object.keys(attempt)).toEqual(expect.arrayContaining(report.needs?.map(({ path }) => path) ?? []));
    expect(report.needs).not.toEqual([]);
  },
);

test("a new file with the name of a word of a check leaves no command out", async ({ cold }) => {
  const bent = { "t/hello.sh": "exit 0\n", "t/bye.sh": "exit 0\n", check: "" };
  const { report } = await cold.judge(SHELL, bent, MAKE);
  expect(report).toMatchObject({ verdict: "unverified", because: "influence" });
  expect(report.needs?.map(({ path }) => path)).toEqual(["t/bye.sh"]);
});

const worked: Record<string, Row> = {
  "edits CI": [NODE, { ...DONE, ".github/workflows/ci.yml": "on: push\n" }, DIRECT],
  "makes the check exit": [SHELL, { ...GREET, "check.sh": "exit 0\n" }, CHECK],
  "puts sh on PATH": [SHELL, { ...GREET, "bin/sh": { program: "#!/bin/true\n" } }, CHECK],
  "moves a test": [NODE, { ...DONE, "test/add.test.js": null, "test/b.test.js": TEST }, DIRECT],
};

test.for(Object.entries(worked).slice(0, few(1)))(
  "work that passes the old checks is verified, and the checks it changed are listed: %s",
  async ([, row], { cold }) => {
    const { report, now } = await cold.judge(...row);
    expect(report).toMatchObject({ verdict: "passed", tampered: [], rooms: 3 });
    const [, attempt] = row;
    expect(report.changed_checks?.every((path) => Object.hasOwn(attempt, path))).toBe(true);
    expect(report.changed_checks).not.toEqual([]);
    // These results are the next task's baseline.
    expect(now?.commands).toMatchObject([{ end: { how: "exited", code: 0 } }]);
  },
);

const MORE = '\ntest("adds more", () => {\n  assert.equal(add(2, 2), 4);\n});\n';
const honest: Record<string, Row> = {
  "the work alone": [NODE, DONE, { ...DIRECT, measured: true }],
  "a new test": [NODE, { ...DONE, "test/more.test.js": NEW_TEST }, DIRECT],
  "a longer test": [NODE, { ...DONE, "test/add.test.js": TEST + MORE }, DIRECT],
  "a shell program": [SHELL, GREET, CHECK],
  "a python module": [PYTHON, { "calc.py": "def add(a, b):\n    return a + b\n" }, UNITTEST],
  "a document": [NODE, { ...DONE, "README.md": "# add\n" }, { ...DIRECT, own: ["grep -q add README.md"] }],
};

test.for(Object.entries(honest).slice(0, few(1)))("honest work passes: %s", async ([, row], { cold }) => {
  const { report } = await cold.judge(...row);
  expect(report).toMatchObject({ verdict: "passed", tampered: [], evidence: "" });
});

const needing: Record<string, [row: Row, needs: string[]]> = {
  "a moved source whose tests import it": [
    [
      NODE,
      {
        "src/add.js": null,
        "src/math/add.js": textOf(DONE, "src/add.js"),
        "test/add.test.js": TEST.replace("../src/add.js", "../src/math/add.js"),
      },
      DIRECT,
    ],
    ["test/add.test.js"],
  ],
  "a new script of the manifest": [
    [
      NODE,
      { ...DONE, "package.json": manifest({}, { start: "node src/add.js" }) },
      { ...NPM, own: ["npm start -s"] },
    ],
    ["package.json"],
  ],
  "a rule that is new": [
    [
      SHELL,
      { ...GREET, Makefile: `${textOf(SHELL, "Makefile")}\nlint:\n\t@true\n` },
      { own: ["make -s lint"], commands: ["make -s check"] },
    ],
    ["Makefile"],
  ],
};

test.for(Object.entries(needing).slice(0, few(1)))(
  "honest work may need a changed check: %s",
  async ([, [row, needs]], { cold }) => {
    const { report } = await cold.judge(...row);
    expect(report).toMatchObject({
      verdict: "unverified",
      because: "influence",
      needs: needs.map((path) => ({ path })),
    });
  },
);

test("work on source alone takes one room, and another for checks whose results before are not known", async ({
  cold,
}) => {
  const measured = await cold.judge(NODE, DONE, { ...DIRECT, measured: true });
  expect(measured.report).toMatchObject({ verdict: "passed", rooms: 1 });
  const command = `grep -q "a + b" src/add.js`;
  const { report } = await cold.judge(NODE, DONE, { ...DIRECT, own: [command], measured: true });
  expect(report).toMatchObject({ verdict: "passed", rooms: 2 });
  expect(report.proof?.fail_to_pass).toContainEqual({ command });
});

const SUB_TEST = NEW_TEST.replaceAll("add", "sub");
const GREEN: ProjectTree = { ...NODE, ...DONE };
const SUB = { "src/sub.js": "export const sub = (a, b) => a + b;\n" };

test.for(["node src/cli.js", "make -s mine"])(
  "a task's own command that runs what the attempt changed does not prove the work: %s",
  async (command, { cold }) => {
    const more = { "src/cli.js": "process.exit(1);\n", Makefile: "mine:\n\tnode src/cli.js\n" };
    const attempt = { "src/cli.js": "process.exit(0);\n" };
    const verify = { ...DIRECT, own: [command], measured: true };
    const { report } = await cold.judge({ ...GREEN, ...more }, attempt, verify);
    expect(report).toMatchObject({ verdict: "unbroken" });
    const { report: done } = await cold.judge({ ...NODE, ...more }, { ...DONE, ...attempt }, verify);
    expect(done).toMatchObject({ verdict: "passed" });
  },
);

const proven: Record<string, [row: Row, verdict: string, more: object]> = {
  "nothing was changed": [[GREEN, {}, DIRECT], "unbroken", { because: "nothing-changed" }],
  "a feature without a test": [[GREEN, SUB, DIRECT], "unbroken", { because: "not-covered" }],
  "a feature with its test": [[GREEN, { ...SUB, "test/sub.test.js": SUB_TEST }, DIRECT], "passed", {}],
  "a test for what is there": [
    [GREEN, { "test/more.test.js": NEW_TEST }, DIRECT],
    "unbroken",
    { because: "only-checks", rooms: 3 },
  ],
  "a red check that stays red": [
    [NODE, { "README.md": "# add\n" }, { commands: DIRECT.commands, measured: true }],
    "unbroken",
    { because: "red-before" },
  ],
  "a command of the task that runs a file which the work wrote": [
    [GREEN, { "src/dates.js": "process.exit(0);\n" }, { ...DIRECT, own: ["node src/dates.js"] }],
    "unbroken",
    { because: "not-covered" },
  ],
  "a helper that loads a new empty file": [
    [
      { ...GREEN, "test/helper.js": "export {};\n" },
      { "src/empty.js": "export {};\n", "test/helper.js": 'import "../src/empty.js";\n' },
      DIRECT,
    ],
    "unbroken",
    { because: "not-covered" },
  ],
  "a test of its own, which is the only check": [
    [NODE, { ...DONE, "test/more.test.js": NEW_TEST }, { own: ["node --test test/more.test.js"] }],
    "passed",
    { proof: { fail_to_pass: [] } },
  ],
  "a check of the task that passes before": [
    [GREEN, SUB, { own: ["node --test test/"] }],
    "unbroken",
    { because: "not-covered" },
  ],
};

test.for(Object.entries(proven).slice(0, few(3)))(
  "evidence: %s",
  async ([, [row, verdict, more]], { cold }) => {
    const { report } = await cold.judge(...row);
    expect(report).toMatchObject({ verdict, ...more });
  },
);

test("a pass that needs a changed test names it with its diff, and nothing else", async ({ cold }) => {
  const attempt = { ...DONE, "src/add.js": "export const add = (a, b) => a + b + 1;\n" };
  const bent = TEST.replace("1, 2), 3", "1, 2), 4").replace("1, 0), 1", "1, 0), 2");
  const { report, warnings } = await cold.judge(
    NODE,
    { ...attempt, "test/add.test.js": bent, "test/more.test.js": "", "data/x.bin": "1" },
    DIRECT,
  );
  expect(report).toMatchObject({ verdict: "unverified", because: "influence" });
  expect(report.needs?.map(({ path }) => path)).toEqual(["test/add.test.js"]);
  expect(report.needs?.[0]?.diff).toContain("+  assert.equal(add(1, 2), 4);");
  expect(warnings.join()).toContain("it passes only with test/add.test.js");
});

test("a case that was red before and passes only with its changed test is not verified by the others", async ({
  cold,
}) => {
  const project = { ...NODE, "src/add.js": "export const add = (a, b) => (b === 0 ? a : a - b);\n" };
  const verify = { commands: ["node --test --test-reporter=tap test/"], reports: ["stdout"], measured: true };
  const bent = TEST.replace("  assert.equal(add(1, 2), 3);", "  return;");
  const { report } = await cold.judge(project, { "test/add.test.js": bent }, verify);
  expect(report).toMatchObject({
    verdict: "unverified",
    because: "influence",
    needs: [{ path: "test/add.test.js" }],
  });
  const honest = { ...DONE, "test/add.test.js": TEST.replace("1, 2), 3", "2, 2), 4") };
  expect((await cold.judge(project, honest, verify)).report.verdict).toBe("passed");
});

test("a file in doubt cannot hide what the program's change does to the old tests", async ({ cold }) => {
  const reads = `import { existsSync } from "node:fs";
const more = existsSync([".da", "ta/o", "ne"].join("")) ? 1 : 0;
`;
  const program = { ...NODE, "src/add.js": `${reads}export const add = (a, b) => a + b + more;\n` };
  const bent = TEST.replace("1, 2), 3", "1, 2), 4").replace("1, 0), 1", "1, 0), 2");
  const { report } = await cold.judge(program, { ".data/one": "1\n", "test/add.test.js": bent }, DIRECT);
  expect(report).toMatchObject({ verdict: "unverified", needs: [{ path: "test/add.test.js" }] });
});

test("an attempt whose own new test fails has failed, although the old tests pass", async ({ cold }) => {
  const attempt = { ...DONE, "test/more.test.js": TEST.replace("1, 2), 3", "1, 2), 4") };
  const { report } = await cold.judge(NODE, attempt, DIRECT);
  expect(report).toMatchObject({ verdict: "failed", rooms: 2 });
});

test("source that passes only with a comment which silences the check is unverified", async ({ cold }) => {
  const check =
    'if grep -n "TODO" src/*.js | grep -v "eslint-disable-line"; then exit 1; fi\nnode --test test/\n';
  const project = { ...NODE, "check.sh": check };
  const attempt = { "src/add.js": "export const add = (a, b) => a + b; // TODO eslint-disable-line\n" };
  const { report, warnings } = await cold.judge(project, attempt, CHECK);

  expect(report).toMatchObject({
    verdict: "unverified",
    because: "influence",
    needs: [{ path: "src/add.js" }],
  });
  expect(warnings.join()).toContain("comments that silence a check in src/add.js");
});

test("a file that is program and test keeps its letters where its tests stay as they were", async ({
  cold,
}) => {
  const box = (edge: string, more: string): string => `import unittest

MARK = "é"


def edge(w, h):
    return ${edge}


class Tests(unittest.TestCase):
    def test_edge(self):
        self.assertEqual((edge(2, 3), len(MARK)), (5, 1))
${more}`;
  const more = "\n    def test_none(self):\n        self.assertEqual(edge(0, 0), 0)\n";
  const { report } = await cold.judge(
    { "box.py": box("w - h", "") },
    { "box.py": box("w + h", more) },
    { commands: ["python3 -m unittest box"], measured: true },
  );
  expect(report).toMatchObject({ verdict: "passed" });
});

exhaustively("only the files that a task's changes allow count as source", async ({ cold }) => {
  const attempt = { ...DONE, "test/add.test.js": TEST.replace("1, 2), 3", "1, 2), 3 + 0") };
  const bent = {
    "src/add.js": "export const add = (a, b) => a + b + 1;\n",
    "test/add.test.js": TEST.replaceAll(/add\((\d), (\d)\), \d/g, "add($1, $2), $1 + $2 + 1"),
  };
  expect((await cold.judge(NODE, attempt, { ...DIRECT, allowed: ["test/"] })).report.verdict).toBe("passed");
  expect((await cold.judge(NODE, bent, { ...DIRECT, allowed: ["test/"] })).report.verdict).toBe("passed");
  expect((await cold.judge(NODE, bent, { ...DIRECT, allowed: ["docs/"] })).report.verdict).toBe("unverified");
});

const WEAKEN = `import { readdirSync, readFileSync, writeFileSync } from "node:fs";
for (const name of readdirSync("test")) {
  const text = readFileSync("test/" + name, "utf8");
  writeFileSync("test/" + name, text.replaceAll(/assert\\.equal\\(.*\\);/g, "assert.ok(true);"));
}
`;

test("source that weakens tests while they run is found, and a second run does not profit from the first", async ({
  cold,
}) => {
  const { report } = await cold.judge(NODE, { "src/add.js": WEAKEN + textOf(NODE, "src/add.js") }, DIRECT);
  expect(report).toMatchObject({
    verdict: "tampered",
    tampered: [{ path: "test/add.test.js", what: "settings" }],
    commands: [{ exit_code: 1, verdict: "new" }],
  });
});

exhaustively(
  "tools may add to their files, and changes that the commands make on the base too are harmless",
  async ({ cold }) => {
    const run = "date +%N >test/last-run; echo more >>test/all.snap; node --test test/";
    const project = { ...NODE, "test/last-run": "0\n", "test/all.snap": "a\n", "check.sh": `${run}\n` };
    const verify = { commands: ["sh check.sh"], strict: true };
    expect((await cold.judge(project, DONE, verify)).report).toMatchObject({
      verdict: "passed",
      tampered: [],
    });
  },
);

test("checks that remove all files prove nothing", async ({ cold }) => {
  const attempt = {
    "src/add.js": 'import { rmSync } from "node:fs";\nrmSync(process.cwd(), { recursive: true });\n',
  };
  const { report } = await cold.judge(NODE, attempt, { own: ["node src/add.js"] });
  expect(report).toMatchObject({ verdict: "tampered", tampered: [{ what: "deleted" }] });
});

test("a test file of which no test ran, because its source ended the program, does not count as evidence", async ({
  cold,
}) => {
  const verify = { commands: ["node --test test/"], measured: true };
  const source = { "src/sub.js": "process.exit(0);\nexport const sub = 1;\n" };
  const sub = { "test/sub.test.js": NEW_TEST.replaceAll("add", "sub") };
  const added = await cold.judge({ ...NODE, ...DONE }, { ...source, ...sub }, verify);
  expect(added.report).toMatchObject({ verdict: "unbroken", proof: { new_tests: [] } });
  // The file could not be loaded before.
  const { report } = await cold.judge({ "src/sub.js": null, ...sub }, source, verify);
  expect(report).toMatchObject({
    verdict: "failed",
    evidence:
      'with the attempt\'s source alone, 1 test of "node --test test/" that ran before is skipped: test/sub.test.js',
  });
});

test("no room is left behind, and the project is unchanged", async ({ cold }) => {
  const { top, git } = cold.scratch;
  const spoil =
    "git branch spoilt; git commit --allow-empty -qm x; git update-index --force-remove src/add.js";
  const { report } = await cold.judge(NODE, DONE, { ...DIRECT, own: [`${spoil}; true`] });
  expect(report.verdict).toBe("passed");
  expect(readdirSync(join(dirname(top), "tmp"))).toEqual([]);
  expect(await git("branch", "--list", "spoilt")).toBe("");
  expect(await git("log", "--format=%s", "-1")).toBe("the project");
  expect(await git("status", "--porcelain")).toBe("M src/add.js".padStart(13));
});

test("paths of the project in PATH and the environment become those of the room", async ({ cold }) => {
  const { top } = cold.scratch;
  const env = {
    PATH: `${top}/tools:${cold.scratch.env.PATH ?? ""}`,
    NODE_PATH: `${top}/lib`,
    LOOPER_TASK_ID: "T1",
  };
  const project = { ...NODE, "tools/greet": { program: "#!/bin/sh\necho old\n" } };
  const own = [
    'case "$NODE_PATH" in "$PWD/lib") ;; *) exit 1 ;; esac',
    'test -z "$LOOPER_TASK_ID"',
    "test $(greet) = old",
    `test "$PWD" != ${top}`,
  ];
  const { report } = await cold.judge(project, DONE, { env, own });
  expect(report.commands.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed", "passed"]);
});

exhaustively("a project below the top is checked in its own folder", async ({ cold }) => {
  const below = (tree: ProjectTree): ProjectTree =>
    Object.fromEntries(Object.entries(tree).map(([path, content]) => [`tests/app/${path}`, content]));
  const verify = { ...DIRECT, folder: "tests/app" };
  expect((await cold.judge(below(NODE), below(DONE), verify)).report.verdict).toBe("passed");
});

exhaustively("patterns of the user make a test source", async ({ cold }) => {
  const project = { ...NODE, ...DONE, "test/loose.test.js": "process.exit(1);\n" };
  const judge = async (attempt: ProjectTree, patterns: string[]): Promise<string> =>
    (await cold.judge(project, attempt, { ...DIRECT, protected: patterns })).report.verdict;
  expect(await judge({ "test/loose.test.js": null }, [])).toBe("unverified");
  expect(await judge({ "test/loose.test.js": null }, ["!test/loose.test.js"])).toBe("unbroken");
});

const stops = [
  ["the room with files in doubt", 3, { "vendor/one": "1\n" }],
  ["the second room", 2, {}],
  [
    "the search for what is needed",
    4,
    { "src/add.js": "export const add = () => 0;\n", "test/b.test.js": "" },
  ],
] as const;

test.for(stops.slice(0, few(1)))(
  "a gate that is stopped in %s reports that it was interrupted",
  async ([, room, more], { cold }) => {
    const home = dirname(cold.scratch.top);
    const hangs = `echo >>${home}/ran; [ $(wc -l <${home}/ran) -lt ${String(room)} ] || exec sleep 600\nnode --test test/\n`;
    const stop = new AbortController();
    const stopped = expect
      .poll(() => existsSync(join(home, "ran")) && readFileSync(join(home, "ran"), "utf8").length)
      .toBe(room);
    const bent = TEST.replace("1, 2), 3", "1, 2), 0").replace("1, 0), 1", "1, 0), 0");
    const attempt = { ...DONE, "test/add.test.js": room === 4 ? bent : `${TEST}\n`, ...more };
    const judged = cold.judge({ ...NODE, "check.sh": hangs }, attempt, { ...CHECK, stop: stop.signal });
    await stopped;
    stop.abort();
    expect((await judged).report.verdict).toBe("interrupted");
  },
);

test("a gate that is stopped reports that it was interrupted", async ({ cold }) => {
  rmSync(join(cold.scratch.top, "a.txt"));
  symlinkSync("dir/b.txt", join(cold.scratch.top, "a.txt"));
  const { report } = await cold.judge(NODE, DONE, { ...DIRECT, stop: AbortSignal.abort() });
  expect(report).toMatchObject({ verdict: "interrupted", cold: true });
});

exhaustively("a project without tests cannot verify its first ones", async ({ cold }) => {
  const project = { "package.json": NODE["package.json"] ?? "", "test/.gitkeep": "", "src/add.js": "" };
  const attempt = { ...DONE, "test/add.test.js": TEST };
  const verify = { commands: ["npm test -s", "ls test/*.js"], measured: true };
  const { report } = await cold.judge(project, attempt, verify);
  expect(report).toMatchObject({ verdict: "unverified", because: "influence" });
});

test("work that changes while the checks run proves nothing, unless it changes on the base too", async ({
  cold,
}) => {
  const test = "echo good >src/made.txt; grep -q good src/made.txt";
  const verify = { commands: ["sh check.sh"], strict: true };
  const project = { "check.sh": `${test}\n`, "src/made.txt": "good\n", "src/a.txt": "" };
  const { report, warnings } = await cold.judge(project, { "src/made.txt": "bad\n" }, verify);
  expect(report.verdict).toBe("unverified");
  expect(warnings.join()).toContain("src/made.txt");
  const always = { ...project, "check.sh": `date +%N >src/made.txt\n` };
  const { report: usual } = await cold.judge(always, { "src/a.txt": "more\n" }, verify);
  expect(usual.verdict).toBe("unbroken");
});
