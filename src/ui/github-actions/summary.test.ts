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
import { jobSummary, MOST_BYTES } from "./summary.js";

const T1 = attempt(1, "T1");
const T2 = attempt(2, "T2");

function viewOf(...events: readonly RunEvent[]): View {
  return sealAll(...events).reduce(fold, NOTHING);
}

function summaryOf(view: View, titles: ReadonlyMap<string, string>, room = MOST_BYTES): string {
  if (view.ended === undefined) throw new Error("the run has an end");
  return jobSummary(view, view.ended, { titles, todoFile: "to-do.json", room });
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

test("it takes no more room than there is: reasons give way, then rows, then all of it", () => {
  const titles = new Map([["T1", "日本語".repeat(20)]]);
  const whole = Buffer.byteLength(summaryOf(STORY, titles));
  let last = -1;
  for (let room = 0; room <= whole; room++) {
    const text = summaryOf(STORY, titles, room);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(room);
    if (text !== "") expect(text).toContain("| **Total** |");
    const rows = text.split("\n").filter((line) => /^\| T\d /.test(line)).length;
    if (text !== "" && rows < 2) expect(text).toContain(`and ${2 - rows} more`);
    expect(rows).toBeGreaterThanOrEqual(last);
    if (text !== "") last = rows;
  }
  expect(last).toBe(2);
});
