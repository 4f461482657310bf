// Effects that read and change the backlog alone. src/todo/store/store.ts reads and writes the file.
import { basename, join, relative } from "node:path";
import type { StepEvent } from "../../logging/events/events.js";
import { findLeftBehind } from "../../git/checkpoint/checkpoint.js";
import { readBranchName } from "../../git/base/repository/head.js";
import { environmentError } from "../../system/errors.js";
import { never } from "../../system/never.js";
import type { Change } from "../../todo/model/changes/change.js";
import type { Problem } from "../../todo/model/problem.js";
import { indexOf } from "../../todo/model/select.js";
import type { Backlog, IndexRow, Task } from "../../todo/model/task.js";
import { understandBacklog, describeCorrections } from "../../todo/understand/understand.js";
import type { ChangeOptions, Changed } from "../../todo/store/store.js";
import type { ChangeResult } from "../step/jobs.js";
import { findKnownVersion } from "./known-version.js";
import type { World } from "./world.js";
import { checkBacklog } from "../../todo/check/check.js";
import { editBacklog } from "../../todo/json/edit.js";
import { encode } from "../../todo/store/backlog-file.js";
import { isAnswered } from "../../workflow/question.js";
import { findChangedFile, refusesShown } from "../runs/output-files.js";
import { taskToSettle } from "../step/edits.js";
import type { EffectOf } from "../step/effects.js";
import { keepAttempt, noteStart } from "./tree/keep-attempt.js";
import { forgetCheckpoints } from "./tree/perform-tree.js";

type Row = ChangeResult["rows"][number];

const MOST_PROBLEMS = 50;

/** Reads the backlog, corrects obvious mistakes, and writes its rows beside the log. */
export async function performRead(world: World): Promise<StepEvent> {
  await withdrawUnshown(world);
  const found = await world.store.readSaved();
  const read = found.kind === "invalid" && (await correctMistakes(world)) ? await world.store.read() : found;
  switch (read.kind) {
    case "ok": {
      world.memory.backlog = read.backlog;
      const rows = read.index.rows.map(toEventRow);
      const index = `index-${String(++world.memory.indexCount)}.json`;
      await world.ports.files.writeAtomic(join(world.log.folder, index), JSON.stringify(rows), {
        mode: 0o600,
      });
      const left = await findTaskLeftBehind(world, rows);
      return {
        type: "backlog_read",
        digest: read.index.digest,
        tasks: rows.filter(({ marker }) => marker !== true).length,
        rows,
        index,
        left_behind: left,
      };
    }
    case "missing":
    case "empty": {
      const what = read.kind === "missing" ? read.kind : isBlank(read.bytes) ? "empty" : "no-tasks";
      const { ports, project, repo, log } = world;
      return makeInvalidEvent(what, [], await findKnownVersion({ ports, project, repo, run: log.run }));
    }
    case "invalid":
      return makeInvalidEvent("broken", read.problems, undefined);
    default:
      return never(read);
  }
}

/** The task that a person edited after its run died, if its work is still in the tree. */
async function findTaskLeftBehind(
  { repo, project }: World,
  rows: readonly Row[],
): Promise<string | undefined> {
  if (repo === undefined || project.resolved.settings.git.on_failure !== "restore") return undefined;
  const isInProgress = (id: string): boolean => rows.some((row) => row.id === id && row.status === "doing");
  return await findLeftBehind(repo, isInProgress);
}

/** Corrects obvious mistakes in a broken file if that makes it valid, and keeps a copy. Returns whether it did. */
async function correctMistakes({ store, project, check, log }: World): Promise<boolean> {
  let says = "";
  const done = await store.rewrite(
    (bytes) => {
      const understood = understandBacklog(bytes, check);
      if (understood === undefined) return bytes;
      says = describeCorrections(understood.corrections);
      return understood.bytes;
    },
    () => "broken",
  );
  if (done?.written !== true) return false;
  const kept = done.copy === undefined ? "" : `; the file as it was is ${done.copy}`;
  await log.tell({ type: "warning", message: `corrected ${basename(project.todoFile)}: ${says}${kept}` });
  return true;
}

function makeInvalidEvent(
  what: "missing" | "empty" | "no-tasks" | "broken",
  problems: readonly Problem[],
  known: string | undefined,
): StepEvent {
  return {
    type: "backlog_invalid",
    what,
    problems: problems.slice(0, MOST_PROBLEMS).map(({ suggestion, ...rest }) => ({
      ...rest,
      suggestion: suggestion ?? undefined,
    })),
    count: problems.length,
    known,
  };
}

/** The result of changes, as an event carries it, and the bytes of the file that it describes. */
interface ChangedBacklog {
  outcome: ChangeResult;
  bytes: Uint8Array;
}

/**
 * Has the store apply the run's changes; without any, it only takes over the edits of others. Remembers finished tasks, since a
 * person's save must not undo them.
 */
export async function changeBacklog(
  world: World,
  changes: readonly Change[],
  during: "agent" | "idle",
  { beforeWrite, inHand }: Pick<ChangeOptions, "beforeWrite" | "inHand"> = {},
): Promise<ChangedBacklog> {
  if (during === "idle") await withdrawUnshown(world);
  const { finished, reader } = world.memory;
  const changed = await world.store.change(changes, {
    while: during === "agent" && reader !== undefined ? "reader" : during,
    ...{ beforeWrite, inHand, finished },
    ...(world.project.resolved.settings.loop.apply_summary ? {} : { byAgents: true as const }),
  });
  if (!changed.ok) throw new Error("cannot change the backlog: it was never read");
  const outcome = toChangeResult(world, changed.value);
  for (const { id, to } of outcome.updated) if (to === "done") finished.add(id);
  return { outcome, bytes: changed.value.bytes };
}

/** Converts the store's result to the fields of events. */
function toChangeResult(world: World, changed: Changed): ChangeResult {
  world.memory.backlog = changed.backlog;
  const { edits, heard } = changed;
  return {
    updated: changed.applied.updated,
    refused: changed.applied.refused.map(({ change, why }) => ({
      op: change.op,
      id: "id" in change ? change.id : undefined,
      why,
    })),
    warnings: [...changed.applied.warnings],
    rows: changed.changedRows.map(toEventRow),
    removed: [...changed.removed],
    digest: changed.index.digest,
    sha256: changed.sha256,
    saved: changed.saved ? true : undefined,
    edits: edits && {
      ...{ added: edits.added, changed: edits.changed },
      removed: edits.removed.length === 0 ? undefined : edits.removed,
      ...{ put_back: edits.putBack, copy: edits.copy },
    },
    ...(heard && { heard: heard.map(({ at, changes }) => ({ at, changes: [...changes] })) }),
  };
}

/** A result in which nothing changed. */
export function makeEmptyResult(backlog: Backlog | undefined): ChangeResult {
  const digest = backlog === undefined ? "" : indexOf(backlog).digest;
  return { updated: [], refused: [], warnings: [], rows: [], removed: [], digest };
}

/** Whether the file has only white space, so that it is not even an empty backlog. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && Buffer.from(bytes).toString("utf8").trim() === "";
}

function toEventRow(row: IndexRow): Row {
  const { depends_on, ...rest } = row;
  return { ...rest, depends_on: [...depends_on] };
}

// L24: answers that a person wrote into the task file, about a plan that is not what was asked about any more: they
// are taken out again, as a command would have refused them, and their questions stay open.

type AnswerWorld = Pick<World, "ports" | "project" | "log" | "store" | "workflows" | "memory">;

/** Takes them out of the file, and says so. An answer by a command names what it is about, and was checked when it was given. */
async function withdrawUnshown(world: AnswerWorld): Promise<void> {
  const { ports, project, store, log } = world;
  const known = world.memory.backlog?.tasks;
  const isAsked = known === undefined || known.some(({ progress }) => progress?.question !== undefined);
  if (world.workflows === undefined || !isAsked) return;
  const bytes = await ports.files.read(project.todoFile);
  const checked = bytes === undefined ? undefined : checkBacklog(bytes);
  if (checked?.kind !== "ok") return;
  const withdrawn = new Set<string>();
  for (const task of checked.backlog.tasks) {
    const why = await explainUnshown(world, task);
    if (why === undefined) continue;
    withdrawn.add(task.id);
    await log.tell({ type: "warning", task_id: task.id, message: why });
  }
  if (withdrawn.size === 0) return;
  await store.rewrite((now) => {
    const found = checkBacklog(now);
    if (found.kind !== "ok") return now;
    const tasks = found.backlog.tasks.map((task) => (withdrawn.has(task.id) ? withoutAnswer(task) : task));
    return encode(editBacklog(found.text, found.backlog, { ...found.backlog, tasks }), found.bom);
  });
}

async function explainUnshown({ ports, project }: AnswerWorld, task: Task): Promise<string | undefined> {
  const { answer, question } = task.progress ?? {};
  if (answer === undefined || question === undefined || !isAnswered(task.progress)) return undefined;
  const isTold = answer.shown_sha256 !== undefined || answer.edited !== undefined;
  if (isTold || refusesShown(task, answer.outcome)) return undefined;
  const { tasksDir } = project.paths;
  const changed = await findChangedFile(ports.files, tasksDir, task);
  if (changed === undefined) return undefined;
  const shown = (file: string): string => relative(project.folder, join(tasksDir, file));
  const how = changed.missing ? "is missing" : `was changed after ${question.id} was asked`;
  return `the answer to ${question.id} in the task file is not taken, and was taken out: ${shown(changed.file)} ${how}: restore it from ${shown(changed.copy)}, or answer with a command: looper questions ${task.id}`;
}

function withoutAnswer(task: Task): Task {
  if (task.progress === undefined) return task;
  const { answer: _answer, ...progress } = task.progress;
  return { ...task, progress };
}

/** Changes only the backlog, and drops the checkpoints of tasks it blocks. */
export async function performChange(world: World, effect: EffectOf<"change-backlog">): Promise<StepEvent> {
  const { changes, during } = effect;
  if (during === "idle") await refuseOtherBranch(world);
  await noteStart(world);
  const { outcome } = await changeBacklog(world, changes, during, { inHand: taskToSettle(effect) });
  if (effect.job?.job === world.memory.reader) world.memory.reader = undefined;
  if (effect.job !== undefined) await keepAttempt(world, effect.job);
  const isRefused = (id: string): boolean => outcome.refused.some((one) => one.id === id);
  await forgetCheckpoints(
    world,
    changes.flatMap((change) => (change.op === "block" && !isRefused(change.id) ? [change.id] : [])),
  );
  return { type: "backlog_changed", ...effect.job, ...outcome };
}

/** A person or a hook may switch the branch between two attempts: what is done would not be on the branch that the file is on. */
async function refuseOtherBranch({ repo, memory }: World): Promise<void> {
  if (repo === undefined) return;
  const now = await readBranchName(repo);
  memory.branch ??= now;
  if (memory.branch === now) return;
  throw environmentError(
    `a person or a hook switched from ${memory.branch} to ${now} between two attempts`,
    `to continue here: looper run; to go back first: git switch ${memory.branch}; to work on another branch beside a run: git worktree add ../NAME BRANCH`,
  );
}
