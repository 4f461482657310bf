// The stage that a person types.
import { UserError } from "../../src/system/errors.js";
import { Name } from "../../src/workflow/workflow.js";

/** A `usage` error where no workflow can have such a stage. */
export function mustBeStage(stage: string): void {
  if (Name.safeParse(stage).success) return;
  throw new UserError(
    "usage",
    `${stage} is not a stage`,
    "list the stages with `looper workflows show NAME`",
  );
}
