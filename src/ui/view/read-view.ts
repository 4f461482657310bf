// A run's view from its log: of one that goes on, as it is now. Leaves the folding to view.ts.
import { join } from "node:path";
import { eventOf, listRuns, parseLine, readLines } from "../../logging/read.js";
import type { Ports } from "../../system/ports.js";
import { doingOf } from "./in-progress.js";
import { fold, NOTHING, type View } from "./view.js";

/** Most of a log is what agents say and do: the view needs none of it, but for the last. */
const SAID: ReadonlySet<string> = new Set([
  "message",
  "tool_use",
  "tool_result",
  "command",
  "error",
  "summary",
  "decided",
]);

/** So much of a log's end is looked at for what is done now, in bytes. */
const LATELY = 1 << 16;

/** The view after every line there is. */
export async function readView(ports: Pick<Ports, "files">, folder: string): Promise<View> {
  let view = NOTHING;
  for await (const line of readLines(ports, folder, 0, { but: (type) => SAID.has(type) })) {
    const event = await eventOf(ports, folder, line);
    if (event !== undefined) view = fold(view, event);
  }
  return withDoing(ports, folder, view);
}

/**
 * The view as far as it tells of this task: its attempts are in it as they are in the whole. Any line of an attempt names its
 * task; which attempt came to nothing because another job began, only all lines can tell.
 */
async function readViewOf(ports: Pick<Ports, "files">, folder: string, task: string): Promise<View> {
  let view = NOTHING;
  let started: string | undefined;
  const but = (type: string, text: () => string): boolean => {
    if (type === "run_started") started = text();
    // How the run ended tells of an attempt only where that ended with it.
    return SAID_AGAIN.has(type) || (type.startsWith("run_") && view.current === undefined);
  };
  for await (const line of readLines(ports, folder, 0, { but, holding: [RUN_LINE, JSON.stringify(task)] })) {
    const event = await eventOf(ports, folder, line);
    if (event !== undefined) view = fold(view, event);
  }
  if (view.current !== undefined) return readView(ports, folder);
  return view === NOTHING ? view : { ...view, ...originOf(started) };
}

/** Which run it is, and of which task file: all the rest that its first line says is of the run. */
function originOf(started = ""): Partial<Pick<View, "run" | "todoFile">> {
  const { run, todo_file: todoFile } = parseLine(started)?.value ?? {};
  return typeof run === "string" && typeof todoFile === "string" ? { run, todoFile } : {};
}

/** A line before each of them tells of the job, and the view of an attempt that is over holds nothing of them. */
const SAID_AGAIN: ReadonlySet<string> = new Set([...SAID, "task_updated", "agent_started", "snapshot"]);

/** How a line begins to say its type where it tells of the run: that it started, was interrupted, ended. */
const RUN_LINE = '"type":"run_';

/**
 * The views of the runs that worked on this task file, the newest first; each is read when it is asked for. `task`: only of runs
 * that tell of it, and no more of them than that.
 */
export async function* readViews(
  ports: Pick<Ports, "files">,
  { logDir, todoFile }: { logDir: string; todoFile: string },
  task?: string,
): AsyncGenerator<View> {
  for (const run of (await listRuns(ports, logDir)).reverse()) {
    const folder = join(logDir, "runs", run);
    const view = await (task === undefined ? readView(ports, folder) : readViewOf(ports, folder, task));
    if (view.todoFile === todoFile) yield view;
  }
}

async function withDoing(ports: Pick<Ports, "files">, folder: string, view: View): Promise<View> {
  const { current } = view;
  if (current === undefined || current.agentEnded) return view;
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  let doing: string | undefined;
  for await (const line of readLines(ports, folder, Math.max(0, size - LATELY))) {
    const event = line.value["job"] === current.job ? await eventOf(ports, folder, line) : undefined;
    doing = (event && doingOf(event)) ?? doing;
  }
  return doing === undefined ? view : { ...view, current: { ...current, doing } };
}
