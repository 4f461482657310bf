// Turns drafts into tasks: valid and free ids stay; edges without a target and edges that close a cycle are removed with a
// note. Pure. check.ts checks the result.
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { dropCycles, type Linked } from "../../model/edges.js";
import { makeIds } from "../../model/ids.js";
import { isDateTime } from "../../model/date-time.js";
import { TaskId, type Task } from "../../model/task.js";
import type { Drafted, TaskDraft } from "./draft.js";

export interface PlannedImport {
  tasks: Task[];
  /** Notes on values that were dropped or changed. */
  notes: string[];
}

type LinkedDraft = Linked & { draft: TaskDraft };

/** Plans the tasks. `there`: the existing tasks; a draft with the title of one of them is not added, and means that task. */
export function planImport(
  drafted: Pick<Drafted, "drafts" | "notes">,
  there: readonly Pick<Task, "id" | "title">[] = [],
): PlannedImport {
  const said = [...drafted.notes];
  const byName = new Map<string, TaskId>();
  const drafts = withoutThose(drafted.drafts, there, { byName, said });
  const ids = settleIds(drafts, said, there);
  for (const [at, { id }] of drafts.entries()) {
    const settled = ids[at];
    if (id !== undefined && settled !== undefined && !byName.has(id)) byName.set(id, settled);
  }
  const linked = drafts.flatMap((draft, at): LinkedDraft[] => {
    const id = ids[at];
    return id === undefined ? [] : [{ draft, id, edges: edgesOf(draft, id, { byName, said }) }];
  });
  dropCycles(linked, (id, target) =>
    said.push(`${id}: dependency on ${target} dropped: it would close a cycle`),
  );
  return { tasks: linked.map(toTask), notes: said };
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

/** Ids of the source come first, so that a new id never takes one that a later task has. */
function settleIds(
  drafts: readonly TaskDraft[],
  said: string[],
  there: readonly Pick<Task, "id">[],
): TaskId[] {
  const taken = new Set<string>(there.map(({ id }) => id));
  const given = drafts.map(({ id }) => {
    const valid = TaskId.safeParse(id).data;
    if (valid === undefined || taken.has(valid)) return undefined;
    taken.add(valid);
    return valid;
  });
  const next = makeIds([...taken]);
  return drafts.map(({ id, title }, at) => {
    const own = given[at];
    if (own !== undefined) return own;
    const fresh = next();
    if (id !== undefined)
      said.push(
        `${quoted(title)} is called ${fresh}: its id ${quoted(id)} is ${taken.has(id) ? "taken" : "none"}`,
      );
    return fresh;
  });
}

function edgesOf(
  draft: TaskDraft,
  id: TaskId,
  { byName, said }: { byName: ReadonlyMap<string, TaskId>; said: string[] },
): TaskId[] {
  const edges = new Set<TaskId>();
  for (const name of draft.dependsOn ?? []) {
    const target = byName.get(name);
    if (target === undefined) said.push(`${id}: dependency on ${quoted(name)} dropped: no such task`);
    else if (target === id) said.push(`${id}: dependency on itself dropped`);
    else edges.add(target);
  }
  return [...edges];
}

const USUAL_PRIORITY = 3;

function toTask({ draft, id, edges }: LinkedDraft): Task {
  const { description, reference, details, steps, blockers, tags, files, own = {} } = draft;
  const times = { created_at: draft.createdAt, updated_at: draft.updatedAt };
  const valid = Object.entries(times).filter(([, at]) => typeof at === "string" && isDateTime(at));
  const lost = Object.entries(times).filter(
    ([, at]) => !blank(at) && !(typeof at === "string" && isDateTime(at)),
  );
  const kept = { ...draft.kept, ...Object.fromEntries(lost) };
  const { meta, ...others } = own;
  return {
    id,
    title: titleOf(draft),
    ...filled({ description, reference }),
    priority: draft.priority ?? USUAL_PRIORITY,
    status: draft.status ?? "todo",
    ...filled({ details, steps: copied(steps), blockers: copied(blockers), tags: copied(tags) }),
    ...filled({ files: copied(files), depends_on: edges }),
    ...others,
    ...Object.fromEntries(valid),
    ...given({ meta }),
    ...(Object.keys(kept).length === 0 ? {} : { meta: { imported: kept } }),
  };
}

function folded(title: string): string {
  return title.trim().toLowerCase();
}

function titleOf({ title, description, details, id }: TaskDraft): string {
  if (title !== "") return title;
  const lines = [description, details].flatMap((text) => (text ?? "").split("\n"));
  return lines.find((line) => line.trim() !== "")?.trim() ?? `Task ${id ?? "without a title"}`;
}

function copied(texts: readonly string[] | undefined): string[] | undefined {
  return texts === undefined ? undefined : [...texts];
}

function blank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Leaves out absent and empty values. */
function filled<T extends Record<string, string | readonly string[] | undefined>>(part: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const key in part) if (part[key] !== undefined && part[key].length > 0) kept[key] = part[key];
  return kept;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
