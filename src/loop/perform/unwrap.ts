import type { GitFailure } from "../../git/base/git.js";
import type { Result } from "../../system/result.js";
import { EffectError } from "../step/drive.js";

/** Throws a git failure under the name of the effect that it ended. */
export function unwrap<T>(effect: string, result: Result<T, GitFailure>): T {
  if (result.ok) return result.value;
  throw new EffectError(effect, `${result.error.command}: ${result.error.message}`);
}
