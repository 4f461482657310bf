import { expect, test } from "vitest";
import type { Progress } from "./progress.js";
import { toProgressRow } from "./to-progress-row.js";

const by = { by: "ada", via: "cli" as const, at: "2026-11-24T09:00:00.000Z" };
const progress: Progress = {
  ...{ workflow: "w", digest: "d", stage: "do", visit: 3, since: "2026-11-24T08:00:00.000Z" },
  visits: { plan: 1, approve: 1 },
  answers: [{ question: "T1.2", stage: "approve", outcome: "yes", ...by }],
  grants: [{ what: "start", ...by }],
};

test("only the row of a task that was moved by hand has the stages whose questions were answered", () => {
  expect(toProgressRow(progress).answered_stages).toEqual(["approve", "start"]);
  const entered = { ...progress, visits: { ...progress.visits, do: 1 } };
  expect(toProgressRow(entered).answered_stages).toBeUndefined();
  for (const stage of ["finish", "block"])
    expect(toProgressRow({ ...progress, stage }).answered_stages).toBeUndefined();
  expect(toProgressRow({ ...progress, stage: "finish", visit: 2 }).answered_stages).toEqual([
    "approve",
    "start",
  ]);
});
