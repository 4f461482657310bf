import { expect, test } from "vitest";
import type { RunEvent } from "../../logging/events/events.js";
import { PLAIN } from "../colours.js";
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
} from "../testing/testing.js";
import { fold, NOTHING } from "../view/view.js";
import { narrate, NOTHING_SAID, type Spoken } from "./narrate.js";

const titles = new Map([["T1", "One, 50%: a"]]);

function play(...events: readonly RunEvent[]): Spoken[] {
  const look = { titles, colours: PLAIN, live: false, todoFile: "sub/to-do.json" };
  let [view, narration] = [NOTHING, NOTHING_SAID];
  return sealAll(...events).flatMap((event) => {
    const before = view;
    view = fold(before, event);
    const said = narrate(narration, { before, event, after: view }, look);
    narration = said.narration;
    return said.spoken;
  });
}

const lines = (spoken: readonly Spoken[]): string[] => spoken.flatMap((one) => one.lines);
const commands = (spoken: readonly Spoken[]): string[] =>
  lines(spoken.filter(({ command }) => command === true));

const T1 = attempt(1, "T1");
const again = attempt(2, "T1", 2);
const T2 = attempt(3, "T2");

const gate = (passed: boolean): RunEvent => ({
  type: "gate_finished",
  ...(passed ? T2 : T1),
  verdict: passed ? "passed" : "failed",
  cold: false,
  commands: [
    {
      ...{ command: "npm test", own: false, verdict: passed ? "passed" : "regressed", end: "exited" },
      ...{
        exit_code: passed ? 0 : 1,
        duration_ms: 1500,
        tail: "all\n\u001b[31m::error::x\u001b[39m\n\tat 3\n",
      },
    },
  ],
  tampered: passed ? [] : [{ path: "test/a.js", what: "deleted", detail: "3 tests" }],
  evidence: passed ? "" : "npm test regressed",
  warnings: [],
  duration_ms: 1500,
});

test("a task is one group, whatever its attempts: gate within, the error after it", () => {
  const said = play(
    started(["no git"]),
    read("T1", "T2"),
    { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
    finished(T1, { task_id: "T1", status: "done" }),
    gate(false),
    { type: "attempt_failed", ...T1, reason: "gate", evidence: "npm test regressed", next: "retry" },
    changed(T1),
    { type: "task_selected", ...again, reason: "doing", candidates: 2 },
    finished(again),
    { type: "attempt_failed", ...again, reason: "no-summary", evidence: "", next: "blocked" },
    changed(again, "T1 doing blocked"),
    { type: "task_selected", ...T2, reason: "todo", candidates: 1 },
    finished(T2, { task_id: "T2", status: "done" }),
    gate(true),
    committed(T2, "T2 todo done"),
    { type: "checkpoint", ...review(4), reused: false, dirty: 0 },
    over("interrupted", { signal: "SIGTERM" }),
  );
  expect(lines(said)).toEqual([
    "looper 1.0.0 · run 2026-01-02_03-04-05 · claude",
    "::warning title=looper::no git",
    "2 tasks, 0 done",
    "::group::T1 One, 50%25: a",
    "- 1/2 T1 One, 50%: a · claude",
    "  gate ✗ npm test (regressed, exit 1, 1.5s)",
    "  | all",
    "  | ::error::x",
    "  |   at 3",
    "  gate ✗ tampering, deleted: test/a.js: 3 tests",
    expect.stringMatching(/^✗ failed T1/),
    "- 1/2 T1 One, 50%: a · claude, attempt 2",
    expect.stringMatching(/^✗ blocked T1/),
    "::endgroup::",
    "::error title=T1 One%2C 50%25%3A a%3A blocked::no-summary",
    "::group::T2",
    "- 2/2 T2 · claude",
    "  gate ✓ npm test (passed, exit 0, 1.5s)",
    expect.stringMatching(/^✓ T2/),
    "::endgroup::",
    "::group::reviewing the project",
    "- reviewing the project · claude",
    expect.stringMatching(/^- stopped/),
    "::endgroup::",
    "::warning title=looper%3A interrupted::stopped by SIGTERM%0Alooper run",
  ]);
  expect(commands(said).every((line) => line.startsWith("::"))).toBe(true);
});

test("a group is open when it is ended, and none is left open", () => {
  const said = play(
    started(),
    read("T1", "T2"),
    { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
    finished(T1, { task_id: "T1", status: "skipped" }),
    changed(T1),
    { type: "task_selected", ...T2, reason: "todo", candidates: 2 },
    over("limit"),
  );
  const groups = commands(said).filter((line) => /^::(end)?group/.test(line));
  expect(groups).toEqual(["::group::T1 One, 50%25: a", "::endgroup::", "::group::T2", "::endgroup::"]);
});

test("problems of the task file are annotated unless they were corrected", () => {
  const broken: RunEvent = {
    type: "backlog_invalid",
    what: "broken",
    count: 20,
    problems: Array.from({ length: 20 }, (_, at) => ({
      ...{ rule: "unknown-key", pointer: "", line: at + 1, column: 2, message: "no key titel" },
      suggestion: "title, perhaps",
    })),
  };
  const errors = (spoken: readonly Spoken[]): string[] =>
    commands(spoken.filter(({ level }) => level === "error"));
  const unusable = errors(play(started(), broken, over("unusable-backlog")));
  expect(unusable).toHaveLength(10);
  expect(unusable[1]).toBe(
    "::error title=unknown-key,file=sub/to-do.json,line=2,col=2::no key titel: title, perhaps",
  );
  expect(unusable.at(-1)).toMatch(
    /^::error title=looper%3A unusable-backlog::the task file cannot be used%0A/,
  );
  expect(errors(play(started(), broken, read("T1"), over("unusable-backlog")))).toHaveLength(1);
  expect(errors(play(started(), over("environment", { message: "no agent" })))[0]).toContain("no agent%0A");
  expect(errors(play(started(), read("T1 blocked"), over("blocked")))).toHaveLength(1);
  expect(commands(play(started(), read("T1 done"), over("complete")))).toEqual([]);
});
