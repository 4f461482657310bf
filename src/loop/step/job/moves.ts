// Rows that move on without an agent: answers and timeouts that are taken, workflows that a person completed, positions that are
// not there any more. Pure. choose.ts asks for them before it selects a task.
import { given } from "../../../system/given.js";
import type { IndexRow, TaskId } from "../../../todo/model/task.js";
import { findShownStage } from "../../../workflow/advance.js";
import type { Answer, ProgressRow } from "../../../workflow/progress.js";
import { describeBy } from "../../../workflow/question.js";
import { findAutomatic, makeAsk, planEnd, planMove, type Move, type MoveOrder } from "./advance.js";
import type { Decision } from "../decision.js";
import { explainTaskOver } from "./spending.js";
import { hasAgent } from "./routes.js";
import { isInWorkflow, locate, type Position } from "./stage.js";
import type { Work } from "../state.js";

/** The need of a row before any task is selected. */
export type RowNeed =
  /** Its row moves on, without a job. */
  | { kind: "move"; row: IndexRow; move: Move }
  /** A job takes it to `block`, because the work has to leave the tree. */
  | { kind: "give-up"; row: IndexRow; move: Move }
  /** A job drops the changes of a stage first. */
  | { kind: "discard"; row: IndexRow; move: Move; outcome: string; stage: string }
  /** It is paused, and its work is in the tree. */
  | { kind: "shelve"; row: IndexRow }
  /** A job carries out the end where it is. */
  | { kind: "end"; row: IndexRow };

/** L22: every answer is taken exactly once; what a row asks for, or `undefined`: it is selected like any other. */
export function findNeed(work: Work, row: IndexRow, at: number): RowNeed | undefined {
  const { progress } = row;
  if (row.status === "done" || progress === undefined) return undefined;
  if (progress.paused === true && row.status === "doing" && progress.asked === undefined)
    return work.git ? { kind: "shelve", row } : undefined;
  if (progress.complete === true) return findCompleteNeed(row, progress);
  if (!isInWorkflow(row)) return undefined;
  const position = locate(work.rules, row);
  // A question at an end: a person moved the row past it. The store lets no job begin there, so the task waits.
  if (position.kind === "end")
    return progress.paused === true || progress.asked !== undefined ? undefined : { kind: "end", row };
  if (position.kind === "lost") return makeGiveUp(row, progress, position.why);
  if (position.kind !== "stage") return undefined;
  if (progress.asked !== undefined) return findAnswerNeed(work, row, { progress, position, at });
  if (position.stage.kind === "ask") return findUnaskedNeed(work, row, { progress, position, at });
  const over = explainTaskOver(work, row.id);
  return over !== undefined && hasAgent(position.stage.kind) ? makeGiveUp(row, progress, over) : undefined;
}

function findCompleteNeed(row: IndexRow, progress: ProgressRow): RowNeed | undefined {
  const isThere = !isInWorkflow(row) || progress.stage === "finish";
  if (isThere && progress.asked === undefined) return { kind: "end", row };
  const move = planEnd(makeOrder(row, progress), { outcome: "complete", to: "finish", reasons: [] });
  return { kind: "move", row, move };
}

function makeOrder(row: IndexRow, progress: ProgressRow): Pick<MoveOrder, "id" | "progress" | "status"> {
  return { id: row.id, progress, status: row.status === "doing" ? "doing" : "todo" };
}

function makeGiveUp(row: IndexRow, progress: ProgressRow, why: string): RowNeed | undefined {
  if (progress.paused === true) return undefined;
  const move = planEnd(makeOrder(row, progress), { outcome: "blocked", to: "block", reasons: [why] });
  return { kind: "give-up", row, move };
}

interface Asked {
  progress: ProgressRow;
  position: Extract<Position, { kind: "stage" }>;
  at: number;
}

/** The answer of a person, or of the timeout; one that the stage does not declare is not taken (L19). */
function findAnswerNeed(
  { rules, git }: Work,
  row: IndexRow,
  { progress, position, at }: Asked,
): RowNeed | undefined {
  const { workflow } = position;
  const { answered } = progress;
  const automatic = answered === undefined ? findStandIn(rules, position, { progress, at }) : undefined;
  if (answered === undefined && automatic === undefined) return undefined;
  const isStage = progress.asked === "stage";
  const said = answered?.outcome ?? automatic?.outcome;
  if (isStage && said === undefined) return undefined;
  const outcome = (isStage ? said : undefined) ?? "asks";
  const order: MoveOrder = { rules, workflow, at, ...makeOrder(row, progress), takes: given({ automatic }) };
  const move = planMove(order, outcome);
  if (move === undefined) return undefined;
  const taken = isStage ? move : withOutcome(move, said);
  if (move.to === "block")
    return progress.paused === true ? undefined : { kind: "give-up", row, move: withReason(taken, progress) };
  const stage = move.discard === true ? findShownStage(workflow, progress.stage, progress) : undefined;
  if (stage !== undefined && !git) return { kind: "move", row, move: withUndropped(taken, row, stage) };
  return stage === undefined || progress.verdict === undefined
    ? { kind: "move", row, move: taken }
    : { kind: "discard", row, move: taken, outcome, stage };
}

/** Without git no change can be dropped, and a stage that was rejected must not be taken for undone. */
function withUndropped(move: Move, { id }: IndexRow, stage: string): Move {
  const message = `the changes of ${stage} of ${id} are still in the files: without git they cannot be dropped`;
  return { ...move, notes: [...move.notes, { type: "warning", task_id: id, message }] };
}

/** L24: what answers in place of a person: a setting, an earlier answer that still holds, or the timeout. */
function findStandIn(
  rules: Work["rules"],
  { workflow }: Asked["position"],
  { progress, at }: Pick<Asked, "progress" | "at">,
): Omit<Answer, "question"> | undefined {
  const { stage, deadline, on_timeout, asked } = progress;
  const setting = asked === "stage" ? findAutomatic(stage, { rules, progress, at }) : undefined;
  const [agrees] = makeAsk(workflow, stage, { at })?.outcomes ?? [];
  if (setting !== undefined && agrees !== undefined) return { ...setting, outcome: agrees };
  const isOver = deadline !== undefined && on_timeout !== undefined && Date.parse(deadline) <= at;
  return isOver
    ? { by: "timeout", via: "timeout", at: new Date(at).toISOString(), outcome: on_timeout }
    : undefined;
}

/** The answer to an agent's question leads to the same stage, whatever it is. */
function withOutcome(move: Move, outcome: string | undefined): Move {
  const [first, ...rest] = move.advances;
  return first === undefined || outcome === undefined
    ? move
    : { ...move, advances: [{ ...first, outcome }, ...rest] };
}

function withReason(move: Move, { stage, answered }: ProgressRow): Move {
  const last = move.advances.at(-1);
  if (last === undefined || last.reasons !== undefined) return move;
  const who = answered === undefined ? "not answered in time" : describeBy(answered);
  const remark = answered?.comment === undefined ? "" : `: ${answered.comment}`;
  const reasons = [`${stage}: ${last.outcome}, ${who}${remark}`];
  return { ...move, advances: [...move.advances.slice(0, -1), { ...last, reasons }] };
}

/** An ask stage without its question: a person edited the row. It is asked, and nothing passes it. */
function findUnaskedNeed(
  { rules }: Work,
  row: IndexRow,
  { progress, position, at }: Asked,
): RowNeed | undefined {
  if (row.status === "doing") return { kind: "shelve", row };
  const { workflow } = position;
  const move = planMove({ rules, workflow, at, ...makeOrder(row, progress) }, "asks");
  if (move === undefined) return undefined;
  return move.to === "block" ? { kind: "give-up", row, move } : { kind: "move", row, move };
}

/** The needs of the rows of a run, in the order of the file. */
export function listNeeds(
  work: Work,
  { only, inHand }: { only: ReadonlySet<TaskId> | undefined; inHand: readonly TaskId[] },
  decision: Decision,
): RowNeed[] {
  return work.index.values.flatMap((row) => {
    if (row.progress === undefined || work.final.has(row.id)) return [];
    if (inHand.includes(row.id) || only?.has(row.id) === false) return [];
    return findNeed(work, row, decision.at) ?? [];
  });
}
