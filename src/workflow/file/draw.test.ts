import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawMermaid, drawText } from "./draw.js";
import { Workflow } from "../workflow.js";

function shipped(name: string): Workflow {
  return Workflow.parse(
    JSON.parse(readFileSync(new URL(`../../../workflows/${name}.json`, import.meta.url), "utf8")),
  );
}

test("a workflow is drawn in text: each stage, what it does, and where its outcomes lead", () => {
  expect(drawText(shipped("implement-review"))).toEqual([
    "> implement  work by implement",
    "             done       -> review",
    "             over_limit -> decide",
    "  review     analyze by review (not the agent of implement) with workspace permissions",
    "             complete -> finish",
    "             changes  -> implement",
    "  decide     ask: Findings left: some. Accept the work as it is, continue, or give up? (shows review)",
    "             accept   -> finish",
    "             continue -> implement",
    "             give-up  -> block",
  ]);
});

test("gates, protected tests, questions and dropped changes are told", () => {
  const lines = drawText(shipped("tdd")).map((line) => line.trim());
  expect(lines).toContain("red       work until a new test fails");
  expect(lines).toContain("green     work keeping the tests of red");
  expect(lines).toContain("tests     ask: Are these the right tests? (shows diff)");
  expect(lines).toContain("exhausted -> commit (its changes are dropped)");
});

test("a condition and a timeout are told", () => {
  const workflow = Workflow.parse({
    workflow: 1,
    name: "own",
    start: "plan",
    stages: {
      plan: { kind: "analyze", prompt: "plan", output: "plan", next: { done: "ok" } },
      ok: {
        kind: "ask",
        question: 'Is "it" <fine>?',
        when: { "plan.summary": ["big", 3] },
        else: "yes",
        timeout: "24h",
        on_timeout: "no",
        next: { yes: "test", no: "block" },
      },
      test: { kind: "check", commands: ["npm test", "npm run lint"], next: { passed: "finish" } },
    },
  });
  expect(drawText(workflow)).toEqual([
    "> plan  analyze",
    "        done -> ok",
    '  ok    ask: Is "it" <fine>? no after 24h',
    "        only when plan.summary is big or 3, else yes",
    "        yes -> test",
    "        no  -> block",
    "  test  check: npm test; npm run lint",
    "        passed -> finish",
  ]);
  expect(drawMermaid(workflow)).toEqual([
    "flowchart TD",
    '  start(("task")) --> s0',
    '  s0["<b>plan</b><br/>an agent looks"]',
    '  s1{{"<b>ok</b><br/>Is &quot;it&quot; &lt;fine&gt;?"}}',
    '  s2("<b>test</b><br/>commands")',
    '  finish((("done")))',
    '  block((("blocked")))',
    '  s0 -->|"done"| s1',
    '  s1 -->|"yes"| s2',
    '  s1 -->|"no"| block',
    '  s2 -->|"passed"| finish',
  ]);
});

test("outcomes with one target share an arrow, and those of the runner are marked", () => {
  expect(drawMermaid(shipped("tdd")).at(-3)).toBe(
    '  s5 -->|"done / exhausted (runner), changes dropped"| s6',
  );
});
