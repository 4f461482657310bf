import fc from "fast-check";
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import { readJUnit } from "../../gate/report/junit.js";
import { junitXml } from "./junit.js";
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
import { fold, NOTHING, type View } from "./view.js";
import type { RunEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";

function viewOf(...events: readonly (RunEvent | number)[]): View {
  return sealAll(...events).reduce(fold, NOTHING);
}

function xmlOf(view: View, titles: ReadonlyMap<string, string>, scope?: ReadonlySet<string>): string {
  if (view.ended === undefined) throw new Error("the run has an end");
  const look = { titles, todoFile: "to-do.json", ...given({ scope }) };
  return junitXml(view, view.ended, look);
}

const as = (name: string): string => name;

const T1 = attempt(1, "T1");
const T2 = attempt(2, "T2");
const T2again = attempt(3, "T2", 2);
const T3 = attempt(4, "T3");
const STORY: readonly RunEvent[] = [
  started(),
  read("T0 done", "T1", "T2", "T3", "T4", "T5 blocked"),
  { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
  usage(T1, 1000, 0.25),
  finished(T1, { task_id: "T1", status: "done" }),
  committed(T1, "T1 todo done"),
  { type: "task_selected", ...T2, reason: "todo", candidates: 2 },
  finished(T2),
  { type: "attempt_failed", ...T2, reason: "no-summary", evidence: "first", next: "retry" },
  changed(T2),
  { type: "task_selected", ...T2again, reason: "doing", candidates: 2 },
  finished(T2again, { task_id: "T2", status: "done" }),
  {
    type: "attempt_failed",
    ...T2again,
    reason: "gate",
    evidence: "npm test failed\n\n1 <of> 2",
    next: "blocked",
  },
  changed(T2again, "T2 doing blocked"),
  { type: "task_selected", ...T3, reason: "todo", candidates: 2 },
  finished(T3, { task_id: "T3", status: "skipped", summary: "not today" }),
  changed(T3),
  { type: "checkpoint", ...review(5), reused: false, dirty: 0 },
  finished(review(5), { task_id: null, status: "reviewed" }),
  changed(review(5)),
  over("blocked", { done: 2, tasks: 6 }),
];
const titles = new Map([
  ["T1", 'Say "hi" & <bye>'],
  ["T2", "Two"],
]);

test("a case for each task of the run: done, failed with its evidence, skipped, not reached", () => {
  const xml = xmlOf(viewOf(...STORY), titles);
  expect(readJUnit(xml, as)).toEqual({
    how: "read",
    cases: [
      { name: 'looper > claude > T1 Say "hi" & <bye>', status: "passed" },
      { name: "looper > claude > T2 Two", status: "failed" },
      { name: "looper > claude > T3", status: "skipped" },
      { name: "looper > T4", status: "skipped" },
      { name: "looper > T5", status: "skipped" },
    ],
  });
  expect(xml).toContain('tests="5" failures="1" errors="0" skipped="3" time="65.000"');
  expect(xml).toContain('<property name="run" value="2026-01-02_03-04-05"/>');
  expect(xml).toContain('<property name="cost_usd" value="0.25"/>');
  expect(xml).toContain(
    '<failure message="npm test failed" type="blocked">npm test failed\n\n1 &lt;of&gt; 2</failure>',
  );
  expect(xml).toContain('<skipped message="not finished: not today"/>');
  expect(xml).toContain('<skipped message="not reached: blocked"/>');
  expect(xml).toContain("unverified");
});

test("with --task only its tasks count as not reached", () => {
  const xml = xmlOf(viewOf(...STORY), titles, new Set(["T2", "T4"]));
  expect(xml).toContain('name="T4"');
  expect(xml).not.toContain('name="T5"');
});

test("a run that could not do its work is an error, not a green report", () => {
  const xml = xmlOf(viewOf(started(), over("environment", { message: "claude is not signed in" })), titles);
  expect(readJUnit(xml, as)).toEqual({
    how: "read",
    cases: [{ name: "looper > the run", status: "failed" }],
  });
  expect(xml).toContain('<error message="claude is not signed in" type="environment">');
});

test("whatever titles, reasons and evidence hold, it is well-formed XML 1.0", () => {
  const hostile = fc.oneof(
    fc.constantFrom("]]>", "\u0000", "\ud800x", "\udfff", "\ufffe", "<!--", "&#0;", "\u001b[31mred", "\r\n"),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(hostile, hostile, hostile, (title, reason, evidence) => {
      const view = viewOf(
        started(),
        read("T1"),
        { type: "task_selected", ...T1, reason: "todo", candidates: 1 },
        finished(T1),
        { type: "attempt_failed", ...T1, reason, evidence, next: "blocked" },
        changed(T1, "T1 todo blocked"),
        over("blocked"),
      );
      const xml = Buffer.from(xmlOf(view, new Map([["T1", title]]))).toString("utf8");
      const parser = new SaxesParser({ defaultXMLVersion: "1.0" });
      parser.on("error", (error) => {
        throw error;
      });
      parser.write(xml).close();
      const report = readJUnit(xml, as);
      expect(report.how === "read" && report.cases.map(({ status }) => status)).toEqual(["failed"]);
    }),
  );
});
