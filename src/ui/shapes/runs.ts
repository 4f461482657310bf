// Schemas of the answers that commands about runs and logs print with --json: the source of the types and of schemas/cli/.
import { z } from "zod";
import { Because, GateVerdict, Need } from "../../gate/verdict.js";
import { Ending } from "../../logging/events/events.js";
import { Task } from "../../todo/model/task.js";
import { Verdict } from "../../todo/model/verified.js";
import { Question, Spent, Way } from "../../workflow/progress.js";
import { Evidence, MarkerFlag, verdictFields } from "./backlog.js";
import { inWorkflow, OpenQuestionShape } from "./workflows.js";

/** `looper runs --json`. The newest first. */
export const RunsAnswer = z.object({
  runs: z.array(
    z.object({
      run: z.string(),
      folder: z.string().describe("Absolute path of its log's folder"),
      started: z.string().nullable().describe("RFC 3339; null where it was killed before its first line"),
      state: z.enum(["running", "ended", "killed"]),
      ending: Ending.nullable().describe("Null unless it ended"),
      done: z.int().nullable().describe("Tasks it did; null unless it ended, as all that follow"),
      tasks: z.int().nullable(),
      iterations: z.int().nullable(),
      duration_ms: z.number().nullable().describe("Until its last line, of one that did not end"),
      tokens: z.int().nullable().describe("Input, cached input and output together"),
      cost_usd: z.number().nullable().describe("Null where it is not known"),
      cost_partly: z.boolean().describe("The cost of a part is not known: it is at least so much"),
      workflow: z.string().optional().describe("The workflow of its tasks that name none; absent: default"),
    }),
  ),
});
export type RunsAnswer = z.infer<typeof RunsAnswer>;

/** `looper replay --json`. */
export const ReplayAnswer = z.discriminatedUnion("same", [
  z.object({ same: z.literal(true), run: z.string(), decisions: z.int() }),
  z.object({
    same: z.literal(false),
    run: z.string(),
    seq: z.int().describe("The first line of the log that differs"),
    difference: z.string(),
  }),
]);
export type ReplayAnswer = z.infer<typeof ReplayAnswer>;

/** `looper replay --at SEQ --json`. */
export const ReplayAtAnswer = z.object({
  run: z.string(),
  seq: z.int().describe("The event that was decided on: this line, or the last one before it that decides"),
  event: z.string().describe("Its type"),
  because: z.looseObject({ rule: z.string() }),
  effects: z.array(z.looseObject({ kind: z.string() })),
  state: z.looseObject({ phase: z.string() }).describe("The state after it"),
});
export type ReplayAtAnswer = z.infer<typeof ReplayAtAnswer>;

const plannedStep = {
  task: z.string(),
  title: z.string(),
  agent: z.string().describe("Empty for a stage without one"),
  workflow: z.string().optional().describe("Absent under default"),
  stage: z.string().optional().describe("The stage that the task is in, or enters first"),
  then: z
    .array(z.object({ stage: z.string(), agent: z.string() }))
    .optional()
    .describe("The stages that follow by the first outcome of each; the agent `you` is a person"),
};

/** `looper run --dry-run --json`. */
export const RunDryRunAnswer = z.union([
  z.object({
    ...plannedStep,
    prompt: z.string().describe("Empty for a stage without an agent"),
    steps: z
      .array(z.object(plannedStep))
      .describe("All that would follow if every attempt succeeded, this one first"),
  }),
  z.object({ nothing: z.string().describe("Why nothing would be started") }),
]);
export type RunDryRunAnswer = z.infer<typeof RunDryRunAnswer>;

/** `looper stop --json`. */
export const StopAnswer = z.object({
  run: z.string(),
  ended: z.boolean().describe("It has ended; else it does once its agent has finished"),
});
export type StopAnswer = z.infer<typeof StopAnswer>;

/** `looper status --json`. */
export const StatusAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  tasks: z
    .object({ todo: z.int(), doing: z.int(), blocked: z.int(), done: z.int() })
    .describe("As the task file is now, the completion marker left out"),
  verdicts: z
    .object({ verified: z.int(), unbroken: z.int(), unverified: z.int() })
    .describe("Tasks that the run did, by their verdicts in the task file"),
  need_a_look: z.array(z.string()).describe("Tasks of the run to be accepted by a person, or done again"),
  accepted: z.array(z.string()).describe("Tasks of the run that a person accepted"),
  questions: z
    .array(OpenQuestionShape)
    .optional()
    .describe("The open questions of the task file, the oldest first; absent: none"),
  paused: z.array(z.string()).optional().describe("Tasks that a person paused; absent: none"),
  rejected: z
    .array(z.string())
    .optional()
    .describe("Tasks that a person rejected and that are still paused; absent: none"),
  run: z
    .object({
      run: z.string(),
      folder: z.string().describe("Absolute path of its log's folder"),
      state: z.enum(["running", "ended", "killed"]),
      stopping: z.boolean().describe("It was asked to end"),
      pid: z.int().nullable().describe("Null unless it runs"),
      started: z.string().describe("RFC 3339"),
      elapsed_ms: z.int().describe("Until now, or until its last line"),
      ending: Ending.nullable().describe("Null unless it ended"),
      current: z
        .object({
          job: z.int().describe("Its number in the run, which its lines in the log have"),
          phase: z.enum(["bootstrap", "repair", "iteration", "review", "push"]),
          task: z.string().nullable(),
          agent: z.string(),
          attempt: z.int(),
          started: z.string().describe("RFC 3339"),
          doing: z.string(),
          stage: z.string().optional().describe("In a workflow: the stage, or finish or block"),
          visit: z.int().optional(),
        })
        .nullable()
        .describe("The attempt in progress; null if there is none"),
      waiting: z
        .object({
          until: z.string().nullable().describe("RFC 3339; null: for as long as it takes"),
          agent: z.string().nullable(),
          reason: z.string(),
        })
        .nullable(),
      eta_ms: z
        .int()
        .nullable()
        .describe(
          "Estimated ms until every task is done, from the tasks of this file that are; null if unknown",
        ),
      tokens: z.int(),
      cost_usd: z.number().nullable().describe("Null where nothing is known"),
      cost_partly: z.boolean().describe("Some attempts reported no cost, so this is a lower bound"),
    })
    .nullable()
    .describe("The run in progress, or the last one; null before the first"),
});
export type StatusAnswer = z.infer<typeof StatusAnswer>;

/** `looper show ID --json`. */
export const ShowAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  task: Task.extend({
    ready: z.boolean().describe("Not done, and nothing it waits for"),
    waits_for: z.array(z.string()).describe("Those of depends_on that are not done"),
    needed_by: z.array(z.string()).describe("Tasks that depend on it"),
    ...verdictFields,
    marker: MarkerFlag,
    evidence: Evidence.extend({
      because: Because.nullable().describe("Of its last gate"),
      needs: z.array(Need).describe("Changed files without which its checks do not pass, with their diffs"),
      on: z
        .array(z.string())
        .describe(
          "Earlier tasks: of an unverified task those whose changed checks it needs, if it needs no others, else the unverified ones on whose changes to checks it stands",
        ),
      changed_checks: z.array(z.string()).describe("Changed checks that the verdict does not depend on"),
      agents_reason: z.string().nullable().describe("The agent's own words"),
    })
      .nullable()
      .describe("The findings of its last gate; null where the logs have none"),
    by_exit_code: z
      .array(z.string())
      .optional()
      .describe("Checks of which only the exit code counts: none of their test cases are known"),
    ...inWorkflow,
  }),
  history: z
    .array(
      z.object({
        run: z.string(),
        job: z.int().describe("Its number in that run, which its lines in the log have"),
        attempt: z.int().describe("From 1, in that run"),
        agent: z.string(),
        started: z.string().describe("RFC 3339"),
        duration_ms: z.int(),
        result: z
          .enum(["done", "blocked", "skipped", "failed", "waiting", "stopped", "agent-dropped", "advanced"])
          .nullable()
          .describe(
            "Null while the run is in progress, or if it was killed; `advanced`: the next stage of its workflow",
          ),
        why: z.string().describe("Why it failed or is blocked; else empty"),
        warnings: z.array(z.string()).describe("The run's warnings about it, at most 20"),
        verdict: Verdict.nullable().describe("Null unless its result is done"),
        verified: z.boolean().describe("The verdict is verified"),
        commit: z.string().nullable(),
        rescue: z.string().nullable().describe("The ref that keeps what was given up"),
        tokens: z.int(),
        cost_usd: z.number().nullable(),
        stage: z.string().optional().describe("In a workflow: the stage, or finish or block"),
        visit: z.int().optional().describe("How many stages the task had entered"),
        outcome: z.string().optional().describe("The stage's outcome"),
        to: z.string().optional().describe("Where it led; absent where the task stayed in the stage"),
        output: z.string().optional().describe("Absolute path of the stage's output"),
      }),
    )
    .describe("Every attempt the logs know, the oldest first"),
  questions: z
    .array(
      z.object({
        question: Question,
        stage: z.string().optional().describe("Absent where the logs do not have it"),
        visit: z.int().optional().describe("Of the stage; absent where the logs do not have it"),
        answer: z
          .object({
            outcome: z.string().optional(),
            text: z.string().optional(),
            comment: z.string().optional(),
            by: z.string(),
            via: Way,
            at: z.string().describe("RFC 3339"),
          })
          .nullable()
          .describe("Null while it is open"),
      }),
    )
    .optional()
    .describe("Every question about it that the logs or its row know, the oldest first; absent: none"),
  spent: z
    .record(z.string(), Spent)
    .optional()
    .describe("In a workflow: what each stage used over all runs, as far as the logs know; `*`: all of them"),
  explained: z
    .object({
      verdict: GateVerdict,
      because: Because.nullable(),
      needs: z
        .array(Need)
        .describe("The smallest set of changed files found that it needs, with whole diffs"),
      on: z.array(z.string()).describe("As in `evidence`"),
      reasons: z.array(z.string()).describe("Why it is not verified; empty if it is"),
      changed: z
        .array(
          z.object({
            path: z.string(),
            kind: z.enum(["source", "check", "doubt"]),
            row: z
              .int()
              .describe("The row of docs/gate.md that decided; 0: it is as it was when the run began"),
            why: z.string(),
          }),
        )
        .describe("Every path its last judged attempt changed"),
    })
    .optional()
    .describe("Only with --explain"),
});
export type ShowAnswer = z.infer<typeof ShowAnswer>;

/** `looper clean --json`. */
export const CleanAnswer = z.object({
  dry_run: z.boolean().describe("Nothing was removed: this is what would be"),
  removed: z
    .array(z.object({ run: z.string(), bytes: z.int() }))
    .describe("Runs whose logs went, the oldest first"),
  bytes: z.int().describe("Of all of them"),
  refs: z.int().nullable().describe("Refs of their attempts that went with them; null with --dry-run"),
  finished: z.array(z.string()).describe("Runs whose removal an earlier clean had begun"),
  stay: z
    .array(
      z.object({
        run: z.string(),
        why: z.enum(["running", "rescue", "in-hand", "unfinished"]),
      }),
    )
    .describe("Runs that are old enough and still needed"),
  kept: z.int().describe("Runs that are there now, or would be"),
  foreign: z.int().describe("Runs of other projects in the same folder: never touched"),
  others: z.array(z.string()).describe("Other files in the folder of runs; they are never touched"),
  copies: z.array(z.string()).describe("Copies of the task file that were set aside: never touched"),
  sessions: z
    .object({
      removed: z
        .array(z.object({ session: z.string(), bytes: z.int() }))
        .describe("The one that changed longest ago first"),
      bytes: z.int().describe("Of all of them"),
      refs: z.int().nullable().describe("Refs of their checkpoints that went with them; null with --dry-run"),
      finished: z.array(z.string()).describe("Sessions whose removal an earlier clean had begun"),
      stay: z
        .array(
          z.object({
            session: z.string(),
            why: z.enum(["running", "question", "in-hand", "unreadable"]),
          }),
        )
        .describe("Sessions that are old enough and still needed, or cannot be read"),
      kept: z.int().describe("Sessions that are there now, or would be"),
    })
    .describe("Sessions of looper chapo"),
});
export type CleanAnswer = z.infer<typeof CleanAnswer>;

/** `looper logs ID --json`. */
export const LogsAnswer = z.object({
  task: z.string(),
  run: z
    .string()
    .nullable()
    .describe("The newest run that worked on the task, or the one that was named; null: none"),
  attempts: z
    .array(
      z.object({
        attempt: z.int().describe("From 1, in that run"),
        agent: z.string(),
        started: z.string().describe("RFC 3339, of the first event of the attempt"),
        stage: z.string().optional().describe("In a workflow: the stage"),
        visit: z.int().optional().describe("How many stages the task had entered"),
        messages: z
          .array(z.object({ at: z.string().describe("RFC 3339"), text: z.string() }))
          .describe("The agent's messages, whole and in order"),
      }),
    )
    .describe("In the order they were made"),
});
export type LogsAnswer = z.infer<typeof LogsAnswer>;
