import { expect, test } from "vitest";
import type { RunEvent } from "../../../logging/events/events.js";
import type { LiveRun } from "../../../loop/runs/live-run.js";
import { PLAIN } from "../../colours.js";
import { statusAnswer } from "../../answers/runs/status.js";
import { over, sealAll, started } from "../../testing/testing.js";
import { task } from "../../../todo/testing/testing.js";
import { fold, NOTHING, type View } from "../../view/view.js";
import { statusLines } from "./status-lines.js";

function release(): RunEvent {
  const begun = started();
  if (begun.type !== "run_started") throw new Error("a run begins with run_started");
  return { ...begun, rules: { ...begun.rules, release: {} } };
}

function status(...events: readonly RunEvent[]): string[] {
  const view: View = sealAll(release(), ...events).reduce(fold, NOTHING);
  const seen = { run: view.run, folder: "/p/log", view, live: undefined, eta: null };
  const tasks = [task("T1")];
  const answer = statusAnswer("/p/to-do.json", tasks, { now: view.at, seen });
  const look = { view, titles: new Map(), now: view.at, todoFile: "to-do.json", colours: PLAIN };
  return statusLines(answer, look);
}

test("status of a refused release says why and names looper push", () => {
  const message = "npm test fails, before anything was changed";
  const lines = status(over("blocked", { message }));
  expect(lines[0]).toContain("the last release, 2026-01-02_03-04-05, ended");
  expect(lines.slice(2)).toEqual([message, "looper push starts a release again"]);
  expect(lines.join("\n")).not.toContain("looper run");
});

test("status of a killed release advises looper push", () => {
  expect(status().at(-1)).toBe("run looper push again");
});

test("a log without a line yet is not of a killed run, and a run that works then began now", () => {
  const seen = { run: "2026-01-02_03-04-05", folder: "/p/log", view: NOTHING, eta: null };
  expect(statusAnswer("t", [], { now: 5000, seen: { ...seen, live: undefined } }).run).toBeNull();
  const live: LiveRun = { run: seen.run, folder: seen.folder, pid: 7 };
  const { run } = statusAnswer("t", [], { now: 5000, seen: { ...seen, live } });
  expect(run).toMatchObject({ state: "running", started: "1970-01-01T00:00:05.000Z", elapsed_ms: 0 });
});
