// Reads tasks from JSON objects of any tool by one table of fields: prd.json of snarktank/ralph, tasks.json of
// eyaltoledano/claude-task-master, issues of steveyegge/beads and of `gh issue list --json`, front matter of Backlog.md, and
// lists like them. A part of a task is a task of its own, which the task above it waits for.
import { given } from "../../../system/given.js";
import { isRecord } from "../../../system/text/json.js";
import { priorityIn, readPriority, stateFor, type WorkState } from "../../check/words.js";
import type { Drafted, TaskDraft } from "./plan.js";

/** The names of each field, without case and separators; the first that says something counts. */
const NAMES = {
  id: "id number key taskid identifier",
  title: "title name summary subject task story",
  description: "description body desc",
  reference: "externalref htmlurl url reference link",
  status: "status state column",
  stateReason: "statereason",
  priority: "priority prio",
  details: "details",
  design: "design",
  criteria: "acceptancecriteria acceptance criteria",
  tests: "teststrategy",
  notes: "notes",
  steps: "steps checklist todos",
  tags: "labels tags",
  type: "issuetype type",
  dependsOn: "dependencies dependson deps blockedby requires prerequisites",
  parts: "subtasks children tasks stories userstories issues items features",
  done: "passes passed done completed complete finished closed checked",
  blocked: "blocked isblocked blockers blockedreason",
  milestone: "milestone",
  createdAt: "createdat created createddate",
  updatedAt: "updatedat updated updateddate",
} as const;
type Field = keyof typeof NAMES;

const FIELD_OF: ReadonlyMap<string, Field> = new Map(
  (Object.keys(NAMES) as Field[]).flatMap((field) =>
    NAMES[field].split(" ").map((name) => [name, field] as const),
  ),
);
/** Fields of which all keys count. */
const JOINED: ReadonlySet<Field> = new Set<Field>(["status", "done", "dependsOn", "parts", "steps", "tags"]);
/** Fields that tell a task from another thing with a title. */
const TELLING: readonly Field[] = [
  ...(["status", "priority", "description", "criteria", "dependsOn", "parts"] as const),
  ...(["done", "blocked", "steps", "details"] as const),
];

/** A record, read by the table: the values of each field, and the members that no field reads. */
class Row {
  readonly values = new Map<Field, unknown[]>();
  readonly others: Record<string, unknown> = {};

  constructor(fields: Fields) {
    for (const [key, value] of Object.entries(fields)) {
      const name = key.toLowerCase().replaceAll(/[_\-\s]/gu, "");
      const field = name === "id" && isIssueOfGitHub(fields) ? undefined : FIELD_OF.get(name);
      const values = field === undefined ? [] : this.all(field).filter((one) => !isEmpty(one));
      const isNext = field !== undefined && (values.length === 0 || JOINED.has(field));
      if (isNext) this.values.set(field, [...values, value]);
      if (!(isNext && isRead(field, value)) && !isEmpty(value)) this.others[key] = value;
    }
  }

  get(field: Field): unknown {
    return this.all(field)[0];
  }

  all(field: Field): readonly unknown[] {
    return this.values.get(field) ?? [];
  }

  /** The items of its lists of parts. */
  parts(): unknown[] {
    return this.all("parts").filter(Array.isArray).flat();
  }
}

/** Whether all that a value of a field says is read; else it is kept as it is. */
function isRead(field: Field, value: unknown, isItem = false): boolean {
  if (isEmpty(value) || field === "priority") return true;
  if (Array.isArray(value)) return value.every((one) => isRead(field, one, true));
  if (field === "done") return typeof value === "boolean";
  if (field === "status") return stateFor(textOf(value) ?? "") !== undefined;
  if (field === "dependsOn") return edgesIn([value]).length > 0;
  if (field === "parts") return isItem && (isRecord(value) || typeof value === "string");
  const isObject = isItem && isRecord(value) && (field === "steps" || field === "criteria");
  return isObject || typeof value === "boolean" || textOf(value) !== undefined;
}

/** Whether an object is probably a task. */
export function isTask(fields: Fields): boolean {
  const row = new Row(fields);
  // A feature may have only a description, and a group no title: its parts tell it.
  if (lineOf(row.get("title")) === "" && (isEmpty(row.get("description")) || !row.values.has("done")))
    return fieldsIn(row.parts()).some(isTask);
  return TELLING.some((field) => row.values.has(field));
}

/** A list of records in a file, and the keys that lead to it. */
export interface RecordList {
  path: readonly string[];
  records: readonly Fields[];
}

/** Names of lists whose objects are tasks, whatever they have. */
const LISTS = /^(?:tasks|userstories|stories|issues|backlog|todos?)$/iu;

/** The lists of tasks in a file. */
export function listsIn(value: Fields, path: readonly string[] = []): RecordList[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const here = [...path, key];
    if (isRecord(child)) return listsIn(child, here);
    const records = itemsOf(child);
    return records.some(isTask) || (LISTS.test(key) && records.length > 0) ? [{ path: here, records }] : [];
  });
}

/** The facts that a list gives to its tasks. */
interface Around {
  /** Put before ids that would else be those of another list. */
  prefix: string;
  /** The ids of parts until now. */
  used: Set<string>;
  tags: readonly string[];
  state: WorkState | undefined;
  scale: Scale;
  idOf: (value: unknown) => string | undefined;
  notes: string[];
}

/** The tag of task-master's main list, whose ids have no prefix. */
const MAIN = "master";
const DELETED = "tombstone";

/** Reads all tasks of these lists. `whole`: the object that holds them. */
export function readRecords(lists: readonly RecordList[], whole: Fields, format: string): Drafted {
  const notes: string[] = [];
  const named = lists.filter(({ path }) => path.length > 1).map(({ path }) => path[0]);
  const used = new Set<string>();
  const main = named.includes(MAIN) ? MAIN : named[0];
  const drafts = lists.flatMap(({ path, records }) => {
    const [tag = ""] = path.length > 1 && path[0] !== main ? path : [];
    if (tag !== "") notes.push(`tasks of the tag ${tag} are called ${tag}-1, ${tag}-2 …`);
    const around: Around = {
      prefix: tag === "" ? "" : `${tag}-`,
      used,
      tags: tag === "" ? [] : [tag],
      state: stateFor(path.at(-1) ?? ""),
      scale: scaleOf(records, notes),
      // An id of `#12` would be a comment in a shell.
      idOf: (value) => {
        const text = textOf(value);
        return text !== undefined && records.every(isIssueOfGitHub) ? `GH-${text}` : text;
      },
      notes,
    };
    const living = newest(records, notes).filter((one) => {
      const deleted = one["status"] === DELETED;
      if (deleted) notes.push(`left out: ${nameOf(new Row(one))}, which is deleted`);
      return !deleted;
    });
    return withParents(
      living.flatMap((record) => draftsOf(record, around)),
      living,
    );
  });
  const read = new Set(lists.map(({ path }) => path[0]));
  const left = Object.entries(whole).filter(
    ([key, value]) => !read.has(key) && key !== "project" && !isEmpty(value),
  );
  if (Object.hasOwn(whole, "verificationCommands"))
    notes.push("verificationCommands are in meta.imported: what is to be run goes to verify.commands");
  return {
    format,
    drafts,
    notes,
    name: textOf(whole["project"]),
    ...(left.length === 0 ? {} : { kept: Object.fromEntries(left) }),
  };
}

export function isIssueOfGitHub(fields: Fields): boolean {
  return "number" in fields && "title" in fields && (!("id" in fields) || "state" in fields);
}

/** Of the records with one id the last one, in the place of the first: some tools append changes to a file. */
function newest(records: readonly Fields[], notes: string[]): Fields[] {
  const byId = new Map<unknown, Fields>();
  for (const record of records) {
    const row = new Row(record);
    const id = textOf(row.get("id"));
    if (id !== undefined && byId.has(id)) notes.push(`${id} is there more than once: the last one counts`);
    byId.set(id ?? record, record);
  }
  return [...byId.values()];
}

/** In beads a part names the task above it, which waits for it. */
function withParents(drafts: readonly TaskDraft[], records: readonly Fields[]): TaskDraft[] {
  const parts = new Map<string, string[]>();
  for (const record of records) {
    const row = new Row(record);
    for (const { id: above, type } of edgesIn(row.all("dependsOn")))
      if (type === CHILD) parts.set(above, [...(parts.get(above) ?? []), textOf(row.get("id")) ?? ""]);
  }
  return drafts.map((draft) => {
    const below = parts.get(draft.id ?? "");
    return below === undefined ? draft : { ...draft, dependsOn: [...(draft.dependsOn ?? []), ...below] };
  });
}

/** Kinds of edges in beads that say what comes first; of a child and its parent the parent comes last. */
const FIRST = new Set(["blocks", "waits-for"]);
const CHILD = "parent-child";

/** The tasks that dependencies name, and the kinds of their edges in beads. */
function edgesIn(values: readonly unknown[]): { id: string; type: string; value: unknown }[] {
  return values.flat().flatMap((value) => {
    const edge: Fields = isRecord(value) ? value : { id: value };
    const row = new Row(edge);
    const id = textOf(edge["depends_on_id"] ?? row.get("id") ?? row.get("title"));
    const type = edge["dependency_type"] ?? ("depends_on_id" in edge ? edge["type"] : undefined);
    return id === undefined ? [] : [{ id, type: textOf(type) ?? "blocks", value }];
  });
}

/** The id of a part: behind that of the task above it, if another task could have it. */
function idIn(own: string, upper: string | undefined, { prefix, used }: Around): string {
  const isFree = own.includes(".") || (!/^\d+$/u.test(own) && !used.has(own));
  used.add(own);
  return upper === undefined || isFree ? prefix + own : `${upper}.${own}`;
}

function draftsOf(record: Fields, around: Around, called?: string): TaskDraft[] {
  const row = new Row(record);
  const { prefix, idOf, notes } = around;
  const first = idOf(row.get("id"));
  const id = called ?? (first === undefined ? undefined : prefix + first);
  const draft = draftOf(row, around, id);
  const records = fieldsIn(row.parts());
  if ((id === undefined || draft.title === "") && records.length > 0) {
    // A group of tasks: its name is a tag.
    const name = (draft.title || (id ?? "")).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-");
    const tags = [...around.tags, ...(name === "" ? [] : [name])];
    if (!row.values.has("status")) {
      const lost = [draft.description, draft.details, ...Object.keys(draft.kept ?? {})].filter(Boolean);
      if (lost.length > 0) notes.push(`left out of the group ${name}: ${lineOf(lost.join(", "))}`);
      return itemsOf(row.parts()).flatMap((part) => draftsOf(part, { ...around, tags }));
    }
  }
  const siblings = new Map<string, string>();
  const parts = records.flatMap((part) => {
    const name = idOf(new Row(part).get("id"));
    const full = name === undefined ? undefined : idIn(name, draft.id, around);
    if (full !== undefined) siblings.set(`${prefix}${name}`, full);
    return draftsOf(part, around, full);
  });
  const own = new Set(siblings.values());
  const inherited = (draft.dependsOn ?? []).filter((name) => !own.has(name));
  const below = parts.map((part) => partOf(part, { draft, siblings, inherited }));
  const open = below.find(({ status }) => status !== "done");
  if (draft.status === "done" && open !== undefined) {
    notes.push(`${nameOf(row)} is not taken as done: its part ${JSON.stringify(open.title)} is open`);
    draft.status = "todo";
  }
  draft.dependsOn = [...(draft.dependsOn ?? []), ...below.flatMap((part) => part.id ?? [])];
  return [...below, draft];
}

/** A part waits for what the task above it waits for, and inherits its priority. */
function partOf(
  part: TaskDraft,
  {
    draft,
    siblings,
    inherited,
  }: { draft: TaskDraft; siblings: ReadonlyMap<string, string>; inherited: readonly string[] },
): TaskDraft {
  const waits = (part.dependsOn ?? []).map((name) => siblings.get(name) ?? name);
  return {
    ...part,
    dependsOn: [...waits, ...inherited],
    reference: part.reference ?? `subtask of ${draft.id ?? ""}: ${draft.title}`,
    ...given({ priority: part.priority ?? draft.priority }),
  };
}

function nameOf(row: Row): string {
  return [textOf(row.get("id")), lineOf(row.get("title"))].filter(Boolean).join(" ");
}

function draftOf(row: Row, around: Around, id: string | undefined): TaskDraft {
  const { prefix, idOf, notes, scale } = around;
  const steps = stepsOf([...row.all("steps").flat(), ...row.parts().filter((one) => !isRecord(one))]);
  const criteria = stepsOf(row.get("criteria"));
  const state = stateOf(row, around, steps.isOpen || criteria.isOpen);
  const edges = edgesIn(row.all("dependsOn"));
  const other = edges.filter(({ type }) => !FIRST.has(type) && type !== CHILD).map(({ value }) => value);
  const named = edges.flatMap(({ id: name, type }) => (FIRST.has(type) ? name.split(/[,;]/u) : []));
  const odd = row.all("dependsOn").filter((value) => !isRead("dependsOn", value));
  if (odd.length > 0) notes.push(`${nameOf(row)}: dependencies not read: ${JSON.stringify(odd)}`);
  const labels = row.all("tags").flatMap(textsOf);
  const type = textOf(row.get("type"));
  const body = textOf(row.get("description"))?.replaceAll("\r\n", "\n");
  const spelled = row.get("priority");
  const priority = scale.priorityOf(spelled) ?? labels.map(priorityIn).find((one) => one !== undefined);
  for (const done of [...steps.done, ...criteria.done])
    notes.push(`left out of ${nameOf(row)}: ${done}, which is done`);
  return {
    ...given({ id, priority }),
    title: lineOf(row.get("title")),
    description: body,
    reference: textOf(row.get("reference")),
    status: state.status,
    details: sections([
      ["", row.get("details")],
      ["Design", row.get("design")],
      ["Acceptance criteria", Array.isArray(row.get("criteria")) ? criteria.open : row.get("criteria")],
      ["Test strategy", row.get("tests")],
      ["Notes", row.get("notes")],
    ]),
    steps: steps.open,
    blockers: state.blockers ?? [],
    tags: [
      ...(state.tags ?? []),
      ...around.tags,
      ...(type === undefined || type === "task" ? [] : [type]),
      ...labels,
    ],
    dependsOn: [
      ...named.map((name) => prefix + name.trim()),
      ...waitsIn(body ?? "").map((name) => idOf(name) ?? name),
    ],
    createdAt: row.get("createdAt"),
    updatedAt: row.get("updatedAt"),
    kept: {
      ...row.others,
      ...(other.length === 0 ? {} : { dependencies: other }),
      ...given({ milestone: textOf(row.get("milestone")) }),
      ...(isEmpty(spelled) || (priority !== undefined && (!scale.isOfRanks || priority === spelled))
        ? {}
        : { priority: spelled }),
    },
  };
}

/** The texts of a list; of objects with a word or flag that says so, those that are done, and whether one is open. */
function stepsOf(value: unknown): { open: string[]; done: string[]; isOpen: boolean } {
  const texts = { open: [] as string[], done: [] as string[], isOpen: false };
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const row = isRecord(one) ? new Row(one) : undefined;
    const text =
      row === undefined
        ? textOf(one)
        : (textOf(row.get("title")) ??
          textsOf(Object.values(row.others))[0] ??
          textOf(row.get("description")));
    const state = stateFor(textOf(row?.get("status")) ?? "")?.status;
    const flags = row?.all("done") ?? [];
    const isOpen = flags.includes(false) || (state ?? "done") !== "done";
    const done = !isOpen && (flags.includes(true) || state === "done");
    texts.isOpen ||= isOpen;
    if (text !== undefined) texts[done ? "done" : "open"].push(text);
  }
  return texts;
}

/** The front of a label that says a state, or all before it: `status: in progress`, `blocked`. */
const LABEL = /^(?:status|state)[ :/]+(?=\S)|^(?=(?:blocked|in[ -]progress)$)/iu;

/** The state of a record, by its word and its flags. Of two that differ the one that is open counts. */
function stateOf(row: Row, { state: usual, notes }: Around, hasOpenStep: boolean): WorkState {
  const reason = stateFor(textOf(row.get("stateReason")) ?? "");
  const words = row.all("status").flatMap(textsOf);
  const isClosed = reason !== undefined && words[0]?.toUpperCase() === "CLOSED";
  const flags = row.all("done");
  const blocked = row.get("blocked");
  const why = blocked === true ? ["blocked"] : textsOf(blocked);
  const said: WorkState[] = [
    ...(isClosed ? [reason] : words.flatMap((word) => stateFor(word) ?? [])),
    ...(flags.includes(true) ? [{ status: "done" as const }] : []),
    ...(flags.includes(false) ? [{ status: "todo" as const }] : []),
    ...(why.length === 0 ? [] : [{ status: "blocked" as const, blockers: why }]),
  ];
  if (said.length === 0 && usual !== undefined) said.push(usual);
  if (hasOpenStep && said[0]?.status === "done" && said[0].tags === undefined) said.push({ status: "todo" });
  // A flag that is not set says less than a word for an open task.
  const open =
    said.find(({ status }) => status === "blocked") ?? said.find(({ status }) => status !== "done");
  const state = open ?? said[0] ?? { status: "todo" as const };
  if (open !== undefined && said.some(({ status }) => status === "done"))
    notes.push(`${nameOf(row)} is not taken as done: the file says ${open.status} as well`);
  const labels = row.all("tags").flatMap(textsOf);
  const label = stateFor(labels.find((one) => LABEL.test(one))?.replace(LABEL, "") ?? "");
  return state.status !== "todo" || label?.status === "done" ? state : (label ?? state);
}

const LAST = 5;

/** How a list writes its priorities. */
interface Scale {
  priorityOf: (value: unknown) => number | undefined;
  isOfRanks: boolean;
}

/** Words, numbers from 1 to 5, numbers from 0, or ranks, which become priorities in the same order. */
function scaleOf(records: readonly Fields[], notes: string[]): Scale {
  const rows = records.map((record) => new Row(record));
  const numbers = [
    ...new Set(rows.map((row) => row.get("priority")).filter((one) => typeof one === "number")),
  ];
  numbers.sort((a, b) => a - b);
  const whole = numbers.every((one) => Number.isInteger(one) && one >= 0);
  const fromZero = records.some((one) => "issue_type" in one) || numbers[0] === 0;
  const wordOf = (value: unknown): number | undefined => {
    const text = textOf(value);
    return text === undefined ? undefined : (priorityIn(text) ?? readPriority(text));
  };
  const scale = (numberOf: (value: number) => number | undefined, isOfRanks = false): Scale => ({
    priorityOf: (value) => (typeof value === "number" ? numberOf(value) : wordOf(value)),
    isOfRanks,
  });
  if (whole && fromZero) return scale((value) => (value < LAST ? value + 1 : undefined));
  if (whole && (numbers.at(-1) ?? 0) <= LAST) return scale((value) => value);
  notes.push(
    "priorities are ranks there: they became 1 to 5 in the same order, the old ones are in meta.imported",
  );
  return scale((value) => 1 + Math.floor((numbers.indexOf(value) * LAST) / numbers.length), true);
}

const WAITS = /\b(?:depends on|blocked by|requires):?\s+((?:#\d{1,9}(?:\s{0,9}(?:,|and)\s{0,9})?)+)/giu;

/** The numbers of the issues that a text names as what comes first: `Depends on #12 and #13`. */
function waitsIn(body: string): string[] {
  return [...body.matchAll(WAITS)].flatMap(([, list = ""]) => list.match(/\d+/g) ?? []);
}

// Reads values of foreign JSON by their probable meaning.

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The objects of a list; other items are left out. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The objects of a list, and its texts as objects with a title. */
function itemsOf(value: unknown): Fields[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return fieldsIn(items.map((one) => (typeof one === "string" ? { title: one } : one)));
}

/** A text that is not blank, or a number as text; of an object, its name. */
export function textOf(value: unknown): string | undefined {
  // A longer number was rounded when it was read.
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER ? undefined : String(value);
  if (isRecord(value)) return textOf(value["name"] ?? value["title"] ?? value["text"]);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The texts of a list, or a single text as a list. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => textOf(one) ?? []);
}

/** A text in one line. */
export function lineOf(value: unknown): string {
  return (textOf(value) ?? "").replaceAll(/\s+/gu, " ");
}

/** Whether a value says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Joins titled parts to a longer text; empty ones are left out. Several texts become a list. */
export function sections(parts: readonly (readonly [string, unknown])[]): string | undefined {
  const said = parts.flatMap(([title, value]) => {
    const texts = textsOf(value);
    if (texts.length === 0) return [];
    const body = Array.isArray(value) ? texts.map((text) => `- ${text}`).join("\n") : texts.join("\n");
    return title === "" ? [body] : [`${title}:\n${body}`];
  });
  return said.length === 0 ? undefined : said.join("\n\n");
}
