// What a repair of a broken task file would lose or claim. Pure; leaves refusing it to the loop.
import { checkBacklog } from "./check.js";
import type { Backlog, Task } from "./task.js";

/** A title as it stands in text that is no JSON as a whole. */
const TITLE = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/gu;

/** Why a repaired backlog must not replace the broken one, as clauses after "the repair would …"; empty when it may. */
export function objectionsTo(broken: Uint8Array, mended: Backlog): string[] {
  const checked = checkBacklog(broken);
  if (checked.kind !== "invalid") return [];
  const torn = checked.problems.some(({ rule }) => rule === "syntax")
    ? titlesIn(broken, checked.readable)
    : [];
  const lost = [...lostTasks(checked.readable, mended), ...lostTitles(torn, mended)];
  const finished = finishedTasks(checked.readable, mended);
  return [
    ...(lost.length === 0 ? [] : [`lose ${lost.join(", ")}`]),
    ...(finished.length === 0
      ? []
      : [`mark ${finished.join(", ")} as done, which only a finished attempt may`]),
  ];
}

/** Tasks that are kept neither by id nor by title; a number of them, where some merely went. */
function lostTasks(old: readonly Task[], mended: Backlog): string[] {
  const ids = new Set<string>(mended.tasks.map(({ id }) => id));
  const titles = titlesOf(mended);
  const lost = old
    .filter(({ id, title }) => !ids.has(id) && !titles.has(title.trim()))
    .map(({ id }): string => id);
  if (lost.length > 0 || mended.tasks.length >= old.length) return lost;
  return [`${old.length - mended.tasks.length} of its ${old.length} tasks`];
}

/** The titles of tasks that are too broken to be read as such, e.g. where the file was cut off. */
function titlesIn(broken: Uint8Array, readable: readonly Task[]): string[] {
  const known = new Set(readable.map(({ title }) => title));
  const found: string[] = [];
  for (const [, spelled = '""'] of new TextDecoder().decode(broken).matchAll(TITLE)) {
    const title = unquote(spelled);
    if (title !== undefined && !known.has(title)) found.push(title);
  }
  return found;
}

function unquote(spelled: string): string | undefined {
  try {
    const title: unknown = JSON.parse(spelled);
    return typeof title === "string" ? title : undefined;
  } catch {
    return undefined;
  }
}

function lostTitles(titles: readonly string[], mended: Backlog): string[] {
  const kept = titlesOf(mended);
  return titles.filter((title) => !kept.has(title.trim())).map((title) => JSON.stringify(title));
}

function titlesOf({ tasks }: Backlog): Set<string> {
  return new Set(tasks.map(({ title }) => title.trim()));
}

function finishedTasks(old: readonly Task[], mended: Backlog): string[] {
  const open = new Set<string>(old.filter(({ status }) => status !== "done").map(({ id }) => id));
  const done = new Set<string>(old.filter(({ status }) => status === "done").map(({ id }) => id));
  return mended.tasks
    .filter(({ id, status }) => status === "done" && open.has(id) && !done.has(id))
    .map(({ id }) => id);
}
