// The words that people and other tools use for a status, a priority, and sections without work: one table for corrections
// and all imports. Pure. A word that is not clear is not in it.
import { isStatus } from "../model/status.js";
import type { Status } from "../model/task.js";
import { nearest } from "../../system/text/nearest.js";

/** The meaning of a word for a status: a task that waits for something has the reason, one that is not done any more a tag. */
export interface WorkState {
  status: Status;
  blockers?: string[];
  tags?: string[];
}

const CLEAR: Readonly<Record<Status, string>> = {
  todo: "to_do pending open opened not_started unstarted new ready planned queued",
  doing: "in_progress inprogress wip work_in_progress started ongoing active",
  blocked: "on_hold stuck",
  done: "completed complete finished closed resolved",
};

/** Words that an import reads, and a correction leaves to the person: they say less than a status of Looper. */
const LOOSE: Readonly<Record<Status, string>> = {
  todo: "backlog draft proposed scheduled selected reopened partial partially_done partially_complete incomplete not_done undone failed failing",
  doing: "",
  blocked: "deferred postponed paused waiting needs_info later",
  done: "passed passing pass fixed merged shipped released verified",
};
const REVIEW = words("review in_review needs_review under_review");
export const CANCELLED = "cancelled";
const NOT_WANTED = words(
  "cancelled canceled wontfix wont_fix wont_do not_planned rejected declined obsolete duplicate dropped abandoned",
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" ").filter((word) => word !== ""));
}

function byWord(table: Readonly<Record<Status, string>>): ReadonlyMap<string, Status> {
  const statuses: readonly Status[] = ["todo", "doing", "blocked", "done"];
  return new Map(
    statuses.flatMap((status) => [...words(table[status])].map((word) => [word, status] as const)),
  );
}

const CLEAR_WORDS = byWord(CLEAR);
const LOOSE_WORDS = byWord(LOOSE);

function fold(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/['’]/gu, "")
    .replaceAll(/[\s-]+/gu, "_");
}

/** The status a value stands for, in any case; `undefined` for a value that does not clearly stand for one. */
export function statusFor(value: unknown): Status | undefined {
  if (typeof value !== "string") return undefined;
  const word = fold(value);
  return isStatus(word) ? word : CLEAR_WORDS.get(word);
}

/** The state that an import takes a word for. */
export function stateFor(value: string): WorkState | undefined {
  const word = fold(value);
  if (NOT_WANTED.has(word)) return { status: "done", tags: [CANCELLED] };
  if (REVIEW.has(word)) return { status: "blocked", blockers: ["waits for a review"] };
  const status = statusFor(value) ?? LOOSE_WORDS.get(word);
  if (status === undefined) return undefined;
  return status === "blocked" ? { status, blockers: [word.replaceAll("_", " ")] } : { status };
}

const PRIORITIES: ReadonlyMap<string, number> = new Map(
  [
    "critical urgent highest blocker must",
    "high major should",
    "medium normal",
    "low minor could",
    "lowest trivial",
  ].flatMap((line, at) => [...words(line)].map((word) => [word, at + 1] as const)),
);

/** The priority a text stands for: `high`, `P1`, `"1"`; `undefined` for a text that does not clearly stand for one. */
export function readPriority(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const [, digit] = /^\s*p?([1-5])\s*$/iu.exec(value) ?? [];
  return digit === undefined ? PRIORITIES.get(fold(value)) : Number(digit);
}

/** The priority that words of an import name: also `P0`, `high priority`, `priority: high`, `priority/high`, `prio 1`. */
export function priorityIn(text: string): number | undefined {
  const bare = text.trim().replace(/(?<!\s)\s+priority$/iu, "");
  const named = /^prio(?:rity)?(?:\s*[:=/-]\s*|\s+)(\S.*)$/iu.exec(bare)?.[1];
  if (/^p?0$/iu.test(named ?? "") || /^p0$/iu.test(bare)) return 1;
  return named === undefined && /^\d$/u.test(bare) ? undefined : readPriority(named ?? bare);
}

/** The mark in a box of a checklist. */
export function stateOfBox(mark: string): WorkState | undefined {
  if (/[xX✓✔✅]/u.test(mark)) return { status: "done" };
  if (mark === "-") return { status: "done", tags: [CANCELLED] };
  if (/[/~]/u.test(mark)) return { status: "doing" };
  return mark === ">" ? { status: "blocked", blockers: ["deferred"] } : undefined;
}

/** Words such as `rejected` are about work where more follows: `Rejected ideas`, but not `Rejected payments`. */
const NOT_DONE =
  /non-?\s?goals?|out[- ]of[- ]scope|not in scope|not planned|^won.?t\b|\bwon.?t (?:do|fix|have|be done)\b|(?:^|[:(–—-]\s?)(?:rejected|declined|cancell?ed|dropped|abandoned|discarded|obsolete)(?:$|[^\p{L}\s]|\s+(?:ideas?|features?|items?|tasks?|work|stories|plans?|options?|alternatives?|approaches|proposals?|requirements?|for|from|in|or|\/|\()(?!\p{L}))/iu;
const ABOUT =
  /^(?:\d+[.)]?\s*)?(?:introduction|overview|summary|background|context|goals?|objectives?|problem.*|motivation|vision|purpose|success.*|open questions?|questions?|technical considerations?|design considerations?|considerations?|constraints?|assumptions?|risks?|dependencies|references?|glossary|appendix.*|timeline|stakeholders?|personas?|users?|target audience|audience|metrics|table of contents|contents|license|changelog|definition of (?:done|ready))$/iu;
const LESS_THAN_WORK = /non-functional|future|metric|question|assumption|risk/iu;
const WORK =
  /requirement|user stor|feature|task|deliverable|functional|backlog|to-?do|implementation|milestone|in scope|must.have|should.have/iu;

/** A heading without its number, the signs before and behind it, and a count: `🚧 2. Doing (3)`. */
export function bareHeading(heading: string): string {
  const words = heading.replace(/^(?:[^\p{L}\p{N}([]|\d+[.)])+/u, "").split(/\s+/u);
  const end = words.findLastIndex((word) => !/^(?:[^\p{L}\p{N}]+|[([]\d+(?:\/\d+)?[)\]]:?)$/u.test(word));
  const bare = words.slice(0, end + 1).join(" ");
  return bare.replace(/:$/u, "");
}

/** Whether a heading is over things that will not be done. */
export function refusesWork(heading: string): boolean {
  return NOT_DONE.test(bareHeading(heading));
}

/** Whether a heading of a document is over text about the work, or work that is not decided. */
export function isAboutWork(heading: string): boolean {
  return ABOUT.test(heading) || LESS_THAN_WORK.test(heading);
}

/** Whether a heading of a document is over a list of work. */
export function promisesWork(heading: string): boolean {
  return WORK.test(heading) && !refusesWork(heading) && !LESS_THAN_WORK.test(heading);
}

// The known key that a key of a task file means.

/** Other names of a key; a name with a second meaning is not in the list. */
const TASK_NAMES: Readonly<Record<string, string>> = {
  taskid: "id",
  name: "title",
  desc: "description",
  prio: "priority",
  state: "status",
  dependencies: "depends_on",
  dependency: "depends_on",
  depends: "depends_on",
  deps: "depends_on",
  requires: "depends_on",
  prerequisites: "depends_on",
  step: "steps",
  blocker: "blockers",
  tag: "tags",
  file: "files",
};

/** Keys that change what a run does: their typos are not corrected. */
const WEIGHTY: ReadonlySet<string> = new Set([
  ...["id", "title", "priority", "status", "depends_on", "verify", "changes"],
  ...["tasks", "schema_version"],
]);
/** A shorter word is too often a different word instead of a typo. */
const SHORTEST_TYPO = 5;

/** `key`: the known key that is meant; `unknown`: none; `unsure`: possibly one. */
export type Spelled = { key: string } | "unknown" | "unsure";

/** `taken`: the keys the object has beside this one. */
export function findSpelledKey(key: string, known: readonly string[], taken: ReadonlySet<string>): Spelled {
  const squashed = squash(key);
  const same = known.find((one) => squash(one) === squashed);
  if (same !== undefined) return taken.has(same) ? "unsure" : { key: same };
  const other = Object.hasOwn(TASK_NAMES, squashed) ? TASK_NAMES[squashed] : undefined;
  if (other !== undefined && known.includes(other)) {
    if (!taken.has(other)) return { key: other };
    return squashed === "name" ? "unknown" : "unsure";
  }
  const near = key.length < SHORTEST_TYPO ? undefined : nearest(key, known);
  return near !== undefined && WEIGHTY.has(near) ? "unsure" : "unknown";
}

/** Removes case and separators: `dependsOn`, `Depends-On` and `depends_on` are the same. */
function squash(key: string): string {
  return key.toLowerCase().replaceAll(/[_\-\s]/gu, "");
}
