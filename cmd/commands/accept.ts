// `looper accept ID …`: a person's word that done tasks count as verified, though their checks do not prove
// it. Leaves the rules to src/todo/change/person-edits.ts.
import type { Project } from "../../src/config/project/open-project.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { environmentError } from "../../src/system/errors.js";
import { acceptTasks, type WaitsOn } from "../../src/todo/change/person-edits.js";
import { isMarker } from "../../src/todo/model/select.js";
import { isVerified } from "../../src/todo/model/verified.js";
import { editAnswer } from "../../src/ui/answers/backlog/edit.js";
import { clean } from "../../src/ui/text.js";
import { readFound } from "../../src/ui/view/read-doubts.js";
import { TASKS } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { storeOf } from "../lookup/check-options.js";
import { EDITING, refusal, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";
import { projectOf } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";
import { refuseAgents } from "../lookup/under-an-agent.js";

/** Accepts done tasks, and those that only waited for them. */
export const command: EditingCommand<{ ids: readonly string[] }> = {
  ...EDITING,
  arguments: [TASKS],
  examples: [["looper accept T3 T7", "accept both, and all that only waited for them"]],
  answer: async (context, { ids, file }) => {
    await refuseAgents(
      context,
      "accept tasks",
      "report why the task needs its change in the summary: changes_checks",
      { file },
    );
    const project = await projectOf(context, { file });
    await refuseBesideRun(context, project);
    const waitsOn = await readWaits(context, project);
    const store = await storeOf(context, project);
    const accepts = acceptTasks(ids, { by: personOf(context).by, waitsOn });
    const decide: typeof accepts = (backlog) => {
      context.precondition?.(backlog);
      return accepts(backlog);
    };
    const edited = await store.edit(decide, () => refuseBesideRun(context, project));
    if (!edited.ok) throw await refusal(context, project.todoFile, edited.error);
    const { updated, backlog } = edited.value;
    const json = editAnswer(project.todoFile, { updated }, backlog.tasks);
    const lines = json.changed.map(({ id }) =>
      ids.includes(id)
        ? `${id}: accepted, so it is verified`
        : `${id}: verified too, since it only waited for these`,
    );
    return { json, lines: lines.map(clean) };
  },
};

/** A run compares attempts with what was trusted when it began, so nothing is accepted meanwhile. */
async function refuseBesideRun({ ports }: CommandContext, project: Project): Promise<void> {
  const live = await findLiveRun(ports, project);
  if (live === undefined) return;
  throw environmentError(
    `cannot accept tasks: run ${live.run} is in progress`,
    "wait for its end, or end it with `looper stop`",
  );
}

/** Reads from the logs which tasks that are not verified wait only for others. */
async function readWaits(context: CommandContext, project: Project): Promise<WaitsOn> {
  const { tasks } = await readTasks(context, project);
  const open = tasks.filter((task) => task.status === "done" && !isVerified(task) && !isMarker(task));
  const found = await readFound(
    context.ports,
    project,
    open.map(({ id }) => id),
  );
  return (id) => found.get(id)?.look ?? [];
}
