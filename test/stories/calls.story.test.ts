// Calls of tools that a person must allow first, in a run: an agent ends its turn with one, the question is in the task's row, and
// the answer of another process reaches the same session, once. Chapo's own side is in the stories of Chapo.
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { QuestionsAnswer } from "../../src/ui/shapes/workflows.js";
import { digestOfCall } from "../../src/workflow/call.js";
import { story, type Rig } from "../rig/rig.js";
import { startServer } from "../rig/serve-client.js";

/** Ends its first turn at `execute` with a call; with the answer it does what the person decided, and notes what it was told. */
const AGENT = `
import { appendFileSync, writeFileSync } from "node:fs";
const plan = { summary: "Push it", steps: ["Push"], commands: ["git push origin main"], items: ["Push"] };
export default {
  async run({ stage, taskId, answered }) {
    const done = (outcome, output) => ({ task_id: taskId, status: "done", summary: stage.name, outcome, output });
    if (stage.name === "clarify") return done("clear", { status: "clear", clarified_query: "Push" });
    if (stage.name === "plan") return done("done", plan);
    if (stage.name === "validate") return done("complete", { findings: [] });
    appendFileSync(process.env.NOTED, JSON.stringify({ visit: stage.visit, answered }) + "\\n");
    const call = (id, command) => ({
      session: "s-1",
      waiting_call: { id, tool: "bash_execute", arguments: { command, timeout: 5 }, command, preview: "pushes main" },
    });
    if (answered === undefined) return call("c-1", "git push --force");
    if (answered.outcome !== "reject") writeFileSync("ran.txt", answered.arguments.command + "\\n");
    if (answered.id === "c-1" && process.env.TWICE === "1") return call("c-2", "git push origin main");
    return done("done");
  },
};
`;

function begin(rig: Rig): void {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write("agent.mjs", AGENT);
  rig.write(".gitignore", "looper-logs/\n.looper/tasks/\n");
  rig.write(
    ".looper/config.json",
    JSON.stringify({
      workflow: "plan-approve-execute",
      schedule: { agent: "own" },
      agents: { own: { kind: "module", module: "agent.mjs" } },
    }),
  );
  rig.gitInit();
}

function run(rig: Rig, TWICE = "0") {
  const words = ["run", "--no-review", "--trust", "--auto-approve", "approve"];
  return rig.run(words, { env: { NOTED: `${rig.root}/noted`, TWICE } });
}

const noted = (rig: Rig): unknown[] =>
  rig
    .read("../noted")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
const command = "git push --force";
const sha256 = digestOfCall({ tool: "bash_execute", arguments: { command, timeout: 5 } });

test(
  "a call waits in the task's row with its exact arguments, and the session runs it after the answer of another process",
  story(async (rig) => {
    begin(rig);
    const first = await run(rig);
    expect([first.code, first.stderr]).toEqual([1, expect.anything()]);
    expect(first.stderr).toContain("asks to run: git push --force");
    const { stdout } = await rig.run(["questions", "--json"]);
    const [open] = QuestionsAnswer.parse(JSON.parse(stdout)).questions;
    expect(open).toMatchObject({
      ...{ source: "tool", text: command, outcomes: ["approve", "edit", "reject"] },
      shows: { what: "call", sha256 },
      call: { session: "s-1", id: "c-1", arguments: { command, timeout: 5 }, preview: "pushes main" },
    });
    expect(open?.call?.planned).toBe(false);
    const listed = await rig.run(["questions"]);
    expect(listed.stdout).toMatch(/git push --force\n {2}tool bash_execute\n.*"timeout": 5.*pushes main/su);
    expect(listed.stdout).toContain("not in the approved plan");
    expect((await rig.run(["approve", "T1", "-m", "this once"])).code).toBe(0);
    expect((await rig.run(["reject", "T1"])).code).toBe(1);
    expect((await run(rig)).code).toBe(0);
    expect(noted(rig)).toMatchObject([
      { visit: 4 },
      {
        visit: 6,
        answered: { session: "s-1", id: "c-1", outcome: "approve", comment: "this once", via: "cli" },
      },
    ]);
    expect(rig.read("ran.txt")).toBe("git push --force\n");
  }),
);

test(
  "a call that a client of /coding changes runs as it was changed",
  story(async (rig) => {
    begin(rig);
    await run(rig);
    const server = await startServer(rig);
    const changed = { arguments: { command: "git push --dry-run" } };
    // The answer is given; the run that takes it up needs an approval at a terminal.
    expect(await server.ask("POST", "/coding/T1/edit", changed)).toMatchObject({
      body: { code: "untrusted" },
    });
    await server.stop();
    expect((await run(rig)).code).toBe(0);
    expect(rig.read("ran.txt")).toBe("git push --dry-run\n");
  }),
);

exhaustively(
  "a call that is rejected does not run, and one that is changed runs as it was changed",
  story(async (rig) => {
    begin(rig);
    await run(rig);
    expect((await rig.run(["answer", "T1", "edit"])).stderr).toContain("the changed arguments are missing");
    rig.write("../changed.json", "[]");
    expect((await rig.run(["answer", "T1", "edit", "--edit", "../changed.json"])).code).toBe(2);
    expect((await rig.run(["approve", "T1", "--edit", "../changed.json"])).stderr).toContain(
      "`looper answer T1.5 edit` changes the call and allows it",
    );
    rig.write("../changed.json", JSON.stringify({ command: "git push --dry-run" }));
    expect((await rig.run(["answer", "T1", "edit", "--edit", "../changed.json"])).code).toBe(0);
    expect((await run(rig, "1")).code).toBe(1);
    expect(rig.read("../noted")).toContain('"outcome":"edit","arguments":{"command":"git push --dry-run"}');
    const { stdout } = await rig.run(["questions", "--json"]);
    const [second] = QuestionsAnswer.parse(JSON.parse(stdout)).questions;
    expect(second).toMatchObject({ id: "T1.7", call: { id: "c-2", planned: true } });
    expect((await rig.run(["reject", "T1", "-m", "not today"])).code).toBe(0);
    expect((await run(rig)).code).toBe(0);
    expect(noted(rig).at(-1)).toMatchObject({
      visit: 8,
      answered: { id: "c-2", outcome: "reject", comment: "not today" },
    });
    expect(rig.git("show", "HEAD:ran.txt")).toBe("git push --dry-run\n");
  }),
);
