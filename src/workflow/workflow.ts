// The shape of a workflow: the stages a task goes through, and where each outcome leads. One zod schema is the type and the
// validator of a workflow file; problems.ts has the rules beyond the shape, and the folder workflows/ what Looper brings.
import { z } from "zod";
import { NAME_PATTERN, NAME_RULE, PERMISSIONS } from "./words.js";

/** A name of a workflow, stage, outcome, prompt, output or role. */
export const Name = z.string().regex(NAME_PATTERN, NAME_RULE);
export type Name = string;

/** A stage's outcome: a name. `next` of the stage says where it leads. */
export type StageOutcome = Name;

/** A value that a `when` compares. */
export const Scalar = z.union([z.string(), z.number(), z.boolean()]);
export type Scalar = z.infer<typeof Scalar>;

/** A text that says something: a blank command would always succeed. */
const Words = z.string().regex(/\S/u, "must not be blank");

/** The two targets that are not stages: the task is done, or it is blocked. */
export const ENDS = ["finish", "block"] as const;

const Target = z
  .union([
    Name,
    z.strictObject({
      to: Name,
      discard: z
        .literal(true)
        .optional()
        .describe("Drops this stage's changes; of an ask stage, those of the stage that it shows"),
    }),
  ])
  .meta({ id: "Target", description: "A stage, finish or block" });
/** Where an outcome leads. */
export type Target = z.infer<typeof Target>;

export const Limits = z
  .strictObject({
    visits: z
      .int()
      .min(1)
      .optional()
      .describe("How often the stage is entered; of a workflow: all its stages"),
    attempts: z.int().min(1).optional().describe("Attempts in one visit"),
    errors: z.int().min(1).optional().describe("Attempts in one visit whose agent failed"),
    tokens: z.int().min(1).optional(),
    cost_usd: z.number().positive().optional(),
    duration: z.string().optional().describe('Time at work, such as "30m"'),
  })
  .meta({ id: "Limits", description: "The most that a stage or a workflow may use" });
export type Limits = z.infer<typeof Limits>;

const common = {
  about: z.string().optional().describe("The purpose of the stage, in a line"),
  next: z.record(Name, Target).describe("Where each outcome leads"),
  limits: Limits.optional(),
  when: z
    .record(z.string(), z.array(Scalar))
    .optional()
    .describe('Facts of earlier outputs, such as {"plan.risk": ["high"]}; otherwise the stage is skipped'),
  else: Name.optional().describe("The outcome of a stage that is skipped"),
};

const byAgent = {
  ...common,
  prompt: Name.describe("The name of its prompt, prompts/NAME.md"),
  agent: Name.optional().describe("A role or an agent"),
  not_agent_of: Name.optional().describe("A stage whose agent may not do this one"),
  session: Name.optional().describe("new, or the stage whose session is resumed"),
  permissions: z.enum(PERMISSIONS).optional().describe("Narrows what the agent may do"),
  output: Name.optional().describe("The schema of its output, schemas/output/NAME.schema.json"),
  inputs: z.array(Name).optional().describe("Stages whose outputs its prompt has; all, unless given"),
};

/** The keys of each kind of stage; stage-kinds.ts has all else about the kinds. */
export const StageShapes = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("work"),
    ...byAgent,
    gate: z
      .union([z.enum(["verify", "red", "none"]), z.array(Words).min(1)])
      .optional()
      .describe("verify: the checks; red: a new test must fail; none; or these commands"),
    protects: z.array(Name).optional().describe("Stages whose tests this one must not change"),
  }),
  z.strictObject({ kind: z.literal("analyze"), ...byAgent }),
  z.strictObject({ kind: z.literal("check"), ...common, commands: z.array(Words).min(1) }),
  z.strictObject({
    kind: z.literal("ask"),
    ...common,
    question: Words,
    shows: Name.optional().describe("A stage's output, diff or work: what the person decides on"),
    edits: Name.optional().describe("The stage whose output the person may change"),
    timeout: z.string().optional().describe('How long an answer is waited for, such as "24h"'),
    on_timeout: Name.optional().describe("The outcome without an answer in time"),
    once: z.literal(true).optional().describe("The answer holds for the rest of the task"),
  }),
]);
type OneShape = z.infer<typeof StageShapes>;
type KeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
/** A stage of any kind: a key that its kind does not have is absent. */
export type Stage = Pick<OneShape, keyof OneShape> & { [K in KeyOf<OneShape>]?: ValueOf<OneShape, K> };
export type StageKind = Stage["kind"];
const Stage: z.ZodType<Stage> = StageShapes;

export const Workflow = z.strictObject({
  $schema: z.string().optional(),
  workflow: z.literal(1).describe("The version of the format"),
  name: Name,
  about: z.string().optional().describe("The purpose of the workflow, in a line"),
  start: Name.describe("The first stage"),
  stages: z.record(Name, Stage),
  limits: Limits.optional(),
  agents: z
    .record(Name, z.looseObject({}))
    .optional()
    .describe("Agents of this workflow's jobs, as in the settings; the project's settings win"),
});
export type Workflow = z.infer<typeof Workflow>;
