import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunLog, type RunLog } from "../../logging/run-log.js";
import type { StepEvent } from "../../logging/events/events.js";
import { UserError } from "../../system/errors.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { row } from "../../todo/testing/testing.js";
import { drive, type Perform } from "./drive.js";
import type { Effect } from "./effects.js";
import { replayRun } from "../replay/replay.js";
import { createWorld } from "../testing/world/in-world.js";
import { createSim } from "../testing/world/sim.js";

const ports = nodePorts();
let folder: string;
let log: RunLog;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "looper-drive-"));
  log = await createRunLog(ports, folder, { redact: (text) => text, onLine: () => undefined });
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});

const backlog = { rows: [row("T1"), row("T2", { depends_on: ["T1"] })], commits: [], checkpoints: [] };

/** Reads the log synchronously, so that later writes are not in it. */
function lines(): Record<string, unknown>[] {
  const text = readFileSync(path.join(log.folder, "events.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>);
}

test("L11: a decision is in the log before any of its effects starts", async () => {
  const begun: string[] = [];
  const { inbox, perform } = createWorld(createSim(backlog, { review: false }), (effect) => {
    const decided = lines().filter(({ type }) => type === "decided");
    expect(decided.at(-1)?.["effects"]).toContainEqual(effect);
    begun.push(effect.kind);
    return Promise.resolve();
  });
  const end = await drive({ log, clock: ports.clock, perform }, inbox);
  expect(end.ending).toBe("complete");
  expect(begun.filter((kind) => kind === "commit")).toHaveLength(2);
});

test("L15: the log of a run, read back from disk, gives the same decisions, and a changed effect is found", async () => {
  const { inbox, perform } = createWorld(createSim(backlog, { review: false }), () => Promise.resolve());
  await drive({ log, clock: ports.clock, perform }, inbox);
  const decisions = lines().filter(({ type }) => type === "decided").length;
  expect(await replayRun(ports, log.folder)).toEqual({ decisions });
  const file = path.join(log.folder, "events.jsonl");
  await ports.files.writeAtomic(
    file,
    (await readFile(file, "utf8")).replace('"claim","id":"T2"', '"claim","id":"T1"'),
  );
  expect(await replayRun(ports, log.folder)).toMatchObject({
    difference: expect.stringContaining("T2") as string,
  });
});

test("L10: an error that an effect throws is its one answer, unless it is an internal error", async () => {
  const refuse = (effect: Effect): Promise<void> =>
    effect.kind === "checkpoint"
      ? Promise.reject(new UserError("environment", "no space", "free some"))
      : Promise.resolve();
  const { inbox, perform } = createWorld(createSim(backlog), refuse);
  const failing: Perform = (effect, at) =>
    effect.kind === "finish" ? Promise.resolve(ended) : perform(effect, at);
  expect(await drive({ log, clock: ports.clock, perform: failing }, inbox)).toMatchObject({
    ending: "environment",
  });
  const failed = lines().filter(({ type }) => type === "effect_failed");
  expect(failed).toMatchObject([{ effect: "checkpoint", error: "no space", hint: "free some", job: 1 }]);

  const full = createWorld(createSim(backlog), (effect) =>
    effect.kind === "snapshot"
      ? Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }))
      : Promise.resolve(),
  );
  const fillingUp: Perform = (effect, at) =>
    effect.kind === "finish" ? Promise.resolve(ended) : full.perform(effect, at);
  await drive({ log, clock: ports.clock, perform: fillingUp }, full.inbox);
  const last = lines().filter(({ type }) => type === "effect_failed");
  expect(last.at(-1)).toMatchObject({ effect: "snapshot", hint: "free some space, then run again" });

  const git = createWorld(createSim(backlog), (effect) =>
    effect.kind === "snapshot"
      ? Promise.reject(
          new UserError("environment", "git add: fatal: unable to write: No space left on device"),
        )
      : Promise.resolve(),
  );
  const gitFails: Perform = (effect, at) =>
    effect.kind === "finish" ? Promise.resolve(ended) : git.perform(effect, at);
  await drive({ log, clock: ports.clock, perform: gitFails }, git.inbox);
  const ofGit = lines().filter(({ type }) => type === "effect_failed");
  expect(ofGit.at(-1)).toMatchObject({ effect: "snapshot", hint: "free some space, then run again" });

  const bug = createWorld(createSim(backlog), () => Promise.reject(new Error("a bug")));
  await expect(drive({ log, clock: ports.clock, perform: bug.perform }, bug.inbox)).rejects.toThrow("a bug");
});

test("L15: an effect is performed at the time of the event it was decided on", async () => {
  const { inbox, perform } = createWorld(createSim(backlog, { review: false }), () => Promise.resolve());
  const done: { kind: string; at: number }[] = [];
  const noting: Perform = (effect, at) => {
    done.push({ kind: effect.kind, at });
    return perform(effect, at);
  };
  await drive({ log, clock: ports.clock, perform: noting }, inbox);
  const times = new Map(lines().map(({ seq, timestamp }) => [seq, timestamp]));
  const decided = lines().filter(({ type }) => type === "decided");
  const planned = decided.flatMap(({ of, effects }) =>
    (effects as Effect[]).map(({ kind }) => ({ kind, at: Date.parse(String(times.get(of))) })),
  );
  expect(done).toEqual(planned);
  expect(done.length).toBeGreaterThan(10);
});

const ended: StepEvent = {
  type: "run_ended",
  ending: "environment",
  totals: { done: 0, tasks: 2, iterations: 1, duration_ms: 0, input_tokens: 0, output_tokens: 0 },
};

test("a failure at the end is reported as such, not as an internal error", async () => {
  const full = new UserError("environment", "the log cannot be written: ENOSPC", "free some space");
  const { inbox, perform } = createWorld(createSim(backlog, { review: false }), (effect) =>
    effect.kind === "finish" ? Promise.reject(full) : Promise.resolve(),
  );
  await expect(drive({ log, clock: ports.clock, perform }, inbox)).rejects.toBe(full);
});
