import type { UserErrorKind } from "../../src/system/errors.js";
import type { Ending } from "../../src/logging/events/events.js";
import type { CommandOutcome } from "./command-context.js";

export const BUG = 70;

/** The meaning of each exit code, for the documents. */
export const EXIT_CODES: readonly { codes: readonly number[]; means: string }[] = [
  { codes: [0], means: "success; for `run`: every task is done" },
  {
    codes: [1],
    means:
      "the command worked and the answer is no: work is left, problems were found, a file is not formatted",
  },
  {
    codes: [2],
    means: "wrong command line, settings or task file; a file that is missing or cannot be read",
  },
  {
    codes: [3],
    means:
      "environment: no agent, not signed in, no permission, another run in progress, a project that is not approved",
  },
  { codes: [BUG], means: "internal error" },
  { codes: [129, 130, 143], means: "interrupted: SIGHUP, SIGINT (Ctrl-C), SIGTERM" },
];

const CODE_OF_ENDING: Readonly<Record<Exclude<Ending, "interrupted">, number>> = {
  complete: 0,
  blocked: 1,
  limit: 1,
  budget: 1,
  waiting: 1,
  "unusable-backlog": 2,
  environment: 3,
};

/** The exit code of a command's end (docs/COMMANDS.md). */
export function exitCodeOf(end: CommandOutcome): number {
  if (end === "ok") return 0;
  if (end === "no") return 1;
  if ("exitCode" in end) return end.exitCode;
  return end.ending === "interrupted" ? exitCodeOfSignal(end.signal) : CODE_OF_ENDING[end.ending];
}

/** 128 plus the signal's number. */
export function exitCodeOfSignal(signal: string | undefined): number {
  if (signal === "SIGHUP") return 129;
  return signal === "SIGTERM" ? 143 : 130;
}

/** The exit code of an error that the user can correct. */
export function exitCodeOfError(kind: UserErrorKind): number {
  return { no: 1, usage: 2, environment: 3 }[kind];
}
