// `looper status`: the run in progress or the last one, and what is left. Leaves folding the log to src/ui/view/read-view.ts.
import path from "node:path";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { addPace, estimate, NO_PACE } from "../../../src/ui/view/estimate.js";
import { readView, readViews } from "../../../src/ui/view/read-view.js";
import { countTasks, statusAnswer } from "../../../src/ui/answers/runs/status.js";
import type { StatusAnswer } from "../../../src/ui/shapes/runs.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { statusLines } from "../../../src/ui/terminal/lines/status-lines.js";
import type { View } from "../../../src/ui/view/view.js";
import { listOwnRuns, projectOfRun, runFilter } from "../../lookup/own-runs.js";
import { printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import { endAfter, readTasks } from "../../lookup/read-tasks.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** How many finished tasks the estimate uses. */
const ENOUGH = 30;

/** With a run, a missing task file is not an error: the run may be about to draft it. */
export async function status(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const { ports, out } = context;
  const project = await projectOf(context);
  const isThere = (await ports.files.stat(project.todoFile)) !== undefined;
  const live = await findLiveRun(ports, project);
  const run = live?.run ?? (await listOwnRuns(context, project, runFilter(context, project, typed))).at(-1);
  // With neither a task file nor a run, fail like every command that reads tasks.
  const { tasks, problems } =
    isThere || run === undefined ? await readTasks(context, project) : { tasks: [], problems: [] };
  const folder = live?.folder ?? path.join(project.logDir, "runs", run ?? "");
  const view = run === undefined ? undefined : await readView(ports, folder);
  const counts = countTasks(tasks);
  const eta = live === undefined || view === undefined ? null : await etaOf(context, project, view, counts);
  const named = await projectOfRun(context, typed, folder);
  const foreign = named === project.folder ? undefined : named;
  const answer = statusAnswer(project.todoFile, tasks, {
    now: ports.clock.now(),
    tasksDir: shownPath(context, tasksFolder(project)),
    ...(view === undefined || run === undefined ? {} : { seen: { run, folder, view, live, eta, foreign } }),
  });
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else
    await printLines(
      out,
      statusLines(answer, {
        view,
        titles: new Map(foreign === undefined ? tasks.map(({ id, title }) => [id, title]) : []),
        now: ports.clock.now(),
        todoFile: shownPath(context, project.todoFile),
        colours: coloursFor(out.colour),
        ...(out.isTerminal ? { columns: out.columns() } : {}),
      }),
    );
  return endAfter(context, project, problems);
}

/** The estimate for a run in progress, including its wait. */
async function etaOf(
  { ports }: CommandContext,
  project: Project,
  view: View,
  { todo, doing }: StatusAnswer["tasks"],
): Promise<number | null> {
  const now = ports.clock.now();
  let pace = NO_PACE;
  for await (const one of readViews(ports, project)) {
    pace = addPace(pace, one);
    if (pace.done >= ENOUGH) break;
  }
  const elapsed = view.current?.phase === "iteration" ? now - view.current.began : 0;
  const work = estimate(pace, todo + doing, elapsed);
  const wait = view.waiting === undefined ? 0 : Math.max(0, Date.parse(view.waiting.until) - now || 0);
  return work === undefined ? null : work + wait;
}
