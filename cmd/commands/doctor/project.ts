// Checks the project's backlog. The files that its settings name are checked as at the start of a run.
import { knownAgents } from "../../../src/config/read/agent-settings.js";
import { GO_BACKLOG } from "../../../src/config/read/places.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { errorMessage, UserError } from "../../../src/system/errors.js";
import { checkBacklog, type CheckResult } from "../../../src/todo/check/check.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { shownPath } from "../../lookup/project.js";
import type { CommandContext } from "../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../src/ui/answers/project/doctor.js";

/** The backlog as it is; `undefined` when there is none, a text when it cannot be read. */
export async function lookAtBacklog(
  context: CommandContext,
  project: Project,
): Promise<CheckResult | string | undefined> {
  try {
    const bytes = await context.ports.files.read(project.todoFile);
    if (bytes === undefined) return undefined;
    const { paths, resolved } = project;
    // A schema that cannot be used has a line of its own.
    const options = await checkOptionsOf(context, project).catch((error: unknown) => {
      if (error instanceof UserError && paths.schemaFile !== undefined)
        return { agentNames: knownAgents(resolved.settings) };
      throw error;
    });
    return checkBacklog(bytes, options);
  } catch (error) {
    return errorMessage(error);
  }
}

/** An error that the user can correct, as a check; any other is thrown. */
export function badOf(error: unknown, name: string, remedy: string): Check {
  if (error instanceof UserError) return bad(name, error.message, error.hint ?? remedy);
  throw error;
}

export function checkTasks(
  context: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Check {
  const file = shownPath(context, project.todoFile);
  if (backlog === undefined && project.goFiles.includes(GO_BACKLOG))
    return bad("backlog", `there is no ${file}, but ${GO_BACKLOG} of the Go program`, `move it to ${file}`);
  if (backlog === undefined)
    return warning(
      "backlog",
      `there is no ${file} yet`,
      'write one, or have it drafted: looper run --prompt "what to build"',
    );
  if (typeof backlog === "string")
    return bad("backlog", `${file} cannot be read: ${backlog}`, "make it readable");
  if (backlog.kind === "ok")
    return fine("backlog", `${file}: ${plural(withoutMarker(backlog.backlog.tasks).length, "task")}`);
  if (backlog.kind === "empty" && backlog.problems.length === 0)
    return warning(
      "backlog",
      `${file} has no tasks yet`,
      'write some, or have them drafted: looper run --prompt "what to build"',
    );
  return bad(
    "backlog",
    `${file} has ${plural(backlog.problems.length, "problem")}`,
    "looper validate shows them",
  );
}
