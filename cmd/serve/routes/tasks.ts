// Routes of the backlog: lists, one task, edits.
import { z } from "zod";
import { errorMessage } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { sha256Hex } from "../../../src/system/text/sha256.js";
import { hintOnTask, type PersonEdit } from "../../../src/todo/change/person-edits.js";
import { OptionalKey, PersonChange, TaskValues } from "../../../src/todo/model/changes/person-change.js";
import { STATUSES } from "../../../src/todo/model/status.js";
import type { Backlog, Task } from "../../../src/todo/model/task.js";
import { EditAnswer, LsAnswer, WhyAnswer } from "../../../src/ui/shapes/backlog.js";
import { ShowAnswer } from "../../../src/ui/shapes/runs.js";
import { UndoAnswer } from "../../../src/ui/shapes/work.js";
import { answer as listTasks } from "../../commands/ls.js";
import * as edits from "../../commands/edits.js";
import { command as show } from "../../commands/show.js";
import { command as undo } from "../../commands/undo.js";
import { command as why } from "../../commands/why.js";
import { addTasks, editAs } from "../../lookup/edit.js";
import { problemsText, readTasks, tasksIn } from "../../lookup/read-tasks.js";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { refusalLines } from "../../../src/ui/terminal/lines/undo-lines.js";
import { ApiError } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";

/** The values of a task that a client may give; unknown keys are refused. */
const Values = TaskValues.omit({ status: true, blockers: true, result: true }).extend({
  title: z.string().trim().min(1).optional(),
});
const NewTask = Values.strict().required({ title: true });

/** New values by key: `null` clears one, `{add, remove}` changes a list. */
const List = z.strictObject({ add: z.array(z.string()), remove: z.array(z.string()) }).partial();
const mayClear: ReadonlySet<string> = new Set(OptionalKey.options);
const Patch = z.strictObject(
  Object.fromEntries(
    Object.entries(Values.shape).map(([key, shape]) => [
      key,
      z.union([...(mayClear.has(key) ? [z.null()] : []), shape, List]).optional(),
    ]),
  ),
);

const NoBody = z.strictObject({}).optional();

/** Throws 404 where the task is not there, also in a file of which some rows cannot be read. */
export async function findRow({ context, site, params }: ApiCall): Promise<Task> {
  const id = params["id"] ?? "";
  const project = await site.project();
  const tasks = tasksIn(await context.ports.files.read(project.todoFile));
  const row = tasks.find((task) => task.id === id);
  if (row !== undefined) return row;
  const why = await readTasks(context, project).then(
    ({ problems }) => problemsText(context, project, problems),
    errorMessage,
  );
  if (why !== undefined) throw new ApiError(404, "no-task", `no task ${id} can be read: ${why}`);
  throw new ApiError(404, "no-task", `there is no task ${id}`, { hint: hintOnTask(tasks, id) });
}

/** The tag by which a client says which version of a row it changes. */
export function tagOf(task: Task): string {
  return `"${sha256Hex(JSON.stringify(task)).slice(0, 16)}"`;
}

/** A call that is refused with 412 where its client saw another version of the row. */
async function matching<Call extends ApiCall>(call: Call): Promise<{ call: Call; id: string }> {
  const { id } = await findRow(call);
  const precondition = ({ tasks }: Pick<Backlog, "tasks">): void => {
    mustMatch(
      call,
      tasks.find((task) => task.id === id),
    );
  };
  return { call: { ...call, context: { ...call.context, precondition } }, id };
}

function mustMatch({ header }: ApiCall, row: Task | undefined): void {
  const wanted = header("if-match") ?? "*";
  if (row === undefined || wanted === "*" || tagOf(row) === wanted) return;
  throw new ApiError(412, "changed", `${row.id} was changed meanwhile`, { task: row, tag: tagOf(row) });
}

/** Throws 409 while a run is in progress. */
export async function mustNotRun({ context, site }: ApiCall, what: string): Promise<void> {
  const live = await findLiveRun(context.ports, await site.project());
  if (live === undefined) return;
  throw new ApiError(409, "running", `cannot ${what}: run ${live.run} is in progress`, { run: live.run });
}

/** The row's edit of the values that a client sent. */
function patchOf(id: string, values: Readonly<Record<string, unknown>>): PersonEdit {
  return ({ tasks }) => {
    const row = tasks.find((task) => task.id === id);
    if (row === undefined) throw new ApiError(404, "no-task", `there is no task ${id}`);
    const set: Record<string, unknown> = {};
    const clear: string[] = [];
    for (const [key, value] of Object.entries(values)) {
      if (value === null) clear.push(key);
      else if (typeof value === "object" && !Array.isArray(value)) {
        const { add = [], remove = [] } = value as { add?: string[]; remove?: string[] };
        const before = row[key as keyof TaskValues] ?? [];
        if (typeof before !== "object")
          throw new ApiError(422, "refused", `${key} takes a value, because it is not a list`);
        set[key] = [...new Set([...before, ...add])].filter((item) => !remove.includes(item));
      } else set[key] = value;
    }
    const change = PersonChange.safeParse({ op: "edit", id, set, clear });
    if (!change.success) throw new ApiError(422, "refused", z.prettifyError(change.error));
    return [change.data];
  };
}

/** A route that is a command of the same name on one task. */
function verb<Body extends z.ZodType = typeof NoBody>(
  name: string,
  does: string,
  ask: (call: ApiCall<unknown, z.infer<Body>>, id: string) => Promise<{ json: unknown }>,
  body?: Body,
): ApiRoute {
  return route("POST", `/tasks/{id}/${name}`, {
    does,
    body: body ?? NoBody,
    answer: EditAnswer,
    errors: [404, 409, 412, 422],
    handle: async (asked) => {
      const { call, id } = await matching(asked as ApiCall<unknown, z.infer<Body>>);
      return (await ask(call, id)).json;
    },
  });
}

const Undo = z.strictObject({
  reason: z.string().max(10_000).optional(),
  cascade: z.boolean().optional(),
  dry_run: z.boolean().optional(),
});

export const TASK_ROUTES: readonly ApiRoute[] = [
  route("GET", "/tasks", {
    does: "The tasks in the order a run takes them, as `looper ls --json`; `problems`: why some cannot be read.",
    query: z.strictObject({
      status: z.enum(STATUSES).optional(),
      tag: z.string().optional(),
      ready: z.literal("true").optional(),
    }),
    answer: LsAnswer.extend({ problems: z.string().optional() }),
    handle: async ({ context, query: { status, tag, ready } }) => {
      const wanted = given({ status, tag, ready: ready === "true" });
      const { json, problem } = await listTasks(context, { words: [], json: true, ...wanted });
      return { ...json, ...given({ problems: problem }) };
    },
  }),
  route("POST", "/tasks", {
    does: "Adds a task, or a list of them. Commands in `verify` are approved at a terminal, before the next run.",
    body: z.union([NewTask, z.array(NewTask).min(1).max(1_000)]),
    answer: EditAnswer,
    status: 201,
    errors: [422],
    handle: ({ context, body }) => {
      const drafts = [body].flat();
      return editAs(
        context,
        addTasks(drafts),
        drafts.map((one) => one.workflow),
      );
    },
  }),
  route("POST", "/tasks/edit", {
    does: "Makes all of these changes, or none: a drag of 500 rows is one change.",
    body: z.strictObject({ changes: z.array(PersonChange).min(1).max(10_000) }),
    answer: EditAnswer,
    errors: [409, 422],
    handle: async ({ context, body }) => {
      const foreign = body.changes.find(({ op }) => op !== "edit");
      if (foreign !== undefined)
        throw new ApiError(422, "refused", `${foreign.op} has a route of its own; this one takes edits`);
      const names = body.changes.flatMap((one) => (one.op === "edit" ? [one.set["workflow"]] : []));
      return editAs(context, () => body.changes, names);
    },
  }),
  route("GET", "/tasks/{id}", {
    does: "One task with its attempts, as `looper show --json`. The header `ETag` is for `If-Match`.",
    answer: ShowAnswer,
    errors: [404],
    handle: async (call) => {
      const row = await findRow(call);
      call.headers.set("etag", tagOf(row));
      return (await show.answer(call.context, { id: row.id })).json;
    },
  }),
  route("GET", "/tasks/{id}/why", {
    does: "Why it is or is not next, as `looper why --json`.",
    answer: WhyAnswer,
    errors: [404],
    handle: async (call) => (await why.answer(call.context, { id: (await findRow(call)).id })).json,
  }),
  route("PATCH", "/tasks/{id}", {
    does: "Changes values: `null` clears one, `{add, remove}` changes a list. With `If-Match`: only that version.",
    body: Patch,
    answer: EditAnswer,
    errors: [404, 412, 422],
    handle: async (asked) => {
      const { call, id } = await matching(asked);
      return editAs(call.context, patchOf(id, call.body), [call.body["workflow"]]);
    },
  }),
  route("DELETE", "/tasks/{id}", {
    does: "Removes it; `force`: also dependencies of other tasks on it.",
    query: z.strictObject({ force: z.literal("true").optional() }),
    answer: EditAnswer,
    errors: [404, 409, 412],
    handle: async (asked) => {
      const { call, id } = await matching(asked);
      return (await edits.rm.answer(call.context, { ids: [id], force: call.query.force === "true" })).json;
    },
  }),
  verb(
    "block",
    "Blocks it, with a reason.",
    ({ context, body: { why: reason } }, id) => edits.block.answer(context, { id, why: reason }),
    z.strictObject({ why: z.string().min(1).max(10_000) }),
  ),
  verb(
    "todo",
    "Marks it as still to do; `restart`: its workflow begins again, at `stage` if one is named.",
    ({ context, body }, id) =>
      edits.todo.answer(context, { ids: [id], ...given({ restart: body?.restart, stage: body?.stage }) }),
    z.strictObject({ restart: z.boolean().optional(), stage: z.string().optional() }).optional(),
  ),
  verb("done", "Marks it as done by hand, without checks.", ({ context }, id) =>
    edits.done.answer(context, { ids: [id] }),
  ),
  verb("accept", "Counts it as verified; not beside a run.", async (call, id) => {
    await mustNotRun(call, "accept a task");
    return edits.accept.answer(call.context, { ids: [id] });
  }),
  verb(
    "pause",
    "Starts no more jobs on it.",
    ({ context, body }, id) => edits.pause.answer(context, { id, ...given({ message: body?.why }) }),
    z.strictObject({ why: z.string().max(10_000).optional() }).optional(),
  ),
  verb("resume", "Lifts its pause.", ({ context }, id) => edits.resume.answer(context, { id })),
  verb(
    "steer",
    "Sends a message to its agent.",
    ({ context, body: { text } }, id) => edits.steer.answer(context, { id, text }),
    z.strictObject({ text: z.string().min(1).max(100_000) }),
  ),
  verb("complete", "Ends its workflow, and delivers its work.", ({ context }, id) =>
    edits.complete.answer(context, { id }),
  ),
  route("POST", "/tasks/{id}/undo", {
    does: "Takes back what it changed, and reopens it, as `looper undo`; `dry_run` tells what would be undone.",
    body: Undo.optional(),
    answer: UndoAnswer,
    errors: [404, 409, 412],
    handle: async (call) => {
      const { reason, cascade, dry_run: dry } = call.body ?? {};
      const row = await findRow(call);
      mustMatch(call, row);
      if (dry !== true) await mustNotRun(call, "undo a task");
      const wish = { id: row.id, y: true as const, ...given({ reason, cascade, dryRun: dry }) };
      const { json } = await undo.answer(call.context, wish);
      if (json.outcome !== "refused") return json;
      const [message = "", ...hint] = refusalLines(json);
      throw new ApiError(409, json.why, message, { ...json, hint: hint.join("\n") });
    },
  }),
];
