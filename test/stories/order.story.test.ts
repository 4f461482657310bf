// Which task comes when, and with which agent (contract §3.4, §4): held against a model of its own, thirty lines long.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { seeded } from "../rig/chance.js";
import { exhaustively } from "../rig/exhaustive.js";
import { type Rig, story, type TaskDraft } from "../rig/rig.js";

interface Planned extends TaskDraft {
  priority: number;
  status: "todo" | "doing" | "blocked" | "done";
  depends_on: string[];
  agent?: string;
}

/** Every sixth task fails at first. */
const isFlaky = (index: number) => index % 6 === 2;

/** 30 tasks in no order: ids that sort one way as text and another as numbers, some doing, blocked or done already. */
function plan(seed: number): Planned[] {
  const chance = seeded(seed);
  const pick = <T>(from: readonly T[]): T => {
    const found = from[Math.floor(chance() * from.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  };
  const ids = [
    ...Array.from({ length: 12 }, (_, i) => `T${i + 1}`),
    ...["T001", "T01", "T1.2", "T1.10", "T10a", "A2", "A10", "a2", "Z", "0", "00", "7", "fix-9", "fix-10"],
    ...["é1", "x_2", "x_10", "T2b"],
  ];
  const statuses = ["todo", "todo", "todo", "todo", "todo", "doing", "blocked", "done"] as const;
  // Drawn in an order of their own, so that each may wait for any of those drawn before it.
  const drawn = ids.map((id) => ({ id, at: chance() })).sort((a, b) => a.at - b.at);
  const tasks = drawn.map(({ id }, index): Planned => {
    const before = drawn.slice(0, index).map((one) => one.id);
    const depends_on = chance() < 0.5 ? [] : [...new Set([pick([...before, ""]), pick([...before, ""])])];
    return {
      id,
      priority: 1 + Math.floor(chance() * 5),
      status: pick(statuses),
      depends_on: depends_on.filter((one) => one !== ""),
    };
  });
  return tasks
    .map((task) => ({ task, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ task }) => task);
}

/** Digit runs as numbers, the rest by code point, a tie by the whole string. */
function compareIds(a: string, b: string): number {
  const parts = (id: string) => id.match(/\d+|\D/gu) ?? [];
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = "", y = ""] = [left[i], right[i]];
    const numbers = /^\d/.test(x) && /^\d/.test(y);
    const order = numbers ? Number(x) - Number(y) : (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length || (a < b ? -1 : 1);
}

/** Each attempt that must be made, as `task agent`. */
function foretell(
  tasks: readonly Planned[],
  agentOf: (iteration: number, task: Planned) => string,
  flaky: ReadonlySet<string>,
): string[] {
  const status = new Map(tasks.map((task) => [task.id, task.status]));
  const steps: string[] = [];
  for (;;) {
    const rank = (task: Planned) => ["doing", "todo", "blocked"].indexOf(status.get(task.id) ?? "");
    const weight = (task: Planned) => (rank(task) === 0 ? 0 : task.priority);
    const [next] = tasks
      .filter(({ id }) => status.get(id) !== "done")
      .filter(({ depends_on }) => depends_on.every((id) => status.get(id) === "done"))
      .sort((a, b) => rank(a) - rank(b) || weight(a) - weight(b) || compareIds(a.id, b.id));
    if (next === undefined) return steps;
    const fails = flaky.has(next.id) && status.get(next.id) !== "doing";
    steps.push(`${next.id} ${agentOf(steps.length + 1, next)}`);
    status.set(next.id, fails ? "doing" : "done");
  }
}

const Start = z.object({ agent: z.string(), env: z.record(z.string(), z.string()) });

/** The starts that the stand-ins wrote down, as `task agent`; the task of a review is `review`. */
function starts(rig: Rig): string[] {
  const lines = readFileSync(path.join(rig.root, "starts.jsonl"), "utf8").trim().split("\n");
  return lines
    .map((line) => Start.parse(JSON.parse(line)))
    .map(({ agent, env }) => `${env["LOOPER_TASK_ID"] ?? env["LOOPER_PHASE"] ?? ""} ${agent}`);
}

interface Case {
  name: string;
  seed: number;
  settings: Record<string, unknown>;
  flags?: string[];
  agentOf: (iteration: number, task: Planned) => string;
  review: string;
  /** Tasks that name an agent themselves. */
  own?: boolean;
}

const oddEven = (iteration: number) => (iteration % 2 === 1 ? "codex" : "claude");
const CASES: Case[] = [
  {
    name: "a task's own agent",
    seed: 5,
    settings: { schedule: { strategy: "odd-even" } },
    agentOf: (iteration, task) => task.agent ?? oddEven(iteration),
    review: "codex",
    own: true,
  },
  {
    name: "single",
    seed: 1,
    settings: { schedule: { strategy: "single", agent: "codex" } },
    agentOf: () => "codex",
    review: "codex",
  },
  {
    name: "odd-even",
    seed: 2,
    settings: { schedule: { strategy: "odd-even" } },
    agentOf: oddEven,
    review: "codex",
  },
  {
    name: "round-robin",
    seed: 3,
    settings: {},
    flags: ["--schedule", "rr", "--rr-agents", "claude,codex,codex"],
    agentOf: (iteration) => ["claude", "codex", "codex"][(iteration - 1) % 3] ?? "",
    review: "claude",
  },
  {
    name: "roles",
    seed: 4,
    settings: { schedule: { strategy: "odd-even" }, roles: { iteration: "claude" } },
    flags: ["--review-agent", "codex"],
    agentOf: () => "claude",
    review: "codex",
  },
];

const own = (tasks: Planned[]) =>
  tasks.map((task, index) =>
    index % 3 === 0 ? { ...task, agent: index % 2 === 0 ? "claude" : "codex" } : task,
  );

for (const { name, seed, settings, flags = [], agentOf, review, own: names = false } of CASES) {
  exhaustively(
    `30 tasks are done in order under ${name}`,
    story(async (rig) => {
      const tasks = names ? own(plan(seed)) : plan(seed);
      const flaky = new Set(
        tasks.filter(({ status }, index) => status === "todo" && isFlaky(index)).map(({ id }) => id),
      );
      const expected = foretell(tasks, agentOf, flaky);
      // A plan that asks for nothing would prove nothing.
      expect(expected.length).toBeGreaterThan(20);
      expect(flaky.size).toBeGreaterThan(0);

      rig.settings(settings);
      rig.writeBacklog(tasks);
      const done = { summary: { status: "done" } };
      const env = rig.clis({
        tasks: Object.fromEntries([...flaky].map((id) => [id, [{ exit: 1 }, done]])),
        default: [done],
      });
      const ran = await rig.run(["run", ...flags], {
        env: { ...env, FAKE_AGENT_LOG: path.join(rig.root, "starts.jsonl") },
      });

      expect(starts(rig)).toEqual([...expected, `review ${review}`]);
      const selected = rig.events().filter(({ type }) => type === "task_selected");
      expect(selected.map((line) => `${String(line["task_id"])} ${String(line["agent"])}`)).toEqual(expected);
      expect(Object.values(rig.statuses())).toEqual(tasks.map(() => "done"));
      // Only what changed differs: the order of the file is the person's.
      expect(rig.readBacklog().tasks.map(({ id }) => id)).toEqual([
        ...tasks.map(({ id }) => id),
        "PROJECT-DONE",
      ]);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("every task is done") as string });
    }),
  );
}
