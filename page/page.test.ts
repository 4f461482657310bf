import { expect, test } from "vitest";
import { addLine } from "./feed.js";
import { newsOf } from "./notices.js";
import { placeOf } from "./router.js";
import { addEvent, fromMessages, type ChatItem } from "./views/chat-items.js";
import { filterRows } from "./views/backlog.js";
import { pieceOf, sumOf, tasksOf } from "./views/runs.js";
import { fieldsOf, patchOf, typedOver } from "./views/edit.js";
import { duration, visible } from "./words.js";

test("an address names a view; any other address names none", () => {
  expect(placeOf("/", "")).toEqual({ view: "now" });
  expect(placeOf("/tasks", "q=is%3Aasks&shape=board")).toEqual({
    view: "backlog",
    filter: "is:asks",
    shape: "board",
  });
  expect(placeOf("/tasks/a%2Fb%3F", "")).toEqual({ view: "task", id: "a/b?" });
  expect(placeOf("/tasks/T1/2026-01-31_08-30-00/3", "")).toEqual({
    view: "task",
    id: "T1",
    attempt: "2026-01-31_08-30-00/3",
  });
  expect(placeOf("/runs/R/log", "")).toEqual({ view: "log", run: "R" });
  expect(placeOf("/tasks/%zz", "")).toEqual({ view: "task", id: "%zz" });
  for (const path of ["/nowhere", "/tasks/T1/x", "/runs/R/other"])
    expect(placeOf(path, "")).toEqual({ view: "missing" });
});

test("direction marks and controls are shown, line ends and tabs stay", () => {
  expect(visible("a\u202eb\u200bc\u0007\td\ne\r\n")).toBe("a\\u202eb\\u200bc\\u0007\td\ne\n");
  // Joiners belong to words and to composed pictures.
  expect(visible("می\u200cخواهم 👩\u200d💻")).toBe("می\u200cخواهم 👩\u200d💻");
});

test("times are told in the units a person would take", () => {
  expect([400, 9_900, 59_400, 61_000, 3_660_000, 200_000_000, null].map(duration)).toEqual([
    ...["0.4 s", "9.9 s", "59 s", "1 m 01 s", "1 h 01 m", "2 days", "–"],
  ]);
});

test("rows are filtered by words, states, flags and priorities, all of which must fit", () => {
  const rows = [
    { id: "T1", title: "Add totals", status: "todo", priority: 1 },
    { id: "T2", title: "Round totals", status: "blocked", priority: 2, flags: ["asks"] },
    { id: "P1", title: "Name it", status: "todo", priority: 3 },
  ] as const;
  const ids = (words: string): string[] => filterRows(rows as never, words).map(({ id }) => id);
  expect(ids("TOTALS")).toEqual(["T1", "T2"]);
  expect(ids("totals status:blocked")).toEqual(["T2"]);
  expect(ids("is:asks p2")).toEqual(["T2"]);
  expect(ids("t1")).toEqual(["T1"]);
  expect(ids("P1")).toEqual(["T1", "P1"]);
  expect(ids("status:done")).toEqual([]);
});

test("the task in hand is one of a run's, also after earlier attempts and where the run was killed", () => {
  const done = {
    task: "T1",
    result: "done",
    verdict: "verified",
    agents: ["a"],
    attempts: 1,
    duration_ms: 5,
  };
  const tried = { ...done, task: "T2", result: "failed", verdict: null };
  const job = (result: string | null, task: string | null) => ({ task, result, agent: "b", duration_ms: 7 });
  const told = (state: string, ...jobs: object[]) =>
    tasksOf({ state, tasks: [done, tried], jobs } as never).map((one) => [one.task, one.result]);
  expect(told("running", job("done", "T1"))).toEqual([
    ["T1", "done"],
    ["T2", "failed"],
  ]);
  expect(told("killed", job(null, null))[0]).toEqual([null, "killed"]);
  const [first, ...rest] = tasksOf({
    state: "running",
    tasks: [done, tried],
    jobs: [job(null, "T2")],
  } as never);
  expect(first).toMatchObject({
    task: "T2",
    result: "running",
    agents: ["a", "b"],
    attempts: 2,
    duration_ms: 12,
  });
  expect(rest).toEqual([done]);
});

test("a sum leaves out values that are not known, and of nothing known it is not known", () => {
  expect([sumOf([1, null, 2]), sumOf([0, null]), sumOf([null]), sumOf([])]).toEqual([3, 0, null, null]);
});

test("a log that is read piece by piece gives each line whole, and once", () => {
  const log = new TextEncoder().encode("one\nzwei – zwei\n3\n\nvier\n");
  for (let size = 16; size <= log.length; size++) {
    const read = (at: number) => pieceOf(log.subarray(at, at + size), at, log.length);
    const seen: string[] = [];
    for (let piece = read(0); ; piece = read(piece.to - 1)) {
      seen.push(...piece.lines);
      if (piece.to === log.length) break;
    }
    expect(seen, `${size} bytes at a time`).toEqual(["one", "zwei – zwei", "3", "vier"]);
  }
  expect(pieceOf(new TextEncoder().encode("long"), 8, 99)).toEqual({
    from: 8,
    to: 12,
    size: 99,
    lines: ["long"],
  });
});

test("a call and its result are one card, also a command's, whose end comes as a second line", () => {
  const line = (type: string, more: object) => ({
    seq: 1,
    timestamp: "2026-01-31T08:30:00.000Z",
    type,
    ...more,
  });
  const cards = [
    line("tool_use", { id: "a", name: "Read", input: { file_path: "x.ts" } }),
    line("command", { command: "npm test" }),
    line("tool_result", { id: "a", output: "text", is_error: false }),
    line("command", { command: "npm test", exit_code: 1, duration_ms: 2000 }),
    line("usage", {}),
    line("stage_entered", { task_id: "T1", to: "plan" }),
  ].reduce<Parameters<typeof addLine>[0]>(addLine, []);
  expect(cards.map(({ name, text, state, result }) => [name, text, state, result])).toEqual([
    ["Read", "x.ts", "done", "text"],
    ["$", "npm test", "failed", "exit code 1 · 2.0 s"],
    ["stage", "T1 enters plan", undefined, undefined],
  ]);
});

test("a conversation grows by its events, and text that came in pieces gives way to the whole answer", () => {
  const event = (type: string, data: Record<string, unknown>) => ({ seq: 1, type, data });
  const items = [
    event("delta", { text: "I " }),
    event("delta", { text: "look" }),
    event("tool_call", { callId: "1", tool: "fs_readFile", args: { path: "a.ts" } }),
    event("tool_result", { callId: "1", success: false, output: "no such file" }),
    event("action_pending", { actionId: "s.2", toolName: "bash", description: "may it?", preview: "ls" }),
    event("clarify", { question: "may it? ls" }),
    event("delta", { text: "Do" }),
    event("answer", { answer: "Done.", validated: true, confidence: 0.9 }),
  ].reduce<readonly ChatItem[]>(addEvent, []);
  expect(items.map(({ kind }) => kind)).toEqual(["answer", "call", "approval", "answer"]);
  expect(items[1]).toMatchObject({ state: "failed", result: "no such file" });
  expect(items[3]).toMatchObject({ text: "Done.", confidence: 0.9 });
  const stored = fromMessages([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "t", arguments: {} }] },
    { role: "tool", results: [{ callId: "1", output: "out" }] },
  ]);
  expect(stored).toMatchObject([{ kind: "user" }, { kind: "call", state: "done", result: "out" }]);
});

test("an edit sends the fields that were changed in it, and over a newer version keeps what was typed", () => {
  const read = fieldsOf({ title: "Add", priority: 3, depends_on: ["T1", "T2"], details: "as is" });
  const typed = { ...read, title: "Add all", depends_on: " ", details: "" };
  expect(patchOf(read, read)).toEqual({});
  expect(patchOf(read, typed)).toEqual({ title: "Add all", depends_on: null, details: null });
  const now = fieldsOf({ title: "Sum", priority: 1 });
  expect(typedOver(read, typed, now)).toEqual({ ...typed, priority: "1" });
  expect(patchOf(now, typedOver(read, typed, now))).toEqual({ title: "Add all", depends_on: null });
});

test("a hidden tab tells each new question and the end of a run once", () => {
  type Status = Parameters<typeof newsOf>[0];
  const asks = (id: string): object => ({ question: { id, text: `Plan ${id}?\nmore` }, task: "T1" });
  const status = (questions: object[], run: object | null): Status => ({ questions, run }) as never;
  const running = { run: "R1", state: "running", ending: null };
  const before = status([asks("a")], running);
  expect(newsOf(before, before)).toEqual([]);
  expect(newsOf(before, status([asks("a"), asks("b")], running))).toEqual([
    { tag: "b", text: "T1 asks: Plan b?", to: "/questions/b" },
  ]);
  const ended = status([], { run: "R1", state: "ended", ending: "complete" });
  expect(newsOf(before, ended).map(({ text }) => text)).toEqual(["The run has ended: complete"]);
  expect(newsOf(ended, ended)).toEqual([]);
  for (const run of [
    { run: "R1", state: "killed", ending: null },
    { ...running, run: "R2" },
  ])
    expect(newsOf(before, status([], run))).toMatchObject([{ tag: "R1", text: "The run has ended" }]);
  expect(newsOf(status([], null), before)).toMatchObject([{ tag: "a" }]);
});
