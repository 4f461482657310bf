// The messages of people to a task (`looper steer`) that its agent's prompt does not have: given in the same session when its turn ends,
// or told loudly where no session can be resumed. Chapo takes them by itself, before its model's next request.
import { openRowInbox } from "../../../chapo/run/row-inbox.js";
import { openControl } from "../../../logging/control.js";
import { listSome } from "../../../system/text/cut.js";
import type { JobFacts } from "../../step/effects.js";
import type { World } from "../world.js";

/** The row of a task, and how many of its messages the agent has had. */
export interface TaskMessages {
  file: string;
  after: number;
}

type MessageWorld = Pick<World, "ports" | "log" | "memory">;

/** The messages that the agent has not had, oldest first: those that a command announced, not what an agent wrote into the row. */
export async function readUnread(
  { ports, log }: Pick<World, "ports" | "log">,
  { task_id: task }: Pick<JobFacts, "task_id">,
  row: TaskMessages | undefined,
): Promise<string[]> {
  if (row === undefined || task === undefined) return [];
  const unread = await openRowInbox(ports.files, { ...row, task }).read();
  if (unread.length === 0) return [];
  const said = (await openControl(ports, log.folder)()).flatMap((line) =>
    line.type === "edit"
      ? line.changes.flatMap((one) => (one.op === "note" && one.id === task ? one.text : []))
      : [],
  );
  return unread.flatMap(({ text }) => (said.includes(text) ? text : []));
}

/** Counts those that the agent took while it worked: it tells each as a message of the user. */
export async function countHeard(
  world: MessageWorld,
  job: JobFacts,
  { row, heard }: { row: TaskMessages | undefined; heard: readonly string[] },
): Promise<void> {
  if (row === undefined || heard.length === 0) return;
  for (const text of await readUnread(world, job, row)) {
    if (!heard.includes(world.log.redact(text))) return;
    row.after += 1;
  }
}

/** Says in the run that messages reached no prompt. Once told they count as read. */
export async function warnOfUnread(
  world: MessageWorld,
  job: JobFacts,
  { row, why }: { row: TaskMessages | undefined; why: string },
): Promise<void> {
  const unread = await readUnread(world, job, row);
  if (row === undefined || unread.length === 0) return;
  row.after += unread.length;
  await world.log.tell({ type: "warning", ...job, message: describeUnread(job, unread, why) });
}

/** The warning of messages that reached no prompt, with what to do about it. */
export function describeUnread(job: JobFacts, unread: readonly string[], why: string): string {
  const id = job.task_id ?? "";
  const texts = listSome(unread.map((text) => JSON.stringify(text)));
  return `the agent of ${id} has not read ${texts}: ${why}; a later prompt of the task has it, and once the task is done: looper todo ${id}, then looper steer ${id} again`;
}
