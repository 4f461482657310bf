// A task's progress on the simulated disk: the changes of the runner and of people, as todo/change makes them, on rows alone.
import { given } from "../../../system/given.js";
import { never } from "../../../system/never.js";
import type { Advance, AskedQuestion, Change } from "../../../todo/model/changes/change.js";
import type { PersonChange } from "../../../todo/model/changes/person-change.js";
import type { IndexRow } from "../../../todo/model/task.js";
import { isEnd } from "../../../workflow/advance.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import { toProgressRow } from "../../../workflow/to-progress-row.js";

/** A change of the progress, by the runner or by a person. */
export type StageChange =
  | Extract<Change, { op: "enter" | "advance" }>
  | Extract<PersonChange, { op: "answer" | "pause" | "resume" | "note" | "complete" | "restart" | "adopt" }>;

/** The changed row, or why the change is refused. */
export function changeStage(row: IndexRow, change: StageChange): IndexRow | string {
  if (row.status === "done") return "it is done";
  switch (change.op) {
    case "enter":
      return enter(row, change);
    case "advance":
      return advance(row, change);
    case "answer":
      return answer(row, change);
    case "pause":
      return { ...row, progress: { ...(row.progress ?? NOT_STARTED), paused: true } };
    case "resume":
      return { ...row, progress: without(row.progress ?? NOT_STARTED, "paused") };
    case "note":
      return { ...row, progress: row.progress ?? NOT_STARTED };
    case "complete":
      return { ...row, progress: { ...without(row.progress ?? NOT_STARTED, "paused"), complete: true } };
    case "restart":
      return restart(row, change);
    case "adopt":
      return { ...row, status: change.status, progress: toProgressRow(change.progress) };
    default:
      return never(change);
  }
}

const NOT_STARTED: ProgressRow = { workflow: "default", stage: "block", visit: 1 };

function without(progress: ProgressRow, ...keys: readonly (keyof ProgressRow)[]): ProgressRow {
  const rest = { ...progress };
  for (const key of keys) Reflect.deleteProperty(rest, key);
  return rest;
}

function enter(row: IndexRow, change: Extract<StageChange, { op: "enter" }>): IndexRow | string {
  const { workflow, digest, to, ask } = change;
  const before = row.progress;
  if (before !== undefined && before.stage !== "block") return `it is in the stage ${before.stage}`;
  const progress: ProgressRow = {
    ...{ workflow, digest, stage: to, visit: 1 },
    ...(isEnd(to) ? {} : { visits: { [to]: 1 } }),
    ...given({ agents: before?.agents, complete: before?.complete, paused: before?.paused }),
  };
  return ask === undefined ? { ...row, progress } : asked(row, progress, ask);
}

function asked(row: IndexRow, progress: ProgressRow, ask: AskedQuestion): IndexRow {
  const { source, shows, deadline, on_timeout } = ask;
  const shown = shows === undefined ? undefined : `digest of ${shows}`;
  return {
    ...row,
    status: "blocked",
    progress: { ...progress, asked: source, ...given({ shown, deadline, on_timeout }) },
  };
}

const QUESTION = ["asked", "answered", "shown", "deadline", "on_timeout"] as const;

function advance(row: IndexRow, change: Advance): IndexRow | string {
  const { progress } = row;
  const { expect, to, takes, ask, status, work, output } = change;
  if (progress?.stage !== expect.stage || progress.visit !== expect.visit) return "it is elsewhere";
  const isLeft = progress.complete === true || to === "block";
  if (takes === undefined && progress.asked !== undefined && !isLeft) return "its question is not taken";
  if (takes !== undefined && progress.asked === undefined) return "it has no question";
  if (takes !== undefined && takes.automatic === undefined && progress.answered === undefined)
    return "its question is not answered";
  if (takes?.automatic !== undefined && progress.answered !== undefined) return "it was answered meanwhile";
  const next: ProgressRow = {
    ...without(progress, ...QUESTION, "verdict", "base"),
    ...{ stage: to, visit: progress.visit + 1 },
    ...(isEnd(to) ? {} : { visits: { ...progress.visits, [to]: (progress.visits?.[to] ?? 0) + 1 } }),
    ...given(
      work === null ? {} : { verdict: work?.verdict ?? progress.verdict, base: work?.base ?? progress.base },
    ),
    ...(output === undefined ? {} : { agents: { ...progress.agents, [output.stage]: output.agent } }),
    ...(change.grant === true ? { grants: [...(progress.grants ?? []), expect.stage] } : {}),
  };
  const moved = { ...row, status, progress: next };
  return ask === undefined ? moved : asked(moved, next, ask);
}

function answer(
  row: IndexRow,
  { outcome, by, via }: Extract<PersonChange, { op: "answer" }>,
): IndexRow | string {
  const { progress } = row;
  if (progress?.asked === undefined) return "the question is not open";
  if (progress.answered !== undefined) return "it was already answered";
  return {
    ...row,
    status: "todo",
    progress: { ...progress, answered: { ...given({ outcome }), by, via } },
  };
}

function restart(row: IndexRow, { stage }: Extract<PersonChange, { op: "restart" }>): IndexRow {
  const { workflow, digest, visit, agents, verdict, base } = row.progress ?? NOT_STARTED;
  const kept = stage === undefined ? {} : given({ verdict, base });
  return {
    ...row,
    status: "todo",
    progress: { workflow, stage: "block", visit, ...kept, ...given({ digest, agents, restart: stage }) },
  };
}

/** A task that is given up keeps where it was; a person's rejection pauses it. */
export function giveUp(row: IndexRow): IndexRow {
  if (row.progress === undefined) return row;
  const progress = without(row.progress, ...QUESTION, "verdict", "base", "grants");
  return { ...row, progress: { ...progress, stage: "block" } };
}

/** Why a task may not be claimed (L22). */
export function whyNotClaimed({ progress }: IndexRow): string | undefined {
  if (progress?.paused === true) return "it is paused";
  return progress?.asked === undefined ? undefined : "it has a question";
}
