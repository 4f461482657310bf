// Decisions on edits of tasks in progress. explore.test.ts covers every interleaving.
import { expect, test } from "vitest";
import type { PersonChange } from "../../todo/model/changes/person-change.js";
import type { Status } from "../../todo/model/task.js";
import { id, row } from "../../todo/testing/testing.js";
import { beginRun, openEffect, tell, advanceTo } from "../testing/reach.js";
import { feed, type Sim } from "../testing/world/sim.js";
import type { Effect } from "./effects.js";
import { step } from "./step.js";

const to = (status: Status): PersonChange => ({ op: "edit", id: id("T1"), set: { status }, clear: [] });
const ask = (sim: Sim, ...changes: PersonChange[]) =>
  feed(sim, { type: "edit_asked", request: "ask-1", at: "1970-01-01T00:00:00.000Z", changes });
const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

test("an edit requested while the task is committed is made after the commit", () => {
  const committing = advanceTo(beginRun([row("T1")], { review: false }), "commit");
  const asked = ask(committing, to("todo"));
  expect(asked.taken.next.effects).toEqual([]);
  const made = advanceTo(asked.sim, "change-backlog");
  expect(made.open.map(({ effect }) => effect)).toMatchObject([{ kind: "change-backlog", request: "ask-1" }]);
  expect(made.disk).toMatchObject({ rows: [{ id: "T1", status: "done" }], commits: [{ task: "T1" }] });
});

test("a task whose finish is refused is not done: its work is saved, and it does not count as an attempt", () => {
  const sim = advanceTo(beginRun([row("T1")], { review: false }), "commit");
  const job = sim.open.flatMap(({ effect }) => ("job" in effect ? (effect.job ?? []) : []))[0];
  if (job === undefined) throw new Error("the claim made no job");
  const refused = [{ op: "finish", id: id("T1"), why: "it is todo, not doing" }];
  const outcome = { updated: [], refused, warnings: [], rows: [], removed: [], digest: "" };
  const event = {
    type: "committed" as const,
    ...job,
    ...outcome,
    seq: 1,
    timestamp: "1970-01-01T00:00:00.000Z",
  };
  const next = step(sim.state, event);
  expect(kinds(next.effects)).toEqual(["restore"]);
  expect(next.because).toMatchObject({ rule: "released", picked: "T1" });
});

test("an edit of other keys, to the same status, or of a waiting task stops no attempt", () => {
  const working = advanceTo(beginRun([row("T1"), row("T2")], { review: false }), "run-agent");
  const title: PersonChange = { op: "edit", id: id("T1"), set: { title: "x", status: "doing" }, clear: [] };
  expect(kinds(ask(working, title).taken.next.effects)).toEqual(["change-backlog"]);
  expect(kinds(ask(working, { op: "remove", id: id("T2") }).taken.next.effects)).toEqual(["change-backlog"]);
  expect(kinds(ask(working, to("done")).taken.next.effects)).toEqual(["stop"]);
});

test("a run that is ending leaves the edit to the command that requested it", () => {
  const ending = advanceTo(beginRun([row("T1", { status: "done" })], { review: false }), "finish");
  const { taken } = ask(ending, to("todo"));
  expect(taken.next.notes).toMatchObject([{ type: "edit_answered", request: "ask-1", outcome: "left" }]);
});

test("L16: the unfinished work of a task that a person sets to done during a new claim is saved as a rescue", () => {
  const claiming = advanceTo(beginRun([row("T1", { status: "doing" })], { review: false }), "change-backlog");
  const { job } = openEffect(claiming, "change-backlog");
  const { taken } = tell(claiming, "change-backlog", {
    ...{ type: "backlog_changed" as const, ...job, updated: [], warnings: [], removed: [], digest: "new" },
    refused: [{ op: "claim", id: id("T1"), why: "it is done, not doing" }],
    rows: [{ id: id("T1"), status: "done", priority: 3, depends_on: [] }],
    edits: { added: [], changed: [id("T1")], put_back: [] },
  });
  expect(taken.next.because).toEqual({ rule: "put-aside", picked: "T1" });
  expect(kinds(taken.next.effects)).toEqual(["checkpoint"]);
});
