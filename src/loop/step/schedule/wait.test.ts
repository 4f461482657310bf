// The log lines of a wait, and its length.
import { expect, test } from "vitest";
import type { StepEvent } from "../../../logging/events/events.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import { row } from "../../../todo/testing/testing.js";
import { answer } from "../../testing/answers.js";
import { advanceTo } from "../../testing/reach.js";
import { feed, createSim, RULES, startRun, wake, type Fed, type Sim } from "../../testing/world/sim.js";

const disk = { rows: [row("T1")], commits: [], checkpoints: [] };
const BEGUN: StepEvent = {
  ...{ type: "run_started", run: "r", version: "0", project: "/", todo_file: "/t", agents: [] },
  ...{ rules: RULES, git: true, warnings: [] },
};

/** Ends the agent with a limit that names a time in so many ms; returns the notes of the failure and of the wait. */
function turnedAway(from: Sim, toldMs: number): { sim: Sim; notes: ToldEvent[] } {
  const sim = advanceTo(from, "run-agent");
  const open = sim.open.find(({ effect }) => effect.kind === "run-agent");
  if (open === undefined) throw new Error("no agent is at work");
  const retry_at = new Date(sim.now + toldMs).toISOString();
  const end = { outcome: "failed", reason: "rate-limited", evidence: "later", retry_at } as const;
  return toTheWait(answer(sim, open, { end }));
}

/** Answers all effects until the timer is set. */
function toTheWait({ sim: from, taken }: Fed): { sim: Sim; notes: ToldEvent[] } {
  let sim = from;
  const notes = [...taken.next.notes];
  while (sim.timer === undefined) {
    const [open] = sim.open;
    if (open === undefined) throw new Error("nothing is under way, and no timer set");
    const done = answer(sim, { ...open, ops: [] });
    sim = { ...done.sim, open: done.sim.open.filter((one) => one !== open) };
    notes.push(...done.taken.next.notes);
  }
  return { sim, notes };
}

test("L17: a run waits 11 s twice if the agent names 10 s twice in a row", () => {
  const first = turnedAway(startRun(createSim(disk)).sim, 10_000);
  const second = turnedAway(wake(first.sim).sim, 10_000);
  expect([first.sim.timer, second.sim.timer]).toEqual([11_000, 22_000]);
});

test("a wait that is longer than the agent named gives the reason", () => {
  let sim = startRun(createSim(disk)).sim;
  for (let n = 0; n < 3; n++) {
    const away = turnedAway(sim, 1000);
    expect(JSON.stringify(away.notes)).not.toContain("until_why");
    sim = wake(away.sim).sim;
  }
  const { notes, sim: waiting } = turnedAway(sim, 1000);
  const why = "told 4 times in a row to come back in less than 5 s";
  expect(notes.filter(({ type }) => type === "attempt_failed" || type === "waiting")).toMatchObject([
    { type: "attempt_failed", next: "wait", until_why: why },
    { type: "waiting", agent: "a", until_why: why },
  ]);
  expect(waiting.timer).toBe(sim.now + 60_000);
});

test("a backoff from an earlier run is marked as such until the agent is asked again", () => {
  const until = new Date(5000).toISOString();
  const pauses = [{ agent: "a", reason: "rate-limited", until }];
  const started = feed(createSim(disk), BEGUN).sim;
  const recovered: StepEvent = { type: "recovered", killed: 0, left: [], locks_removed: [], pauses };
  const { sim, notes } = toTheWait(feed(started, recovered));
  expect(notes).toEqual([{ type: "waiting", agent: "a", reason: "rate-limited", until, remembered: true }]);
  const again = turnedAway(wake(sim).sim, 10_000);
  expect(JSON.stringify(again.notes)).not.toContain("remembered");
});
