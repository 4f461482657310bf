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
import { pause } from "../../src/system/pause.js";
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

/** A client: the state that it knows, the frames about turns of agents that it does not, and how it is woken. */
interface Client {
  seen: ProjectState;
  turns: string;
  wake: AbortController;
}

/** An agent at work at a task; the conversation is the folder of its step. */
interface Turn {
  taskId: string;
  conversationId: string;
}

export class Changes {
  readonly #clients = new Set<Client>();
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
    const { clock } = this.context.ports;
    const seen = await this.state();
    const turns = [...this.#turns.values()].map(begins).join("");
    const client: Client = { seen, turns, wake: new AbortController() };
    this.#clients.add(client);
    // The next piece of a client that has gone may never be taken.
    const stop = (): void => {
      this.#clients.delete(client);
      client.wake.abort();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    yield frame({ event: "state", data: seen });
    void this.#look();
    while (!signal.aborted) {
      // A client that reads slowly gets the difference to what it saw last.
      const { seen: before, turns } = client;
      [client.seen, client.turns] = [this.#state ?? before, ""];
      const told = turns + (client.seen === before ? "" : differenceOf(before, client.seen));
      if (told !== "") {
        yield told;
        continue;
      }
      client.wake = new AbortController();
      await pause(clock, BEAT_MS, client.wake.signal);
      if (!client.wake.signal.aborted) yield frame({ event: "beat", data: { now: clock.now() } });
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
      for (const one of this.#clients) if (one.seen !== this.#state) one.wake.abort();
      await clock.sleep(PAUSE_MS);
      await this.#watch.wait(LOOK_EVERY_MS);
    }
    this.#looking = false;
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
    const places = [project.todoFile, log, path.join(project.logDir, "runs")];
    const stats = await Promise.all(places.map((file) => files.stat(file).catch(() => undefined)));
    return JSON.stringify([live, stats.map((stat) => [stat?.mtimeMs, stat?.size, stat?.inode])]);
  }

  async #read(project: Project, live: LiveRun | undefined): Promise<ProjectState> {
    // A file that is gone is not an empty board.
    const { tasks, problem } = await readTasks(this.context, project).then(
      (read) => ({ tasks: read.tasks, problem: problemsText(this.context, project, read.problems) }),
      (error: unknown) => ({ tasks: [], problem: errorMessage(error) }),
    );
    const run = live?.run ?? (await listOwnRuns(this.context, project)).at(-1);
    const place = { tasksDir: project.paths.tasksDir, now: this.context.ports.clock.now() };
    let seen: Parameters<typeof statusAnswer>[2]["seen"];
    if (run !== undefined) {
      const folder = path.join(project.logDir, "runs", run);
      const view = await this.#fold(folder);
      const pace = live && this.#paceBefore(project, run);
      seen = { run, folder, view, live, eta: etaOf(view, tasks, { pace, now: place.now }) };
    }
    if (live === undefined) this.#endTurns();
    const status = statusAnswer(project.todoFile, tasks, { ...place, ...given({ seen }) });
    return { status, rows: boardRows(tasks), ...given({ problem }) };
  }

  /** The pace of earlier runs, whose logs may be long: until they are read there is no estimate. */
  #paceBefore(project: Project, run: string): Pace | undefined {
    if (this.#pace.run === run) return this.#pace.pace;
    this.#pace = { run };
    const read = async (): Promise<void> => {
      this.#pace = { run, pace: await paceBefore(this.context.ports, project, run) };
      this.#seen = "";
    };
    read().catch(() => undefined);
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
    for (const one of this.#clients) {
      one.turns += turn;
      one.wake.abort();
    }
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
