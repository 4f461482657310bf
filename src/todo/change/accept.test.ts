import { expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { MARKER } from "../model/select.js";
import { backlog, task } from "../testing/testing.js";
import { acceptTasks } from "./person-edits.js";

const accepted = { meta: { verdict: "verified", accepted: { at: "2026-01-02T03:04:05.000Z", by: "ana" } } };
const verified = { meta: { verdict: "verified" } };
const unbroken = { meta: { verdict: "unbroken" } };

const BACKLOG = backlog(
  task("T1", { status: "done" }),
  task("T2", { status: "done", ...verified }),
  task("T3", { status: "done", ...verified }),
  task("T4", { status: "done", ...unbroken }),
  task("T5", { status: "done" }),
  task("T6", { status: "done" }),
  task("T7", { status: "done", ...accepted }),
  task("T8", { status: "done" }),
  task("T9"),
  task("T10", { status: "blocked" }),
  MARKER,
);
/** T4 needs T1's checks, T5 needs T4's, T6 those of T1 and T2, T8 those of T7. */
const WAITS: Record<string, string[]> = { T4: ["T1"], T5: ["T4"], T6: ["T1", "T2"], T8: ["T7"] };

function acceptedWith(...ids: string[]): string[] {
  const decide = acceptTasks(ids, { by: "ana", waitsOn: (id) => WAITS[id] ?? [] });
  return decide(BACKLOG).map((change) => (change.op === "accept" ? change.id : change.op));
}

function refusalOf(...ids: string[]): UserError {
  try {
    acceptedWith(...ids);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("a task is accepted with all that only waited for it, also through others", () => {
  expect(acceptedWith("T1")).toEqual(["T1", "T4", "T5", "T8"]);
});

test("a task that waits for two is accepted with the second", () => {
  expect(acceptedWith("T1", "T2")).toEqual(["T1", "T2", "T4", "T5", "T6", "T8"]);
});

test("a verified task can be accepted if others wait for its checks, also later", () => {
  expect(acceptedWith("T7")).toEqual(["T8"]);
});

test("an unbroken task can be accepted, alone and with what it waits for", () => {
  expect(acceptedWith("T4")).toEqual(["T4", "T5", "T8"]);
});

test("a task that waits for another can be accepted alone", () => {
  expect(acceptedWith("T6", "T6")).toContain("T6");
});

test.each<[string[], string, string]>([
  [["T9"], "no", "cannot accept T9: it is todo, not done"],
  [["T1", "T10"], "no", "cannot accept T10: it is blocked, not done"],
  [["T3"], "no", "cannot accept T3: it is verified already"],
  [[MARKER.id], "no", `cannot accept ${MARKER.id}: it is the completion marker`],
  [["T99"], "usage", "there is no task T99"],
])("%j is refused as a whole", (ids, kind, message) => {
  expect(refusalOf(...ids)).toMatchObject({ kind, message });
});

test("a task that was accepted before is refused with who and when, and a blocked one with what helps", () => {
  const decide = acceptTasks(["T7"], { by: "ben", waitsOn: () => [] });
  expect(() => decide(BACKLOG)).toThrow("it was accepted already, by ana at 2026-01-02T03:04:05.000Z");
  expect(refusalOf("T10").hint).toContain("looper set T10 changes+=PATTERN");
});
