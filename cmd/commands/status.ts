// `looper status`: the run in progress or the last one, and what is left.
import path from "node:path";
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { countTasks, statusAnswer } from "../../src/ui/answers/runs/status.js";
import { statusLines } from "../../src/ui/terminal/lines/status-lines.js";
import { addPace, estimate, NO_PACE, type Pace } from "../../src/ui/view/estimate.js";
import { readView, readViews } from "../../src/ui/view/read-view.js";
import type { View } from "../../src/ui/view/view.js";
import type { Task } from "../../src/todo/model/task.js";
import type { Ports } from "../../src/system/ports.js";
import { usageError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { stateOf, watchState } from "../watch/watch-file.js";
import { cut } from "../../src/ui/text.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { listOwnRuns } from "../lookup/find-run.js";
import { lookOf, projectOf, shownPath } from "../lookup/project.js";
import { problemsText, readTasks } from "../lookup/read-tasks.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** How many finished tasks the estimate uses. */
const ENOUGH = 30;

interface Request {
  watch?: true;
  json?: true;
}

/** With a run, a missing task file is not an error: the run may be about to draft it. */
export const command: AnsweringCommand<Request> = {
  options: [new Option("--watch", "show it full screen, and again whenever it changes"), JSON_OPTION],
  examples: [
    ["looper status", "show progress, the current task, time left and cost"],
    ["looper status --json | jq .run.eta_ms", "print the estimated milliseconds until the run is finished"],
  ],
  answer: async (context, request) => {
    const { ports } = context;
    if (request.watch === true) mustBeWatched(context, request);
    const project = await projectOf(context);
    const isThere = (await ports.files.stat(project.todoFile)) !== undefined;
    const live = await findLiveRun(ports, project);
    const run = live?.run ?? (await listOwnRuns(context, project)).at(-1);
    // With neither a task file nor a run, fail like every command that reads tasks.
    const { tasks, problems } =
      isThere || run === undefined ? await readTasks(context, project) : { tasks: [], problems: [] };
    const folder = live?.folder ?? path.join(project.logDir, "runs", run ?? "");
    const view = run === undefined ? undefined : await readView(ports, folder);
    const pace = live && (await paceBefore(ports, project, live.run));
    const place = { now: ports.clock.now(), tasksDir: shownPath(context, project.paths.tasksDir) };
    const eta = view === undefined ? null : etaOf(view, tasks, { pace, now: place.now });
    const seen = view === undefined || run === undefined ? undefined : { run, folder, view, live, eta };
    const json = statusAnswer(project.todoFile, tasks, { ...place, ...given({ seen }) });
    if (request.watch === true) return watchStatus(context);
    const titles = new Map(tasks.map(({ id, title }) => [id, title]));
    const look = { view, titles, now: ports.clock.now(), todoFile: shownPath(context, json.file) };
    const lines = statusLines(json, { ...look, ...lookOf(context.out) });
    return { json, lines, problem: problemsText(context, project, problems) };
  },
};

function mustBeWatched({ out, env }: CommandContext, { json }: Request): void {
  if (json === true)
    throw usageError("--watch shows a screen, and --json prints one answer", "leave one of them out");
  if (!out.isTerminal || env["TERM"] === "dumb")
    throw usageError(
      "cannot show the status full screen: stdout is not a terminal",
      "leave --watch out, or follow the events with `looper tail -f`",
    );
}

/** Until a signal. A run in progress is shown anew each second, and one that has ended each minute. */
function watchStatus(context: CommandContext): Promise<never> {
  const { ports } = context;
  const state = async (): Promise<string> => {
    const project = await projectOf(context, { quiet: true });
    const live = await findLiveRun(ports, project);
    const runs = path.join(project.logDir, "runs");
    const files = [project.todoFile, live === undefined ? runs : path.join(live.folder, "events.jsonl")];
    const time = Math.floor(ports.clock.now() / (live === undefined ? MINUTE_MS : SECOND_MS));
    return [time, ...(await Promise.all(files.map((file) => stateOf(context, file))))].join(" ");
  };
  const render = async (): Promise<readonly string[]> => {
    const { lines, problem } = await command.answer(context, {});
    return [...lines, ...(problem === undefined ? [] : [cut(problem, context.out.columns())])];
  };
  return watchState(context, state, { render, json: false });
}

/** The figures of the newest runs before this one. */
export async function paceBefore(ports: Pick<Ports, "files">, project: Project, run: string): Promise<Pace> {
  let pace = NO_PACE;
  for await (const one of readViews(ports, project)) {
    if (one.run !== run) pace = addPace(pace, one);
    if (pace.done >= ENOUGH) break;
  }
  return pace;
}

/** The estimate for a run in progress, including its wait. Pure. */
export function etaOf(
  view: View,
  tasks: readonly Task[],
  { pace, now }: { pace: Pace | undefined; now: number },
): number | null {
  const { todo, doing } = countTasks(tasks);
  // The time until a person answers cannot be known.
  if (pace === undefined || todo + doing === 0) return null;
  const own = addPace(NO_PACE, view);
  const elapsed = view.current?.phase === "iteration" ? now - view.current.began : 0;
  const work = estimate(own.done >= ENOUGH ? own : addPace(pace, view), todo + doing, elapsed);
  const wait = view.waiting === undefined ? 0 : Math.max(0, Date.parse(view.waiting.until ?? "") - now || 0);
  return work === undefined ? null : work + wait;
}
