// Chapo in the stages of a workflow: an output with a schema, a question about a call, a message while it works.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { QuestionsAnswer } from "../../src/ui/shapes/workflows.js";
import { exhaustively } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const TWO_STAGES = {
  ...{ workflow: 1, name: "two", about: "A plan, then the work", start: "plan" },
  stages: {
    plan: { kind: "analyze", agent: "planner", prompt: "plan", output: "plan", next: { done: "ok" } },
    ok: { kind: "ask", question: "Go?", shows: "plan", next: { approve: "execute", reject: "block" } },
    execute: { kind: "work", prompt: "implement", gate: "none", next: { done: "finish" } },
  },
};
const PLAN = { summary: "Write a.txt", steps: ["Write it"], commands: ["echo a > a.txt"] };

const call = (name: string, args: unknown): object => ({ call: { name, args } });
const report = (more: object): object =>
  call("report_summary", { status: "done", summary: "Made.", outcome: "done", ...more });

interface Scripts {
  planner: readonly object[];
  worker: readonly object[];
}

/** One agent for each stage, each with a script of its own. */
function begin(rig: Rig, { planner, worker }: Scripts, mode: "default" | "trusted"): void {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.write(".looper/workflows/two.json", JSON.stringify(TWO_STAGES));
  const agent = (name: string, turns: readonly object[]) => {
    const script = path.join(rig.root, `${name}.json`);
    writeFileSync(script, JSON.stringify({ turns, default: turns }));
    return { kind: "chapo", model: "scripted", chapo: { script, mode } };
  };
  rig.settings({
    workflow: "two",
    schedule: { agent: "worker" },
    agents: { planner: agent("planner", planner), worker: agent("worker", worker) },
  });
  rig.gitInit();
}

const run = (rig: Rig) => rig.run(["run", "--no-review", "--trust"]);

/** The conversations of the stages, oldest first. */
function sessions(rig: Rig): string[] {
  const folder = path.join(rig.project, ".looper/chapo");
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, "session.json")))
    .sort()
    .map((name) => readFileSync(path.join(folder, name, "session.json"), "utf8"));
}

test(
  "an output that does not meet its schema is asked for again, and a call of the work stage is a planned question",
  story(async (rig) => {
    begin(
      rig,
      {
        planner: [
          call("fs_writeFile", { path: "early.txt", content: "too early" }),
          report({ output: { summary: "Write a.txt", steps: "none" } }),
          report({ output: PLAN }),
        ],
        worker: [
          call("run_command", { command: "echo a > a.txt" }),
          call("run_command", { command: "echo b > b.txt" }),
          report({}),
        ],
      },
      "default",
    );
    const working = rig.start(["run", "--no-review", "--trust", "--wait"]);
    /** Until it has asked so many questions, and waits. */
    const waits = (times: number) =>
      working.says(new RegExp(`(?:asks[^]*?waiting for an answer[^]*?){${String(times)}}`, "u"));
    await waits(1);
    const [planned = ""] = sessions(rig);
    expect(existsSync(path.join(rig.project, "early.txt"))).toBe(false);
    expect(planned).toContain("output.steps");
    const outputs = path.join(rig.project, ".looper/tasks/T1");
    expect(readFileSync(path.join(outputs, "task.md"), "utf8")).toContain("Write it");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    await waits(2);
    const asked = async () =>
      QuestionsAnswer.parse(JSON.parse((await rig.run(["questions", "--json"])).stdout)).questions[0];
    expect(await asked()).toMatchObject({ source: "tool", text: "echo a > a.txt", call: { planned: true } });

    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    await waits(3);
    expect(await asked()).toMatchObject({ text: "echo b > b.txt", call: { planned: false } });
    expect((await rig.run(["reject", "T1"])).code).toBe(0);
    const over = await working.ended;
    expect(over.code, over.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.read("a.txt")).toBe("a\n");
    expect(existsSync(path.join(rig.project, "b.txt"))).toBe(false);
  }),
);

exhaustively(
  "a message to a task is in the next model request of the Chapo that works on it",
  story(async (rig) => {
    begin(
      rig,
      {
        planner: [report({ output: PLAN })],
        worker: [
          call("run_command", { command: "touch begun; until test -f go; do sleep 0.1; done" }),
          report({}),
        ],
      },
      "trusted",
    );
    expect((await run(rig)).code).toBe(1);
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    const working = rig.start(["run", "--no-review", "--trust"]);
    await expect.poll(() => existsSync(path.join(rig.project, "begun"))).toBe(true);
    const steered = await rig.run(["steer", "T1", "use tabs"]);
    expect(steered.code, steered.stderr).toBe(0);
    rig.write("go", "");
    const over = await working.ended;
    expect(over.code, over.stderr).toBe(0);
    const messages = rig.events().filter(({ type }) => type === "message");
    expect(messages).toContainEqual(expect.objectContaining({ role: "user", content: "use tabs" }));
    const worked = JSON.parse(sessions(rig).at(-1) ?? "") as { messages: { role: string; text?: string }[] };
    expect(worked.messages.filter(({ text }) => text === "use tabs")).toHaveLength(1);
    expect(worked.messages.findIndex(({ text }) => text === "use tabs")).toBeGreaterThan(1);
  }),
);
