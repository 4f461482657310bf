// Chapo in the stage of a workflow asks before a call: the question is in the task's row, and the answer resumes the session,
// which runs that very call.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { QuestionsAnswer } from "../../src/ui/shapes/workflows.js";
import { story, type Rig } from "../rig/rig.js";

const call = (name: string, args: unknown): object => ({ call: { name, args } });
const SMALL = {
  workflow: 1,
  name: "small",
  about: "One stage of work",
  start: "execute",
  stages: { execute: { kind: "work", prompt: "implement", gate: "none", next: { done: "finish" } } },
};

function begin(rig: Rig, turns: readonly object[]): void {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/tasks/\n");
  rig.write(".looper/workflows/small.json", JSON.stringify(SMALL));
  const script = path.join(rig.root, "replies.json");
  writeFileSync(script, JSON.stringify({ tasks: { T1: turns }, turns: [] }));
  rig.settings({
    workflow: "small",
    schedule: { agent: "chapo" },
    agents: { chapo: { model: "scripted", chapo: { script, mode: "default" } } },
  });
  rig.gitInit();
}

async function questions(rig: Rig) {
  return QuestionsAnswer.parse(JSON.parse((await rig.run(["questions", "--json"])).stdout)).questions;
}

const report = call("report_summary", { status: "done", summary: "Made.", outcome: "done" });
const run = (rig: Rig) => rig.run(["run", "--no-review", "--trust"]);

exhaustively(
  "a call of Chapo in a run is a question in the task's row; a yes runs it once in its session, a no refuses it",
  story(async (rig) => {
    begin(rig, [
      call("bash_execute", { command: "echo one >> one.txt" }),
      call("bash_execute", { command: "echo two >> two.txt" }),
      report,
    ]);
    const first = await run(rig);
    expect(first.code, first.stderr).toBe(1);
    const [open] = await questions(rig);
    expect(open).toMatchObject({ source: "tool", text: "echo one >> one.txt", task: "T1" });
    expect(open?.call).toMatchObject({ tool: "bash_execute", arguments: { command: "echo one >> one.txt" } });
    expect(existsSync(path.join(rig.project, "one.txt"))).toBe(false);

    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    expect((await rig.run(["approve", "T1"])).code).toBe(1);
    const second = await run(rig);
    expect(second.code, second.stderr).toBe(1);
    expect((await questions(rig))[0]?.text).toBe("echo two >> two.txt");

    expect((await rig.run(["reject", "T1", "-m", "not two"])).code).toBe(0);
    const third = await run(rig);
    expect(third.code, third.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.git("show", "HEAD:one.txt")).toBe("one\n");
    expect(existsSync(path.join(rig.project, "two.txt"))).toBe(false);
  }),
);
