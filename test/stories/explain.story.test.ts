// `looper show ID --explain`: the gate is asked again about a task, from what the run kept.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ShowAnswer } from "../../src/ui/shapes/runs.js";
import { exhaustively } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const SRC = "add() { echo $(($1 + $2)); }\nsub() { echo $(($1 - $2)); }\n";
const BROKEN = SRC.replace("$1 + $2", "0");
const testOf = (name: string, want: string): string => `. ./src/math.sh\ntest "$(${name} 3 2)" = ${want}\n`;
/** Much more than the log keeps of a diff. */
const LONG = Array.from({ length: 400 }, (_, at) => `# line ${String(at)} of a long remark\n`).join("");

/** T1 breaks `add` and bends its test, and changes two more checks that it does not need; T2 breaks `sub`, whose test T1 bent. */
async function bent(rig: Rig, more: object = {}): Promise<void> {
  const puppet = await rig.agent(
    {},
    { verify: { commands: ["sh test/add.test.sh && sh test/sub.test.sh"], ...more } },
  );
  rig.write("src/math.sh", SRC);
  rig.write("test/add.test.sh", testOf("add", "5"));
  rig.write("test/sub.test.sh", testOf("sub", "1"));
  rig.write("package.json", '{ "type": "module" }\n');
  rig.write(".gitignore", "looper-logs\n");
  rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"] }]);
  rig.gitInit();
  const works: Record<string, Record<string, string>> = {
    T1: {
      "src/math.sh": BROKEN,
      "test/add.test.sh": `${LONG}${testOf("add", "0")}`,
      "test/sub.test.sh": testOf("sub", '"$(sub 3 2)"'),
      "package.json": '{ "type": "module", "private": true }\n',
    },
    T2: { "src/math.sh": BROKEN.replace("$1 - $2", "0") },
  };
  puppet.play(async (turn) => {
    for (const [name, text] of Object.entries(works[turn.task] ?? {}))
      await turn.write(`${turn.hello.cwd}/${name}`, text);
    await turn.report();
  });
  const { code, stderr } = await rig.run(["run", "--no-review"]);
  expect(code, stderr).toBe(0);
}

async function explainJson(rig: Rig, id: string, ...more: string[]) {
  const { code, stdout, stderr } = await rig.run(["show", id, "--explain", "--json", ...more]);
  expect(code, stderr).toBe(0);
  return ShowAnswer.parse(JSON.parse(stdout)).explained;
}

test(
  "explain names exactly the bent check with its whole diff and the kind of each changed path, and changes nothing",
  story(async (rig) => {
    await bent(rig);
    const before = [rig.git("status", "--porcelain"), rig.git("for-each-ref"), rig.events().length];
    const explained = await explainJson(rig, "T1");
    expect(explained).toMatchObject({
      verdict: "unverified",
      because: "influence",
      needs: [{ path: "test/add.test.sh" }],
      on: [],
      changed: [
        { path: "package.json", kind: "check" },
        { path: "src/math.sh", kind: "source" },
        { path: "test/add.test.sh", kind: "check" },
        { path: "test/sub.test.sh", kind: "check" },
      ],
    });
    expect(explained?.needs[0]?.diff).toContain("+# line 399 of a long remark\n");
    expect(explained?.changed.every(({ why }) => why !== "")).toBe(true);
    const { stdout, code } = await rig.run(["show", "T1", "--explain"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nwhy it is unverified\n {2}(?:it )?passes only with test\/add\.test\.sh/);
    expect(stdout).toContain("\nit needs test/add.test.sh (row 6: it is named like a test)\n");
    expect(stdout).toContain("# line 399 of a long remark\n");
    expect(stdout).not.toContain("it needs package.json");
    expect(stdout).toMatch(/\nchanged paths\n {2}path +kind +row +why\n {2}package\.json +check +4 +\S/);
    expect([rig.git("status", "--porcelain"), rig.git("for-each-ref"), rig.events().length]).toEqual(before);
    expect(existsSync(path.join(rig.project, ".looper/lock/to-do.json.run"))).toBe(false);

    expect(await explainJson(rig, "T2")).toMatchObject({
      ...{ verdict: "unverified", because: "influence", needs: [], on: ["T1"] },
      changed: [{ path: "src/math.sh", kind: "source" }],
    });

    rig.git("update-ref", "-d", refOf(rig, "T1"));
    expect(await rig.run(["show", "T1", "--explain"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("at T1 is not kept any more: its refs are gone") as string,
    });
    rmSync(path.join(rig.project, "looper-logs"), { recursive: true });
    expect(await rig.run(["show", "T2", "--explain"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no log has a verdict of the gate on T2") as string,
    });
  }),
);

const refOf = (rig: Rig, task: string): string =>
  rig
    .git("for-each-ref", "--format=%(refname)", "refs/looper/attempts")
    .split("\n")
    .find((name) => name.includes(`/${task}-`)) ?? "";

exhaustively(
  "explain of a verified task lists the kinds of what it changed and runs no command",
  story(async (rig) => {
    const log = path.join(rig.root, "ran");
    const puppet = await rig.agent(
      {},
      { verify: { commands: [`echo ran >> ${log}; grep -q "a = 2" src/a.mjs`] } },
    );
    rig.write("src/a.mjs", "export const a = 1;\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/src/a.mjs`, "export const a = 2;\n");
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    rmSync(log);
    expect(await explainJson(rig, "T1")).toEqual({
      ...{ verdict: "passed", because: null, needs: [], on: [], reasons: [] },
      changed: [{ path: "src/a.mjs", kind: "source", row: 11, why: expect.any(String) as string }],
    });
    expect(existsSync(log)).toBe(false);
  }),
);

test(
  "explain needs trust in a project's own commands, is refused to agents, and ends with Ctrl-C",
  story(async (rig) => {
    const puppet = await rig.agent();
    const fifo = path.join(rig.root, "fifo");
    rig.write(".looper/config.json", '{ "verify": { "commands": ["sh check.sh"] } }\n');
    rig.write(
      "check.sh",
      `test ! -p '${fifo}' || { echo running > '${fifo}'; sleep 1000; }\ngrep good src/a.mjs\n`,
    );
    rig.write("src/a.mjs", "// good\n");
    rig.write(".gitignore", "looper-logs\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/src/a.mjs`, "// bad\n");
      await turn.write(`${turn.hello.cwd}/check.sh`, "exit 0\n");
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(await rig.run(["show", "T1", "--explain"])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("have not been approved yet") as string,
    });
    const byAgent = { env: { LOOPER_RUN_ID: "r" } };
    expect(await rig.run(["show", "T1", "--explain", "--trust"], byAgent)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("an agent of a run may not") as string,
    });
    expect(await explainJson(rig, "T1", "--trust")).toMatchObject({ needs: [{ path: "check.sh" }] });

    execFileSync("mkfifo", [fifo]);
    const explaining = rig.start(["show", "T1", "--explain", "--trust"]);
    expect(await readFile(fifo, "utf8")).toBe("running\n");
    explaining.signal("SIGINT");
    expect(await explaining.ended).toMatchObject({ code: 130, stdout: "" });
    expect(rig.leftovers()).toEqual([]);
  }),
);
