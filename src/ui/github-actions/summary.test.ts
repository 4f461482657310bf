import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../logging/events/events.js";
import {
  attempt,
  changed,
  committed,
  finished,
  over,
  read,
  sealAll,
  started,
  usage,
} from "../testing/testing.js";
import { fold, NOTHING, type View } from "../view/view.js";
import { jobSummary } from "./summary.js";

const T1 = attempt(1, "T1");
const T2 = attempt(2, "T2");

function viewOf(...events: readonly RunEvent[]): View {
  return sealAll(...events).reduce(fold, NOTHING);
}

function summaryOf(view: View, titles: ReadonlyMap<string, string>): string {
  if (view.ended === undefined) throw new Error("the run has an end");
  return jobSummary(view, view.ended, { titles, todoFile: "to-do.json" });
}

const STORY = viewOf(
  started(),
  read("T1", "T2"),
  { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
  usage(T1, 1000, 0.25),
  finished(T1, { task_id: "T1", status: "done" }),
  committed(T1, "T1 todo done"),
  { type: "task_selected", ...T2, reason: "todo", candidates: 1 },
  finished(T2, { task_id: "T2", status: "blocked", blockers: ["needs `sudo`\n| rm"] }),
  changed(T2, "T2 todo blocked"),
  over("blocked", { done: 1, tasks: 2 }),
);

test("a table of tasks with a total, and why what is blocked is blocked", () => {
  const titles = new Map([
    ["T1", "A | b"],
    ["T2", "<img src=x> [x](y)"],
  ]);
  expect(summaryOf(STORY, titles).split("\n")).toEqual([
    "## Looper: blocked",
    "",
    "1 task is blocked; nothing else is left to do  ",
    expect.stringContaining("then looper run"),
    "",
    "**1 task\\: 1 unverified**",
    "",
    "| Task | Title | Outcome | Attempts | Duration | Cost |",
    "| --- | --- | --- | ---: | ---: | ---: |",
    "| T1 | A \\| b | ⚠️ done, unverified | 1 | 3.0s | \\$0.25 |",
    "| T2 | &lt;img src=x&gt; \\[x\\]\\(y\\) | ❌ blocked | 1 | 2.0s | - |",
    "| **Total** | | 1 of 2 tasks done | 2 | 1m05s | ≥ \\$0.25 |",
    "",
    "- **T2 &lt;img src=x&gt; \\[x\\]\\(y\\)**: needs \\`sudo\\` \\| rm",
    "",
    "1 of 2 tasks done · 1 iteration · 1m05s · ≥ \\$0.25 · ≥ \\$0.25 per task done · looper 1.0.0, run 2026-01-02\\_03-04-05",
    "",
  ]);
});

test("a run without tasks has no table", () => {
  const text = summaryOf(viewOf(started(), over("environment", { message: "no agent" })), new Map());
  expect(text).toContain("## Looper: environment\n\nno agent");
  expect(text).not.toContain("|");
});

test("a title has one cell, whatever it holds", () => {
  const hostile = fc.oneof(fc.constantFrom("|", "\\|", "`", "<b>", "\n"), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(fc.array(hostile), (parts) => {
      const row = summaryOf(STORY, new Map([["T1", parts.join("")]]))
        .split("\n")
        .find((line) => line.startsWith("| T1 "));
      expect(row?.replaceAll(/\\[^\n]/g, "").split("|").length).toBe(8);
      expect(row).not.toMatch(/[<>]/);
    }),
  );
});

test("of very many tasks the first rows and reasons are listed, and the others counted", () => {
  const [one] = STORY.finished;
  if (one === undefined) throw new Error("it has a job");
  const finished = Array.from({ length: 260 }, (_, at) => ({
    ...one,
    ...{ job: at + 1, taskId: `T${at}`, result: "blocked" as const, why: "needs a key" },
  }));
  const lines = summaryOf({ ...STORY, finished }, new Map()).split("\n");
  expect(lines.filter((line) => /^\| T\d/.test(line))).toHaveLength(200);
  expect(lines).toContain("| … | and 60 more | | | | |");
  expect(lines.filter((line) => line.startsWith("- **T"))).toHaveLength(50);
});
