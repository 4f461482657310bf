import { expect, test } from "vitest";
import { compileOutputSchema, shippedOutputSchema, type OutputSchema } from "./check-output.js";
import { OUTPUT_NAMES, isOutputName, outputJsonSchema } from "./outputs.js";

function schemaOf(name: string): OutputSchema {
  const found = shippedOutputSchema(name);
  if (found === undefined) throw new Error(`${name} is not shipped`);
  return found;
}

const VALID: Readonly<Record<string, unknown>> = {
  plan: {
    summary: "Adds a flag",
    steps: ["Read it", { text: "Use it", file: "src/a.ts", points: ["parse", "pass on"] }],
    files_to_create: [{ path: "src/b.ts", purpose: "holds it" }],
    files_to_modify: [{ path: "src/a.ts", changes: "reads it" }],
    commands: ["npm test"],
    tests: [{ path: "src/b.test.ts", coverage: "both values" }],
    dependencies: [],
    items: ["Read it", "Use it"],
  },
  request: { status: "clear", clarified_query: "Add a flag" },
  implementation: { completed: ["Read it"], remaining: [] },
  findings: {
    findings: [{ text: "The flag is ignored", file: "src/a.ts", line: 3, severity: "high" }],
    failed_items: ["Use it"],
    checked: ["npm test"],
  },
  "scout-findings": {
    summary: "Two places",
    relevantFiles: ["src/a.ts"],
    codePatterns: { flags: "one table" },
    confidence: "low",
  },
  report: { summary: "Two places", sections: [{ title: "Where", text: "src" }], sources: ["src/a.ts"] },
  qualification: {
    taskType: "code_change",
    riskLevel: "high",
    delegations: [{ agent: "koda", title: "Write", task: "Write it", after: [] }],
  },
  advice: { instructions: "Try the other file" },
};

test.each(OUTPUT_NAMES)("an output %s of its shape is valid, and one without its keys is not", (name) => {
  expect(schemaOf(name).problemsOf(VALID[name])).toEqual([]);
  expect(schemaOf(name).problemsOf({})).not.toEqual([]);
});

test("keys that a shipped schema does not name are allowed", () => {
  expect(schemaOf("advice").problemsOf({ instructions: "x", mood: "fine" })).toEqual([]);
});

test("problems name the place, what is allowed, and what was found", () => {
  const { problemsOf } = schemaOf("findings");
  expect(problemsOf({ findings: [{ severity: "hihg", line: "3" }], failed_items: "none" })).toEqual([
    "output.findings[0].text is missing",
    'output.findings[0].line must be integer; it is "3"',
    'output.findings[0].severity must be one of "high", "medium", "low"; it is "hihg"; did you mean "high"?',
    'output.failed_items must be array; it is "none"',
  ]);
  expect(problemsOf("complete")).toEqual(['output must be object; it is "complete"']);
  expect(problemsOf(undefined)).toEqual(["output must be object; it is nothing"]);
});

test("a step that is neither a text nor an object is one problem", () => {
  expect(schemaOf("plan").problemsOf({ summary: "x", steps: [3] })).toEqual([
    "output.steps[0] must match a schema in anyOf; it is 3",
  ]);
  expect(schemaOf("plan").problemsOf({ summary: "", steps: [] })).toEqual([
    'output.summary must NOT have fewer than 1 characters; it is ""',
    "output.steps must NOT have fewer than 1 items; it is an array",
  ]);
});

test("a request is clear with its words, or asks at least one question", () => {
  const { problemsOf } = schemaOf("request");
  expect(problemsOf({ status: "clear" })).toEqual([
    "output.clarified_query is missing; a request with the status clear has it",
  ]);
  expect(problemsOf({ status: "needs_clarification", questions: [] })).toEqual([
    "output.questions is empty; a request with the status needs_clarification has at least one",
  ]);
  expect(problemsOf({ status: "needs_clarification", questions: ["Which?"] })).toEqual([]);
});

test("an output with a thousand problems is told with the first of them", () => {
  const found = schemaOf("implementation").problemsOf({ completed: Array.from({ length: 1000 }, () => 1) });
  expect(found).toHaveLength(21);
  expect(found.at(-1)).toBe("and 980 more problems");
});

test.each(OUTPUT_NAMES)("the schema of %s is one", (name) => {
  expect(compileOutputSchema(name, isOutputName(name) && outputJsonSchema(name))).toMatchObject({ ok: true });
});

test("a project's own schema is used as it is", () => {
  const own = {
    type: "object",
    properties: { risk: { enum: ["low", "high"] } },
    required: ["risk"],
    additionalProperties: false,
  };
  const compiled = compileOutputSchema("triage", own);
  if (!compiled.ok) throw new Error(compiled.error);
  expect(compiled.value.schema).toBe(own);
  expect(compiled.value.problemsOf({ risk: "low" })).toEqual([]);
  expect(compiled.value.problemsOf({ risk: "low", why: "x" })).toEqual(["output.why is not allowed"]);
});

test.each([
  ["a list", [], "a JSON Schema of an output is an object, not an array"],
  ["a wrong keyword", { type: "strng" }, "not a JSON Schema that can be used: "],
  ["a reference to nothing", { $ref: "#/$defs/x" }, "not a JSON Schema that can be used: "],
])("%s is not a schema", (_, schema, message) => {
  const compiled = compileOutputSchema("triage", schema);
  expect(compiled).toMatchObject({ ok: false });
  expect(compiled.ok ? "" : compiled.error).toContain(message);
});
