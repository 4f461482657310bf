// Edits tasks, as every command that does: the store changes the newest backlog. While a run is in progress the edit is made here and
// the run is notified; when the run may be working on the task, it is asked to make the edit, which ends the attempt first. Leaves
// the changes to src/todo/change/person-edits.ts, and the rules to the store.
import { join } from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import type { TrustLine } from "../../src/config/trust/trust.js";
import { loadWorkflow } from "../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../src/config/workflows/find-workflows.js";
import { tellRun } from "../../src/logging/control.js";
import type { StoppedAttempt } from "../../src/logging/events/told-events.js";
import { readEvent, readLines } from "../../src/logging/read.js";
import { findKilledRun, findLiveRun, type LiveRun } from "../../src/loop/runs/live-run.js";
import { environmentError, usageError, UserError } from "../../src/system/errors.js";
import type { Ports } from "../../src/system/ports.js";
import { ok, type Result } from "../../src/system/result.js";
import type { PersonEdit } from "../../src/todo/change/person-edits.js";
import type { Applied } from "../../src/todo/model/changes/change.js";
import {
  endsAttempt,
  taskOfChange,
  type PersonChange,
  type TimedChanges,
} from "../../src/todo/model/changes/person-change.js";
import type { Backlog, Status, TaskId } from "../../src/todo/model/task.js";
import { openStore, type Store } from "../../src/todo/store/store.js";
import type { EditRefusal } from "../../src/todo/store/writer.js";
import { editAnswer } from "../../src/ui/answers/backlog/edit.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { clean } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { stoppedText } from "../../src/ui/view/words/stopped-text.js";
import { JSON_OPTION, TODO_FILE, type AnsweringCommand, type SaidAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { approve } from "./approve.js";
import { checkOptionsOf } from "./check-options.js";
import { hintOfTaskFile, printSaid, projectOf, shownPath } from "./project.js";
import { refuseAgents } from "./under-an-agent.js";

export type EditingCommand<Request extends object> = AnsweringCommand<
  Request & { file?: string },
  SaidAnswer
>;

export const EDITING = { options: [TODO_FILE, JSON_OPTION], print: printSaid };

export interface Wish {
  decide: PersonEdit;
  say: (answer: EditAnswer) => string[];
  /** Verify commands that were typed for these tasks. */
  commands?: readonly string[];
  /** The workflow that was typed; absent or empty: none. */
  workflow?: { name: string | undefined; namedBy: string };
  /** Why an agent is refused, and what it can do instead. */
  refused?: { what: string; instead: string };
}

const REFUSED = {
  what: "an agent of a run may not edit the backlog",
  instead: "report it in the summary: new_tasks, blockers",
};

export async function edit(
  context: CommandContext,
  { file }: { file?: string | undefined },
  { decide, say, commands = [], workflow, refused = REFUSED }: Wish,
): Promise<SaidAnswer & { json: EditAnswer }> {
  const { ports } = context;
  await refuseAgents(context, { ...refused, file });
  const project = await projectOf(context, { file });
  if (workflow?.name !== undefined && workflow.name !== "")
    await loadWorkflow(ports.files, workflowPlaces({ ...context, project }), {
      ...workflow,
      name: workflow.name,
    });
  const check = await checkOptionsOf(context, project);
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir, check });
  const edited = await editBeside(context, { project, store }, decide);
  if (!edited.ok) throw await refusal(context, project.todoFile, edited.error);
  const read = await store.read();
  const json = editAnswer(project.todoFile, edited.value, read.kind === "ok" ? read.backlog.tasks : []);
  if (commands.length > 0) {
    const isMine = ({ what, value }: TrustLine): boolean =>
      what.startsWith("verify of ") && commands.includes(value);
    await approve(context, { project, tasks: json.tasks, isMine });
  }
  const stopped = edited.value.stopped.map(stoppedText).filter((line) => line !== "");
  return { json, lines: [...say(json), ...stopped].map(clean) };
}

export function statusLines({ changed }: EditAnswer): string[] {
  return changed.map(({ id, from, to }) =>
    from === to ? `${id}: ${to ?? ""}, as before` : `${id}: ${from ?? ""} → ${to ?? ""}`,
  );
}

export interface MadeEdit {
  updated: Applied["updated"];
  run?: string;
  stopped: readonly StoppedAttempt[];
}

export interface EditSite {
  project: Project;
  store: Store;
}

interface Asked {
  live: LiveRun;
  request: string;
  /** Length of its log before the request. */
  from: number;
}

/** Makes the whole edit or nothing; waits for a run that works on one of its tasks, and throws when the run refuses. */
export async function editBeside(
  context: CommandContext,
  site: EditSite,
  decide: (backlog: Backlog) => readonly PersonChange[],
): Promise<Result<MadeEdit, EditRefusal>> {
  let wanted = decide;
  let first: Applied["updated"] | undefined;
  let leaving: string | undefined;
  for (;;) {
    let run: string | undefined;
    let asked: Asked | undefined;
    let inHand: readonly TaskId[] = [];
    const edited = await site.store.edit(wanted, async (told, backlog) => {
      const live = await findLiveRun(context.ports, site.project);
      inHand = tasksInHand(told.changes, backlog, "doing");
      if (live === undefined) {
        await tellNextRun(context.ports, site.project, told);
        return true;
      }
      run = live.run;
      if (live.run !== leaving && isForRun(site, told, backlog)) {
        asked = await ask(context, live, told);
        return false;
      }
      await tellRun(context.ports, live.folder, { type: "edit", ...told, changes: [...told.changes] });
      return true;
    });
    if (!edited.ok) return edited;
    const { updated, changes, written } = edited.value;
    const named = run === undefined ? {} : { run };
    if (written || asked === undefined) {
      // Without a run in progress, unfinished work of an ended run stays in the tree. The message names it.
      const isLeft = first !== undefined || run === undefined;
      const stopped = isLeft ? inHand.map((id) => ({ task_id: id, kept: "tree" as const })) : [];
      return ok({ updated: first ?? updated, ...named, stopped });
    }
    const answer = await answerOf(context, site.project, asked);
    if (answer?.outcome === "applied")
      return ok({ updated: answer.updated, ...named, stopped: answer.stopped });
    if (answer?.outcome === "refused") throw new UserError("no", answer.why);
    // The run is ending or dead. It may have made the edit and died before it logged that.
    first ??= updated;
    leaving = asked.live.run;
    wanted = ({ tasks }) =>
      changes.filter((change) => change.op !== "remove" || tasks.some(({ id }) => id === change.id));
  }
}

/** Tells a run that was killed, for the one that takes over: it must not take the edit for its agent's. */
async function tellNextRun(
  ports: Ports,
  project: Project,
  { at, changes }: { at: string; changes: readonly PersonChange[] },
): Promise<void> {
  const killed = await findKilledRun(ports, project);
  if (killed === undefined) return;
  // If the log cannot be written, the next run names the edit, which does no harm.
  await tellRun(ports, killed.folder, { type: "edit", at, changes: [...changes] }).catch(() => undefined);
}

/** Tasks with one of these statuses that the changes remove or give another status. */
function tasksInHand(
  changes: readonly PersonChange[],
  { tasks }: Backlog,
  ...statuses: readonly Status[]
): TaskId[] {
  return changes.flatMap((change) => {
    const task = tasks.find(({ id }) => id === taskOfChange(change));
    if (task === undefined || !statuses.includes(task.status)) return [];
    return endsAttempt(change, task.status) ? [task.id] : [];
  });
}

/**
 * Whether the run must make the edit: it may be working on the task or about to commit it. Where agents mark their rows
 * themselves, the status in the file does not show this.
 */
function isForRun({ project }: EditSite, { changes }: TimedChanges, backlog: Backlog): boolean {
  const { apply_summary } = project.resolved.settings.loop;
  const others: readonly Status[] = apply_summary ? [] : ["todo", "blocked"];
  return tasksInHand(changes, backlog, "doing", "done", ...others).length > 0;
}

async function ask({ ports }: CommandContext, live: LiveRun, { at, changes }: TimedChanges): Promise<Asked> {
  const request = ports.random.hex(8);
  const from = (await ports.files.stat(join(live.folder, "events.jsonl")))?.size ?? 0;
  await tellRun(ports, live.folder, { type: "ask", at, request, changes: [...changes] });
  return { live, request, from };
}

type Answer =
  | { outcome: "applied"; updated: Applied["updated"]; stopped: readonly StoppedAttempt[] }
  | { outcome: "refused"; why: string };

const LOOK_EVERY_MS = 100;
const HEARD_WITHIN_MS = 15_000;
/** An agent is given 5 s, its leftovers 10 s, a command of git's 60 s; a hook after an attempt may take longer. */
const ANSWERED_WITHIN_MS = 600_000;

/** The run's answer; `undefined` when it ended without one, or left the edit to this process. */
async function answerOf(
  { ports }: CommandContext,
  project: Project,
  { live, request, from }: Asked,
): Promise<Answer | undefined> {
  const began = ports.clock.monotonic();
  let [read, isHeard] = [from, false];
  let updated: Applied["updated"] = [];
  for (;;) {
    const isOver = (await findLiveRun(ports, project))?.run !== live.run;
    for await (const line of readLines(ports, live.folder, read)) {
      read = line.end;
      if (line.value["request"] !== request) continue;
      const event = await readEvent(ports, live.folder, line);
      if (event?.type === "edit_asked") isHeard = true;
      if (event?.type === "backlog_changed") ({ updated } = event);
      if (event?.type !== "edit_answered") continue;
      const { outcome, why = "", stopped } = event;
      if (outcome === "applied") return { outcome, updated, stopped };
      return outcome === "refused" ? { outcome, why } : undefined;
    }
    if (isOver) return undefined;
    const waited = ports.clock.monotonic() - began;
    if (waited > (isHeard ? ANSWERED_WITHIN_MS : HEARD_WITHIN_MS)) throw deaf(live);
    await ports.clock.sleep(LOOK_EVERY_MS);
  }
}

function deaf({ run, pid }: LiveRun): UserError {
  return environmentError(
    `cannot edit the task: run ${run} (pid ${String(pid)}) does not answer`,
    `check that it is alive; it makes the edit when it answers, and \`kill ${String(pid)}\` loses nothing`,
  );
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
