import { expect, test } from "vitest";
import type { RunEvent } from "../../../logging/events/events.js";
import { PLAIN } from "../../colours.js";
import { statusAnswer } from "../../answers/runs/status.js";
import { over, sealAll, started } from "../../testing/testing.js";
import { task } from "../../../todo/testing/testing.js";
import { fold, NOTHING, type View } from "../../view/view.js";
import { statusLines } from "./status-lines.js";

const FACTS = { job: 1, iteration: 1, phase: "push", agent: "claude", attempt: 1 } as const;
const ORDER = { from: "1.0.0", checks: true, answers: "nobody", branch: "main" } as const;

function release(): RunEvent {
  const begun = started();
  if (begun.type !== "run_started") throw new Error("a run begins with run_started");
  return { ...begun, rules: { ...begun.rules, release: ORDER } };
}

type Step = Extract<RunEvent, { type: "release_step" }>;

function step(what: Step["what"], more: Partial<Step>): RunEvent {
  return { type: "release_step", ...FACTS, what, outcome: "ok", problems: [], ...more };
}

function status(...events: readonly RunEvent[]): string[] {
  const view: View = sealAll(release(), ...events).reduce(fold, NOTHING);
  const seen = { run: view.run, folder: "/p/log", view, live: undefined, eta: null, foreign: undefined };
  const tasks = [task("T1")];
  const answer = statusAnswer("/p/to-do.json", tasks, { now: view.at, seen });
  const look = { view, titles: new Map(), now: view.at, todoFile: "to-do.json", colours: PLAIN };
  return statusLines(answer, look);
}

const CHECK = {
  command: "npm test",
  passed: false,
  end: "exited",
  exit_code: 1,
  duration_ms: 5,
  tail: "",
} as const;

test("status of a refused release names the check to mend and looper push", () => {
  const message = "npm test fails, before anything was changed";
  const problems = [{ check: "checks", message }];
  const before = step("before", { outcome: "failed", commands: [CHECK], problems });
  const lines = status(before, over("blocked", { message }));
  expect(lines[0]).toContain("the last release, 2026-01-02_03-04-05, ended");
  expect(lines.slice(2)).toEqual([
    "not released: npm test fails, before anything was changed",
    "the tree is as before; make npm test pass, then run looper push again",
  ]);
  expect(lines.join("\n")).not.toContain("looper run");
});

test("status of a release whose changes were refused names every problem", () => {
  const problems = [
    { check: "version", message: "1.0.0 is not greater than 1.0.0" },
    { check: "changelog", message: "no new entry" },
  ];
  const judged = step("judge", { outcome: "failed", problems });
  const message = "1.0.0 is not greater than 1.0.0, and 1 more";
  expect(status(judged, over("blocked", { message })).slice(2)).toEqual([
    "not released: 1.0.0 is not greater than 1.0.0",
    "no new entry",
    "the tree is as before; mend this, then run looper push again",
  ]);
});

test("status of an interrupted or killed release advises looper push", () => {
  expect(status(over("interrupted")).slice(2)).toEqual([
    "not released: interrupted",
    "the tree is as before; run looper push again",
  ]);
  expect(status().at(-1)).toBe("run looper push again");
});

test("status of a release that was made names its version", () => {
  const made = step("make", { version: "1.1.0", tag: "v1.1.0", commit: "abc" });
  expect(status(made, over("complete")).slice(2)).toEqual(["released 1.1.0, tag v1.1.0"]);
});
