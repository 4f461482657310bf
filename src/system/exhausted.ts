// Errors of the system that mean a limit of files, processes or memory: which limit, and how to raise it. Pure.
import { errorCode, environmentError } from "./errors.js";

const LIMITS: Readonly<Record<string, { reason: string; hint: string }>> = {
  EMFILE: {
    reason: "too many open files (EMFILE)",
    hint: "raise this shell's limit of open files, e.g. ulimit -n 1024 (ulimit -n shows it)",
  },
  ENFILE: {
    reason: "the system has too many open files (ENFILE)",
    hint: "end other programs, or raise the system's limit (fs.file-max)",
  },
  EAGAIN: {
    reason: "too many processes (EAGAIN)",
    hint: "end other processes, or raise the limit of processes (ulimit -u shows it)",
  },
  ENOMEM: {
    reason: "not enough memory (ENOMEM)",
    hint: "free some memory, or raise the limit of memory (ulimit -v shows it)",
  },
};

/** Which limit an error is of, and what to do; `undefined`: it is another error. */
export function explainExhausted(error: unknown): { reason: string; hint: string } | undefined {
  const code = errorCode(error) ?? "";
  return Object.hasOwn(LIMITS, code) ? LIMITS[code] : undefined;
}

/** The error of a program that could not be started for a limit; other errors as they are. */
export function startFailure(command: string, error: unknown): unknown {
  const limit = explainExhausted(error);
  if (limit === undefined) return error;
  return environmentError(`cannot start ${command}: ${limit.reason}`, limit.hint, {
    cause: error,
  });
}
