// The lines during a run, for events of a size that no run should print whole. rendering.test.ts has whole runs.
import { expect, test } from "vitest";
import { id } from "../../todo/testing/testing.js";
import { PLAIN } from "../colours.js";
import type { GateReport } from "../../gate/verdict.js";
import type { RunEvent } from "../../logging/events/events.js";
import { attempt, committed, finished, read, sealAll, started } from "../testing/testing.js";
import { fold, NOTHING } from "../view/view.js";
import { progressNotes } from "./progress.js";

test("an edit of very many tasks is one short line", () => {
  const added = Array.from({ length: 100_000 }, (_, nth) => id(`Z${nth}`));
  const back = added.map((one) => `status of ${one}`);
  const [start, event] = sealAll(started(), { type: "backlog_edited", added, changed: [], put_back: back });
  if (start === undefined || event === undefined) throw new Error("two events");
  const before = fold(NOTHING, start);
  const look = { titles: new Map<string, string>(), colours: PLAIN, live: false };
  const notes = progressNotes({ before, event, after: fold(before, event) }, look);
  const [line = ""] = notes.flatMap(({ lines }) => lines);
  expect(line).toContain(
    "new: Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9 and 99,990 more; put back: status of Z0; ",
  );
  expect(line.length).toBeLessThan(400);
});

const T1 = attempt(1, "T1");
const NAMED = { command: "npm test", name: "a" };

function lastLine(report: Partial<GateReport>): string {
  const gate: GateReport = { verdict: "passed", cold: true, commands: [], tampered: [], evidence: "" };
  const events: RunEvent[] = [
    started(),
    read("T1"),
    { type: "task_selected", ...T1, reason: "todo", candidates: 1 },
    finished(T1, { task_id: "T1", status: "done" }),
    { type: "gate_finished", ...T1, ...gate, ...report, warnings: [], duration_ms: 1 },
    committed(T1, "T1 todo done"),
  ];
  let view = NOTHING;
  let last = "";
  for (const event of sealAll(...events)) {
    const before = view;
    view = fold(before, event);
    const look = { titles: new Map<string, string>(), colours: PLAIN, live: true };
    last = progressNotes({ before, event, after: view }, look)[0]?.lines[0] ?? last;
  }
  return last;
}

test.each<[string, Partial<GateReport>, string]>([
  [
    "verified by tests that failed before",
    { proof: { fail_to_pass: [NAMED, { ...NAMED, name: "b" }], new_tests: [], pass_to_pass: 1 } },
    "✓ T1 · claude · 3.0s · verified: 2 tests red → green",
  ],
  [
    "verified by new tests",
    { proof: { fail_to_pass: [], new_tests: [NAMED, NAMED, NAMED], pass_to_pass: 1 } },
    "✓ T1 · claude · 3.0s · verified: 3 new tests fail without the work",
  ],
  [
    "unbroken",
    {
      ...{ verdict: "unbroken", because: "not-covered" },
      proof: { fail_to_pass: [], new_tests: [], pass_to_pass: 41 },
    },
    "~ T1 · claude · 3.0s · unbroken: 41 checks pass as before, none of them covers the change",
  ],
  [
    "unverified",
    {
      ...{ verdict: "unverified", because: "influence" },
      needs: [{ path: "test/a.test.js", diff: "+expect(1)" }],
    },
    "! T1 · claude · 3.0s · unverified: passes only with test/a.test.js",
  ],
])("the line of a task that is %s has a sign of its own and the reason", (_, report, line) => {
  expect(lastLine(report)).toBe(line);
});
