// The lines that are printed during a run and at its end, from the events alone.
import { expect, test } from "vitest";
import type { RunEvent } from "../../logging/events/events.js";
import { id } from "../../todo/testing/testing.js";
import {
  attempt,
  changed,
  committed,
  finished,
  over,
  read,
  review,
  sealAll,
  started,
  usage,
} from "../testing/testing.js";
import { fold, NOTHING, type View } from "../view/view.js";
import { coloursFor, PLAIN } from "../colours.js";
import { eventLine } from "./lines/event-line.js";
import { liveLine } from "../view/words/live-line.js";
import { progressNotes } from "./progress.js";
import { resultLines } from "./result.js";
import { widthOf } from "../text.js";

const titles = new Map([
  ["T1", "Read the settings"],
  ["T2", "日本語 \u001b[31mtitle"],
]);

function play(events: readonly (RunEvent | number)[], live = false): { view: View; lines: string[] } {
  let view = NOTHING;
  const lines: string[] = [];
  for (const event of sealAll(...events)) {
    const before = view;
    view = fold(before, event);
    const notes = progressNotes({ before, event, after: view }, { titles, colours: PLAIN, live });
    lines.push(...notes.flatMap((note) => note.lines));
  }
  return { view, lines };
}

const T1 = attempt(1, "T1");
const T1again = attempt(2, "T1", 2);
const T2 = attempt(3, "T2");
const R = review(4);

const STORY: (RunEvent | number)[] = [
  started(["no git here"]),
  { type: "recovered", took_over: "2026-01-01_00-00-00", killed: 2, left: [], locks_removed: [] },
  read("T0 done", "T1", "T2"),
  { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
  changed(T1, "T1 todo doing"),
  finished(T1),
  { type: "attempt_failed", ...T1, reason: "no-summary", evidence: "it said\nnothing", next: "retry" },
  changed(T1),
  { type: "task_selected", ...T1again, reason: "doing", candidates: 2 },
  changed(T1again),
  usage(T1again, 12_300, 0.12),
  61,
  finished(T1again, { task_id: "T1", status: "done" }),
  committed(T1again, "T1 doing done"),
  {
    type: "hook_finished",
    ...T1again,
    hook: "post_iteration",
    command: "./x",
    outcome: "failed",
    exit_code: 2,
    output: "boo\n",
    duration_ms: 1,
  },
  { type: "task_selected", ...T2, reason: "todo", candidates: 1 },
  changed(T2, "T2 todo doing"),
  {
    type: "backlog_edited",
    added: [id("T9")],
    changed: [],
    put_back: ["the status of T1"],
    copy: "to-do.json.edited-1",
  },
  finished(T2, { task_id: "T2", status: "blocked", blockers: ["needs a\u0007 key"] }),
  changed(T2, "T2 doing blocked"),
  { type: "checkpoint", ...R, reused: false, dirty: 0 },
  finished(R, { task_id: null, status: "reviewed" }),
  changed(R, "T3 - todo"),
  over("blocked", { done: 2, tasks: 4 }),
];

test("a hook that failed without a word has no colon behind its exit code", () => {
  const silent = STORY.map((event) =>
    typeof event === "object" && event.type === "hook_finished" ? { ...event, output: "" } : event,
  );
  expect(play(silent).lines).toContain("! the hook ./x failed (exit 2)");
});

test("of a hook that printed pages the end is shown", () => {
  const loud = STORY.map((event) =>
    typeof event === "object" && event.type === "hook_finished"
      ? { ...event, output: `${"y\n".repeat(2000)}no space left\n` }
      : event,
  );
  const told = play(loud).lines.find((line) => line.startsWith("! the hook ./x failed (exit 2): …"));
  expect(told).toMatch(/^.{200,300}y no space left$/u);
});

test("plain lines: what begins, what ends, what to know", () => {
  expect(play(STORY).lines).toEqual([
    "looper 1.0.0 · run 2026-01-02_03-04-05 · claude",
    "! no git here",
    "! took over from run 2026-01-01_00-00-00, which is gone, and ended 2 processes it left",
    "3 tasks, 1 done",
    "- 2/3 T1 Read the settings · claude",
    "✗ failed T1 Read the settings · claude · 4.0s: no-summary: it said nothing",
    "- 2/3 T1 Read the settings · claude, attempt 2",
    "! T1 Read the settings · claude · attempt 2 · 1m04s · 12.3k tokens, $0.12 · unverified",
    "! the hook ./x failed (exit 2): boo",
    "- 3/3 T2 日本語 title · claude",
    "! the task file was edited meanwhile; new: T9; put back: the status of T1; their version is kept in to-do.json.edited-1",
    "✗ blocked T2 日本語 title · claude · 4.0s: needs a key",
    "- reviewing the project · claude",
    "✓ reviewing the project · claude · 2.0s · 1 new task",
  ]);
});

test("beside a live line nothing is said of what begins", () => {
  const plain = play(STORY).lines.filter((line) => !line.startsWith("- "));
  expect(play(STORY, true).lines).toEqual(plain);
});

test("the result: a table, the reasons, why it ended and what to do next", () => {
  const { view } = play(STORY);
  const { ended } = view;
  if (ended === undefined) throw new Error("the story has an end");
  const look = { titles, colours: PLAIN, log: "looper-logs/runs/1", todoFile: "to-do.json" };
  expect(resultLines(view, ended, look)).toEqual({
    answer: [
      "task                     result            agent   attempts   time     cost",
      "T1 Read the settings     done, unverified  claude         2  1m08s  ≥ $0.12",
      "T2 日本語 title          blocked           claude         1   4.0s        -",
      "(reviewing the project)  reviewed, +1      claude         1   2.0s        -",
      "",
      "T2 日本語 title: needs a key",
      "",
      "blocked · 2 of 4 tasks done · 1 iteration · 1m05s · ≥ $0.12 · ≥ $0.12 per task done",
      "1 task is blocked; 1 task waits for what is not done",
      "next: fix what is named above (also under `blockers` in the task file), then looper run: it tries blocked tasks once more",
      "1 task: 1 unverified",
      "log: looper-logs/runs/1",
    ],
    errors: [],
  });
  const narrow = resultLines(view, ended, { ...look, columns: 62 }).answer.slice(0, 4);
  expect(narrow.map(widthOf).every((width) => width <= 62)).toBe(true);
  expect(narrow[1]).toBe("T1 Read t…  done, unverified  claude         2  1m08s  ≥ $0.12");
});

test.each<[RunEvent, string, string]>([
  [over("complete"), "every task is done", ""],
  [over("complete", { message: "the backlog is finished already" }), "the backlog is finished already", ""],
  [
    over("limit", { message: "max_iterations (5) is reached" }),
    "max_iterations (5) is reached",
    "next: looper run; --max-iterations allows more",
  ],
  [over("interrupted", { signal: "SIGTERM" }), "stopped by SIGTERM", "next: looper run"],
])("an ending and the next step", (event, why, next) => {
  const { view } = play([started(), event]);
  const { ended } = view;
  if (ended === undefined) throw new Error("it has ended");
  const { answer, errors } = resultLines(view, ended, {
    titles,
    colours: PLAIN,
    log: "l",
    todoFile: "my.json",
  });
  expect(errors).toEqual([]);
  expect(answer[1]).toBe(why);
  expect(answer.some((line) => line.startsWith("next: "))).toBe(next !== "");
  if (next !== "") expect(answer[2]).toContain(next);
});

test.each(["environment", "unusable-backlog"] as const)("%s is an error: it goes to stderr", (ending) => {
  const { view } = play([started(), over(ending, { message: "the disk\nis full" })]);
  const { ended } = view;
  if (ended === undefined) throw new Error("it has ended");
  const { answer, errors } = resultLines(view, ended, {
    titles,
    colours: PLAIN,
    log: "l",
    todoFile: "my.json",
  });
  expect(errors[0]).toBe("looper: the disk is full");
  expect(errors[1]).toMatch(/^ {2}looper (doctor|validate my\.json)/);
  expect(answer.join("\n")).not.toContain("disk");
});

test.each<[Partial<Extract<RunEvent, { type: "backlog_invalid" }>>, RegExp]>([
  [{ what: "missing" }, /^ {2}write tasks, .+looper run --prompt/],
  [{ what: "no-tasks", known: "the last commit has 3 tasks" }, /^ {2}take that version back/],
  [{ what: "broken", count: 1 }, /^ {2}looper validate my\.json/],
])("the end of a run with an unusable task file (%j) names the remedy", (what, next) => {
  const invalid: RunEvent = { type: "backlog_invalid", what: "broken", problems: [], count: 0, ...what };
  const { view } = play([started(), invalid, over("unusable-backlog")]);
  const { ended } = view;
  if (ended === undefined) throw new Error("it has ended");
  const { errors } = resultLines(view, ended, { titles, colours: PLAIN, log: "l", todoFile: "my.json" });
  expect(errors[1]).toMatch(next);
});

test("a run that starts no agent names none", () => {
  const begun = { ...started(), agents: [] };
  expect(play([begun]).lines[0]).toBe("looper 1.0.0 · run 2026-01-02_03-04-05");
});

test("--task is done when that one is", () => {
  const { view } = play([started([], "T1"), over("complete")]);
  const { ended } = view;
  if (ended === undefined) throw new Error("it has ended");
  expect(resultLines(view, ended, { titles, colours: PLAIN, log: "l", todoFile: "my.json" }).answer[1]).toBe(
    "T1 and what it depends on are done",
  );
});

const signal: RunEvent = { type: "run_interrupted", signal: "SIGINT", terminal: true };
const hangup: RunEvent = { type: "run_interrupted", signal: "SIGHUP", terminal: false };
const term: RunEvent = { type: "run_interrupted", signal: "SIGTERM", terminal: true };
const picked: RunEvent = { type: "task_selected", ...T1, reason: "todo", candidates: 1 };

test("each signal says how far the run has come in stopping", () => {
  expect(play([picked, signal, signal, signal, hangup], true).lines).toEqual([
    "stopping once the agent has finished (Ctrl-C again ends it now)",
    "ending the agent (Ctrl-C again ends everything at once)",
    "ending everything at once",
    "SIGHUP is ignored without a terminal",
  ]);
  expect(play([picked, term], true).lines).toEqual(["SIGTERM: ending the agent"]);
});

test("where no agent is at work none is said to be waited for", () => {
  const waiting: RunEvent = { type: "waiting", reason: "overloaded", until: "soon", agent: "claude" };
  const said = (...events: RunEvent[]) => play(events, true).lines.slice(-1);
  expect(said(waiting, signal)).toEqual(["stopping: the wait is over"]);
  expect(said(waiting, term)).toEqual(["SIGTERM: stopping: the wait is over"]);
  expect(said(signal)).toEqual(["stopping"]);
  expect(said(waiting, picked, signal)).toEqual([
    "stopping once the agent has finished (Ctrl-C again ends it now)",
  ]);
});

function lastWords(events: readonly RunEvent[]): string[] {
  const { view } = play(events);
  if (view.ended === undefined) throw new Error("it has ended");
  return resultLines(view, view.ended, { titles, colours: PLAIN, log: "l", todoFile: "my.json" }).answer;
}

test("an agent that was not available does not count as an attempt, and no failure is printed", () => {
  const away: RunEvent[] = [
    picked,
    changed(T1, "T1 todo doing"),
    finished(T1),
    { type: "attempt_failed", ...T1, reason: "rate-limited", evidence: "5 days", next: "wait" },
    changed(T1),
  ];
  expect(play(away, true).lines).toEqual(["- T1 not started: claude has reached its usage limit"]);
  expect(lastWords([...away, over("waiting")])[1]).toBe(
    "T1 Read the settings  waiting  claude         0  4.0s     -",
  );
  const again = [{ ...picked, ...T1again }, finished(T1again, { task_id: "T1", status: "done" as const })];
  const end = [committed(T1again, "T1 doing done"), over("complete", { done: 1, tasks: 1 })];
  expect(lastWords([...away, ...again, ...end])[1]).toMatch(
    /^T1 Read the settings +done, unverified +claude +1 /,
  );
});

const beyond = { type: "over_budget", unit: "usd", most: 0.05, spent: 0.9 } as const;
const ofRun: RunEvent = { ...beyond, ...T1, of: "run", key: "loop.max_cost_usd" };
const ofTask: RunEvent = { ...beyond, ...T1, of: "task", key: "loop.task_cost_usd" };

test("an exceeded budget is reported when it happens and once at the end", () => {
  const [run, task] = [
    "! the run: over budget: $0.90 of $0.05 (loop.max_cost_usd)",
    "! T1: over budget: $0.90 of $0.05 (loop.task_cost_usd)",
  ];
  expect(play([ofRun, ofTask], true).lines).toEqual([run, task]);
  const one: RunEvent = { ...beyond, ...T1, of: "task", key: "k", unit: "tokens", most: 1, spent: 3 };
  expect(play([one], true).lines).toEqual(["! T1: token limit reached: 3 of 1 (k)"]);
  const said = (end: RunEvent) => lastWords([ofRun, ofTask, end]).filter((line) => line.includes("$0.90"));
  expect(said(over("complete"))).toEqual([run, task]);
  const message = "over budget: $0.90 of $0.05 (loop.max_cost_usd)";
  expect(said(over("budget", { message }))).toEqual([task, message]);
});

test("a run that ended because of an unknown cost names the remedy", () => {
  const begun = started();
  if (begun.type !== "run_started") throw new Error(begun.type);
  const dollars: RunEvent = { ...begun, rules: { ...begun.rules, budget: { max_cost_usd: 1 } } };
  const worked = finished(T1, { task_id: "T1", status: "done" });
  const next = (...events: RunEvent[]) =>
    lastWords([...events, over("budget")]).find((line) => line.startsWith("next: "));
  expect(next(dollars, worked)).toBe(
    "next: have claude tell its cost or set its model, with a price in prices_file; or set loop.unknown_cost to allow; then looper run",
  );
  const more = /^next: looper run; or allow more/;
  expect(next(begun, worked)).toMatch(more);
  expect(next(dollars)).toMatch(more);
});

const UNTIL = sealAll(400, signal)[0]?.timestamp ?? "";

test("a wait says for whom it is, the local time, how long, and what is round it", () => {
  const waiting: RunEvent = { type: "waiting", reason: "rate-limited", until: UNTIL, agent: "claude" };
  const at = new Date(UNTIL);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((n) => String(n).padStart(2, "0"))
    .join(":");
  const line = `waiting until ${time} (6m39s) for claude: rate-limited`;
  expect(play([waiting]).lines).toEqual([line]);
  expect(play([{ ...waiting, until_why: "told 4 times" }]).lines).toEqual([`${line} (told 4 times)`]);
  expect(play([{ ...waiting, remembered: true }]).lines).toEqual([
    line,
    "an earlier run was told so of claude; another agent or model is asked now: --agent NAME, --model NAME",
  ]);
});

/** An event as `looper tail` prints it, without the time. */
function line(event: RunEvent): string {
  const [sealed] = sealAll(event);
  if (sealed === undefined) throw new Error("nothing was sealed");
  return eventLine({ ...sealed }, { colours: PLAIN }).slice(9);
}

test("in a log a stop and a task file without tasks are words, not fields", () => {
  const invalid = { type: "backlog_invalid" as const, problems: [], count: 0 };
  expect(line({ ...invalid, what: "missing" })).toBe("backlog_invalid   no task file");
  expect(line({ ...invalid, what: "no-tasks" })).toBe("backlog_invalid   the task file holds no tasks");
  expect(line({ ...invalid, what: "broken", count: 2 })).toBe("backlog_invalid   broken, 2 problems");
  expect(line({ type: "stop_sent", ...T2, how: "now" })).toBe(
    "stop_sent         T2 claude  told the agent to end",
  );
  expect(line({ type: "stop_sent", ...T2, how: "kill" })).toBe(
    "stop_sent         T2 claude  killed the agent",
  );
});

test("in a log a wait has its end, and its reason; a budget that was overrun its figures", () => {
  const failed = {
    type: "attempt_failed",
    job: 1,
    reason: "overloaded",
    evidence: "busy",
    next: "wait",
  } as const;
  expect(line({ ...failed, until: "soon", until_why: "told 4 times" })).toBe(
    "attempt_failed    overloaded: busy (wait until soon, told 4 times)",
  );
  expect(line({ type: "waiting", agent: "a", reason: "overloaded", until: "soon" })).toBe(
    "waiting           a  until soon: overloaded",
  );
  expect(line(ofTask)).toBe("over_budget       T1 claude  0.9 of 0.05 usd (loop.task_cost_usd)");
});

function live(columns: number, ...more: RunEvent[]): string {
  const { view } = play([
    started(),
    read("T0 done", "T1", "T2"),
    { type: "task_selected", ...T2, reason: "todo", candidates: 1 },
    ...more,
  ]);
  const now = (view.current?.began ?? 0) + 65_000;
  return liveLine({ view, titles, now, columns, colours: PLAIN });
}

test("the live line: task n of m, title, agent, elapsed, tokens and cost, what it does now", () => {
  const working: RunEvent[] = [
    usage(T2, 1200, 0.05),
    { type: "tool_use", ...T2, name: "Edit", input: { file_path: "src/\u001b[2Jx.ts" } },
  ];
  expect(live(100, ...working)).toBe(
    "⠋ 2/3 T2 日本語 title · claude · 1m05s · 1.2k tokens · $0.05 · Edit src/x.ts",
  );
  expect(live(40, ...working)).toBe("⠋ 2/3 T2 日本語 title · claude · 1m05s …");
});

test("the live line is never wider than the terminal, in colour neither", () => {
  const message: RunEvent = { type: "message", ...T2, role: "assistant", content: "語".repeat(300) };
  for (let columns = 1; columns < 120; columns++)
    expect(widthOf(live(columns, message))).toBeLessThanOrEqual(columns);
  const { view } = play([
    started(),
    read("T2"),
    { type: "task_selected", ...T2, reason: "todo", candidates: 1 },
  ]);
  const scene = { view, titles, now: view.current?.began ?? 0, columns: 30 };
  const bare = liveLine({ ...scene, colours: coloursFor(true) }).replaceAll(
    new RegExp("\u001b\\[\\d+m", "g"),
    "",
  );
  expect(bare).toBe(liveLine({ ...scene, colours: PLAIN }));
});

test("a run that waits says until when; one that has ended says nothing", () => {
  const waiting: RunEvent = { type: "waiting", reason: "loop.delay_seconds", until: "03:05" };
  const scene = { titles, now: 0, columns: 80, colours: PLAIN };
  expect(liveLine({ ...scene, view: play([started(), waiting]).view })).toBe(
    "⠋ waiting until 03:05: loop.delay_seconds",
  );
  expect(liveLine({ ...scene, view: play([started(), waiting, over("limit")]).view })).toBe("");
});
