import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { readToldPauses } from "./earlier-pauses.js";

const NOW = Date.parse("2026-11-21T06:00:00Z");
const LATER = "2026-11-21T07:00:00.000Z";
const STARTED = [{ type: "run_started" }, { type: "decided" }];

function logsOf(runs: Record<string, readonly object[] | undefined>): string {
  const dir = mkdtempSync(join(tmpdir(), "pauses-"));
  for (const [run, lines] of Object.entries(runs)) {
    const folder = join(dir, "runs", run);
    mkdirSync(folder, { recursive: true });
    const text = lines?.map((line, n) => `${JSON.stringify({ seq: n + 1, ...line })}\n`).join("");
    if (text !== undefined) writeFileSync(join(folder, "events.jsonl"), text);
  }
  return dir;
}

const told = (dir: string) => readToldPauses(nodePorts(), dir, NOW);
const limited = (agent: string, retry_at: string) => ({
  type: "agent_finished",
  agent,
  outcome: "failed",
  reason: "rate-limited",
  retry_at,
});

test("a pause holds until its time, or until the agent works again", async () => {
  const dir = logsOf({
    "2026-11-21_05-00-00": [
      ...STARTED,
      { type: "recovered", pauses: [{ agent: "d", reason: "overloaded", until: LATER }] },
      limited("a", LATER),
      limited("b", "2026-11-21T05:30:00.000Z"),
      limited("c", LATER),
      { type: "agent_finished", agent: "c", outcome: "ok" },
    ],
  });
  expect(await told(dir)).toEqual([
    { agent: "d", reason: "overloaded", until: LATER },
    { agent: "a", reason: "rate-limited", until: LATER },
  ]);
});

test("a pause names the model that the agent was started with", async () => {
  const agents = [{ name: "a", model: "m" }, { name: "b" }];
  const dir = logsOf({
    "2026-11-21_05-00-00": [
      { type: "run_started", agents },
      { type: "recovered", pauses: [{ agent: "d", model: "n", reason: "overloaded", until: LATER }] },
      limited("a", LATER),
      limited("b", LATER),
    ],
  });
  expect(await told(dir)).toEqual([
    { agent: "d", model: "n", reason: "overloaded", until: LATER },
    { agent: "a", model: "m", reason: "rate-limited", until: LATER },
    { agent: "b", reason: "rate-limited", until: LATER },
  ]);
});

test("a run that ended before it recovered is skipped for the run before it", async () => {
  const first = [...STARTED, { type: "recovered" }, limited("a", LATER)];
  const dir = logsOf({
    "2026-11-21_05-00-00": first,
    "2026-11-21_05-00-01": undefined,
    "2026-11-21_05-00-02": [],
    "2026-11-21_05-00-03": STARTED,
  });
  mkdirSync(join(dir, "runs/2026-11-21_05-00-04/events.jsonl"), { recursive: true });
  expect(await told(dir)).toEqual([{ agent: "a", reason: "rate-limited", until: LATER }]);
});

test("without logs the list of pauses is empty", async () => {
  expect(await told(join(tmpdir(), "there-is-no-such-folder"))).toEqual([]);
  expect(await told(logsOf({ "2026-11-21_05-00-00": undefined }))).toEqual([]);
});
