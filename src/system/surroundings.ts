// Tells errors of the system that the user can mend from defects.
import { errorCode } from "./errors.js";
import { explainExhausted } from "./exhausted.js";

/** Errors of the system that mean the environment, not an internal error: no room, no permission. Limits are in exhausted.ts. */
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
