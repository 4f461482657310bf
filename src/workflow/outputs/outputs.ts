// The outputs of stages that Looper knows: one zod schema is the type and, through z.toJSONSchema, the published
// schemas/output/NAME.schema.json. check-output.ts holds values against them, and against a project's own schemas.
import { z } from "zod";

const texts = z.array(z.string());
const summary = z.string().min(1).describe("The whole in one or two sentences");

const Step = z.union([
  z.string().min(1),
  z.object({
    text: z.string().min(1),
    file: z.string().optional().describe("The file that it is about"),
    points: texts.optional().describe("Its parts, in order"),
  }),
]);

const Plan = z.object({
  summary: summary.describe("Overview: what is to be built, and how"),
  steps: z.array(Step).min(1).describe("The steps, in order"),
  files_to_create: z.array(z.object({ path: z.string().min(1), purpose: z.string() })).optional(),
  files_to_modify: z.array(z.object({ path: z.string().min(1), changes: z.string() })).optional(),
  commands: texts.optional().describe("Commands that will be run"),
  tests: z
    .array(z.object({ path: z.string().min(1), coverage: z.string() }))
    .optional()
    .describe("Testing strategy: the tests to write or change, and what each covers"),
  dependencies: texts.optional().describe("Packages that are added"),
  reuses: texts.optional().describe("Parts of the project that the work builds on"),
  assumptions: texts.optional().describe("Facts that are taken for granted, and why"),
  risks: texts.optional().describe("Faults that may come, and how each would be noticed"),
  out_of_scope: texts.optional().describe("Parts that are left out on purpose"),
  items: texts.optional().describe("To-do: items that can be ticked one by one; the steps, unless given"),
});

const ClarifiedRequest = z.object({
  status: z.enum(["clear", "needs_clarification"]),
  questions: texts.optional().describe("Of needs_clarification: what a person must answer"),
  clarified_query: z.string().optional().describe("Of clear: the request with every answer in it"),
});

const Implementation = z.object({
  completed: texts.describe("The items that are done, worded as in the task's document"),
  remaining: texts.optional().describe("The items that are still to be done"),
});

/** How much a finding matters, the worst first. */
const SEVERITIES = ["high", "medium", "low"] as const;

/** Words of other tools for how much a finding matters. */
const SEVERITY_WORDS: Readonly<Record<(typeof SEVERITIES)[number], string>> = {
  high: "high blocker blocking blocked critical crit fatal severe serious major error urgent important must p0 p1 s0 s1 sev0 sev1 sev2",
  medium: "medium med moderate mid warning warn should normal average p2 s2 sev3",
  low: "low minor nit nits nitpick nitpicking trivial info informational note notice style cosmetic suggestion optional could consider nonblocking hint p3 p4 p5 s3 s4 sev4 sev5",
};

/** The severity that a word of any tool means: `**Critical**`, `[P1]`, `non-blocking`; `undefined`: none is known. */
export function severityOf(said: string): (typeof SEVERITIES)[number] | undefined {
  const words = said
    .toLowerCase()
    .replaceAll("non-", "non")
    .split(/[^a-z0-9]/u);
  for (const word of words) {
    const found = SEVERITIES.find((one) => SEVERITY_WORDS[one].split(" ").includes(word));
    if (found !== undefined) return found;
  }
  return undefined;
}

const Findings = z.object({
  findings: z
    .array(
      z.object({
        text: z.string().min(1).describe("The fault, and what would be right"),
        file: z.string().optional(),
        line: z.int().min(1).optional(),
        severity: z.enum(SEVERITIES),
      }),
    )
    .describe("All that is to be changed; they replace the findings of an earlier review"),
  failed_items: texts
    .optional()
    .describe("Items that are ticked but not done, worded as in the task's document"),
  checked: texts.optional().describe("The checks that were made, and how"),
});

const ScoutFindings = z.object({
  summary,
  relevantFiles: texts,
  codePatterns: z.record(z.string(), z.string()).optional().describe("Patterns in the code, by name"),
  webFindings: texts.optional(),
  recommendations: texts.optional(),
  confidence: z
    .union([z.enum(["high", "medium", "low"]), z.number().min(0).max(1)])
    .describe("How sure the findings are: a word, or a number from 0 to 1"),
});

const Report = z.object({
  summary,
  sections: z.array(z.object({ title: z.string().min(1), text: z.string() })),
  sources: texts.optional().describe("Files and pages that it rests on"),
});

const Qualification = z.object({
  taskType: z.string().min(1),
  riskLevel: z.enum(["low", "medium", "high"]),
  complexity: z.string().optional(),
  targetAgent: z.string().optional(),
  gatheredFiles: texts.optional(),
  delegations: z
    .array(
      z.object({
        agent: z.string().min(1),
        title: z.string().min(1),
        task: z.string().min(1),
        files: texts.optional(),
        after: texts.optional().describe("Titles of delegations that come first"),
      }),
    )
    .optional(),
  reasoning: z.string().optional(),
});

const Advice = z.object({
  instructions: z.string().min(1),
  alternative: z.string().optional(),
});

/** The outputs by the name that a stage's `output` has; the title of each published schema. */
export const OUTPUTS = {
  plan: { title: "A plan", shape: Plan },
  request: { title: "A request, made clear", shape: ClarifiedRequest },
  implementation: { title: "An implementation: the items that are done", shape: Implementation },
  findings: { title: "The findings of a review", shape: Findings },
  "scout-findings": { title: "The findings of an exploration", shape: ScoutFindings },
  report: { title: "A report", shape: Report },
  qualification: { title: "The qualification of a task", shape: Qualification },
  advice: { title: "Advice to a stage that asked for help", shape: Advice },
} as const satisfies Readonly<Record<string, { title: string; shape: z.ZodType }>>;
export type OutputName = keyof typeof OUTPUTS;

export const OUTPUT_NAMES: readonly string[] = Object.keys(OUTPUTS);

export function isOutputName(name: string): name is OutputName {
  return Object.hasOwn(OUTPUTS, name);
}

/** The published schema of an output (draft 2020-12); keys that it does not name are allowed, and ignored. */
export function outputJsonSchema(name: OutputName): Record<string, unknown> {
  const { title, shape } = OUTPUTS[name];
  const { $schema, ...rest } = z.toJSONSchema(shape, { io: "input" });
  return { $schema, $id: `urn:looper:output/${name}.schema.json`, title, ...rest };
}
