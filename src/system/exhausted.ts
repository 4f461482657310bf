// Tells errors of the system that the user can mend from defects: a limit of files, processes or memory and how to raise it, a full
// disk, a permission. Pure.
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

/** Errors of the system that mean the environment, not an internal error: no room, no permission. Limits are above. */
const SURROUNDINGS = new Set(["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO"]);

/** Error codes for a different kind of file in the way: a folder, a pipe, a device or a ring of links. */
const UNFIT = new Set(["EINVAL", "EISDIR", "ELOOP", "ENOTDIR", "ENXIO", "EEXIST"]);

/** An error of the system that means the environment, with what to do; `undefined`: it is an internal error. */
export function explainSurroundings(error: Error): { message: string; hint: string } | undefined {
  const limit = explainExhausted(error);
  if (limit !== undefined) return { message: `${limit.reason}: ${error.message}`, hint: limit.hint };
  const { message } = error;
  const code = errorCode(error) ?? "";
  if (SURROUNDINGS.has(code))
    return { message, hint: "free space or correct the permissions, then try again; nothing is lost" };
  if (!UNFIT.has(code)) return undefined;
  const hint =
    code === "ELOOP"
      ? "its symlinks lead in a circle: correct or remove one of them"
      : "a different kind of file is in the way: inspect and move it";
  return { message, hint };
}
