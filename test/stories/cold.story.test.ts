// The cold room over a whole run: files of one task do not judge the next, and a person's change counts at once.
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import type { Program } from "../rig/program.js";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const TEST = `import { equal } from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/add.mjs";
test("adds", () => {
  equal(add(1, 2), 3);
});
`;
const ADD = "export const add = (a, b) => a + b;\n";
const BROKEN = "export const add = () => 0;\n";
const manifest = (test: string): string => `{ "scripts": { "test": "${test}" } }\n`;

async function project(rig: Rig, commands: string[]): Promise<Puppet> {
  const puppet = await rig.agent({}, { verify: { commands, cold: true }, loop: { max_attempts: 1 } });
  rig.write("src/add.mjs", ADD);
  rig.write("test/add.test.mjs", TEST);
  rig.write("run.mjs", `import { add } from "./src/add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n`);
  rig.write("package.json", manifest("node --test"));
  rig.write(".gitignore", "looper-logs\n");
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  rig.gitInit();
  return puppet;
}

/** Files by task; a value that is not a text means done. */
function play(
  puppet: Puppet,
  tasks: Record<string, Record<string, string> | ((turn: Turn) => Promise<unknown>)>,
): void {
  puppet.play(async (turn) => {
    const task = tasks[turn.task] ?? {};
    if (typeof task === "function") await task(turn);
    else for (const [name, text] of Object.entries(task)) await turn.write(`${turn.hello.cwd}/${name}`, text);
    await turn.report();
  });
}

const gates = (rig: Rig) => rig.events().filter(({ type }) => type === "gate_finished");
const verdicts = (rig: Rig) =>
  rig.events().flatMap((line) => (line.type === "gate_finished" ? [String(line["verdict"])] : []));
const warnings = (rig: Rig) =>
  rig.events().flatMap((line) => (line.type === "gate_finished" ? [String(line["warnings"])] : []));

const NPM = ["npm test -s"];
const NODE = ["node --test --test-reporter=tap"];
/** The tests that were there pass, but do not run with the whole attempt. */
const UNTESTED = { verdict: "unverified", because: "no-report" };
const bends: Record<string, [commands: string[], first: Record<string, string>, verdict: object]> = {
  "the checker of a command": [
    ["node run.mjs"],
    { "run.mjs": "" },
    { verdict: "unbroken", changed_checks: ["run.mjs"] },
  ],
  "the test script": [NPM, { "package.json": manifest("true") }, UNTESTED],
  "settings of npm": [NPM, { ".npmrc": "script-shell=/bin/true\n" }, UNTESTED],
};

test.for(sample(Object.entries(bends), 1))(
  "a check that one task bends does not judge the next, and is named: %s",
  async ([, [commands, first, verdict]]) => {
    await story(async (rig) => {
      const puppet = await project(rig, commands);
      play(puppet, { T1: first, T2: { "src/add.mjs": BROKEN } });
      expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
      expect(gates(rig)).toMatchObject([
        verdict,
        { verdict: "unverified", because: "influence", on: ["T1"] },
      ]);
      expect(rig.readBacklog().tasks).toMatchObject([{ status: "done" }, { status: "done" }]);
    })();
  },
);

exhaustively(
  "a run that resumes a killed one trusts no more than that one did",
  story(async (rig) => {
    const puppet = await project(rig, NPM);
    let program: Program | undefined = undefined;
    play(puppet, {
      T1: { "package.json": manifest("true") },
      T2: () => program?.kill("alone") ?? Promise.resolve(),
    });
    program = rig.start(["run", "--no-review", "--trust"]);
    await program.ended;
    expect(verdicts(rig)).toEqual(["unverified"]);
    play(puppet, { T2: { "src/add.mjs": BROKEN } });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(gates(rig)).toMatchObject([{ verdict: "unverified", because: "influence", on: ["T1"] }]);
  }),
);

exhaustively(
  "a test that one task adds cannot end the others before they ran",
  story(async (rig) => {
    const puppet = await project(rig, ["node --test test/*"]);
    const ends = "process.on('exit', () => process.reallyExit(0));\n";
    play(puppet, { T1: { "test/a.test.mjs": ends }, T2: { "src/add.mjs": BROKEN } });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    expect(verdicts(rig)).toEqual(["unbroken", "failed"]);
  }),
);

exhaustively(
  "checks that a task may change by its changes hold for the tasks after it",
  story(async (rig) => {
    const puppet = await project(rig, NODE);
    rig.writeBacklog([{ id: "T1", changes: ["test/add.test.mjs"] }, { id: "T2" }]);
    const more = "export const add = (a, b) => a + b + 1;\n";
    play(puppet, {
      T1: { "src/add.mjs": more, "test/add.test.mjs": TEST.replace("1, 2), 3", "1, 2), 4") },
      T2: { "src/add.mjs": ADD },
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    expect(verdicts(rig)).toEqual(["passed", "failed"]);
  }),
);

const SUB = "export const sub = (a, b) => a - b;\n";
const SUB_TEST = TEST.replaceAll("add", "sub").replace("1, 2), 3", "3, 2), 1");

exhaustively(
  "tests that one task adds hold for the next: honest work passes, and what breaks them does not",
  story(async (rig) => {
    const puppet = await project(rig, NODE);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    play(puppet, {
      T1: {
        "src/sub.mjs": SUB,
        "test/sub.test.mjs": SUB_TEST,
        "package.json": manifest("node --test; true"),
      },
      T2: { "src/sub.mjs": `${SUB}export const mul = (a, b) => a * b;\n`, "test/mul.test.mjs": SUB_TEST },
      T3: { "src/sub.mjs": "export const sub = () => 0;\n" },
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    expect(verdicts(rig)).toEqual(["passed", "unbroken", "failed"]);
    expect(warnings(rig)[1]).toBe("");
  }),
);

test(
  "a test that an earlier task added counts as it was found: a later one may add to its file, and breaks nothing by changing it",
  story(async (rig) => {
    const puppet = await project(rig, NODE);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    const source = (name: string, body: string): string => `export const ${name} = (a, b) => ${body};\n`;
    const [sub, mul, div] = [source("sub", "a - b"), source("mul", "a * b"), source("div", "a / b")];
    const added = (names: Record<string, string>): string =>
      [
        TEST.replace("{ add }", "* as all").replace("add(1", "all.add(1"),
        ...Object.entries(names).map(
          ([name, value]) => `test("${name}", () => equal(all.${name}(4, 2), ${value}));\n`,
        ),
      ].join("");
    play(puppet, {
      T1: { "src/add.mjs": `${ADD}${sub}`, "test/add.test.mjs": added({ sub: "2" }) },
      T2: { "src/add.mjs": `${ADD}${sub}${mul}`, "test/add.test.mjs": added({ sub: "2", mul: "8" }) },
      T3: {
        "src/add.mjs": `${ADD}${source("sub", "0")}${mul}${div}`,
        "test/add.test.mjs": added({ sub: "0", mul: "8", div: "2" }),
      },
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["passed", "passed", "unverified"]);
    const [, , last] = gates(rig);
    expect(last).toMatchObject({ needs: [{ path: "test/add.test.mjs" }] });
    expect(JSON.stringify(last?.["needs"])).not.toContain("+import * as all");
  }),
);

exhaustively.each([
  ["loosened", "test/helper.mjs"],
  ["given a file that it takes in if it is there", "test/by.mjs"],
])(
  "a helper that an earlier task added counts as it was found: %s, it hides nothing of what its test says",
  (_, file) =>
    story(async (rig) => {
      const puppet = await project(rig, NODE);
      rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
      const by = 'await import("./by.mjs").then((one) => one.by, () => 0)';
      const bent = file.endsWith("by.mjs") ? "export const by = 9;\n" : "export const near = () => true;\n";
      const test = [
        'import test from "node:test";\nimport assert from "node:assert";\n',
        'import { near } from "./helper.mjs";\nimport { sub } from "../src/sub.mjs";\n',
        'test("subtracts", () => assert.ok(near(sub(4, 2), 2)));\n',
      ].join("");
      play(puppet, {
        T1: {
          "src/sub.mjs": "export const sub = (a, b) => a - b;\n",
          "test/helper.mjs": `const by = ${by};\nexport const near = (a, b) => Math.abs(a - b) <= by;\n`,
          "test/sub.test.mjs": test,
        },
        T2: { "src/sub.mjs": "export const sub = () => 5;\n", [file]: bent },
      });
      expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
      expect(verdicts(rig)).toEqual(["passed", "unverified"]);
      expect(gates(rig)[1]).toMatchObject({ needs: [{ path: file }] });
    })(),
);

exhaustively(
  "a test that one task removes is missed in that task alone, and still judges the source of the next",
  story(async (rig) => {
    const puppet = await project(rig, NODE);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.write("test/more.test.mjs", TEST.replace('"adds"', '"more"'));
    rig.gitInit();
    play(puppet, {
      T1: (turn) => turn.shell("rm test/more.test.mjs; echo // tidy >> src/add.mjs"),
      T2: { "src/sub.mjs": "export const sub = (a, b) => a - b;\n" },
      T3: { "src/add.mjs": BROKEN, "test/add.test.mjs": "" },
    });
    await rig.run(["run", "--no-review", "--trust"]);
    expect(verdicts(rig)).toEqual(["unverified", "unbroken", "unverified"]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done" });
  }),
);
