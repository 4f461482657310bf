// The budgets of a run and a task (docs/limits.md): tokens, dollars, time. Work that a budget stops is kept.
import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { type Block, blocksOf } from "../rig/documents.js";
import { type Rig, story } from "../rig/rig.js";

const told = (rig: Rig, type: string) => rig.events().filter((line) => line.type === type);
const attempts = (rig: Rig) => rig.readBacklog().tasks.map((task) => task.attempts ?? 0);

/** An agent of the kind `command` that does these lines of shell, and says that it is done. */
function agentOf(rig: Rig, lines: readonly string[], more: object = {}): void {
  const done = `echo '{"type":"summary","task_id":null,"status":"done"}'`;
  rig.write(
    "../agent.sh",
    ["#!/bin/sh", 'echo "$LOOPER_TASK_ID" >> work.txt', ...lines, done, ""].join("\n"),
  );
  chmodSync(`${rig.root}/agent.sh`, 0o755);
  rig.settings({
    schedule: { agent: "it" },
    agents: { it: { kind: "command", binary: `${rig.root}/agent.sh`, output: "jsonl" } },
    ...more,
  });
}

const uses = (tokens: number, usd?: number) =>
  `echo '${JSON.stringify({ type: "usage", input_tokens: tokens, output_tokens: 0, ...(usd === undefined ? {} : { cost_usd: usd }) })}'`;
/** Until it is stopped. */
const GOES_ON = "sleep 600 & wait";

test(
  "a run begins no task with its tokens used; what went beyond is said",
  story(async (rig) => {
    // Codex tells what it used when its turn is over, and the work done.
    const env = rig.clis({ default: [{ summary: { task_id: null, status: "done" } }] });
    rig.settings({ loop: { max_tokens: 10 } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout } = await rig.run(["run", "--agent", "codex", "--no-review"], { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/token limit reached: [\d,]{2,} of 10 \(loop\.max_tokens\)/);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
    expect(told(rig, "run_ended")).toMatchObject([{ ending: "budget", totals: { iterations: 1 } }]);
  }),
);

test(
  "an agent that continues beyond it is stopped at once: the task stays in hand with its work, and nothing is counted",
  story(async (rig) => {
    agentOf(rig, [uses(700, 0.5), uses(700, 0.75), GOES_ON], { loop: { max_cost_usd: 1, max_attempts: 1 } });
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout } = await rig.run(["run", "--no-review"]);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("$1.25 of $1.00") as string,
    });
    expect(rig.statuses()).toEqual({ T1: "doing", T2: "todo" });
    expect(attempts(rig)).toEqual([0, 0]);
    expect(rig.read("work.txt")).toBe("T1\n");
    expect(told(rig, "attempt_failed")).toMatchObject([{ reason: "budget", next: "end" }]);
    expect(rig.leftovers()).toEqual([]);
    agentOf(rig, []);
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(rig.git("show", "HEAD~1:work.txt")).toBe("T1\nT1\n");
  }),
);

test(
  "a task that is over its own budget is blocked, its work a rescue; the run continues",
  story(async (rig) => {
    agentOf(
      rig,
      [`if [ "$LOOPER_TASK_ID" = T1 ]; then ${uses(900)}; ${uses(200)}; ${GOES_ON}; fi`, uses(100)],
      {
        loop: { task_tokens: 1000, max_attempts: 3 },
      },
    );
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(told(rig, "run_ended")).toMatchObject([{ ending: "blocked", totals: { iterations: 2 } }]);
    const [blocked] = rig.readBacklog().tasks;
    expect(blocked?.blockers?.[0]).toBe("budget: token limit reached: 1,100 of 1,000 (loop.task_tokens)");
    expect(rig.git("show", "HEAD:work.txt")).toBe("T2\n");
    expect((await rig.run(["rescue", "list"])).stdout).toContain("T1");
  }),
);

/** An agent of a workflow that does these lines in each stage, and reports its first outcome. */
function stageAgentOf(
  rig: Rig,
  lines: Readonly<Record<"do" | "look", readonly string[]>>,
  loop: object,
): void {
  const report = (outcome: string): string =>
    `echo '${JSON.stringify({ type: "summary", task_id: null, status: "done", outcome })}'; exit 0`;
  const branches = [
    ...["do)", 'echo "$LOOPER_TASK_ID" >> work.txt', ...lines.do, report("done"), ";;"],
    ...["look)", ...lines.look, report("good"), ";;"],
  ];
  agentOf(rig, ['case "$LOOPER_STAGE" in', ...branches, "esac"], { loop });
  // Only the stage that works writes.
  rig.write("../agent.sh", rig.read("../agent.sh").replace('echo "$LOOPER_TASK_ID" >> work.txt\n', ""));
  const stages = {
    do: { kind: "work", prompt: "implement", next: { done: "look" } },
    look: { kind: "analyze", prompt: "review-task", next: { good: "finish", bad: "do" } },
  };
  const workflow = { workflow: 1, name: "pair", start: "do", stages };
  rig.write(".looper/workflows/pair.json", JSON.stringify(workflow));
}
const PAIR = ["run", "--no-review", "--trust", "--workflow", "pair"];
const startedStages = (rig: Rig) => told(rig, "agent_started").map(({ task_id, stage }) => [task_id, stage]);

exhaustively(
  "a run whose budget is spent in a stage keeps the work of the task, and the next run continues from that stage",
  story(async (rig) => {
    rig.trees = true;
    stageAgentOf(rig, { do: [uses(1, 0.75)], look: [uses(1, 0.5), GOES_ON] }, { max_attempts: 1 });
    rig.write(".gitignore", "looper-logs/\n.looper/tasks/\n");
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout } = await rig.run([...PAIR, "--max-cost", "1"]);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("$1.25 of $1.00") as string,
    });
    expect(rig.readBacklog().tasks).toMatchObject([
      { status: "doing", progress: { stage: "look", visit: 2, work: {} } },
      { status: "todo" },
    ]);
    expect(rig.leftovers()).toEqual([]);
    stageAgentOf(rig, { do: [uses(1, 0.75)], look: [] }, { max_attempts: 1 });
    expect(await rig.run(PAIR)).toMatchObject({ code: 0 });
    expect(startedStages(rig)).toEqual([
      ["T1", "look"],
      ["T2", "do"],
      ["T2", "look"],
    ]);
    expect(rig.git("show", "HEAD:work.txt")).toBe("T1\nT2\n");
  }),
);

exhaustively(
  "a task whose own budget is spent in a later stage is blocked with its work as a rescue; the run continues",
  story(async (rig) => {
    const look = [`if [ "$LOOPER_TASK_ID" = T1 ]; then ${uses(1, 0.5)}; ${GOES_ON}; fi`];
    stageAgentOf(rig, { do: [uses(1, 0.75)], look }, { task_cost_usd: 1, unknown_cost: "allow" });
    rig.write(".gitignore", "looper-logs/\n.looper/tasks/\n");
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    expect((await rig.run(PAIR)).code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(rig.readBacklog().tasks[0]?.blockers?.[0]).toContain("$1.25 of $1.00 (loop.task_cost_usd)");
    expect(rig.git("show", "HEAD:work.txt")).toBe("T2\n");
    expect((await rig.run(["rescue", "list"])).stdout).toContain("T1");
  }),
);

exhaustively(
  "a run that has lasted long enough ends what is in hand",
  story(async (rig) => {
    agentOf(rig, [GOES_ON], { loop: { max_duration: "2s" } });
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stdout } = await rig.run(["run", "--no-review"]);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("time limit of 2 s reached") as string,
    });
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "with a budget in dollars no agent of unknown cost works, unless there is a price or it is allowed",
  story(async (rig) => {
    const env = rig.clis({ default: [{ summary: { task_id: null, status: "done" } }] });
    rig.settings({ loop: { max_cost_usd: 5 }, agents: { codex: { model: "m" } } });
    rig.writeBacklog([{ id: "T1" }]);
    const run = ["run", "--agent", "codex", "--no-review"];
    const refused = await rig.run(run, { env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/codex does not report its cost[^]*put a price for m in prices_file/);
    expect(rig.statuses()).toEqual({ T1: "todo" });
    rig.write("prices.json", '{"m": {"input": 1000, "output": "much"}}');
    const priced = {
      prices_file: "prices.json",
      loop: { max_cost_usd: 5 },
      agents: { codex: { model: "m" } },
    };
    rig.settings(priced);
    const bad = await rig.run(run, { env });
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/prices\.json: not a valid price list at m\.output/) as string,
    });
    rig.write("prices.json", '{"m": {"input": 1000, "output": 2000, "cached_input": 100}}');
    expect(await rig.run(run, { env })).toMatchObject({ code: 0 });
    const [usage] = told(rig, "usage");
    expect(usage?.["cost_usd"]).toBeGreaterThan(0);
  }),
);

test(
  "an agent that could have reported its cost and did not ends the run: nothing counts as free",
  story(async (rig) => {
    agentOf(rig, [uses(600)], { loop: { max_cost_usd: 5 } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(stdout).toContain("the cost of it is unknown");
    expect(stdout).toMatch(/next: .*prices_file; or set loop\.unknown_cost to allow/);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
    agentOf(rig, [uses(600)], { loop: { max_cost_usd: 5, unknown_cost: "allow" } });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
  }),
);

exhaustively(
  "an agent is not asked for a report once the budget is spent: the task stays in progress with its work",
  story(async (rig) => {
    const env = rig.clis({ default: [{ files: { "a.txt": "a\n" }, prose: "I made it." }] });
    rig.settings({ loop: { max_cost_usd: 0.001 } });
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stdout, stderr } = await rig.run(["run", "--agent", "claude", "--no-review"], { env });
    expect(code).toBe(1);
    expect(stdout).toContain("of $0.0010 (loop.max_cost_usd), and it was still to report");
    expect(stderr).toMatch(/- stopped T1/);
    expect(told(rig, "agent_started")).toHaveLength(1);
    expect(told(rig, "attempt_failed")).toMatchObject([{ reason: "budget", next: "end" }]);
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(attempts(rig)).toEqual([0]);
    expect(rig.read("a.txt")).toBe("a\n");
  }),
);

exhaustively(
  "the amount that the last attempt used beyond a budget is reported as it ends, in the log, and when the run is over",
  story(async (rig) => {
    // However long looper takes to hear of the tokens: told to stop, it still comes to its end.
    const toItsEnd = ["trap '' INT TERM", uses(600, 0.9)];
    agentOf(rig, toItsEnd, { loop: { task_tokens: 500, max_cost_usd: 0.05 } });
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    const task = "T1: token limit reached: 600 of 500 (loop.task_tokens)";
    const run = "the run: over budget: $0.90 of $0.05 (loop.max_cost_usd)";
    for (const printed of [stdout, stderr])
      for (const line of [task, run]) expect(printed.split(line)).toHaveLength(2);
    expect(told(rig, "over_budget")).toMatchObject([
      { of: "run", key: "loop.max_cost_usd", spent: 0.9 },
      { of: "task", key: "loop.task_tokens", spent: 600 },
    ]);
    expect((await rig.run(["tail"])).stdout).toContain("600 of 500 tokens (loop.task_tokens)");
  }),
);

exhaustively(
  "a command that prints text can be held by no budget but time: it is refused, or warned of where that is allowed",
  story(async (rig) => {
    rig.write("../agent.sh", `#!/bin/sh\necho '{"task_id":null,"status":"done"}'\n`);
    chmodSync(`${rig.root}/agent.sh`, 0o755);
    const with_ = (loop: object) => {
      rig.settings({
        prices_file: "prices.json",
        schedule: { agent: "it" },
        agents: { it: { kind: "command", binary: `${rig.root}/agent.sh`, model: "m" } },
        loop,
      });
    };
    rig.write("prices.json", '{"m": {"input": 1, "output": 2}}');
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    for (const loop of [{ max_cost_usd: 1 }, { task_tokens: 1 }]) {
      with_(loop);
      expect(await rig.run(["run", "--no-review"])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/does not report its[^]*agents\.it\.output to jsonl/) as string,
      });
    }
    with_({ max_tokens: 1, unknown_cost: "allow" });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    const message = "cannot enforce loop.max_tokens: it reports no tokens";
    expect(told(rig, "warning").filter((line) => line["message"] === message)).toHaveLength(1);
  }),
);

test(
  "the settings that docs/limits.md shows run codex and claude in turn, with a budget in dollars",
  story(async (rig) => {
    const shown = (isIt: (block: Block) => boolean) => blocksOf("docs/limits.md").find(isIt)?.body ?? "";
    const env = rig.clis({ default: [{ summary: { task_id: null, status: "done" } }] });
    const settings = shown(({ body }) => body.includes('"odd-even"'));
    rig.write(".looper/config.json", settings);
    rig.write("notify.sh", "#!/bin/sh\n");
    chmodSync(`${rig.project}/notify.sh`, 0o755);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const args = ["run", "--no-review", "--trust"];

    const refused = await rig.run(args, { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("prices.json") as string });

    rig.write(
      "prices.json",
      shown(({ file }) => file === "prices.json"),
    );
    const { code, stderr } = await rig.run(args, { env });
    expect(code, stderr).toBe(0);
    expect(told(rig, "agent_started").map(({ agent }) => agent)).toEqual(["codex", "claude"]);

    rig.write(".looper/config.json", settings.replace(/^ *"prices_file".*\n/m, ""));
    const unpriced = await rig.run(["run", "--trust"], { env });
    expect(unpriced.code).toBe(2);
    expect(unpriced.stderr).toMatch(/prices_file, or set loop\.unknown_cost to allow/);
  }),
);
