// Turns drafts into tasks: valid and free ids stay; edges without a target and edges that close a cycle are removed with a
// note. Pure. check.ts checks the result.
import { given } from "../../../system/given.js";
import { filled, linkTasks, quoted, settleIds, folded } from "../../model/add-tasks.js";
import { isDateTime } from "../../model/date-time.js";
import { TaskId, type Task, type Status } from "../../model/task.js";

export interface PlannedImport {
  tasks: Task[];
  /** Notes on values that were dropped or changed. */
  notes: string[];
}

/** Plans the tasks. `there`: the existing tasks; a draft with the title of one of them is not added, and means that task. */
export function planImport(
  drafted: Pick<Drafted, "drafts" | "notes">,
  there: readonly Pick<Task, "id" | "title">[] = [],
): PlannedImport {
  const said = [...drafted.notes];
  const byName = new Map<string, TaskId>();
  const drafts = withoutThose(drafted.drafts, there, { byName, said });
  const asked = drafts.map(({ id }) => id);
  const taken = new Set<string | undefined>([...there.map(({ id }) => id), ...asked]);
  const ids = settleIds(
    asked,
    there.map(({ id }) => id),
  );
  const named = drafts.flatMap((draft, at) => {
    const id = ids[at];
    return id === undefined ? [] : [{ draft, id, names: draft.dependsOn ?? [] }];
  });
  const known = [
    ...named.map(({ draft, id }) => [draft.id, id] as const),
    ...there.map(({ id }) => [id, id] as const),
  ];
  for (const fold of [String, folded])
    for (const [name, id] of known)
      if (name !== undefined && !byName.has(fold(name))) byName.set(fold(name), id);
  for (const { draft, id } of named) {
    if (draft.id === undefined || draft.id === id) continue;
    const why = TaskId.safeParse(draft.id).success && taken.has(draft.id) ? "is taken" : "has white space";
    said.push(`${quoted(draft.title)} is called ${id}: its id ${quoted(draft.id)} ${why}`);
  }
  const edges = linkTasks(
    named,
    (name) => byName.get(name) ?? byName.get(folded(name)),
    (id, words) => said.push(`${id}: ${words}`),
  );
  const tasks = named.map(({ draft, id }) => toTask(draft, { id, edges: edges.get(id) ?? [] }));
  return { tasks, notes: said };
}

function withoutThose(
  drafts: readonly TaskDraft[],
  there: readonly Pick<Task, "id" | "title">[],
  { byName, said }: { byName: Map<string, TaskId>; said: string[] },
): TaskDraft[] {
  const known = new Map(there.map(({ id, title }) => [folded(title), id]));
  const last = new Map(drafts.map((draft) => [`${draft.id ?? ""} ${folded(titleOf(draft))}`, draft]));
  return drafts.filter((draft) => {
    const title = folded(titleOf(draft));
    const same = known.get(title);
    if (same !== undefined && draft.id !== undefined) byName.set(draft.id, same);
    const isTwin = draft.id !== undefined && last.get(`${draft.id} ${title}`) !== draft;
    if (same !== undefined)
      said.push(`left out: ${quoted(titleOf(draft))}, since ${same} has the same title`);
    else if (isTwin) said.push(`${draft.id ?? ""} is there more than once: the last one counts`);
    return same === undefined && !isTwin;
  });
}

const USUAL_PRIORITY = 3;

function toTask(draft: TaskDraft, { id, edges }: { id: TaskId; edges: readonly TaskId[] }): Task {
  const { description, reference, details, steps, blockers, tags, files, own = {} } = draft;
  const times = { created_at: draft.createdAt, updated_at: draft.updatedAt };
  const isValid = (at: unknown): boolean => typeof at === "string" && isDateTime(at);
  const valid = Object.entries(times).filter(([, at]) => isValid(at));
  const lost = Object.entries(times).filter(([, at]) => !isValid(at) && (at ?? "") !== "");
  const kept = { ...draft.kept, ...Object.fromEntries(lost) };
  const { meta, ...others } = own;
  return {
    id,
    title: titleOf(draft),
    ...filled({ description, reference }),
    priority: draft.priority ?? USUAL_PRIORITY,
    status: draft.status ?? "todo",
    ...filled({ details, steps: copied(steps), blockers: copied(blockers), tags: copied(tags) }),
    ...filled({ files: copied(files), depends_on: [...edges] }),
    ...others,
    ...Object.fromEntries(valid),
    ...given({ meta }),
    ...(Object.keys(kept).length === 0 ? {} : { meta: { imported: kept } }),
  };
}

function titleOf({ title, description, details, id }: TaskDraft): string {
  if (title !== "") return title;
  const lines = [description, details].flatMap((text) => (text ?? "").split("\n"));
  return lines.find((line) => line.trim() !== "")?.trim() ?? `Task ${id ?? "without a title"}`;
}

function copied(texts: readonly string[] | undefined): string[] | undefined {
  return texts === undefined ? undefined : [...texts];
}

/** A task as its source has it; absent values become those of a new task. */
export interface TaskDraft {
  /** The source's id; replaced if it is not valid or taken. */
  id?: string;
  /** In one line; an empty title is replaced by another text of the task. */
  title: string;
  status?: Status;
  priority?: number;
  description?: string | undefined;
  reference?: string | undefined;
  details?: string | undefined;
  steps?: readonly string[] | undefined;
  blockers?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  files?: readonly string[] | undefined;
  /** Ids of the source. */
  dependsOn?: readonly string[];
  /** Any value; kept if it is a date and time in RFC 3339. */
  createdAt?: unknown;
  updatedAt?: unknown;
  /** Values without a key of their own; written to `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
  /** Keys that only Looper's own task files have. */
  own?: Partial<Pick<Task, "verify" | "changes" | "agent" | "result" | "attempts" | "meta">>;
}

/** A source that was read. */
export interface Drafted {
  /** The name of the format in words: `a Markdown checklist`. */
  format: string;
  drafts: readonly TaskDraft[];
  /** Notes on values that were changed or left out. */
  notes: readonly string[];
  /** For a document: the number of its lines that are not in a task. */
  left?: number;
  /** The project's name. */
  name?: string | undefined;
  /** Values that do not belong to a task; written to the backlog's `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
}
