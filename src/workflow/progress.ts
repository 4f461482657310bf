// The progress of a task through its workflow, as its row of to-do.json keeps it: the one durable record of where it is, what
// its stages reported, what is asked and what was answered. Leaves what may follow to advance.ts.
import { z } from "zod";
import { Name, Scalar } from "./workflow.js";

// A shape with an `id` stands once in a published schema, under $defs, where it would be repeated.

/** The ways in which a person's word, or what stands for it, can arrive. */
export const Way = z
  .enum(["terminal", "cli", "file", "web", "webhook", "mcp", "timeout", "setting"])
  .meta({ id: "Way" });

const by = {
  by: z.string().describe("A login name, or the setting or timeout that stood for a person"),
  via: Way,
  at: z.string().describe("RFC 3339"),
};
export const By = z.strictObject(by);
export type By = z.infer<typeof By>;

/** The latest output of a stage: a JSON file below the setting `tasks_dir`, with a readable .md beside it. */
export const StageOutput = z
  .strictObject({
    stage: Name,
    visit: z.int().min(1),
    outcome: Name,
    file: z.string().describe("Below tasks_dir: ID/VISIT-STAGE.json"),
    sha256: z.string().describe("Of the file's bytes, hexadecimal"),
    facts: z.record(z.string(), Scalar).optional().describe("The fields that some when names"),
    agent: z.string(),
    run: z.string(),
    at: z.string(),
  })
  .meta({ id: "StageOutput" });
export type StageOutput = z.infer<typeof StageOutput>;

/** A call of a tool that waits for a person's permission; the session that made it can be resumed. */
export const PendingCall = z
  .strictObject({
    session: z.string(),
    id: z.string(),
    tool: z.string(),
    command: z.string().describe("The command, or the call in one line"),
    arguments: z.record(z.string(), z.unknown()).optional().describe("The exact arguments"),
    preview: z.string().optional().describe("The effect of the call: a diff, or the text that it writes"),
    sha256: z.string().optional().describe("Of the tool and its arguments (digestOfCall)"),
    planned: z
      .boolean()
      .optional()
      .describe("Whether the approved plan names it; absent: no plan was approved"),
  })
  .meta({ id: "PendingCall" });
export type PendingCall = z.infer<typeof PendingCall>;

export const Question = z
  .strictObject({
    id: z
      .string()
      .describe("TASK.NUMBER, used once in the life of the task; an answer to another one is refused"),
    source: z.enum(["stage", "agent", "tool"]),
    text: z.string(),
    outcomes: z.array(Name).describe("The possible answers; empty: any text"),
    shows: z
      .strictObject({ what: z.string(), sha256: z.string() })
      .optional()
      .describe("The subject of the decision: a stage, diff, work or call, and its digest"),
    edits: Name.optional().describe("The stage whose output the answer may change"),
    asked_at: z.string(),
    deadline: z.string().optional(),
    on_timeout: Name.optional(),
    call: PendingCall.optional().describe("Of source tool: the call that waits for permission"),
  })
  .meta({ id: "Question" });
export type Question = z.infer<typeof Question>;

export const Answer = z
  .strictObject({
    question: z.string().describe("The question's id"),
    asked: z.string().optional().describe("The question's text, once the answer is taken"),
    stage: Name.optional().describe("The stage that the question was of, once the answer is taken"),
    ...by,
    shown_sha256: z.string().optional(),
    outcome: Name.optional(),
    text: z.string().optional(),
    comment: z.string().optional(),
    edited: StageOutput.optional().describe("The output as the person changed it"),
    arguments: z.record(z.string(), z.unknown()).optional().describe("Of a call: as the person changed them"),
    call: PendingCall.optional().describe("Of source tool: the call, once the answer is taken"),
  })
  .meta({ id: "Answer" });
export type Answer = z.infer<typeof Answer>;

/** An answer that no run has taken yet. One that a person writes into the file may leave out who gave it, how, when, and to what. */
export const GivenAnswer = Answer.extend({
  question: Answer.shape.question.optional(),
  outcome: z
    .string()
    .optional()
    .describe("Any text is read, so that one that is not an outcome leaves the question open"),
  by: By.shape.by.optional(),
  via: By.shape.via.optional(),
  at: By.shape.at.optional(),
});
export type GivenAnswer = z.infer<typeof GivenAnswer>;

export const Grant = z.strictObject({
  what: z.union([Name, z.strictObject({ tool: z.string(), command: z.string().optional() })]),
  ...by,
});
export type Grant = z.infer<typeof Grant>;

export const Note = z.strictObject({
  text: z.string(),
  ...by,
  delivery: z.enum(["delivered", "resumed", "next-prompt"]).optional(),
});
export type Note = z.infer<typeof Note>;

export const Spent = z
  .strictObject({
    tokens: z.int().min(0),
    cost_usd: z.number().min(0).optional(),
    duration_ms: z.number().min(0),
  })
  .meta({ id: "Spent" });
export type Spent = z.infer<typeof Spent>;

/** The verdicts that the work of a stage can have; the words of the gate's `GateVerdict`. */
const WorkVerdict = z.enum(["passed", "unbroken", "unverified", "failed"]);

export const SavedWork = z.strictObject({
  commit: z.string().describe("refs/looper/work/TASK"),
  base: z.string().describe("The commit that it is based on"),
  verdict: WorkVerdict,
});
export type SavedWork = z.infer<typeof SavedWork>;

export const Progress = z.strictObject({
  workflow: Name,
  digest: z.string().describe("SHA-256 of the workflow the task started with"),
  stage: Name.describe("A stage, finish or block"),
  visit: z.int().min(1).describe("The number of stages entered so far, this one included"),
  since: z.string(),
  first: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Added to the visit in the id of a question: no id is used twice. Absent in a task's first pass",
    ),
  visits: z.record(Name, z.int().min(1)).optional().describe("How often each stage was entered"),
  outputs: z.record(z.string(), StageOutput).optional().describe("The latest output of each stage"),
  work: SavedWork.optional(),
  question: Question.optional(),
  answer: GivenAnswer.optional().describe("To the question; no run has taken it yet"),
  answers: z.array(Answer).optional().describe("Earlier answers, for prompts and the commit's trailers"),
  children: z.array(z.string()).optional(),
  spent: z.record(z.string(), Spent).optional().describe('By stage, and "*" for all'),
  grants: z.array(Grant).optional(),
  notes: z.array(Note).optional(),
  paused: By.partial()
    .extend({ why: z.string().optional() })
    .optional()
    .describe("No job starts on the task"),
  complete: By.optional().describe("A person ended the workflow: looper complete"),
  reasons: z.array(z.string()).optional().describe("Why it is at block"),
  restart: Name.optional().describe("At block: the stage where the next attempt begins (looper restart)"),
});
export type Progress = z.infer<typeof Progress>;

/** The part that `step` sees of a task's progress. */
export const ProgressRow = z.object({
  workflow: Name,
  /** Of the workflow that the task started with; absent: it is in no stage yet. */
  digest: z.string().optional(),
  stage: Name,
  visit: z.int(),
  first: z.int().optional(),
  visits: z.record(Name, z.int()).optional(),
  /** The verdict of the saved work; absent: there is none. */
  verdict: WorkVerdict.optional(),
  /** The saved work's base commit. */
  base: z.string().optional(),
  facts: z.record(z.string(), Scalar).optional(),
  /** The stages whose questions were answered; only of a row that a person moved to where it is. */
  answered_stages: z.array(Name).optional(),
  /** The agent of each stage's latest output, for `not_agent_of`. */
  agents: z.record(z.string(), z.string()).optional(),
  spent: z.record(z.string(), Spent).optional(),
  /** A question is open, or was answered and the answer is not taken yet. */
  asked: z.enum(["stage", "agent", "tool"]).optional(),
  /** The digest of what the question shows. */
  shown: z.string().optional(),
  deadline: z.string().optional(),
  on_timeout: Name.optional(),
  answered: z
    .object({
      outcome: Name.optional(),
      by: z.string(),
      via: Way,
      at: z.string().optional(),
      comment: z.string().optional(),
      edited: z.literal(true).optional(),
    })
    .optional(),
  grants: z.array(z.string()).optional(),
  paused: z.literal(true).optional(),
  complete: z.literal(true).optional(),
  /** At block: the stage where the next attempt begins, instead of the first. */
  restart: Name.optional(),
});
export type ProgressRow = z.infer<typeof ProgressRow>;
