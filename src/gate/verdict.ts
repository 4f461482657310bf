// What the gate says: of each command, of each test case where a command reports them, and of the attempt as a whole.
// Leaves reaching the verdict to compare.ts, and running commands to run-commands.ts.
import { z } from "zod";

/** How one run of a command ended. */
export const CommandEnd = z.discriminatedUnion("how", [
  z.object({ how: z.literal("exited"), code: z.int() }),
  z.object({ how: z.literal("killed"), signal: z.string() }),
  z.object({ how: z.literal("timed-out") }),
  z.object({ how: z.literal("not-found"), message: z.string() }),
]);
export type CommandEnd = z.infer<typeof CommandEnd>;

/** What became of a test case. */
export const TestStatus = z.enum(["passed", "failed", "skipped"]);
export type TestStatus = z.infer<typeof TestStatus>;

/** One command as it ran: `tests` (by full name) only where it wrote a report that could be read. */
export const Ran = z.object({
  command: z.string(),
  /** Of the task's own `verify`, which has no baseline. */
  own: z.boolean(),
  end: CommandEnd,
  duration_ms: z.number(),
  /** The end of what it printed, both streams, at most 8 KiB, redacted. */
  tail: z.string(),
  tests: z.record(z.string(), TestStatus).optional(),
});
export type Ran = z.infer<typeof Ran>;

/** Why a check is red before any work. */
export const RedCheck = z.object({
  /** How it ended, for a reader: "exit code 127". */
  how: z.string(),
  /** The line of its output that says why, else the last one; empty where it printed nothing. */
  line: z.string(),
  /** The command, or what it was told to run, does not exist or cannot be started. */
  cannot_run: z.boolean(),
});
export type RedCheck = z.infer<typeof RedCheck>;

/** What passed and what failed before anybody worked on a task. */
export const Baseline = z.object({
  commands: z.array(Ran),
  /** In a cold room, where agents have left tests in this run: with those tests too. */
  all: z.array(Ran).optional(),
});
export type Baseline = z.infer<typeof Baseline>;

/**
 * Against the baseline: `passed` then and now; `fixed`: failed then; `flaky`: failed, then passed on one re-run;
 * `pre-existing`: failed then and now; `regressed`: passed then; `new`: was not there then, and fails.
 */
export const Finding = z.enum(["passed", "fixed", "flaky", "pre-existing", "regressed", "new"]);
export type Finding = z.infer<typeof Finding>;

/** The verdict on one command, with the names of the test cases it is about (the first 100 of each). */
export const CommandVerdict = z.object({
  command: z.string(),
  own: z.boolean(),
  verdict: Finding,
  end: z.enum(["exited", "killed", "timed-out", "not-found"]),
  exit_code: z.int().optional(),
  duration_ms: z.number(),
  tail: z.string(),
  tests: z
    .object({
      total: z.int(),
      regressed: z.array(z.string()),
      fixed: z.array(z.string()),
      pre_existing: z.array(z.string()),
      new: z.array(z.string()),
      flaky: z.array(z.string()),
    })
    .optional(),
});
export type CommandVerdict = z.infer<typeof CommandVerdict>;

/** A test that was there before and was made to say less. `name`: the test case, where it is known. */
export const Tampering = z.object({
  path: z.string().optional(),
  name: z.string().optional(),
  what: z.enum(["deleted", "skipped", "weakened", "settings"]),
  detail: z.string(),
});
export type Tampering = z.infer<typeof Tampering>;

/** The whole verdict. `unverified`: nothing proves it, and nothing speaks against it. `interrupted`: it was told to end. */
export const GateVerdict = z.enum(["passed", "unverified", "failed", "tampered", "interrupted"]);
export type GateVerdict = z.infer<typeof GateVerdict>;

/** What the gate found. `evidence`: for the next attempt's prompt and the task's blocker; empty when nothing speaks against it. */
export const GateReport = z.object({
  verdict: GateVerdict,
  cold: z.boolean(),
  commands: z.array(CommandVerdict),
  tampered: z.array(Tampering),
  evidence: z.string(),
});
export type GateReport = z.infer<typeof GateReport>;
