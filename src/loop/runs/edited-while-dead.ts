// Names the edits of the task file that a killed run did not see: its agent may have made them right before, or a person after it.
// Leaves what counts to the person: the new run takes the file as it is.
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openControl } from "../../logging/control.js";
import { readLines, readStepEvent } from "../../logging/read.js";
import { asRecord, parseJson } from "../../system/text/json.js";
import { checkBacklog } from "../../todo/check/check.js";
import { taskOfChange } from "../../todo/model/changes/person-change.js";
import { indexOf } from "../../todo/model/select.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import { getRunFolder, readStart } from "./own-runs.js";
import type { ProjectSite } from "./run-request.js";

/** How many tasks are named; the rest is counted. */
const NAMED = 5;

/** The lines that tell what the run knew, and whether its agent was at work. */
const TELLING = ['"rows":[', '"type":"backlog_read"', '"type":"agent_started"', '"type":"agent_finished"'];

/**
 * A warning for each dead run whose agent was at work at its last line, if the rows of the task file differ from those the run
 * knew. Edits that a command announced to that run are a person's, so they are not named; nor is the task of `committed`.
 */
export async function warnOfEdits(
  site: ProjectSite,
  { dead, committed }: { dead: readonly string[]; committed?: string },
): Promise<string[]> {
  const warnings: string[] = [];
  for (const folder of dead) {
    const known = await readKnownRows(site, folder);
    const bytes = known === undefined ? undefined : await site.ports.files.read(site.project.todoFile);
    const checked = bytes === undefined ? undefined : checkBacklog(bytes);
    if (known === undefined || checked?.kind !== "ok") continue;
    const announced = await readAnnounced(site, folder);
    const found = new Map(indexOf(checked.backlog).rows.map((row) => [row.id, row]));
    const edits = [...new Set([...known.keys(), ...found.keys()])]
      .filter((id) => id !== committed && !announced.has(id))
      .flatMap((id) => describeEdit(id, known.get(id), found.get(id)) ?? []);
    if (edits.length > 0) warnings.push(warn(basename(folder), basename(site.project.todoFile), edits));
  }
  return warnings;
}

function warn(run: string, file: string, edits: readonly string[]): string {
  const more = edits.length - NAMED;
  const named = [...edits.slice(0, NAMED), ...(more > 0 ? [`and ${String(more)} more`] : [])].join(", ");
  return `${file} was edited after run ${run} last read it: ${named}. That run was killed while its agent worked, so the agent may have made these edits. They count now: undo what is not yours`;
}

/** The rows that the run knew at its end, by id; `undefined` if no agent was at work then, or the log is of another task file. */
async function readKnownRows(
  { ports, project }: ProjectSite,
  folder: string,
): Promise<Map<TaskId, IndexRow> | undefined> {
  // A lock of a hostile project may name any folder.
  if (folder !== getRunFolder({ project }, basename(folder))) return undefined;
  if ((await readStart(ports, folder)).todoFile !== project.todoFile) return undefined;
  const known = new Map<TaskId, IndexRow>();
  let working = false;
  for await (const line of readLines(ports, folder, 0, { holding: TELLING })) {
    if (line.type === "agent_started") working = true;
    if (line.type === "agent_finished") working = false;
    const event = await readStepEvent(ports, folder, line);
    if (event?.type === "backlog_read") known.clear();
    if (event === undefined || !("rows" in event)) continue;
    for (const row of event.rows ?? []) known.set(row.id, row);
    if ("removed" in event) for (const id of event.removed) known.delete(id);
  }
  return working && known.size > 0 ? known : undefined;
}

/** The ids of the tasks that commands said to change. */
async function readAnnounced({ ports }: ProjectSite, folder: string): Promise<Set<string>> {
  const lines = await openControl(ports, folder)();
  const changes = lines.flatMap((line) => (line.type === "edit" ? line.changes : []));
  return new Set(changes.map(taskOfChange));
}

/** The edit of a task; `undefined` for one that an agent may make: a new task to do, or changed texts. */
function describeEdit(id: string, was: IndexRow | undefined, is: IndexRow | undefined): string | undefined {
  if (is === undefined) return `${id} is removed`;
  if (was === undefined) return is.status === "todo" ? undefined : `${id} is new and ${is.status}`;
  // As both read in a log: without the keys that are absent.
  const [before, now] = [was, is].map((row) => asRecord(parseJson(JSON.stringify(row))));
  const changed = Object.keys({ ...before, ...now }).filter(
    (key) => !isDeepStrictEqual(before?.[key], now?.[key]),
  );
  if (changed.length === 0) return undefined;
  const isAnswered = was.progress?.answered === undefined && is.progress?.answered !== undefined;
  const words: Readonly<Record<string, string>> = {
    status: `status ${was.status} → ${is.status}`,
    progress: isAnswered ? "an answer" : "progress",
  };
  return `${id} (${changed.map((key) => words[key] ?? key).join("; ")})`;
}
