import { GitError } from "../../git/base/git.js";
import { EffectError } from "../step/drive.js";

/**
 * Does a part of an effect whose failure is logged under the name `effect`, not under the kind of the effect it is done for: what
 * follows from a failed commit depends on how far it came.
 */
export async function performAs<T>(effect: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof GitError ? new EffectError(effect, error.message) : error;
  }
}
