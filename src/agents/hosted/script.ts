// The file the scripted agent plays: its shape, and which part of it is played when. Pure.
// Leaves the playing to play.ts.
import { z } from "zod";
import { never } from "../../system/never.js";
import { FAILURE_REASONS } from "../agent.js";
import type { HostRequest } from "./hosted.js";
import { WaitingCallLine } from "./waiting-call-line.js";

const at = z.string().min(1).describe("a path below the folder the agent works in");

const Action = z.union([
  z.strictObject({ say: z.string().describe("a message of the agent") }),
  z.strictObject({ write: at, content: z.string() }).describe("writes a file, folders included"),
  z.strictObject({ append: at, content: z.string() }),
  z
    .strictObject({ replace: at, find: z.string().min(1), with: z.string() })
    .describe("replaces the first place"),
  z.strictObject({ remove: at }).describe("removes a file, or a folder with all in it"),
  z
    .strictObject({ run: z.string().min(1), args: z.exactOptional(z.array(z.string())) })
    .describe("without a shell"),
  z.strictObject({ shell: z.string().min(1).describe("a command line for sh") }),
  z.strictObject({ git: z.array(z.string()).min(1) }),
  z.strictObject({ delay: z.string().regex(/^\d+(ms|s|m)$/, "a delay is like 200ms, 3s or 1m") }),
  z
    .strictObject({ fork: z.strictObject({ seconds: z.number().positive() }) })
    .describe("leaves a process behind, in a session of its own and deaf to SIGTERM"),
  z
    .strictObject({ print: z.string(), times: z.exactOptional(z.int().min(1)) })
    .describe("prints raw text, not an event"),
  z.strictObject({ stderr: z.string() }),
  z
    .strictObject({ exit: z.int().min(0).max(255) })
    .describe("exits at once, without an end: 0 is not a good end either"),
  z.strictObject({ hang: z.literal(true) }).describe("does nothing until it is stopped"),
  z
    .strictObject({ fail: z.string(), reason: z.exactOptional(z.enum(FAILURE_REASONS)) })
    .describe("ends as failed"),
  z
    .strictObject({ call: WaitingCallLine, session: z.exactOptional(z.string()) })
    .describe("ends the turn with a call of a tool that a person must allow first"),
  z
    .strictObject({ summary: z.record(z.string(), z.unknown()) })
    .describe("the report; handed over as it is, valid or not"),
]);
export type Action = z.infer<typeof Action>;

const Attempt = z.array(Action);
const Attempts = z.array(Attempt).min(1).describe("one entry an attempt; the last one is repeated");

/** A file of steps: either one list in the order of the iterations, or lists by phase and task. */
export const Script = z.union([
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    steps: Attempts.describe("the n-th entry is played in the n-th iteration"),
  }),
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    tasks: z.exactOptional(z.record(z.string(), Attempts)),
    default: z.exactOptional(Attempts.describe("for tasks that are not named")),
    stages: z.exactOptional(
      z
        .record(z.string(), Attempts)
        .describe(
          "by stage of a workflow: the n-th entry is played when a task enters the stage for the n-th time",
        ),
    ),
    review: z.exactOptional(Attempts),
    bootstrap: z.exactOptional(Attempts),
    repair: z.exactOptional(Attempts),
    push: z.exactOptional(Attempts),
  }),
]);
export type Script = z.infer<typeof Script>;

const NOTHING_FOUND: readonly Action[] = [
  { summary: { task_id: null, status: "reviewed", summary: "Nothing left to do.", new_tasks: [] } },
];

/** Chooses the actions for a request; `undefined` when the script has none. A review that it does not name finds nothing. */
export function chooseAttempt(
  script: Script,
  request: Pick<HostRequest, "phase" | "taskId" | "iteration" | "attempt" | "stage">,
): readonly Action[] | undefined {
  if ("steps" in script) return entry(script.steps, request.iteration);
  switch (request.phase) {
    case "bootstrap":
      return entry(script.bootstrap, request.attempt);
    case "repair":
      return entry(script.repair, request.attempt);
    case "push":
      return entry(script.push, request.attempt);
    case "review":
      return entry(script.review, request.attempt) ?? NOTHING_FOUND;
    case "iteration": {
      const { stage } = request;
      const staged = stage === undefined ? undefined : taskEntry(script.stages, stage.name);
      if (stage !== undefined && staged !== undefined) return entry(staged, stage.round);
      const named = request.taskId === undefined ? undefined : taskEntry(script.tasks, request.taskId);
      return entry(named ?? script.default, request.attempt);
    }
    default:
      return never(request.phase);
  }
}

function taskEntry(
  tasks: Readonly<Record<string, readonly (readonly Action[])[]>> | undefined,
  id: string,
): readonly (readonly Action[])[] | undefined {
  return tasks !== undefined && Object.hasOwn(tasks, id) ? tasks[id] : undefined;
}

function entry(
  attempts: readonly (readonly Action[])[] | undefined,
  number: number,
): readonly Action[] | undefined {
  return attempts?.[Math.max(1, number) - 1] ?? attempts?.at(-1);
}
