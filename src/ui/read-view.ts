// A run's view from its log: of one that goes on, as it is now. Leaves the folding to view.ts.
import { join } from "node:path";
import { eventOf, listRuns, readLines } from "../logging/read.js";
import type { Ports } from "../system/ports.js";
import { doingOf } from "./doing.js";
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
  for await (const line of readLines(ports, folder, 0, SAID)) {
    const event = await eventOf(ports, folder, line);
    if (event !== undefined) view = fold(view, event);
  }
  return withDoing(ports, folder, view);
}

/** The views of the runs that worked on this task file, the newest first; each is read when it is asked for. */
export async function* readViews(
  ports: Pick<Ports, "files">,
  { logDir, todoFile }: { logDir: string; todoFile: string },
): AsyncGenerator<View> {
  for (const run of (await listRuns(ports, logDir)).reverse()) {
    const view = await readView(ports, join(logDir, "runs", run));
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
