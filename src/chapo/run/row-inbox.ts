// The messages that a person leaves for a task while its session works: `looper steer`. They are in the task's row, which this
// process only reads. The session takes them before the model's next request.
import type { Files } from "../../system/ports.js";
import { checkBacklog } from "../../todo/check/check.js";
import type { StoredInbox } from "../engine/world.js";

/** The row of a task. */
export interface InboxRow {
  /** The task file, absolute. */
  file: string;
  task: string;
  /** The number of messages that were there when the prompt was written. */
  after: number;
}

/** The messages of a row. */
export interface RowInbox extends StoredInbox {
  /** Also delivers the messages since then: the session resumes without a prompt. `since`: ISO 8601. */
  includeSince(since: string): Promise<void>;
}

/** Opens the messages of a row. The file is read again only when it has changed. */
export function openRowInbox(files: Files, { file, task, after }: InboxRow): RowInbox {
  let taken = after;
  let seen = "";
  let notes: readonly { text: string; at: string }[] = [];
  const refresh = async (): Promise<void> => {
    const stat = await files.stat(file);
    const stamp = JSON.stringify([stat?.mtimeMs, stat?.size]);
    if (stamp === seen) return;
    const bytes = await files.read(file);
    if (bytes === undefined) return;
    notes = hasNotes(bytes) ? readNotes(bytes, task) : [];
    seen = stamp;
  };
  return {
    read: async () => {
      await refresh();
      return notes.slice(taken).map(({ text }, n) => ({ name: String(taken + n), text }));
    },
    remove: (name) => {
      taken = Math.max(taken, Number(name) + 1);
      return Promise.resolve();
    },
    includeSince: async (since) => {
      await refresh();
      const first = notes.findIndex(({ at }) => Date.parse(at) > Date.parse(since));
      if (first >= 0) taken = Math.min(taken, first);
    },
  };
}

/** Whether any row has messages. A look at each task of a large file takes as long as all else of an iteration. */
function hasNotes(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"notes"');
}

function readNotes(bytes: Uint8Array, task: string): readonly { text: string; at: string }[] {
  const checked = checkBacklog(bytes);
  const tasks =
    checked.kind === "ok" ? checked.backlog.tasks : checked.kind === "invalid" ? checked.readable : [];
  return tasks.find(({ id }) => id === task)?.progress?.notes ?? [];
}
