// Explains a failure for which the repository is missing or damaged: what git prints then names neither what happened nor what
// is lost.
import { describeDamage } from "../../git/base/repository/damage.js";
import { GitError } from "../../git/base/git.js";
import { errorMessage, UserError } from "../../system/errors.js";
import { EffectError, isEnvironmentFailure } from "../step/drive.js";
import type { World } from "./world.js";

/** The error itself, or one that says that the repository is lost. */
export async function explainLostRepository({ repo }: World, error: unknown): Promise<unknown> {
  if (repo === undefined || !isEnvironmentFailure(error)) return error;
  const damage = await describeDamage(repo).catch(() => undefined);
  if (damage === undefined) return error;
  if (error instanceof EffectError) return new EffectError(error.effect, `${damage.what}: ${damage.hint}`);
  const first = error instanceof GitError ? "" : `${errorMessage(error)}; `;
  return new UserError("environment", `${first}${damage.what}`, damage.hint, { cause: error });
}
