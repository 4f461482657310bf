// Decisions on edits of tasks in progress. explore.test.ts covers every interleaving.
import { expect, test } from "vitest";
import type { PersonChange } from "../../todo/model/changes/person-change.js";
import type { Status } from "../../todo/model/task.js";
import { id, row } from "../../todo/testing/testing.js";
import { Workflow } from "../../workflow/workflow.js";
import { advancePast, advanceTo, beginRun, openEffect, tell } from "../testing/reach.js";
import { stageRules } from "../testing/stage-rules.js";
import { answer } from "../testing/answers.js";
import { editByCommand } from "../testing/moves.js";
import { advance } from "../testing/operations.js";
import { feed, type Sim, type Taken } from "../testing/world/sim.js";
import type { Effect } from "./effects.js";
import { step } from "./step.js";

const to = (status: Status): PersonChange => ({ op: "edit", id: id("T1"), set: { status }, clear: [] });
/** A command makes the edit, and the run hears of it and reads it. */
function edit(sim: Sim, ...changes: PersonChange[]): Taken {
  const edited = editByCommand(sim, changes);
  if (edited === undefined) throw new Error("the edit was refused");
  const { sim: told, taken } = feed(edited, { type: "edited" });
  expect(kinds(taken.next.effects)).toEqual(["change-backlog"]);
  const reading = told.open.find(
    ({ effect }) => effect.kind === "change-backlog" && effect.job === undefined,
  );
  if (reading === undefined) throw new Error("the file is not read");
  const read = advance(told, reading);
  return answer(read, read.open.find(({ effect }) => effect === reading.effect) ?? reading, {}).taken;
}
const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

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
  expect(edit(working, title).next.effects).toEqual([]);
  expect(edit(working, { op: "remove", id: id("T2") }).next.effects).toEqual([]);
  expect(kinds(edit(working, to("done")).next.effects)).toEqual(["stop"]);
});

test("an edit that comes while the file is read is read after that", () => {
  const claiming = advanceTo(beginRun([row("T1"), row("T2")], { review: false }), "run-agent");
  const once = feed(claiming, { type: "edited" }).sim;
  const { taken, sim } = feed(once, { type: "edited" });
  expect(taken.next.effects).toEqual([]);
  const [reading] = sim.open.filter(({ effect }) => effect.kind === "change-backlog");
  if (reading === undefined) throw new Error("the file is not read");
  expect(kinds(answer(sim, { ...reading, ops: [] }, {}).taken.next.effects)).toEqual(["change-backlog"]);
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

test.each([
  ["saved", "save-work", "work"],
  ["put back after a reading", "restore", "analyze"],
] as const)(
  "L16, L23: work that is %s while a person edits its task leaves the tree before another task begins",
  (_when, effect, kind) => {
    const build = { kind: "work", prompt: "do", next: { done: "check" } };
    const check = { kind, prompt: "do", next: { done: "finish" } };
    const two = Workflow.parse({ workflow: 1, name: "two", start: "build", stages: { build, check } });
    const begun = beginRun([row("T1"), row("T2")], stageRules(two, { review: false }));
    const saving = advanceTo(kind === "work" ? begun : advancePast(begun, "save-work"), effect, {
      end: { outcome: "ok", report: { found: { task_id: null, status: "done", outcome: "done" } } },
    });
    const edited = editByCommand(saving, [to("blocked")]);
    if (edited === undefined) throw new Error("the edit was refused");
    const read = advancePast(feed(edited, { type: "edited" }).sim, "change-backlog");
    const next = advanceTo(advancePast(read, "save-work"), "checkpoint");
    expect(openEffect(next, "checkpoint").job).toMatchObject({ task_id: "T1", agent: "looper" });
  },
);
