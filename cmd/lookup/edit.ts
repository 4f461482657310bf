// Edits tasks, as every command that does: the store changes the newest backlog. A run in progress is told,
// and ends the attempt at a task in hand. Leaves the changes to person-edits.ts, and the rules to the store.
import type { Project } from "../../src/config/project/open-project.js";
import type { TrustLine } from "../../src/config/trust/trust.js";
import { loadWorkflow } from "../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../src/config/workflows/find-workflows.js";
import { tellRun } from "../../src/logging/control.js";
import { findKilledRun, findLiveRun } from "../../src/loop/runs/live-run.js";
import { environmentError, usageError, UserError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { ok, type Result } from "../../src/system/result.js";
import type { PersonEdit } from "../../src/todo/change/person-edits.js";
import type { Applied } from "../../src/todo/model/changes/change.js";
import { endsAttempt, taskOfChange, type PersonChange } from "../../src/todo/model/changes/person-change.js";
import { makeIds } from "../../src/todo/model/add-tasks.js";
import type { Backlog, Task, TaskId } from "../../src/todo/model/task.js";
import type { Store, EditRefusal } from "../../src/todo/store/store.js";
import { editAnswer } from "../../src/ui/answers/backlog/edit.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { clean } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import {
  JSON_OPTION,
  TODO_FILE,
  type AnsweringCommand,
  type CommandAnswer,
  type NotForAgents,
} from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { approve } from "./caller.js";
import { storeOf } from "./read-tasks.js";
import { hintOfTaskFile, projectOf, shownPath } from "./project.js";

export type SaidEdit = CommandAnswer & { json: EditAnswer };
export type EditingCommand<Request extends object> = AnsweringCommand<Request & { file?: string }, SaidEdit>;

const REFUSED: NotForAgents = ["edit the backlog", "report it in the summary: new_tasks, blockers"];

export const EDITING = { options: [TODO_FILE, JSON_OPTION], refused: REFUSED };

export interface Wish {
  decide: PersonEdit;
  say: (answer: EditAnswer) => string[];
  /** Verify commands that were typed for these tasks. */
  commands?: readonly string[];
  /** The workflows that were named; what is absent, empty or no text is none. */
  workflow?: { names: readonly unknown[]; namedBy: string };
  /** In words; it is refused while a run is in progress. */
  alone?: string;
}

export async function edit(
  context: CommandContext,
  { file }: { file?: string | undefined },
  { decide, say, commands = [], workflow, alone }: Wish,
): Promise<SaidEdit> {
  const { ports } = context;
  const project = await projectOf(context, { file });
  const { names = [], namedBy = "workflow" } = workflow ?? {};
  for (const name of new Set(names))
    if (typeof name === "string" && name !== "")
      await loadWorkflow(ports.files, workflowPlaces({ ...context, project }), { name, namedBy });
  const store = await storeOf(context, project);
  const edited = await editBeside(context, { project, store, alone }, decide);
  if (!edited.ok) throw await refusal(context, project.todoFile, edited.error);
  const read = await store.read();
  const json = editAnswer(project.todoFile, edited.value, read.kind === "ok" ? read.backlog.tasks : []);
  if (commands.length > 0) {
    const isMine = ({ what, value }: TrustLine): boolean =>
      what.startsWith("verify of ") && commands.includes(value);
    await approve(context, { project, tasks: json.tasks, isMine });
  }
  const { inHand, run } = edited.value;
  return { json, lines: [...say(json), ...inHand.map((id) => workText(id, run))].map(clean) };
}

/** Adds tasks with ids of their own, in the order of the drafts. */
export function addTasks(drafts: readonly (Partial<Task> & Pick<Task, "title">)[]): PersonEdit {
  return ({ tasks }) => {
    const next = makeIds(tasks.map(({ id }) => id));
    return drafts.map((draft) => ({
      op: "insert",
      task: { priority: 3, ...draft, id: next(), status: "todo" },
    }));
  };
}

/** An edit by a client: its answer is not printed. `names`: the workflows that it names. */
export async function editAs(
  context: CommandContext,
  decide: PersonEdit,
  names: readonly unknown[] = [],
): Promise<EditAnswer> {
  const workflow = { names, namedBy: "workflow" };
  return (await edit(context, {}, { decide, workflow, say: () => [] })).json;
}

export interface MadeEdit {
  updated: Applied["updated"];
  /** The run in progress, which reads the edit. */
  run?: string;
  /** The edited tasks that were in progress. */
  inHand: readonly TaskId[];
}

/** Makes the whole edit or nothing. A run in progress is told before: it takes the edit for a person's. */
export async function editBeside(
  context: CommandContext,
  { project, store, alone }: { project: Project; store: Store; alone?: string | undefined },
  decide: (backlog: Backlog) => readonly PersonChange[],
): Promise<Result<MadeEdit, EditRefusal>> {
  let run: string | undefined;
  let inHand: readonly TaskId[] = [];
  const decideOn = (backlog: Backlog): readonly PersonChange[] => {
    context.precondition?.(backlog);
    return decide(backlog);
  };
  const edited = await store.edit(decideOn, async ({ at, changes }, { tasks }) => {
    const live = await findLiveRun(context.ports, project);
    run = live?.run;
    if (live !== undefined && alone !== undefined)
      throw environmentError(
        `cannot ${alone}: run ${live.run} is in progress`,
        "wait for its end, or end it with `looper stop`",
      );
    inHand = changes.flatMap((change) => {
      const task = tasks.find(({ id }) => id === taskOfChange(change));
      return task?.status === "doing" && endsAttempt(change, "doing") ? [task.id] : [];
    });
    const line = { type: "edit" as const, at, changes: [...changes] };
    if (live !== undefined) return tellRun(context.ports, live.folder, line);
    // A run that was killed is told, for the one that takes over: it must not take the edit for its agent's.
    const killed = await findKilledRun(context.ports, project);
    // If the log cannot be written, the next run names the edit, which does no harm.
    if (killed !== undefined) await tellRun(context.ports, killed.folder, line).catch(() => undefined);
  });
  if (!edited.ok) return edited;
  return ok({ updated: edited.value.updated, inHand, ...given({ run }) });
}

/** Says where the work at a task that was in progress stays. */
function workText(id: TaskId, run: string | undefined): string {
  return run === undefined
    ? `${id}: unfinished work, if any, stays in the working tree`
    : `${id}: run ${run} stops its attempt; its work is kept: looper rescue`;
}

export async function refusal(
  context: CommandContext,
  file: string,
  failure: EditRefusal,
): Promise<UserError> {
  const shown = shownPath(context, file);
  if (failure.kind === "refused") {
    const refused = failure.refusals.map(
      ({ change, why }) => `${"id" in change ? change.id : change.op}: ${why}`,
    );
    return new UserError("no", refused.join("; "));
  }
  if (failure.kind === "invalid") {
    const [first, ...more] = failure.problems;
    const rest = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
    return usageError(`${first?.message ?? "not valid"}${rest}`, first?.suggestion ?? "nothing was changed");
  }
  if (failure.read.kind !== "missing")
    return usageError(
      `${shown} is not a valid backlog; nothing was changed`,
      "list the problems with `looper validate`",
    );
  const create = 'create one with `looper init`, or draft one with `looper run --prompt "what to build"`';
  return usageError(`no task file ${shown}`, await hintOfTaskFile(context.ports.files, file, create));
}
