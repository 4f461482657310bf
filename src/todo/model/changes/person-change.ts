// The edits that a person makes to the backlog by commands, as data. They are passed to a run in progress, so that it can
// tell them from an agent's. update.ts applies them.
import { z } from "zod";
import { Answer, By, Progress, StageOutput } from "../../../workflow/progress.js";
import { Name } from "../../../workflow/workflow.js";
import { Status, Task, TaskId } from "../task.js";

const REQUIRED = { title: true, priority: true, status: true } as const;
/** Keys that no command sets by hand. */
const OTHERS = {
  ...({ id: true, parent: true, progress: true, attempts: true } as const),
  ...({ created_at: true, updated_at: true, meta: true } as const),
};

/** New values of a task's keys. Other keys stay as they are. */
export const TaskValues = Task.pick(REQUIRED)
  .extend(Task.omit({ ...OTHERS, ...REQUIRED }).shape)
  .partial();
export type TaskValues = z.infer<typeof TaskValues>;

/** The keys that may be removed. */
export const OptionalKey = TaskValues.omit(REQUIRED).keyof();
export type OptionalKey = z.infer<typeof OptionalKey>;

const who = { by: By.shape.by, via: By.shape.via };

export const PersonChange = z
  .discriminatedUnion("op", [
    z
      .strictObject({
        op: z.literal("edit"),
        id: TaskId,
        set: TaskValues.strict(),
        clear: z.array(OptionalKey).describe("Keys that are taken away"),
      })
      .describe("Refused for a task that does not exist, and for the completion marker's status"),
    z
      .strictObject({ op: z.literal("insert"), task: Task })
      .describe("Appended; removes the completion marker. Refused where the id is taken"),
    z
      .strictObject({ op: z.literal("accept"), id: TaskId, by: z.string() })
      .describe("A person's word that a done task counts as verified. Refused unless it is done"),
    z.strictObject({ op: z.literal("remove"), id: TaskId }).describe("The edges that lead to it go as well"),
    z
      .strictObject({
        op: z.literal("answer"),
        id: TaskId,
        question: z.string().describe("The question's id"),
        outcome: Name.optional(),
        text: z.string().optional(),
        comment: z.string().optional(),
        edited: StageOutput.optional(),
        arguments: Answer.shape.arguments,
        shown_sha256: z.string().optional(),
        ...who,
      })
      .describe("Refused unless that question is open and shows what was shown"),
    z
      .strictObject({ op: z.literal("adopt"), id: TaskId, status: Status, progress: Progress })
      .describe("Takes over how far the task is in another clone. Refused once it is done"),
    z
      .strictObject({ op: z.literal("pause"), id: TaskId, why: z.string().optional(), ...who })
      .describe("No job starts on the task; one in progress finishes"),
    z.strictObject({ op: z.literal("resume"), id: TaskId, ...who }).describe("Lifts the pause"),
    z
      .strictObject({ op: z.literal("note"), id: TaskId, text: z.string().min(1), ...who })
      .describe("A message to the task's agent"),
    z
      .strictObject({ op: z.literal("complete"), id: TaskId, ...who })
      .describe("Ends the task's workflow: it goes to finish, whatever the outcome of its job"),
    z
      .strictObject({ op: z.literal("restart"), id: TaskId, stage: Name.optional(), ...who })
      .describe("Begins the workflow again, or at a stage. An attempt in progress ends first"),
  ])
  .meta({ id: "PersonChange" });
/** One change by a person. */
export type PersonChange = z.infer<typeof PersonChange>;

/** A person's changes with their time: RFC 3339, the same as in `updated_at`. */
export interface TimedChanges {
  at: string;
  changes: readonly PersonChange[];
}

/** Whether a change removes a task or changes this status of it; an attempt at it then ends first. */
export function endsAttempt(change: PersonChange, status: Status | undefined): boolean {
  if (change.op === "edit") return change.set.status !== undefined && change.set.status !== status;
  return change.op === "remove" || change.op === "restart" || change.op === "adopt";
}

/** The task a change is about. */
export function taskOfChange(change: PersonChange): TaskId {
  return change.op === "insert" ? change.task.id : change.id;
}

/** New values of keys, and keys to remove. */
export type TaskEdit = Pick<Extract<PersonChange, { op: "edit" }>, "set" | "clear">;

/** The task with new values. */
export function withValues(task: Task, { set, clear }: TaskEdit): Task {
  const edited: Task = Object.assign({ ...task }, set);
  for (const key of clear) Reflect.deleteProperty(edited, key);
  return edited;
}
