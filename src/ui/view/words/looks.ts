// Which tasks a person must look at before they count as verified, and the line that says so. Pure.
import { quoteIfNeeded } from "../../../shell/quote.js";
import { clean } from "../../text.js";
import { plural } from "./amounts.js";

/** How many tasks the line names. */
const NAMED = 20;

/**
 * The tasks to accept: a task that only waits for others is left out, and these are named once. `look`: the tasks whose changed
 * checks it needs, if it needs no others; `undefined`: no person need look.
 */
export function listLooks(found: Iterable<{ id: string; look: readonly string[] | undefined }>): string[] {
  const ids = new Set<string>();
  for (const { id, look } of found) {
    if (look === undefined) continue;
    for (const one of look.length === 0 ? [id] : look) ids.add(one);
  }
  return [...ids];
}

/** "2 tasks need a look: looper accept T3 T7"; empty without tasks. */
export function lookLine(ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const named = ids.slice(0, NAMED).map((id) => quoteIfNeeded(clean(id)));
  const more = ids.length > NAMED ? " …" : "";
  return `${plural(ids.length, "task")} ${ids.length === 1 ? "needs" : "need"} a look: looper accept ${named.join(" ")}${more}`;
}
