import type { UserErrorKind } from "../../src/system/errors.js";
import { never } from "../../src/system/never.js";
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

/** The exit code of a command's end (contract §1). */
export function exitCodeOf(end: CommandOutcome): number {
  if (end === "ok") return 0;
  if (end === "no") return 1;
  if ("exitCode" in end) return end.exitCode;
  switch (end.ending) {
    case "complete":
      return 0;
    case "blocked":
    case "limit":
    case "budget":
    case "waiting":
      return 1;
    case "unusable-backlog":
      return 2;
    case "environment":
      return 3;
    case "interrupted":
      return exitCodeOfSignal(end.signal);
    default:
      return never(end.ending);
  }
}

/** 128 plus the signal's number. */
export function exitCodeOfSignal(signal: string | undefined): number {
  if (signal === "SIGHUP") return 129;
  return signal === "SIGTERM" ? 143 : 130;
}

/** The exit code of an error that the user can correct. */
export function exitCodeOfError(kind: UserErrorKind): number {
  switch (kind) {
    case "no":
      return 1;
    case "usage":
      return 2;
    case "environment":
      return 3;
    default:
      return never(kind);
  }
}
