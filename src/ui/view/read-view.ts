// Reads a run's view from its log, also during the run. Leaves folding events to view.ts.
import { join } from "node:path";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { readEvent, listRuns, parseLine, readLines } from "../../logging/read.js";
import type { Ports } from "../../system/ports.js";
import { doingOf, fold, NOTHING, type View } from "./view.js";

/** Events that fill most of a log; the view needs only the last of them. */
const SAID: ReadonlySet<string> = new Set([
  "message",
  "tool_use",
  "tool_result",
  "command",
  "error",
  "summary",
  "decided",
]);

/** How many bytes at the end of a log are searched for the current action. */
const LATELY = 1 << 16;

/** The view after all lines so far. */
export async function readView(ports: Pick<Ports, "files">, folder: string): Promise<View> {
  let view = NOTHING;
  for await (const line of readLines(ports, folder, 0, { but: (type) => SAID.has(type) })) {
    const event = await readEvent(ports, folder, line);
    if (event !== undefined) view = fold(view, event);
  }
  return withDoing(ports, folder, view);
}

/**
 * The view of one task: its attempts are as in the whole view. Every line of an attempt names its
 * task. Only the whole log shows that an attempt was cut off by another job.
 */
export async function readViewOf(ports: Pick<Ports, "files">, folder: string, task: string): Promise<View> {
  let view = NOTHING;
  let started: string | undefined;
  const but = (type: string, text: () => string): boolean => {
    if (type === "run_started") started = text();
    // The end of the run matters only for an attempt that ended with it.
    return SAID_AGAIN.has(type) || (type.startsWith("run_") && view.current === undefined);
  };
  for await (const line of readLines(ports, folder, 0, { but, holding: [RUN_LINE, JSON.stringify(task)] })) {
    const event = await readEvent(ports, folder, line);
    if (event !== undefined) view = fold(view, event);
  }
  if (view.current !== undefined) return readView(ports, folder);
  return view === NOTHING ? view : { ...view, ...originOf(started) };
}

/** The id, the project and the task file of the run, from its first line. */
function originOf(started = ""): Partial<Pick<View, "run" | "project" | "todoFile">> {
  const { run, project, todo_file: todoFile } = parseLine(started)?.value ?? {};
  return typeof run === "string" && typeof project === "string" && typeof todoFile === "string"
    ? { run, project, todoFile }
    : {};
}

/** Event types that the view of a finished attempt does not need. */
const SAID_AGAIN: ReadonlySet<string> = new Set([...SAID, "task_updated", "agent_started", "snapshot"]);

/** The beginnings of lines about the run itself: started, interrupted, ended. */
const RUN_LINE = '"type":"run_';

/**
 * The views of the runs of this task file, newest first, each read when requested. `task`: only runs
 * with this task, and only their part about it.
 */
export async function* readViews(
  ports: Pick<Ports, "files">,
  place: LogPlace,
  task?: string,
): AsyncGenerator<View> {
  for (const run of (await listRuns(ports, place.logDir)).reverse()) {
    const folder = join(place.logDir, "runs", run);
    const view = await (task === undefined ? readView(ports, folder) : readViewOf(ports, folder, task));
    if (isOfTaskFile({ project: view.project, todo_file: view.todoFile }, place)) yield view;
  }
}

async function withDoing(ports: Pick<Ports, "files">, folder: string, view: View): Promise<View> {
  const { current } = view;
  if (current === undefined || current.agentEnded) return view;
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  let doing: string | undefined;
  let { at } = view;
  for await (const line of readLines(ports, folder, Math.max(0, size - LATELY))) {
    at = Math.max(at, Date.parse(String(line.value["timestamp"])) || 0);
    const event = line.value["job"] === current.job ? await readEvent(ports, folder, line) : undefined;
    doing = (event && doingOf(event)) ?? doing;
  }
  return { ...view, at, current: doing === undefined ? current : { ...current, doing } };
}
