// `looper status`: the run in progress or the last one, and what is left. Leaves folding the log to src/ui/view/read-view.ts.
import path from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { countTasks, statusAnswer } from "../../src/ui/answers/runs/status.js";
import type { StatusAnswer } from "../../src/ui/shapes/runs.js";
import { statusLines } from "../../src/ui/terminal/lines/status-lines.js";
import { addPace, estimate, NO_PACE } from "../../src/ui/view/estimate.js";
import { readView, readViews } from "../../src/ui/view/read-view.js";
import type { View } from "../../src/ui/view/view.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { listOwnRuns } from "../lookup/find-run.js";
import { lookOf, printLines, projectOf, shownPath } from "../lookup/project.js";
import { problemsText, readTasks } from "../lookup/read-tasks.js";

/** How many finished tasks the estimate uses. */
const ENOUGH = 30;

interface Answer {
  json: StatusAnswer;
  problem: string | undefined;
  view: View | undefined;
  titles: ReadonlyMap<string, string>;
}

/** With a run, a missing task file is not an error: the run may be about to draft it. */
export const command: AnsweringCommand<object, Answer> = {
  options: [JSON_OPTION],
  examples: [
    ["looper status", "show progress, the current task, time left and cost"],
    ["looper status --json | jq .run.eta_ms", "print the estimated milliseconds until the run is finished"],
  ],
  answer: async (context) => {
    const { ports } = context;
    const project = await projectOf(context);
    const isThere = (await ports.files.stat(project.todoFile)) !== undefined;
    const live = await findLiveRun(ports, project);
    const run = live?.run ?? (await listOwnRuns(context, project)).at(-1);
    // With neither a task file nor a run, fail like every command that reads tasks.
    const { tasks, problems } =
      isThere || run === undefined ? await readTasks(context, project) : { tasks: [], problems: [] };
    const folder = live?.folder ?? path.join(project.logDir, "runs", run ?? "");
    const view = run === undefined ? undefined : await readView(ports, folder);
    const counts = countTasks(tasks);
    const eta = live === undefined || view === undefined ? null : await etaOf(context, project, view, counts);
    const json = statusAnswer(project.todoFile, tasks, {
      now: ports.clock.now(),
      tasksDir: shownPath(context, project.paths.tasksDir),
      ...(view === undefined || run === undefined ? {} : { seen: { run, folder, view, live, eta } }),
    });
    const titles = new Map(tasks.map(({ id, title }) => [id, title]));
    return { json, problem: problemsText(context, project, problems), view, titles };
  },
  print: (context, { json, view, titles }) =>
    printLines(
      context.out,
      statusLines(json, {
        view,
        titles,
        now: context.ports.clock.now(),
        todoFile: shownPath(context, json.file),
        ...lookOf(context.out),
      }),
    ),
};

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
  const wait = view.waiting === undefined ? 0 : Math.max(0, Date.parse(view.waiting.until ?? "") - now || 0);
  return work === undefined ? null : work + wait;
}
