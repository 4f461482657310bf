// Words that other tools and people use for a status or a priority. Pure. Ambiguous words are not in the list.
import { priorityOf } from "../json/fields.js";
import { isStatus } from "../model/status.js";
import type { Status } from "../model/task.js";

const STATUS_WORDS: Readonly<Record<Status, readonly string[]>> = {
  todo: [
    "to_do",
    "pending",
    "open",
    "opened",
    "not_started",
    "unstarted",
    "new",
    "ready",
    "planned",
    "queued",
  ],
  doing: ["in_progress", "inprogress", "wip", "work_in_progress", "started", "ongoing", "active"],
  blocked: ["on_hold", "stuck"],
  done: ["completed", "complete", "finished", "closed", "resolved"],
};

const STATUS_BY_WORD: ReadonlyMap<string, Status> = new Map(
  (["todo", "doing", "blocked", "done"] as const).flatMap((status) =>
    STATUS_WORDS[status].map((word) => [word, status] as const),
  ),
);

/** The status a value stands for, in any case; `undefined` for a value that does not clearly stand for one. */
export function statusFor(value: unknown): Status | undefined {
  if (typeof value !== "string") return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
  return isStatus(word) ? word : STATUS_BY_WORD.get(word);
}

/** The priority a text stands for: `high`, `P1`, `"1"`; `undefined` for a text that does not clearly stand for one. */
export function readPriority(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const [, digit] = /^\s*p?([1-5])\s*$/iu.exec(value) ?? [];
  return digit === undefined ? priorityOf(value) : Number(digit);
}
