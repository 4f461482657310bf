import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GateReport } from "../../gate/verdict.js";
import type { RunEvent } from "../../logging/events/events.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { attempt, sealAll, started } from "../testing/testing.js";
import { readFound } from "./read-doubts.js";

const logDir = mkdtempSync(join(tmpdir(), "looper-found-"));
const place = { folder: "/p", logDir, todoFile: "/p/to-do.json" };

function write(run: string, ...events: RunEvent[]): void {
  const folder = join(logDir, "runs", run);
  mkdirSync(folder, { recursive: true });
  const lines = sealAll(started(), ...events).map((event) => JSON.stringify(event));
  writeFileSync(join(folder, "events.jsonl"), `${lines.join("\n")}\n`);
}

function gate(task: string, more: Partial<GateReport>): RunEvent {
  const report: GateReport = { verdict: "passed", cold: true, commands: [], tampered: [], evidence: "" };
  const judged = { ...report, ...more };
  return {
    ...{ type: "gate_finished", ...attempt(1, task), ...judged },
    ...{ warnings: [], duration_ms: 1 },
  };
}

test("each task has the verdict, the evidence and the reasons of its last gate", async () => {
  const turned = { fail_to_pass: [{ command: "npm test", name: "adds" }], new_tests: [] };
  write(
    "2026-01-01_00-00-00",
    gate("T1", { verdict: "unbroken", because: "nothing-changed" }),
    gate("T4", { verdict: "unverified", because: "no-checks" }),
  );
  write(
    "2026-01-02_00-00-00",
    gate("T1", { verdict: "failed" }),
    gate("T1", { proof: { ...turned, pass_to_pass: 2 } }),
    gate("T2", { verdict: "unbroken", because: "only-checks", proof: { ...turned, pass_to_pass: 2 } }),
    gate("T3", { verdict: "failed" }),
  );
  const found = await readFound(nodePorts(), place, ["T1", "T2", "T3", "T4", "T5"]);
  const rest = { needs: [], on: [], changedChecks: [], byExitCode: [] };
  expect(Object.fromEntries(found)).toEqual({
    T1: { verdict: "verified", text: "1 test red → green", reasons: [], evidence: turned, ...rest },
    T2: {
      ...{ verdict: "unbroken", because: "only-checks", evidence: turned, ...rest },
      text: "only checks were changed, and they pass without other changes",
      reasons: ["only checks were changed, and they pass without other changes"],
    },
    T3: { reasons: [], ...rest },
    T4: {
      ...{ verdict: "unverified", because: "no-checks", ...rest },
      text: "no checks are configured",
      reasons: ["no checks are configured"],
    },
  });
  const newest = await readFound(nodePorts(), place, ["T1", "T4"], { runs: 1 });
  expect([...newest.keys()]).toEqual(["T1"]);
});
