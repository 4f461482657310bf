// The changes in the project, for all clients at once: the task file, the run in progress and its log are
// looked at while a client listens, and read once.
import path from "node:path";
import { z } from "zod";
import type { Project } from "../../src/config/project/open-project.js";
import { readEvent, readLines } from "../../src/logging/read.js";
import { errorMessage } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { ChangeWatch, type WatchedPlace } from "../../src/system/files/change-watch.js";
import { findLiveRun, type LiveRun } from "../../src/loop/runs/live-run.js";
import { isSetMarker, orderForListing, statusesOf, waitsFor } from "../../src/todo/model/select.js";
import type { Task } from "../../src/todo/model/task.js";
import { verdictOfDone } from "../../src/ui/answers/backlog/verdict.js";
import { statusAnswer } from "../../src/ui/answers/runs/status.js";
import type { StatusAnswer } from "../../src/ui/shapes/runs.js";
import type { Pace } from "../../src/ui/view/estimate.js";
import { fold, NOTHING, type View } from "../../src/ui/view/view.js";
import { openQuestion } from "../../src/workflow/question.js";
import type { Clock } from "../../src/system/ports.js";
import { etaOf, paceBefore } from "../commands/status.js";
import type { CommandContext } from "../context/command-context.js";
import { listOwnRuns } from "../lookup/find-run.js";
import { problemsText, readTasks } from "../lookup/read-tasks.js";
import { frame } from "./streams.js";

/** Between two looks, however much moves. */
const PAUSE_MS = 250;
/** How often it is looked where no change is reported, as on a network file system. */
const LOOK_EVERY_MS = 3_000;
/** How often the settings are read too. */
const WHOLE_LOOK_MS = 60_000;
const BEAT_MS = 10_000;

/** A row of the board: `flags` tell what is unusual, e.g. `waits`, `asks`, `paused`, `unverified`. */
export const BoardRow = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  priority: z.int(),
  flags: z.array(z.string()).optional(),
});
type BoardRow = z.infer<typeof BoardRow>;

/** The state of everything that the page shows first. */
export interface ProjectState {
  status: StatusAnswer;
  rows: readonly BoardRow[];
  /** Why some rows cannot be read. */
  problem?: string;
}

/** A client, and what it has been told: the state, and how many frames about turns of agents. */
interface Client {
  seen: ProjectState;
  told: number;
  wake: () => void;
}

/** An agent at work at a task; the conversation is the folder of its step. */
interface Turn {
  taskId: string;
  conversationId: string;
}

export class Changes {
  readonly #clients = new Set<Client>();
  /** The frames about turns of agents since the first of these clients came. */
  #told: string[] = [];
  #looking = false;
  #seen = "";
  #state: ProjectState | undefined;
  #project: Project | undefined;
  #pace: { run: string; pace?: Pace } = { run: "" };
  #view: { folder: string; at: number; view: View } = { folder: "", at: 0, view: NOTHING };
  /** The turns in progress, by their jobs. */
  readonly #turns = new Map<number, Turn>();
  readonly #watch: ChangeWatch;

  constructor(
    private readonly context: CommandContext,
    private readonly project: () => Promise<Project>,
  ) {
    this.#watch = new ChangeWatch(context.ports, () => this.#places());
  }

  /** As it is now. Without a project its settings are read too. */
  async state(known?: Project): Promise<ProjectState> {
    const project = known ?? (await this.project());
    const { ports } = this.context;
    const live = await findLiveRun(ports, project);
    const now = await this.#marks(project, live);
    this.#project = project;
    if (now === this.#seen && this.#state !== undefined) return this.#state;
    const state = await this.#read(project, live);
    [this.#seen, this.#state] = [now, state];
    return state;
  }

  /** Server-Sent Events: `state` first, then `tasks`, `status`, begins and ends of turns, and `beat`. */
  async *events(signal: AbortSignal): AsyncGenerator<string, void> {
    const seen = await this.state();
    const client: Client = { seen, told: this.#told.length, wake: () => undefined };
    this.#clients.add(client);
    // The next piece of a client that has gone may never be taken.
    const stop = (): void => {
      this.#clients.delete(client);
      client.wake();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    yield [frame({ event: "state", data: seen }), ...[...this.#turns.values()].map(begins)].join("");
    void this.#look();
    while (!signal.aborted) {
      const [before, now] = [client.seen, this.#state ?? client.seen];
      // A client that reads slowly gets the difference to what it saw last.
      const turns = this.#told.slice(client.told).join("");
      [client.seen, client.told] = [now, this.#told.length];
      if (now !== before || turns !== "") yield turns + (now === before ? "" : differenceOf(before, now));
      else if (!(await waitFor(this.context.ports.clock, client)))
        yield frame({ event: "beat", data: { now: this.context.ports.clock.now() } });
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { clock } = this.context.ports;
    let whole = clock.monotonic();
    while (this.#clients.size > 0) {
      const isDue = clock.monotonic() - whole > WHOLE_LOOK_MS;
      if (isDue) whole = clock.monotonic();
      // A settings file that is being written is looked at again.
      if (isDue || (await this.#watch.changed()))
        await this.state(isDue ? undefined : this.#project).catch(() => undefined);
      for (const one of this.#clients) if (one.seen !== this.#state) one.wake();
      await clock.sleep(PAUSE_MS);
      await this.#watch.wait(LOOK_EVERY_MS);
    }
    this.#looking = false;
    this.#told = [];
  }

  /** Where something moves: the folders of the task file, of runs, and of the one in progress. */
  async #places(): Promise<WatchedPlace[]> {
    const project = this.#project ?? (await this.project());
    const { files } = this.context.ports;
    const live = await findLiveRun(this.context.ports, project);
    const { dir: folder, base: entry } = path.parse(project.realTodoFile);
    const runs = { folder: path.join(project.logDir, "runs") };
    // Before the first run the looks for safety's sake are enough.
    const found = (await files.stat(runs.folder))?.kind === "folder" ? [runs] : [];
    const own =
      live === undefined ? [] : [{ folder: live.folder, entry: "events.jsonl" }, { folder: project.lockDir }];
    return [{ folder, entry }, ...found, ...own];
  }

  /** Changes whenever one of the files does. */
  async #marks(project: Project, live: LiveRun | undefined): Promise<string> {
    const { files } = this.context.ports;
    const log = live === undefined ? project.logDir : path.join(live.folder, "events.jsonl");
    const stats = await Promise.all(
      [project.todoFile, log, path.join(project.logDir, "runs")].map((file) =>
        files.stat(file).catch(() => undefined),
      ),
    );
    return JSON.stringify([live, stats.map((stat) => [stat?.mtimeMs, stat?.size, stat?.inode])]);
  }

  async #read(project: Project, live: LiveRun | undefined): Promise<ProjectState> {
    const read = await readTasks(this.context, project).catch((error: unknown) => errorMessage(error));
    // A file that is gone is not an empty board.
    const { tasks, problem } =
      typeof read === "string"
        ? { tasks: [], problem: read }
        : { tasks: read.tasks, problem: problemsText(this.context, project, read.problems) };
    const run = live?.run ?? (await listOwnRuns(this.context, project)).at(-1);
    const folder = path.join(project.logDir, "runs", run ?? "");
    const view = run === undefined ? undefined : await this.#fold(folder);
    if (live === undefined) this.#endTurns();
    const pace = live && this.#paceBefore(project, live.run);
    const place = { tasksDir: project.paths.tasksDir, now: this.context.ports.clock.now() };
    const eta = view === undefined ? null : etaOf(view, tasks, { pace, now: place.now });
    const seen = view === undefined || run === undefined ? undefined : { run, folder, view, live, eta };
    const status = statusAnswer(project.todoFile, tasks, { ...place, ...given({ seen }) });
    return { status, rows: boardRows(tasks), ...given({ problem }) };
  }

  /** The pace of earlier runs, whose logs may be long: until they are read there is no estimate. */
  #paceBefore(project: Project, run: string): Pace | undefined {
    if (this.#pace.run === run) return this.#pace.pace;
    const asked: { run: string; pace?: Pace } = (this.#pace = { run });
    paceBefore(this.context.ports, project, run).then(
      (pace) => {
        asked.pace = pace;
        this.#seen = "";
      },
      () => undefined,
    );
    return undefined;
  }

  /** The run's view; what was folded before is not read again. */
  async #fold(folder: string): Promise<View> {
    const { ports } = this.context;
    const size = (await ports.files.stat(path.join(folder, "events.jsonl")))?.size ?? 0;
    if (this.#view.folder !== folder) this.#endTurns();
    if (this.#view.folder !== folder || size < this.#view.at) this.#view = { folder, at: 0, view: NOTHING };
    let { at, view } = this.#view;
    for await (const line of readLines(ports, folder, at)) {
      at = line.end;
      const event = await readEvent(ports, folder, line);
      if (event === undefined) continue;
      view = fold(view, event);
      if (event.type === "agent_finished") this.#endTurn(event.job);
      if (event.type !== "agent_started" || event.task_id === undefined) continue;
      this.#endTurn(event.job);
      const turn = { taskId: event.task_id, conversationId: `${path.basename(folder)}/${event.label}` };
      this.#turns.set(event.job, turn);
      this.#tell(begins(turn));
    }
    this.#view = { folder, at, view };
    return view;
  }

  /** A run that was killed ended its turns without a word. */
  #endTurns(): void {
    for (const job of [...this.#turns.keys()]) this.#endTurn(job);
  }

  #endTurn(job: number): void {
    const turn = this.#turns.get(job);
    if (turn === undefined || !this.#turns.delete(job)) return;
    this.#tell(frame({ event: "streaming-ended", data: turn }));
  }

  #tell(turn: string): void {
    if (this.#clients.size > 0) this.#told.push(turn);
    for (const one of this.#clients) one.wake();
  }
}

/** The agent's own session is in the log once it has one. */
function begins(turn: Turn): string {
  return frame({ event: "streaming-started", data: { ...turn, claudeSessionId: null } });
}

/** The events of a change: the rows that differ, then the status. */
function differenceOf(before: ProjectState, now: ProjectState): string {
  const old = new Map(before.rows.map((row) => [row.id, JSON.stringify(row)]));
  const rows = now.rows.filter((row) => old.get(row.id) !== JSON.stringify(row));
  const ids = new Set(now.rows.map(({ id }) => id));
  const removed = [...old.keys()].filter((id) => !ids.has(id));
  const status = frame({ event: "status", data: now.status });
  if (rows.length === 0 && removed.length === 0 && before.problem === now.problem) return status;
  return frame({ event: "tasks", data: { rows, removed, problem: now.problem ?? null } }) + status;
}

/** The tasks in the order of a run. Pure. */
export function boardRows(tasks: readonly Task[]): BoardRow[] {
  const statuses = statusesOf(tasks);
  return orderForListing(tasks.filter((task) => !isSetMarker(task))).map((task) => {
    const { id, title, status, priority, progress } = task;
    const verdict = verdictOfDone(task);
    const flags = [
      ...(status !== "done" && waitsFor(task, statuses).length > 0 ? ["waits"] : []),
      ...(progress !== undefined && openQuestion(progress) !== undefined ? ["asks"] : []),
      ...(progress?.paused === undefined ? [] : ["paused"]),
      ...(verdict === null || verdict === "verified" ? [] : [verdict]),
    ];
    return { id, title, status, priority, ...(flags.length === 0 ? {} : { flags }) };
  });
}

/** Whether something came, before it was time for a beat. */
function waitFor(clock: Clock, client: Client): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(BEAT_MS, () => {
      resolve(false);
    });
    client.wake = () => {
      timer.cancel();
      resolve(true);
    };
  });
}
