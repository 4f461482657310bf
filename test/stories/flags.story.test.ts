// Flags that no other story is about, each with what it does. test/promises/flags.test.ts looks for those that have none.
import { expect, test } from "vitest";
import { Backlog } from "../../src/todo/model/task.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const ONE = JSON.stringify({
  schema_version: 1,
  source_files: [],
  tasks: [{ id: "T1", title: "Begin", priority: 1, status: "todo" }],
});

/** Two agents that do what they are asked; says who was asked for what. */
async function twoAgents(rig: Rig): Promise<string[]> {
  const asked: string[] = [];
  const puppet = await rig.agents({ one: {}, other: {} });
  puppet.play(async (turn: Turn) => {
    asked.push(`${turn.phase} ${turn.hello.name}`);
    const file = turn.hello.env["LOOPER_TODO_FILE"];
    if (file !== undefined) await turn.write(file, ONE);
    await turn.report();
  });
  return asked;
}

test(
  "each phase and each turn has the agent that its flag names; between two iterations it waits as long as it is told",
  story(async (rig) => {
    const asked = await twoAgents(rig);
    const run = async (...flags: string[]): Promise<string[]> => {
      asked.length = 0;
      rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
      expect((await rig.run(["run", "--no-review", ...flags])).code).toBe(0);
      return [...asked];
    };
    const odd = await run("--schedule", "odd-even", "--odd-agent", "other", "--even-agent", "one");
    expect(odd).toEqual(["iteration other", "iteration one"]);
    const robin = await run("--schedule=round-robin", "--rr-agents", "one,other", "--loop-delay", "0.7");
    expect(robin).toEqual(["iteration one", "iteration other"]);
    const at = (type: string): number[] =>
      rig
        .events()
        .filter((line) => line.type === type)
        .map(({ timestamp }) => Date.parse(timestamp));
    const [, begun = 0] = at("agent_started");
    const [ended = 0] = at("agent_finished");
    expect(begun - ended).toBeGreaterThanOrEqual(700);
  }),
);

test(
  "drafting, repairing and reviewing have agents of their own",
  story(async (rig) => {
    const asked = await twoAgents(rig);
    const drafted = await rig.run(["run", "--prompt", "a shop", "--bootstrap-agent", "other", "--no-review"]);
    expect([drafted.code, asked]).toEqual([0, ["bootstrap other", "iteration one"]]);
    asked.length = 0;
    rig.write("to-do.json", '{"schema_version": 1, "tasks": [{');
    const repaired = await rig.run(["run", "--repair-agent", "other", "--review-agent", "other"]);
    expect([repaired.code, asked]).toEqual([0, ["repair other", "iteration one", "review other"]]);
  }),
);

test(
  "a run ends where its time, its money or its tokens end",
  story(async (rig) => {
    const used = { type: "usage", input_tokens: 700, output_tokens: 0, cost_usd: 0.5 };
    const puppet = await rig.agent({ output: "jsonl" });
    puppet.play(async (turn) => {
      await turn.say(JSON.stringify(used));
      await turn.say(JSON.stringify({ type: "summary", task_id: turn.task, status: "done" }));
      await turn.exit(0);
    });
    const run = async (...flags: string[]): Promise<unknown> => {
      rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
      const { code, stdout } = await rig.run(["run", "--no-review", ...flags]);
      return [code, /\((loop\.\S+)\)/.exec(stdout)?.[1], rig.statuses()["T2"]];
    };
    expect(await run("--max-tokens", "500")).toEqual([1, "loop.max_tokens", "todo"]);
    expect(await run("--max-cost", "0.4")).toEqual([1, "loop.max_cost_usd", "todo"]);
    puppet.play(async (turn) => {
      await turn.gone;
    });
    expect(await run("--max-duration", "1s")).toEqual([1, "loop.max_duration", "todo"]);
  }),
);

test(
  "the agent may keep the task file itself: then nothing is taken from what it reports",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play(async (turn) => {
      const backlog = rig.readBacklog();
      const tasks = backlog.tasks.map((task) => ({ ...task, status: "done" }));
      await turn.write("to-do.json", JSON.stringify({ ...backlog, tasks }));
      await turn.report({ summary: "all of it", new_tasks: [{ title: "More", priority: 1 }] });
    });
    rig.writeBacklog([{ id: "T1" }]);
    expect((await rig.run(["run", "--no-review", "--no-apply-summary"])).code).toBe(0);
    const [first, ...more] = rig.readBacklog().tasks.filter(({ tags }) => tags === undefined);
    expect([first?.status, first?.result, more]).toEqual(["done", undefined, []]);
  }),
);

test(
  "a task is added to and changed in the named file, with all of its fields",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T9" }]);
    rig.write("other.json", ONE);
    const file = ["--file", "other.json"];
    const told = ["--details", "-", "--verify", "make check", "--verify", "make lint", "--agent", "codex"];
    const added = await rig.run(["add", "Second", ...told, ...file], { input: "All of\nit.\n" });
    expect([added.code, added.stdout]).toEqual([0, "T2\n"]);
    expect((await rig.run(["set", "T2", "priority=1", ...file])).code).toBe(0);
    const second = (): Backlog["tasks"][number] | undefined =>
      Backlog.parse(JSON.parse(rig.read("other.json"))).tasks.find(({ id }) => id === "T2");
    expect(second()).toMatchObject({
      ...{ title: "Second", details: "All of\nit.", verify: ["make check", "make lint"] },
      ...{ agent: "codex", priority: 1, status: "todo" },
    });
    expect((await rig.run(["block", "T2", "no key", ...file])).code).toBe(0);
    expect(second()).toMatchObject({ status: "blocked", blockers: ["no key"] });
    expect((await rig.run(["todo", "T2", ...file])).code).toBe(0);
    expect(second()?.status).toBe("todo");
    expect((await rig.run(["done", "T2", ...file])).code).toBe(0);
    expect(second()?.status).toBe("done");
    expect(rig.readBacklog().tasks.map(({ id }) => String(id))).toEqual(["T9"]);
  }),
);

test(
  "a release has the agent and the model of its flags; what --verify names has to pass as well",
  story(async (rig) => {
    const asked: (readonly string[])[] = [];
    (await rig.agentsOnPath("claude")).play(async (turn) => {
      asked.push(turn.hello.args);
      await turn.exit(0, "");
    });
    rig.write("package.json", '{"name": "p", "version": "1.0.0"}');
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    const push = ["push", "-y", "--agent", "claude", "--model", "a-model"];
    const red = await rig.run([...push, "--verify", "test -e nowhere"]);
    expect([red.code, asked, red.stdout + red.stderr]).toEqual([
      ...[1, []],
      expect.stringContaining("test -e nowhere"),
    ]);
    expect((await rig.run([...push, "--verify", "true"])).code).toBe(1);
    const models = asked.map((args) => args[args.indexOf("--model") + 1]);
    expect(new Set(models)).toEqual(new Set(["a-model"]));
  }),
);
