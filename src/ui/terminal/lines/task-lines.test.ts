import { expect, test } from "vitest";
import { task } from "../../../todo/testing/testing.js";
import { showAnswer } from "../../answers/backlog/show.js";
import { PLAIN } from "../../colours.js";
import { taskLines } from "./task-lines.js";

const SCENE = { now: 0, live: undefined, colours: PLAIN, tasksDir: "t", shown: String };
const done = task("T1", { status: "done" });

test("the explanation takes the place of the log's findings, and the table of changed paths keeps its columns", () => {
  const found = {
    ...{
      reasons: ["passes only with a.test.js and 3 more"],
      on: [],
      changedChecks: [],
      byExitCode: ["make lint"],
    },
    needs: [{ path: "b.test.js", diff: "+b\n" }],
  };
  const explained = {
    ...({ verdict: "unverified", because: "influence", on: [] } as const),
    reasons: ["passes only with a.test.js"],
    needs: [{ path: "a.test.js", diff: "@@ -1 +1 @@\n-  x\u001b[2J\n+    y\n" }],
    changed: [
      { path: "a.test.js", kind: "check", row: 6, why: "it is a test" } as const,
      { path: "src/\u001bx.js", kind: "source", row: 11, why: "a program file imports it" } as const,
    ],
  };
  const lines = taskLines(showAnswer("f", { task: done, tasks: [done], found, explained }, []), SCENE);
  expect(lines.slice(2, -2)).toEqual([
    ...["", "why it is unverified", "  passes only with a.test.js"],
    ...["", "it needs a.test.js", "  @@ -1 +1 @@", "  -  x\\u001b[2J", "  +    y"],
    ...["", "judged by exit code", "  make lint"],
    ...["", "changed paths"],
    ...["  path       kind    row  why"],
    ...["  a.test.js  check   6    it is a test"],
    ...["  src/ x.js  source  11   a program file imports it"],
  ]);
});
