import { expect, test } from "vitest";
import type { Sealed } from "../../logging/events/events.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Timer } from "../../system/ports.js";
import { listenToOthers, TaskFileWatch } from "./listen.js";

const { files, clock } = nodePorts();
const NOTHING: Timer = { cancel: () => undefined };

const line = (of: Record<string, unknown>): Sealed =>
  ({ seq: 1, timestamp: "2026-01-01T00:00:00.000Z", ...of }) as unknown as Sealed;

test("a question is shared at once, and the remote is asked once a minute while the run sleeps", async () => {
  const ticks: (() => void)[] = [];
  let now = 0;
  const every = (_ms: number, tick: () => void): Timer => {
    ticks.push(tick);
    return NOTHING;
  };
  const watch = new TaskFileWatch({ files }, "/nowhere/to-do.json");
  const shared: number[] = [];
  const share = (): Promise<void> => {
    shared.push(now);
    return Promise.resolve();
  };
  const ports = { files, clock: { ...clock, every, monotonic: () => now } };
  listenToOthers(ports, { folder: "/nowhere", watch, share }, () => undefined);
  const pass = async (until: number): Promise<void> => {
    for (; now < until; now += 250) {
      for (const tick of ticks) tick();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  await pass(10_000);
  watch.see(line({ type: "asked" }));
  await pass(20_000);
  watch.see(line({ type: "waiting", reason: "an answer" }));
  await pass(135_000);
  watch.see(line({ type: "decided", effects: [] }));
  await pass(300_000);
  // A person at the terminal is asked, while an answer from elsewhere has another task worked on.
  watch.see(line({ type: "decided", effects: [{ kind: "ask-person" }] }));
  await pass(310_000);
  watch.see(line({ type: "decided", effects: [] }));
  await pass(370_000);
  watch.see(line({ type: "person_asked" }));
  await pass(500_000);
  expect(shared).toEqual([10_000, 70_000, 130_000, 300_000, 360_000]);
});
