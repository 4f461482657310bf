// Schemas of the answers that backlog commands print with --json: the source of the types and of schemas/cli/.
import { z } from "zod";
import { Because, Need, Turned } from "../../gate/verdict.js";
import { Status, Task } from "../../todo/model/task.js";
import { Verdict } from "../../todo/model/verified.js";
import { inWorkflow } from "./workflows.js";

/** True of the completion marker, which is not a task. */
export const MarkerFlag = z.literal(true).optional().describe("It is the completion marker, not a task");

/** The tests and commands that the work on a task turned from red to green. */
export const Evidence = z.object({
  fail_to_pass: z
    .array(Turned)
    .describe(
      "Tests that failed before the work and pass with it; without `name` a command as a whole. At most 100",
    ),
  new_tests: z
    .array(Turned)
    .describe("New or changed tests that fail without the work and pass with it. At most 100"),
});

/** The verdict on a task. */
const verdict = z.object({
  verdict: Verdict.nullable().describe(
    "Null unless it is done. verified: something turned from red to green because of the work, or a person accepted it; unbroken: the checks pass, and nothing shows that it was done; unverified: they pass only with changed checks, or there are none; none: no stage of its workflow changes anything",
  ),
  verified: z.boolean().describe("The verdict is verified"),
  evidence: Evidence.nullable().describe("By its last gate; null where the logs have none"),
  because: Because.nullable().describe(
    "Why it is done but not verified, in a word; null where the logs do not tell, and for every other task",
  ),
  unverified_because: z
    .array(z.string())
    .describe("The same in sentences; empty where the logs do not tell, and for every other task"),
  accepted: z
    .object({ at: z.string().describe("RFC 3339"), by: z.string() })
    .optional()
    .describe("The person who accepted it, and the time; absent if it was not accepted"),
});
export type VerdictFields = z.infer<typeof verdict>;
export const verdictFields = verdict.shape;

/** `looper ls --json`. Tasks in the order they will be taken, grouped todo, doing, blocked, done. */
export const LsAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  tasks: z.array(
    Task.extend({
      ready: z.boolean().describe("Not done, and nothing it waits for"),
      waits_for: z.array(z.string()).describe("Those of depends_on that are not done"),
      ...verdictFields,
      marker: MarkerFlag,
      needs_look: z
        .literal(true)
        .optional()
        .describe("A person must look at it before it counts as verified"),
      ...inWorkflow,
    }),
  ),
  wrong: z
    .array(
      z.object({
        id: z.unknown().optional(),
        title: z.unknown().optional(),
        priority: z.unknown().optional(),
        status: z.unknown().optional(),
        wrong: z.array(z.enum(["id", "title", "priority", "status"])),
      }),
    )
    .optional()
    .describe(
      "Tasks with a wrong value, as the file has them; `wrong`: the keys it is wrong in. Absent: none",
    ),
});
export type LsAnswer = z.infer<typeof LsAnswer>;

/** `--json` of `add`, `set`, `block`, `todo`, `done`, `rm` and `accept`. */
export const EditAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  changed: z.array(
    z.object({
      id: z.string(),
      from: Status.nullable().describe("Its status before; null for a new task"),
      to: Status.nullable().describe("Its status now; null for one that is removed"),
    }),
  ),
  tasks: z.array(Task).describe("Those that changed, as they are now"),
  run: z.string().nullable().describe("The run in progress, which knows of it"),
});
export type EditAnswer = z.infer<typeof EditAnswer>;

/** `looper why ID --json`: of a run that begins now. Lists are in the order of selection, and empty where they say nothing. */
export const WhyAnswer = z.object({
  task: z.string(),
  status: Status,
  verdict: Verdict.nullable().describe("Null unless it is done"),
  answer: z.enum(["done", "next", "behind", "waits", "asked", "paused"]),
  before: z.array(z.string()).describe("Tasks that are ready and come before it"),
  waits_for: z.array(z.string()).describe("Its own dependencies that are not done"),
  first: z
    .array(z.string())
    .describe("The tasks that all of these wait for in the end, and that could be claimed now"),
  held: z
    .array(
      z.object({
        task: z.string(),
        because: z.string().describe("The question or the pause, in words"),
        command: z.string().describe("The command that helps"),
      }),
    )
    .optional()
    .describe("The tasks that wait for a person: this one, or those it waits for. Absent: none"),
  evidence: Evidence.optional().describe("Of a done task; absent where the logs have none"),
  reasons: z
    .array(z.string())
    .optional()
    .describe("Why a done task is not verified, by the last gate in the logs"),
  needs: z.array(Need).optional().describe("The changed files that it needs, with the row that sorted each"),
});
export type WhyAnswer = z.infer<typeof WhyAnswer>;

/** `looper fmt --json`. */
export const FmtAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  canonical: z.boolean().describe("It was in canonical form"),
  written: z.boolean().describe("It is now"),
  text: z.string().describe("The canonical form"),
  corrections: z.array(z.string()).describe("With --fix: what was corrected, or would be"),
  copy: z.string().nullable().describe("Where --fix kept the file as it was"),
});
export type FmtAnswer = z.infer<typeof FmtAnswer>;

/** `looper validate --json`. */
export const ValidateAnswer = z.object({
  ok: z.boolean(),
  problems: z.array(
    z.object({
      rule: z.string(),
      pointer: z.string().describe("JSON pointer; empty for the whole file"),
      line: z.int().describe("From 1"),
      column: z.int().describe("From 1, in UTF-16 code units"),
      message: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
});
export type ValidateAnswer = z.infer<typeof ValidateAnswer>;
