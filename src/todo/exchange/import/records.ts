// Reads tasks from JSON objects of any tool by one table of fields: prd.json of snarktank/ralph, tasks.json of
// eyaltoledano/claude-task-master, issues of steveyegge/beads and of `gh issue list --json`, front matter of Backlog.md, and
// lists like them. A part of a task is a task of its own, which the task above it waits for.
import { given } from "../../../system/given.js";
import { isRecord } from "../../../system/text/json.js";
import { priorityIn, readPriority, stateFor, type WorkState } from "../../check/words.js";
import type { Drafted, TaskDraft } from "./plan.js";

/** The names of each field, without case and separators; the first that a record has counts. */
const NAMES = {
  id: "id number key taskid identifier",
  title: "title name summary subject task story",
  description: "description body desc",
  reference: "externalref url reference link",
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
  dependsOn: "dependencies dependson deps blockedby requires",
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
/** Fields that tell a task from another thing with a title. */
const TELLING: readonly Field[] = [
  ...(["status", "priority", "description", "criteria", "dependsOn", "parts"] as const),
  ...(["done", "blocked", "steps", "details"] as const),
];

/** A record, read by the table: the value of each field, and the members that are in no field. */
class Row {
  readonly values = new Map<Field, unknown>();
  /** The key that a field has in the source. */
  readonly keys = new Map<Field, string>();
  readonly others: Record<string, unknown> = {};

  constructor(fields: Fields) {
    for (const [key, value] of Object.entries(fields)) {
      const field = FIELD_OF.get(key.toLowerCase().replaceAll(/[_\-\s]/gu, ""));
      const first = field !== undefined && !this.values.has(field);
      if (first) {
        this.values.set(field, value);
        this.keys.set(field, key);
      } else if (!isEmpty(value)) this.others[key] = value;
    }
  }

  get(field: Field): unknown {
    return this.values.get(field);
  }
}

/** Whether an object is probably a task. */
export function isTask(fields: Fields): boolean {
  const row = new Row(fields);
  // A group may have no title: its parts tell it.
  if (lineOf(row.get("title")) === "") return fieldsIn(row.get("parts")).some(isTask);
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
    const records = fieldsIn(child);
    return records.some(isTask) || (LISTS.test(key) && records.length > 0) ? [{ path: here, records }] : [];
  });
}

/** The facts that a list gives to its tasks. */
interface Around {
  /** Put before ids that would else be those of another list. */
  prefix: string;
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
  const main = named.includes(MAIN) ? MAIN : named[0];
  const drafts = lists.flatMap(({ path, records }) => {
    const [tag = ""] = path.length > 1 && path[0] !== main ? path : [];
    if (tag !== "") notes.push(`tasks of the tag ${tag} are called ${tag}-1, ${tag}-2 …`);
    const around: Around = {
      prefix: tag === "" ? "" : `${tag}-`,
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
  const used = new Set(lists.map(({ path }) => path[0]));
  const left = Object.entries(whole).filter(
    ([key, value]) => !used.has(key) && key !== "project" && !isEmpty(value),
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
  return "number" in fields && "title" in fields;
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
    for (const edge of fieldsIn(row.get("dependsOn"))) {
      const above = textOf(edge["depends_on_id"]);
      if (edge["type"] === CHILD && above !== undefined)
        parts.set(above, [...(parts.get(above) ?? []), textOf(row.get("id")) ?? ""]);
    }
  }
  return drafts.map((draft) => {
    const below = parts.get(draft.id ?? "");
    return below === undefined ? draft : { ...draft, dependsOn: [...(draft.dependsOn ?? []), ...below] };
  });
}

/** Kinds of edges in beads that say what comes first; of a child and its parent the parent comes last. */
const FIRST = new Set(["blocks", "waits-for"]);
const CHILD = "parent-child";

function draftsOf(record: Fields, around: Around, above?: { draft: TaskDraft; title: string }): TaskDraft[] {
  const row = new Row(record);
  const { prefix, idOf, notes } = around;
  const own = idOf(row.get("id"));
  const upper = above?.draft.id;
  const id =
    own === undefined
      ? undefined
      : upper === undefined || own.includes(".")
        ? prefix + own
        : `${upper}.${own}`;
  const draft = draftOf(row, around, id);
  const records = fieldsIn(row.get("parts"));
  if ((id === undefined || draft.title === "") && records.length > 0) {
    // A group of tasks: its name is a tag.
    const name = (draft.title || (id ?? "")).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-");
    const tags = [...around.tags, ...(name === "" ? [] : [name])];
    if (!row.values.has("status")) return records.flatMap((part) => draftsOf(part, { ...around, tags }));
  }
  const siblings = new Set(records.flatMap((part) => idOf(new Row(part).get("id")) ?? []));
  const parts = records.flatMap((part) => draftsOf(part, around, { draft, title: draft.title }));
  const below = parts.map((part) => partOf(part, { draft, siblings }));
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
  { draft, siblings }: { draft: TaskDraft; siblings: ReadonlySet<string> },
): TaskDraft {
  const upper = draft.id ?? "";
  const waits = (part.dependsOn ?? []).map((name) => (siblings.has(name) ? `${upper}.${name}` : name));
  const inherited = (draft.dependsOn ?? []).filter((name) => !siblings.has(name.slice(upper.length + 1)));
  return {
    ...part,
    dependsOn: [...waits, ...inherited],
    reference: part.reference ?? `subtask of ${upper}: ${draft.title}`,
    ...given({ priority: part.priority ?? draft.priority }),
  };
}

function nameOf(row: Row): string {
  return [textOf(row.get("id")), lineOf(row.get("title"))].filter(Boolean).join(" ");
}

function draftOf(row: Row, around: Around, id: string | undefined): TaskDraft {
  const { prefix, idOf, notes, scale } = around;
  const { state, unread } = stateOf(row, around);
  const edges = row.get("dependsOn");
  const typed = fieldsIn(edges).filter((edge) => "depends_on_id" in edge);
  const other = typed.filter((edge) => ![...FIRST, CHILD].includes(textOf(edge["type"]) ?? "blocks"));
  const named =
    typed.length === 0
      ? textsOf(edges)
      : typed.flatMap((edge) =>
          FIRST.has(textOf(edge["type"]) ?? "blocks") ? textsOf(edge["depends_on_id"]) : [],
        );
  const labels = textsOf(row.get("tags"));
  const type = textOf(row.get("type"));
  const body = textOf(row.get("description"))?.replaceAll("\r\n", "\n");
  const spelled = row.get("priority");
  const priority = scale.priorityOf(spelled) ?? labels.map(priorityIn).find((one) => one !== undefined);
  const steps = stepsOf(row.get("steps"));
  const criteria = stepsOf(row.get("criteria"));
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
      ...named.map((name) => prefix + name),
      ...waitsIn(body ?? "").map((name) => idOf(name) ?? name),
    ],
    createdAt: row.get("createdAt"),
    updatedAt: row.get("updatedAt"),
    kept: {
      ...row.others,
      ...(other.length === 0 ? {} : { dependencies: other }),
      ...given({ status: unread, milestone: textOf(row.get("milestone")) }),
      ...(isEmpty(spelled) || (priority !== undefined && (!scale.isOfRanks || priority === spelled))
        ? {}
        : { priority: spelled }),
    },
  };
}

/** The texts of a list; of objects with a word or flag that says so, those that are done. */
function stepsOf(value: unknown): { open: string[]; done: string[] } {
  const texts = { open: [] as string[], done: [] as string[] };
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const row = isRecord(one) ? new Row(one) : undefined;
    const text =
      row === undefined
        ? textOf(one)
        : (textOf(row.get("title")) ??
          textsOf(Object.values(row.others))[0] ??
          textOf(row.get("description")));
    const done = row?.get("done") === true || stateFor(textOf(row?.get("status")) ?? "")?.status === "done";
    if (text !== undefined) texts[done ? "done" : "open"].push(text);
  }
  return texts;
}

/** The state of a record, by its word and its flags. Of two that differ the one that is open counts. */
function stateOf(row: Row, { state: usual, notes }: Around): { state: WorkState; unread: unknown } {
  const word = textOf(row.get("status"));
  const reason = stateFor(textOf(row.get("stateReason")) ?? "");
  const spelled =
    word === undefined
      ? undefined
      : word.toUpperCase() === "CLOSED" && reason !== undefined
        ? reason
        : stateFor(word);
  const flag = row.get("done");
  const blocked = row.get("blocked");
  const why = blocked === true ? ["blocked"] : textsOf(blocked);
  const said: WorkState[] = [
    ...(spelled === undefined ? [] : [spelled]),
    ...(flag === true ? [{ status: "done" as const }] : flag === false ? [{ status: "todo" as const }] : []),
    ...(why.length === 0 ? [] : [{ status: "blocked" as const, blockers: why }]),
  ];
  // A flag that is not set says less than a word for an open task.
  const open =
    said.find(({ status }) => status === "blocked") ?? said.find(({ status }) => status !== "done");
  const state = open ?? said[0] ?? usual ?? { status: "todo" as const };
  if (open !== undefined && said.some(({ status }) => status === "done"))
    notes.push(`${nameOf(row)} is not taken as done: the file says ${open.status} as well`);
  return { state, unread: word !== undefined && spelled === undefined ? word : undefined };
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
  const fromZero = rows.some((row) => row.keys.get("type") === "issue_type") || numbers[0] === 0;
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

/** A text that is not blank, or a number as text; of an object, its name. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
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
  if (value === null || value === undefined || value === "") return true;
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
