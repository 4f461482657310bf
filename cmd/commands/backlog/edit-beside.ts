// Edits the task file while a run is in progress. Makes the edit here and notifies the run. When the run may be working on
// the task, it asks the run to make the edit, which ends the attempt first. Leaves the edit itself and printing to edit.ts.
import { join } from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { findKilledRun, findLiveRun, type LiveRun } from "../../../src/loop/runs/live-run.js";
import { tellRun } from "../../../src/logging/control.js";
import { readEvent, readLines } from "../../../src/logging/read.js";
import type { StoppedAttempt } from "../../../src/logging/events/told-events.js";
import { UserError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { ok, type Result } from "../../../src/system/result.js";
import type { Applied } from "../../../src/todo/model/changes/change.js";
import {
  endsAttempt,
  taskOfChange,
  type PersonChange,
  type TimedChanges,
} from "../../../src/todo/model/changes/person-change.js";
import type { Ports } from "../../../src/system/ports.js";
import type { Store } from "../../../src/todo/store/store.js";
import type { Backlog, Status, TaskId } from "../../../src/todo/model/task.js";
import type { EditRefusal } from "../../../src/todo/store/writer.js";
import type { CommandContext } from "../../context/command-context.js";

/** The result of an edit. */
export interface MadeEdit {
  updated: Applied["updated"];
  /** The run that was notified. */
  run?: string;
  /** Attempts that the edit stopped. */
  stopped: readonly StoppedAttempt[];
}

/** Where an edit is made. */
export interface EditSite {
  project: Project;
  store: Store;
}

/** A request to a run. */
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
    wanted = (backlog) => changes.filter((change) => change.op !== "remove" || isThere(backlog, change.id));
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

function isThere({ tasks }: Backlog, id: TaskId): boolean {
  return tasks.some((task) => task.id === id);
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
  | { outcome: "refused"; why: string }
  | { outcome: "left" };

const LOOK_EVERY_MS = 100;
const HEARD_WITHIN_MS = 15_000;
/** An agent is given 5 s, its leftovers 10 s, a command of git's 60 s; a hook after an attempt may take longer. */
const ANSWERED_WITHIN_MS = 600_000;

/** The run's answer; `undefined` when it ended without one. */
async function answerOf(
  context: CommandContext,
  project: Project,
  asked: Asked,
): Promise<Answer | undefined> {
  const { clock } = context.ports;
  const began = clock.monotonic();
  const seen: Seen = { from: asked.from, heard: false, updated: [] };
  for (;;) {
    const isOver = (await findLiveRun(context.ports, project))?.run !== asked.live.run;
    const answer = await readOn(context, asked, seen);
    if (answer !== undefined || isOver) return answer;
    const waited = clock.monotonic() - began;
    if (waited > (seen.heard ? ANSWERED_WITHIN_MS : HEARD_WITHIN_MS)) throw deaf(asked.live);
    await clock.sleep(LOOK_EVERY_MS);
  }
}

interface Seen {
  from: number;
  heard: boolean;
  updated: Applied["updated"];
}

async function readOn(
  { ports }: CommandContext,
  { live, request }: Asked,
  seen: Seen,
): Promise<Answer | undefined> {
  for await (const line of readLines(ports, live.folder, seen.from)) {
    seen.from = line.end;
    if (line.value["request"] !== request) continue;
    const event = await readEvent(ports, live.folder, line);
    if (event?.type === "edit_asked") seen.heard = true;
    if (event?.type === "backlog_changed") seen.updated = event.updated.map(withoutAbsent);
    if (event?.type !== "edit_answered") continue;
    const { outcome, why = "", stopped } = event;
    if (outcome === "applied") return { outcome, updated: seen.updated, stopped };
    return outcome === "refused" ? { outcome, why } : { outcome };
  }
  return undefined;
}

function withoutAbsent({
  id,
  from,
  to,
}: {
  id: TaskId;
  from?: Status | undefined;
  to?: Status | undefined;
}): Applied["updated"][number] {
  return { id, ...given({ from, to }) };
}

function deaf({ run, pid }: LiveRun): UserError {
  return new UserError(
    "environment",
    `cannot edit the task: run ${run} (pid ${String(pid)}) does not answer`,
    `check that it is alive; it makes the edit when it answers, and \`kill ${String(pid)}\` loses nothing`,
  );
}
