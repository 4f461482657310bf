import { expect, test } from "vitest";
import type { AgentResult, FoundReport } from "../../../agents/agent.js";
import { shippedOutputSchema } from "../../../workflow/outputs/check-output.js";
import {
  checkStageReport,
  endAfterAskingStage,
  redactReport,
  settleByFindings,
  type Expected,
} from "./stage-report.js";

const schemaOf = (name: string) => {
  const schema = shippedOutputSchema(name);
  if (schema === undefined) throw new Error(name);
  return { schema };
};
const review: Expected = { kind: "analyze", outcomes: ["complete", "changes"], ...schemaOf("findings") };
const implement: Expected = { kind: "work", outcomes: ["done"], ...schemaOf("implementation") };
const plain: Expected = { kind: "work", outcomes: ["done", "give_back"] };
const clarify: Expected = { kind: "analyze", outcomes: ["clear"], ...schemaOf("request") };

const report = (more: object): FoundReport => ({ found: { task_id: null, status: "done", ...more } });
const finding = { text: "wrong", file: "a.ts", line: 3, severity: "high" };

test("a declared outcome with an output that fits is taken", () => {
  const said = report({ outcome: "changes", output: { findings: [finding] }, summary: "s" });
  expect(checkStageReport(said, review)).toEqual(said);
  expect(checkStageReport(report({ outcome: "give_back" }), plain)).toEqual(report({ outcome: "give_back" }));
});

test.each([
  ["no outcome", {}, review, "the report has no outcome; this stage has complete, changes"],
  [
    "an unknown outcome",
    { outcome: "ok" },
    review,
    '"ok" is not an outcome of this stage; it has complete, changes',
  ],
  ["no output", { outcome: "changes" }, review, "the report has no output; this stage's output is findings"],
  [
    "an output of another shape",
    { outcome: "changes", output: { findings: [{ text: "x", severity: "huge" }] } },
    review,
    'output.findings[0].severity must be one of "high", "medium", "low"; it is "huge"',
  ],
  ["an output that is a text", { outcome: "changes", output: "all fine" }, review, "output must be object"],
  ["an output that is too large", { output: { a: "x".repeat(1024 * 1024) } }, plain, "the most is 1048576"],
  [
    "a request that is not written",
    { outcome: "clear", output: { status: "clear" } },
    clarify,
    "clarified_query",
  ],
])("a report with %s is invalid, and the reason names it", (_name, more, expected, why) => {
  expect(checkStageReport(report(more), expected)).toEqual({
    invalid: expect.stringContaining(why) as string,
  });
});

test("an output that is nested deeper than anything is invalid, not a crash", () => {
  let deep: unknown = "x";
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(checkStageReport(report({ output: deep }), plain)).toHaveProperty("invalid");
});

test("work that is reported done has the outcome done, and what has nothing to tell may be left out", () => {
  expect(checkStageReport(report({}), plain)).toEqual(report({ outcome: "done" }));
  expect(checkStageReport(report({}), implement)).toEqual(
    report({ outcome: "done", output: { completed: [] } }),
  );
  expect(checkStageReport(report({ outcome: "complete" }), review)).toEqual(
    report({ outcome: "complete", output: { findings: [] } }),
  );
});

test("nulls of a strict schema are what was left out", () => {
  const output = { findings: [{ ...finding, file: null, line: null }], failed_items: null };
  expect(checkStageReport(report({ outcome: "changes", output }), review)).toEqual(
    report({ outcome: "changes", output: { findings: [{ text: "wrong", severity: "high" }] } }),
  );
});

test("questions count before anything else", () => {
  const asked = { questions: ["Which port?", " Which port? ", "", "Why\u001b[2J?"] };
  expect(checkStageReport(report(asked), review)).toEqual(report({ questions: ["Which port?", "Why?"] }));
  const status = "needs_clarification";
  const open = report({ outcome: "clear", output: { status, questions: ["Which port?"] } });
  expect(checkStageReport(open, clarify)).toMatchObject({ found: { questions: ["Which port?"] } });
  expect(checkStageReport(open, clarify)).not.toHaveProperty("found.outcome");
});

test("a blocked or skipped stage needs no outcome", () => {
  const blocked: FoundReport = { found: { task_id: null, status: "blocked", blockers: ["no key"] } };
  expect(checkStageReport(blocked, review)).toEqual(blocked);
});

test("control characters go, line breaks stay, and secrets are replaced", () => {
  const said = report({ output: { text: "a\r\nb\u0007\u001b[31mc", list: ["k3y"] } });
  const read = redactReport(checkStageReport(said, plain), (text) => text.replaceAll("k3y", "[redacted]"));
  expect(read).toEqual(report({ outcome: "done", output: { text: "a\nbc", list: ["[redacted]"] } }));
});

const strict: Expected = { ...review, way: { back: "changes", through: ["complete"] } };
const ended = (report: FoundReport): AgentResult => ({
  outcome: "ok",
  report,
  lastMessage: "",
  unknownEvents: 0,
});
const settled = (result: AgentResult): unknown => {
  const { end, warning } = settleByFindings(result);
  if (end.outcome !== "ok" || !("found" in end.report)) return end;
  return [end.report.found.outcome, warning !== undefined];
};

test.each([
  ["a high finding", { findings: [finding] }, strict],
  ["a word of another tool", { findings: [{ ...finding, severity: "**Critical**" }] }, strict],
  ["a failed item", { findings: [], failed_items: ["Print it"] }, strict],
  [
    "a finding by a schema of the project",
    { findings: [{ text: "x", severity: "major" }] },
    { ...strict, schema: undefined },
  ],
])(
  "a review that is complete beside %s is asked once more, then its findings decide",
  (_name, output, of) => {
    const contradicts = ended(checkStageReport(report({ outcome: "complete", output }), of));
    expect(contradicts).toHaveProperty("report.invalid");
    expect(settled(contradicts)).toEqual(["changes", true]);
    const corrected = ended(report({ outcome: "complete", output: { findings: [] } }));
    expect(settled(endAfterAskingStage(contradicts, corrected))).toEqual(["complete", false]);
    for (const second of [contradicts, ended({ missing: "none" }), ended({ invalid: "{" })])
      expect(settled(endAfterAskingStage(contradicts, second))).toEqual(["changes", true]);
  },
);

test.each([
  ["a low finding", { findings: [{ ...finding, severity: "nit" }], failed_items: ["None."] }, strict],
  ["a high finding, where the stage has no way back,", { findings: [finding] }, review],
])("a review that is complete beside %s is complete", (_name, output, of) => {
  const read = checkStageReport(report({ outcome: "complete", output }), of);
  expect(read).toHaveProperty("found.outcome", "complete");
});

test.each([
  ["Blocker", "high"],
  ["[P1]", "high"],
  ["major", "high"],
  ["moderate", "medium"],
  ["Minor", "low"],
  ["non-blocking", "low"],
  ["\u{1F7E1} nit", "low"],
])("a finding of the severity %s is taken as %s", (severity, taken) => {
  const said = report({ outcome: "changes", output: { findings: [{ ...finding, file: null, severity }] } });
  expect(checkStageReport(said, review)).toHaveProperty("found.output.findings.0.severity", taken);
});

test("a plan that names only files, commands and tests is taken, with the report's summary as its overview", () => {
  const plan: Expected = { kind: "analyze", outcomes: ["planned"], ...schemaOf("plan") };
  const files = {
    files_to_create: [{ path: "src/a.ts", purpose: "adds" }, "src/b.ts"],
    files_to_modify: [{ path: "src/main.ts", changes: ["call it", "export it"] }],
    commands: ["npm test"],
    tests: ["test/a.test.ts"],
  };
  const said = (output: object, summary = "One file that adds.") =>
    checkStageReport(report({ outcome: "planned", output, summary }), plan);
  expect(said(files)).toMatchObject({
    found: {
      output: {
        summary: "One file that adds.",
        items: ["Create src/a.ts", "Create src/b.ts", "Change src/main.ts", "Run npm test"],
        files_to_create: [{ path: "src/a.ts", purpose: "adds" }, { path: "src/b.ts" }],
        files_to_modify: [{ changes: "call it\nexport it" }],
        tests: [{ path: "test/a.test.ts" }],
      },
    },
  });
  expect(said({ ...files, summary: "own", items: ["one"] })).toMatchObject({
    found: { output: { summary: "own", items: ["one"] } },
  });
  expect(said({ notes: "later" })).toMatchObject({
    invalid: expect.stringContaining("steps is missing") as string,
  });
  expect(said({ commands: ["make"], steps: [] }, "")).toMatchObject({
    found: { output: { summary: "Run make", items: ["Run make"] } },
  });
});
