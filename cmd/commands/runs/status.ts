// `looper status`: the run in progress or the last one, and what is left. Leaves folding the log to src/ui/view/read-view.ts.
import path from "node:path";
import { findLiveRun, type LiveRun } from "../../../src/loop/runs/live-run.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { given } from "../../../src/system/given.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import type { Task } from "../../../src/todo/model/task.js";
import { addPace, estimate, NO_PACE } from "../../../src/ui/view/estimate.js";
import { readView, readViews } from "../../../src/ui/view/read-view.js";
import type { StatusAnswer } from "../../../src/ui/shapes/runs.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { statusLines } from "../../../src/ui/terminal/status-lines.js";
import type { View } from "../../../src/ui/view/view.js";
import { listOwnRuns, projectOfRun, runFilter } from "../../lookup/own-runs.js";
import { printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import { endAfter, readTasks } from "../../lookup/read-tasks.js";
import { hasFlag, type CommandEnd, type CommandContext, type Typed } from "../../context/command-context.js";

/** How many finished tasks the estimate uses. */
const ENOUGH = 30;

/** With a run, a missing task file is not an error: the run may be about to draft it. */
export async function status(context: CommandContext, typed: Typed): Promise<CommandEnd> {
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
  const seen = view === undefined || run === undefined ? null : { run, folder, view };
  const eta = live === undefined || view === undefined ? null : await etaOf(context, project, view, counts);
  const named = await projectOfRun(context, typed, folder);
  const foreign = named === project.folder ? undefined : named;
  const answer: StatusAnswer = {
    file: project.todoFile,
    tasks: counts,
    run: seen && {
      ...runOf(context, seen, live, eta),
      ...given({ project: foreign }),
    },
  };
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

function countTasks(tasks: readonly Task[]): StatusAnswer["tasks"] {
  const counts = { todo: 0, doing: 0, blocked: 0, done: 0 };
  for (const task of withoutMarker(tasks)) counts[task.status]++;
  return counts;
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

interface Seen {
  run: string;
  folder: string;
  view: View;
}

function runOf(
  { ports }: CommandContext,
  { run, folder, view }: Seen,
  live: LiveRun | undefined,
  eta: number | null,
): NonNullable<StatusAnswer["run"]> {
  const { current, waiting, ended, spent } = view;
  const now = live === undefined ? view.at : ports.clock.now();
  const time = (at: number): string => new Date(at).toISOString();
  return {
    ...{ run, folder },
    state: ended !== undefined ? "ended" : live === undefined ? "killed" : "running",
    stopping: ended === undefined && live !== undefined && view.interrupts > 0,
    pid: live?.pid ?? null,
    started: time(view.began),
    elapsed_ms: ended?.totals.ms ?? now - view.began,
    ending: ended?.ending ?? null,
    current:
      current === undefined
        ? null
        : {
            phase: current.phase,
            task: current.taskId ?? null,
            agent: current.agent,
            attempt: current.attempt,
            started: time(current.began),
            doing: current.doing,
          },
    waiting:
      waiting === undefined || live === undefined
        ? null
        : { until: waiting.until, agent: waiting.agent ?? null, reason: waiting.reason },
    eta_ms: eta,
    tokens: ended?.totals.tokens ?? spent.tokens,
    cost_usd: ended?.totals.cost ?? spent.cost ?? null,
    cost_partly: spent.partly === true,
  };
}
