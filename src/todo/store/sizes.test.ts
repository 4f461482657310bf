// Very large backlogs: work that must be linear is. Leaves correctness to the tests beside each file.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { checkBacklog } from "../check/check.js";
import type { PersonChange } from "../model/changes/person-change.js";
import type { Problem } from "../model/problem.js";
import { closure, selectTask } from "../model/select.js";
import { applyChanges } from "../change/update.js";
import { openStore } from "./store.js";
import { backlog, id, row, task } from "../testing/testing.js";
import type { Task } from "../model/task.js";

function textOf(tasks: Task[]): Buffer {
  return Buffer.from(JSON.stringify(backlog(...tasks), null, 2));
}

function problemsOf(text: Buffer): Problem[] {
  const result = checkBacklog(text);
  return result.kind === "ok" ? [] : result.problems;
}

/** Milliseconds of the processor; other work on the machine does not count. */
async function timed(work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  return process.cpuUsage(from).user / 1000;
}

/** A limit in bare parses of the same text, so that it holds on any machine. */
function parses(text: Buffer, most: number): Promise<number> {
  return timed(() => JSON.parse(text.toString()) as unknown).then((ms) => ms * most);
}

/** In make proof five times as many. */
const MANY = process.env["EXHAUSTIVE"] === undefined ? 20_000 : 100_000;

test("many tasks in one chain, or in one ring, are checked in time", async () => {
  const chain = Array.from({ length: MANY }, (_, i) =>
    task(`T${i}`, i === 0 ? {} : { depends_on: [`T${i - 1}`] }),
  );
  const bytes = textOf(chain);
  const took = await timed(() => {
    expect(checkBacklog(bytes).kind).toBe("ok");
  });
  expect(took).toBeLessThan(await parses(bytes, 40));
  const ring = problemsOf(textOf([task("T0", { depends_on: [`T${MANY - 1}`] }), ...chain.slice(1)]));
  expect(ring).toMatchObject([{ rule: "cycle", pointer: "/tasks/0/depends_on/0" }]);
  expect(ring[0]?.message).toMatch(
    new RegExp(`: T0 → T${MANY - 1} → .* → … ${MANY - 19} more … → .* → T1 → T0$`),
  );
});

test("[ 100,000 times does not overflow the stack", () => {
  const problems = problemsOf(Buffer.from("[".repeat(100_000)));
  expect(problems.map((p) => [p.rule, p.column])).toEqual([["nesting", 201]]);
  const closed = `{"tasks":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(problemsOf(Buffer.from(closed)).map((p) => p.rule)).toContain("nesting");
  expect(problemsOf(Buffer.from(`{"a":${'{"a":[1e400,'.repeat(50_000)}`))).toHaveLength(99 + 1);
});

test("a file full of mistakes is still checked in time", () => {
  const tasks = Array.from({ length: 20_000 }, (_, i) => task(`T${i}`, { depends_on: [`X${i}`] }));
  expect(problemsOf(textOf(tasks))).toHaveLength(20_000);
});

test("a claim and its end take little time with many tasks", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sizes-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "to-do.json");
  const tasks = Array.from({ length: MANY }, (_, n) => task(`T${n}`, { details: "x".repeat(100) }));
  const bytes = textOf(tasks);
  await writeFile(path, bytes);
  const store = openStore(nodePorts(), path, { lockFolder: join(folder, "lock") });
  await store.read();
  const rules = { while: "idle", finished: new Set<never>() } as const;
  const took = await timed(async () => {
    await store.change([{ op: "claim", id: id("T1"), expect: "todo" }], rules);
    await store.change(
      [{ op: "finish", id: id("T1"), result: "ok", files: [], verdict: "unverified" }],
      rules,
    );
  });
  expect(took).toBeLessThan(await parses(bytes, 40));
  const after: unknown = JSON.parse(await readFile(path, "utf8"));
  expect(after).toHaveProperty("tasks.1", expect.objectContaining({ id: "T1", status: "done" }));
});

test("many tasks that one command inserts, and reopens, take little time", async () => {
  const now = "2026-11-20T21:46:01.000Z";
  const tasks = Array.from({ length: MANY }, (_, n) => task(`T${n}`));
  const inserts = tasks.map((one): PersonChange => ({ op: "insert", task: one }));
  const edits = tasks.map(({ id: one }): PersonChange => ({
    op: "edit",
    id: one,
    set: { status: "todo" },
    clear: [],
  }));
  const took = await timed(() => {
    const { backlog: all, applied } = applyChanges(backlog(), [...inserts, ...edits], now);
    expect(applied.refused).toEqual([]);
    expect(all.tasks).toHaveLength(MANY);
  });
  expect(took).toBeLessThan(await parses(textOf(tasks), 100));
});

test("the first of 100,000 tasks in a chain is next", () => {
  const rows = Array.from({ length: 100_000 }, (_, i) =>
    row(`T${i}`, i === 0 ? {} : { depends_on: [`T${i - 1}`] }),
  );
  expect(
    selectTask(rows, {
      attempts: new Map(),
      maxAttempts: 2,
      blockedAtStart: new Set(),
      finalForRun: new Set(),
    }),
  ).toMatchObject({ picked: { id: "T0" }, candidates: 1 });
  expect(closure(id("T99999"), rows)?.size).toBe(100_000);
});
