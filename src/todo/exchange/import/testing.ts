// Imports foreign texts in tests.
import { checkBacklog } from "../../check/check.js";
import type { Task } from "../../model/task.js";
import { planImport } from "./plan.js";
import { readImport } from "./read.js";

/** Imports a text: the tasks, without undefined values, and the notes. Throws if it is refused or not a valid backlog. */
export function imported(
  text: string | Uint8Array,
  name = "-",
): { tasks: Task[]; notes: string[]; format: string } {
  const read = readImport(typeof text === "string" ? Buffer.from(text) : text, name);
  if (!read.ok) throw new Error(`${read.error.what}; ${read.error.hint}`);
  const { tasks, notes } = planImport(read.value);
  const bytes = Buffer.from(JSON.stringify({ schema_version: 1, source_files: [], tasks }));
  const checked = checkBacklog(bytes);
  if (checked.kind !== "ok") throw new Error(`no valid backlog: ${JSON.stringify(checked)}`);
  return { tasks: checked.backlog.tasks, notes, format: read.value.format };
}

/** Why a text is refused. */
export function refusal(bytes: string | Uint8Array, name = "-"): string {
  const read = readImport(typeof bytes === "string" ? Buffer.from(bytes) : bytes, name);
  return read.ok ? `taken: ${read.value.format}` : read.error.what;
}
