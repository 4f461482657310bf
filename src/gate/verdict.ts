// The gate's verdicts: on each command, on each test case that a command reports, and on the attempt as a
// whole. compare.ts reaches the verdict, and run-commands.ts runs the commands.
import { z } from "zod";

/** How one run of a command ended. */
export const CommandEnd = z.discriminatedUnion("how", [
  z.object({ how: z.literal("exited"), code: z.int() }),
  z.object({ how: z.literal("killed"), signal: z.string() }),
  z.object({ how: z.literal("timed-out") }),
  z.object({ how: z.literal("not-found"), message: z.string() }),
]);
export type CommandEnd = z.infer<typeof CommandEnd>;

/** The result of a test case. */
export const TestStatus = z.enum(["passed", "failed", "skipped"]);
export type TestStatus = z.infer<typeof TestStatus>;

/** One run of a command; `tests` (by full name) is set only if it wrote a report that could be read. */
export const Ran = z.object({
  command: z.string(),
  /** Of the task's own `verify`, which has no baseline. */
  own: z.boolean(),
  end: CommandEnd,
  duration_ms: z.number(),
  /** The end of its output, both streams, at most 8 KiB, redacted. */
  tail: z.string(),
  tests: z.record(z.string(), TestStatus).optional(),
  /** The test runners it started, without `verify.report`: "vitest", or "node --test, pytest". */
  runner: z.string().optional(),
});
export type Ran = z.infer<typeof Ran>;

/** Why a check is red before any work. */
export const RedCheck = z.object({
  /** How it ended, in words: "exit code 127". */
  how: z.string(),
  /** The line of its output that explains it, else the last one; empty without output. */
  line: z.string(),
  /** The command, or the program or script that it runs, does not exist or cannot be started. */
  cannot_run: z.boolean(),
});
export type RedCheck = z.infer<typeof RedCheck>;

/** The results of the checks before any work on a task. */
export const Baseline = z.object({
  commands: z.array(Ran),
  /** In a cold room, if agents have added tests in this run: the results with those tests as well. */
  all: z.array(Ran).optional(),
  /** Those of the task alone. */
  own: z.array(Ran).optional(),
});
export type Baseline = z.infer<typeof Baseline>;

/**
 * Compared with the baseline: `passed` before and now; `fixed`: failed before; `flaky`: failed, then passed on one re-run;
 * `pre-existing`: failed before and now; `regressed`: passed before; `new`: did not exist before, and fails.
 */
export const Finding = z.enum(["passed", "fixed", "flaky", "pre-existing", "regressed", "new"]);
export type Finding = z.infer<typeof Finding>;

/** The verdict on one command, with the names of its test cases (the first 100 of each kind). */
export const CommandVerdict = z.object({
  command: z.string(),
  own: z.boolean(),
  verdict: Finding,
  end: z.enum(["exited", "killed", "timed-out", "not-found"]),
  exit_code: z.int().optional(),
  duration_ms: z.number(),
  tail: z.string(),
  /** Only its exit code counts: none of its test cases are known. */
  by_exit_code: z.literal(true).optional(),
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

/** An existing test that was deleted, skipped or weakened. `name`: the test case, if it is known. */
export const Tampering = z.object({
  path: z.string().optional(),
  name: z.string().optional(),
  what: z.enum(["deleted", "skipped", "weakened", "settings"]),
  detail: z.string(),
});
export type Tampering = z.infer<typeof Tampering>;

/**
 * The whole verdict. `passed`: the checks pass with the source alone, and something turned from red to green
 * because of it. `unbroken`: they pass, and nothing shows that the work was done. `unverified`: they pass
 * only with changes to what checks. `interrupted`: the gate was stopped.
 */
export const GateVerdict = z.enum(["passed", "unbroken", "unverified", "failed", "tampered", "interrupted"]);
export type GateVerdict = z.infer<typeof GateVerdict>;

/**
 * Why a task whose checks pass is not verified. Unverified: `no-checks`: nothing was checked; `influence`:
 * the checks pass only with changes to what is not plainly the program's source; `no-report`: a known test
 * runner ran no case, or fewer than before, or wrote no report. Unbroken: `red-before`: a check failed before
 * the work and still fails; `nothing-changed`; `only-checks`: nothing but checks was changed, and they pass
 * without other changes; `not-covered`: no check covers the change.
 */
export const Because = z.enum([
  "no-checks",
  "red-before",
  "influence",
  "no-report",
  "nothing-changed",
  "only-checks",
  "not-covered",
]);
export type Because = z.infer<typeof Because>;

/** A changed file without which the checks do not pass. `diff`: of that file, at most 4 KiB, redacted. */
export const Need = z.object({
  path: z.string(),
  diff: z.string(),
  row: z.int().optional().describe("The row of docs/gate.md that sorted it; absent in older logs"),
  why: z.string().optional().describe("The reason of that row in a few words"),
});
export type Need = z.infer<typeof Need>;

/** A test case by its full name, or without a name a command as a whole. */
export const Turned = z.object({ command: z.string(), name: z.string().optional() });
export type Turned = z.infer<typeof Turned>;

/** The evidence, the first 100 of each kind, and how many cases and commands pass as before. */
export const Proof = z.object({
  /** Failed at the reference, and pass with the source of the work. */
  fail_to_pass: z.array(Turned),
  /** New or changed, fail without the source of the work, and pass with it. */
  new_tests: z.array(Turned),
  pass_to_pass: z.int(),
});
export type Proof = z.infer<typeof Proof>;

/** The gate's report. `evidence`: for the next prompt and the blocker; empty if no check failed. */
export const GateReport = z.object({
  verdict: GateVerdict,
  cold: z.boolean(),
  commands: z.array(CommandVerdict),
  tampered: z.array(Tampering),
  evidence: z.string(),
  /** Why it is `unverified` or `unbroken`. */
  because: Because.optional(),
  /** Absent where no check ran, and where one fails. */
  proof: Proof.optional(),
  /** If `because` is `influence`: the smallest set found without which the checks do not pass. */
  needs: z.array(Need).optional(),
  /**
   * Earlier tasks of the run. Unverified: those whose changed checks it needs, if it needs no others;
   * verified or unbroken: the unverified ones on whose changes to checks it stands.
   */
  on: z.array(z.string()).optional(),
  /** Changed checks that the verdict does not depend on. */
  changed_checks: z.array(z.string()).optional(),
  /** How many cold rooms the checks ran in. */
  rooms: z.int().optional(),
  /** The hidden checks, if they ran. `names`: the failed tests, or commands, if the user wants them told. */
  hidden: z.object({ failed: z.boolean(), names: z.array(z.string()).optional() }).optional(),
});
export type GateReport = z.infer<typeof GateReport>;
