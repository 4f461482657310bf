import { expect, test } from "vitest";
import type { Answer, Progress, StageOutput } from "../../workflow/progress.js";
import type { Applied, Change } from "../model/changes/change.js";
import type { PersonChange } from "../model/changes/person-change.js";
import type { Backlog, Task } from "../model/task.js";
import { backlog, id, task } from "../testing/testing.js";
import { applyChanges } from "./update.js";

const NOW = "2026-11-24T08:00:00.000Z";
const T1 = id("T1");
const ada = { by: "ada", via: "cli" } as const;

function apply(
  before: Backlog,
  ...changes: (Change | PersonChange)[]
): { task: Task | undefined; applied: Applied; backlog: Backlog } {
  const made = applyChanges(before, changes, NOW);
  return { ...made, task: made.backlog.tasks.find((one) => one.id === T1) };
}

function whyRefused(before: Backlog, change: Change | PersonChange): string | undefined {
  const made = apply(before, change);
  if (made.applied.refused.length > 0) expect(made.backlog).toBe(before);
  return made.applied.refused[0]?.why;
}

const output = (stage: string, visit: number, sha256 = "a".repeat(64)): StageOutput => ({
  stage,
  visit,
  outcome: "done",
  file: `T1/${String(visit)}-${stage}.json`,
  sha256,
  agent: "codex",
  run: "r1",
  at: NOW,
});

const enter: Change = { op: "enter", id: T1, workflow: "plan-approve-execute", digest: "d", to: "plan" };
const ask = {
  source: "stage",
  text: "Carry out this plan?",
  outcomes: ["approve", "edit", "revise", "reject"],
  shows: "plan",
  edits: "plan",
} as const;
const askNow: Extract<Change, { op: "advance" }> = {
  op: "advance",
  id: T1,
  expect: { stage: "plan", visit: 1 },
  outcome: "done",
  to: "approve",
  status: "blocked",
  ask: { ...ask, outcomes: [...ask.outcomes] },
  output: output("plan", 1),
  spent: { tokens: 100, cost_usd: 0.5, duration_ms: 10 },
};
const approve: PersonChange = { op: "answer", id: T1, question: "T1.2", outcome: "approve", ...ada };
const take: Change = {
  op: "advance",
  id: T1,
  expect: { stage: "approve", visit: 2 },
  outcome: "approve",
  to: "execute",
  status: "todo",
  takes: {},
};

function asked(): Backlog {
  const start = backlog(task("T1", { blockers: ["the key is missing"] }), task("T2"));
  return apply(start, enter, { op: "claim", id: T1, expect: "todo" }, askNow).backlog;
}

function progressOf(before: Backlog): Progress {
  const progress = before.tasks[0]?.progress;
  if (progress === undefined) throw new Error("no progress");
  return progress;
}

test("a task enters its workflow at visit 1, and not a second time while it is in a stage", () => {
  const { task: entered, backlog: after } = apply(backlog(task("T1")), enter);
  expect(entered?.progress).toEqual({
    workflow: "plan-approve-execute",
    digest: "d",
    stage: "plan",
    visit: 1,
    since: NOW,
    visits: { plan: 1 },
  });
  expect(whyRefused(after, enter)).toBe("it is in the stage plan");
  expect(whyRefused(backlog(task("T1", { status: "done" })), enter)).toBe("it is done");
});

test("entering an ask stage puts the question into the row, with its id, time and what it shows, and blocks the task", () => {
  const row = asked().tasks[0];
  expect(row).toMatchObject({
    status: "blocked",
    blockers: ["the key is missing", "Carry out this plan?"],
    progress: {
      stage: "approve",
      visit: 2,
      visits: { plan: 1, approve: 1 },
      outputs: { plan: output("plan", 1) },
      spent: { plan: { tokens: 100, cost_usd: 0.5 }, "*": { tokens: 100, cost_usd: 0.5, duration_ms: 10 } },
      question: {
        id: "T1.2",
        asked_at: NOW,
        shows: { what: "plan", sha256: "a".repeat(64) },
        outcomes: ["approve", "edit", "revise", "reject"],
      },
    },
  });
});

test("a question about the diff names the saved commit", () => {
  const before = apply(backlog(task("T1")), enter).backlog;
  const work = { commit: "c0ffee", base: "ba5e", verdict: "passed" } as const;
  const change: Change = { ...askNow, work, ask: { ...ask, outcomes: [], shows: "diff" } };
  expect(apply(before, change).task?.progress?.question?.shows).toEqual({ what: "diff", sha256: "c0ffee" });
});

test("an advance from another stage or visit is refused, and changes nothing", () => {
  const before = apply(backlog(task("T1")), enter).backlog;
  const other = { ...askNow, expect: { stage: "plan", visit: 2 } } as Change;
  expect(whyRefused(before, other)).toBe("it is in the visit 1, at plan; not in the visit 2, at plan");
  expect(whyRefused(asked(), askNow)).toBe("it is in the visit 2, at approve; not in the visit 1, at plan");
  expect(whyRefused(backlog(task("T1")), askNow)).toBe("it is not in a workflow");
});

test("an answer frees the task, and is taken once", () => {
  const answered = apply(asked(), approve).backlog;
  expect(answered.tasks[0]).toMatchObject({ status: "todo", blockers: ["the key is missing"] });
  const answer: Answer = {
    ...{ question: "T1.2", ...ada, at: NOW, shown_sha256: "a".repeat(64), outcome: "approve" },
  };
  expect(progressOf(answered).answer).toEqual(answer);
  const { task: taken, backlog: after } = apply(answered, take);
  expect(taken).toMatchObject({
    status: "todo",
    progress: { stage: "execute", visit: 3, answers: [answer] },
  });
  expect(taken?.progress).not.toHaveProperty("question");
  expect(taken?.progress).not.toHaveProperty("answer");
  expect(whyRefused(after, take)).toMatch(/^it is in the visit 3/);
});

test("an answer written by hand may leave out who, how and when; one that does not fit is not counted", () => {
  const byHand = (answer: Progress["answer"]): Backlog => {
    const before = asked();
    const [first, ...rest] = before.tasks;
    if (first?.progress === undefined) throw new Error("no progress");
    return { ...before, tasks: [{ ...first, progress: { ...first.progress, answer } }, ...rest] };
  };
  expect(apply(byHand({ outcome: "approve" }), take).task?.progress?.answers).toEqual([
    {
      ...{ question: "T1.2", outcome: "approve", by: "unknown", via: "file", at: NOW },
      ...{ stage: "approve", asked: "Carry out this plan?", shown_sha256: "a".repeat(64) },
    },
  ]);
  for (const answer of [{ outcome: "aprove" }, { outcome: "approve", question: "T1.1" }, {}]) {
    expect(whyRefused(byHand(answer), take)).toBe("its question T1.2 is not answered");
    expect(apply(byHand(answer), approve).task?.progress?.answer).toMatchObject({ by: "ada" });
  }
});

test("nothing after a question starts without its answer", () => {
  const { takes: _takes, ...untaken } = take;
  expect(whyRefused(asked(), take)).toBe("its question T1.2 is not answered");
  expect(whyRefused(asked(), untaken)).toBe("its question T1.2 is not taken");
  expect(whyRefused(apply(asked(), approve).backlog, { ...untaken, takes: {}, outcome: "reject" })).toBe(
    "the answer to T1.2 is approve, not reject",
  );
  expect(whyRefused(asked(), { op: "claim", id: T1, expect: "blocked" })).toBe(
    "it waits for an answer to T1.2",
  );
});

test("an automatic answer never takes the place of a person's", () => {
  const automatic = { by: "on_timeout", via: "timeout", at: NOW, outcome: "approve" } as const;
  const byTimeout = { ...take, takes: { automatic } } as Change;
  expect(apply(asked(), byTimeout).task?.progress?.answers).toEqual([
    {
      question: "T1.2",
      asked: "Carry out this plan?",
      shown_sha256: "a".repeat(64),
      ...automatic,
      stage: "approve",
    },
  ]);
  expect(whyRefused(apply(asked(), approve).backlog, byTimeout)).toBe(
    `T1.2 was answered meanwhile: approve, by ada (cli), ${NOW}`,
  );
});

test("an edited output is shown in the next question, with its own digest", () => {
  const edited = output("plan", 3, "b".repeat(64));
  const answered = apply(asked(), { ...approve, outcome: "edit", edited }).backlog;
  const again = { ...take, outcome: "edit", to: "approve", status: "blocked", ask: askNow.ask } as Change;
  expect(apply(answered, again).task?.progress).toMatchObject({
    outputs: { plan: edited },
    question: { id: "T1.3", shows: { what: "plan", sha256: "b".repeat(64) } },
  });
});

test("every answer that does not fit is refused in words", () => {
  const before = asked();
  const refusals = [
    { ...approve, question: "T1.1" },
    { ...approve, question: "T2.2" },
    { ...approve, outcome: "maybe" },
    { op: "answer", id: T1, question: "T1.2", text: "yes", ...ada },
    { ...approve, shown_sha256: "b".repeat(64) },
    { ...approve, edited: output("review", 2) },
  ].map((change) => whyRefused(before, change as PersonChange));
  expect(refusals).toEqual([
    "the question T1.1 is not open; T1.2 is",
    "the question T2.2 is not open; T1.2 is",
    "maybe is not an outcome of T1.2; possible are approve, edit, revise, reject",
    "the answer to T1.2 has no outcome; possible are approve, edit, revise, reject",
    `what T1.2 shows has changed: it is plan ${"a".repeat(64)}, and the answer is about ${"b".repeat(64)}`,
    "the answer to T1.2 can change the output of plan, not of review",
  ]);
  const answered = apply(before, approve).backlog;
  const second = { ...approve, outcome: "reject", by: "bob" } as PersonChange;
  const said = `T1.2 was already answered: approve, by ada (cli), ${NOW}`;
  expect(whyRefused(answered, second)).toBe(said);
  expect(whyRefused(apply(answered, take).backlog, second)).toBe(said);
  expect(whyRefused(backlog(task("T1")), approve)).toBe("the question T1.2 is not open");
});

test("a question of an agent takes any text, and no outcome", () => {
  const before = apply(backlog(task("T1")), enter).backlog;
  const question = { source: "agent", text: "Which port?", outcomes: [] } as const;
  const change = { ...askNow, to: "plan", ask: { ...question, outcomes: [] } } as Change;
  const open = apply(before, change).backlog;
  const text: PersonChange = { op: "answer", id: T1, question: "T1.2", text: "8080", ...ada };
  expect(whyRefused(open, { ...text, text: " " })).toBe("the answer to T1.2 has no text");
  expect(whyRefused(open, approve)).toBe("T1.2 takes a text, not the outcome approve");
  const answered = apply(open, text).backlog;
  expect(whyRefused(answered, text)).toBe(`T1.2 was already answered: "8080", by ada (cli), ${NOW}`);
});

test("a task given up keeps what was reported and answered, and starts again with it", () => {
  const rejected = apply(
    asked(),
    { ...approve, outcome: "reject", comment: "too big" },
    { ...take, outcome: "reject", to: "block" },
    { op: "block", id: T1, blockers: ["rejected"] },
  ).backlog;
  expect(rejected.tasks[0]).toMatchObject({
    status: "blocked",
    blockers: ["the key is missing", "rejected"],
    progress: {
      stage: "block",
      reasons: ["rejected"],
      outputs: { plan: output("plan", 1) },
      answers: [{ outcome: "reject" }],
      paused: { ...ada, why: "reject: too big" },
    },
  });
  for (const key of ["question", "answer", "work", "grants", "parts"])
    expect(progressOf(rejected)).not.toHaveProperty(key);
  expect(whyRefused(rejected, { op: "claim", id: T1, expect: "blocked" })).toBe(
    `it is paused, by ada (cli), ${NOW}`,
  );
  const again = apply(rejected, { op: "resume", id: T1, ...ada }, enter);
  expect(again.task?.progress).toMatchObject({
    stage: "plan",
    visit: 1,
    outputs: { plan: output("plan", 1) },
  });
  expect(again.task?.progress).not.toHaveProperty("paused");
});

test("a timeout that leads to block gives the task up without pausing it", () => {
  const late = { by: "timeout", via: "timeout", at: NOW, outcome: "reject" } as const;
  const { task: given } = apply(
    asked(),
    { ...take, takes: { automatic: late }, outcome: "reject", to: "block" },
    { op: "block", id: T1, blockers: ["approve: reject, not answered in time"] },
  );
  expect(given).toMatchObject({
    status: "blocked",
    progress: { stage: "block", answers: [{ outcome: "reject", via: "timeout" }] },
  });
  expect(given?.progress).not.toHaveProperty("paused");
});

test("a task blocked for another reason than an answer is not paused", () => {
  const before = apply(asked(), approve, take, { op: "block", id: T1, blockers: ["gate"] });
  expect(before.task?.progress).toMatchObject({ stage: "block", answers: [{ outcome: "approve" }] });
  expect(before.task?.progress).not.toHaveProperty("paused");
});

test("finish, todo, done and reopen take the progress away", () => {
  const working = apply(asked(), approve, take, { op: "claim", id: T1, expect: "todo" }).backlog;
  const finish: Change = { op: "finish", id: T1, result: "r", files: [], verdict: "unbroken" };
  expect(apply(working, finish).task).not.toHaveProperty("progress");
  for (const status of ["todo", "done"] as const) {
    const set: PersonChange = { op: "edit", id: T1, set: { status }, clear: ["blockers"] };
    expect(apply(asked(), set).task).not.toHaveProperty("progress");
  }
  const block: PersonChange = { op: "edit", id: T1, set: { status: "blocked", blockers: ["x"] }, clear: [] };
  expect(apply(asked(), block).task?.progress?.question?.id).toBe("T1.2");
});

test("a grant is the answer of the stage that was left, and holds from there on", () => {
  const granted = apply(asked(), approve, { ...take, grant: true });
  expect(granted.task?.progress?.grants).toEqual([{ what: "approve", ...ada, at: NOW }]);
});

test("a pause, its end, and a message are the row's, even where the task is in no stage", () => {
  const before = backlog(task("T1"));
  const pause: PersonChange = { op: "pause", id: T1, why: "wait for legal", ...ada };
  const paused = apply(before, pause).backlog;
  expect(progressOf(paused).paused).toEqual({ ...ada, at: NOW, why: "wait for legal" });
  expect(whyRefused(paused, pause)).toBe(`it is paused already, by ada (cli), ${NOW}`);
  const resumed = apply(paused, { op: "resume", id: T1, ...ada });
  expect(resumed.task).not.toHaveProperty("progress");
  expect(whyRefused(before, { op: "resume", id: T1, ...ada })).toBe("it is not paused");
  const noted = apply(asked(), { op: "note", id: T1, text: "use tabs", ...ada });
  expect(noted.task?.progress?.notes).toEqual([
    { text: "use tabs", ...ada, at: NOW, delivery: "next-prompt" },
  ]);
});

test("complete marks the task, lifts a pause, and is refused a second time", () => {
  const change: PersonChange = { op: "complete", id: T1, ...ada };
  const before = apply(asked(), { op: "pause", id: T1, ...ada }).backlog;
  const { task: marked, backlog: after } = apply(before, change);
  expect(marked?.progress?.complete).toEqual({ ...ada, at: NOW });
  expect(marked?.progress).not.toHaveProperty("paused");
  expect(whyRefused(after, change)).toBe(`it is complete already, by ada (cli), ${NOW}`);
  const finish = { ...take, outcome: "complete", to: "finish", takes: undefined } as unknown as Change;
  expect(apply(after, finish).task?.progress).toMatchObject({ stage: "finish" });
});

test("restart leaves the place in the workflow, and keeps the work only for a stage", () => {
  const work = { commit: "c0ffee", base: "ba5e", verdict: "passed" } as const;
  const worked = apply(asked(), approve, { ...take, work }).backlog;
  const again = apply(worked, { op: "restart", id: T1, ...ada });
  expect(again.task).toMatchObject({
    status: "todo",
    progress: { stage: "block", outputs: {}, answers: [{}] },
  });
  expect(again.task?.progress).not.toHaveProperty("work");
  const at = apply(worked, { op: "restart", id: T1, stage: "execute", ...ada });
  expect(at.task?.progress).toMatchObject({ stage: "block", restart: "execute", work });
  const entered = apply(at.backlog, { ...enter, to: "execute" });
  expect(entered.task?.progress).toMatchObject({ stage: "execute", visit: 1, work });
  expect(entered.task?.progress).not.toHaveProperty("restart");
  expect(whyRefused(backlog(task("T1", { status: "done" })), { op: "restart", id: T1, ...ada })).toMatch(
    /^it is done; `looper todo T1`/,
  );
});

test("the id of a question is used once, however often the task is restarted or begun anew", () => {
  const asksAgain = (before: Backlog): Backlog =>
    apply(before, enter, { op: "claim", id: T1, expect: "todo" }, askNow).backlog;
  let now = asked();
  const ids = [progressOf(now).question?.id];
  for (let pass = 0; pass < 3; pass++) {
    now = asksAgain(apply(now, { op: "restart", id: T1, ...ada }).backlog);
    ids.push(progressOf(now).question?.id);
  }
  expect(ids).toEqual(["T1.2", "T1.4", "T1.6", "T1.8"]);
  expect(whyRefused(now, approve)).toBe("the question T1.2 is not open; T1.8 is");
  const cleared: PersonChange = { op: "edit", id: T1, set: { status: "todo" }, clear: [] };
  now = asksAgain(apply(now, cleared).backlog);
  expect(ids).not.toContain(progressOf(now).question?.id);
});
