// The error of an edit that was not made.
import { UserError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import type { EditRefusal } from "../../../src/todo/store/writer.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { hintOfTaskFile, shownPath } from "../../lookup/project.js";
import type { CommandContext } from "../../context/command-context.js";

/** Why nothing was changed, and what to do. */
export async function refusal(
  context: CommandContext,
  file: string,
  failure: EditRefusal,
): Promise<UserError> {
  const shown = shownPath(context, file);
  switch (failure.kind) {
    case "unusable":
      return failure.read.kind === "missing"
        ? new UserError(
            "usage",
            `no task file ${shown}`,
            await hintOfTaskFile(
              context.ports.files,
              file,
              'create one with `looper init`, or draft one with `looper run --prompt "what to build"`',
            ),
          )
        : new UserError(
            "usage",
            `${shown} is not a valid backlog; nothing was changed`,
            "list the problems with `looper validate`",
          );
    case "refused":
      return new UserError(
        "no",
        failure.refusals
          .map(({ change, why }) => `${"id" in change ? change.id : change.op}: ${why}`)
          .join("; "),
      );
    case "invalid": {
      const [first, ...more] = failure.problems;
      const rest = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
      return new UserError(
        "usage",
        `${first?.message ?? "not valid"}${rest}`,
        first?.suggestion ?? "nothing was changed",
      );
    }
    default:
      return never(failure);
  }
}
