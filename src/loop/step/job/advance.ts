// Makes the changes of a task's row that follow from an outcome: through passed stages and questions that a setting answers, to
// the next stage, question or end. Also the rows that move on without an agent: answers and timeouts that are taken, workflows that a
// person completed, positions that are not there any more. Pure. workflow/advance.ts says where an outcome leads.
import type { Rules } from "../../../logging/rules.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import { given } from "../../../system/given.js";
import type { Advance, AskedQuestion } from "../../../todo/model/changes/change.js";
import type { IndexRow, Status, TaskId } from "../../../todo/model/task.js";
import {
  fillQuestion,
  findShownStage,
  type Lead,
  leadOn,
  listOwnOutcomes,
  type PassedStage,
} from "../../../workflow/advance.js";
import type { Answer, ProgressRow } from "../../../workflow/progress.js";
import { describeBy, questionId } from "../../../workflow/question.js";
import type { Workflow } from "../../../workflow/workflow.js";
import { parseDuration } from "../../../system/text/duration.js";
import type { Decision } from "../decision.js";
import { explainTaskOver } from "./spending.js";
import { hasAgent } from "../jobs.js";
import { isInWorkflow, locate, type Position } from "./stage.js";
import type { Work } from "../state.js";
import { doneBy } from "../../../workflow/stage-kinds.js";

/** Everything that a plan of a move depends on beside the outcome. */
export interface MoveOrder {
  rules: Pick<Rules, "skip" | "auto_approve">;
  id: TaskId;
  workflow: Workflow;
  progress: ProgressRow;
  /** Epoch ms of the decision. */
  at: number;
  /** The status of the task, unless it has to wait for an answer. */
  status: Status;
  takes?: NonNullable<Advance["takes"]>;
  /** The question of an agent, with which the same stage is entered again. */
  ask?: AskedQuestion;
  reasons?: readonly string[];
  /** The report of a stage that reads, in its own words. */
  said?: string;
}

/** A move of a task: the changes of its row, and the lines for readers. */
export interface Move {
  advances: readonly Advance[];
  notes: readonly ToldEvent[];
  /** Where it ends. */
  to: string;
  /** It ends at a question that waits for a person. */
  asks: boolean;
  discard?: true;
}

/**
 * Plans the move that an outcome leads to; `undefined`: the stage does not declare it (L19). L24: a question that a setting answers
 * is asked and answered in the row all the same, in the name of that setting.
 */
export function planMove(order: MoveOrder, outcome: string): Move | undefined {
  const { rules, workflow, progress } = order;
  if (progress.complete === true && order.takes === undefined)
    return planEnd(order, { outcome, to: "finish", reasons: [] });
  const lead = leadOn(workflow, progress, outcome, rules.skip ?? []);
  if (lead === undefined) return undefined;
  const first = makeAdvance(order, outcome, lead);
  return follow(order, first, { outcome, lead });
}

/** A move to an end that the workflow does not decide: it is gone, or a person said that it is complete. */
export function planEnd(
  { id, progress, status }: Pick<MoveOrder, "id" | "progress" | "status">,
  { outcome, to, reasons }: { outcome: string; to: "finish" | "block"; reasons: readonly string[] },
): Move {
  const { stage, visit } = progress;
  const advance: Advance = { op: "advance", id, expect: { stage, visit }, outcome, to, status };
  if (reasons.length > 0) advance.reasons = reasons;
  const notes = noteEntered(id, progress, outcome, { to, passed: [] });
  return { advances: [advance], notes, to, asks: false };
}

function makeAdvance(order: MoveOrder, outcome: string, lead: Lead): Advance {
  const { id, progress, takes, workflow } = order;
  const { stage, visit } = progress;
  const ask = order.ask !== undefined && lead.to === stage ? order.ask : makeAsk(workflow, lead.to, order);
  const status = ask === undefined ? order.status : "blocked";
  const reasons = lead.to === "block" ? explainBlock(order, outcome, lead) : [];
  const grant = (takes !== undefined && isGranted(workflow, stage, outcome)) || undefined;
  return {
    ...{ op: "advance", id, expect: { stage, visit }, outcome, to: lead.to, status, ask, takes, grant },
    reasons: reasons.length === 0 ? undefined : reasons,
  };
}

/** Why a task is given up. An outcome that the workflow itself leads to block is a reason too; that of an answer is told by who takes it. */
function explainBlock(
  { progress, reasons = [], said = "", takes }: MoveOrder,
  outcome: string,
  lead: Lead,
): string[] {
  const why = [...reasons, ...lead.reasons];
  if (why.length > 0 || takes !== undefined) return why;
  const passed = lead.passed.at(-1);
  if (passed !== undefined) return [`${passed.stage}: ${passed.outcome} (${passed.skipped})`];
  return [`${progress.stage}: ${outcome}${said === "" ? "" : `: ${said}`}`];
}

/** An answer of a stage with `once` holds for the rest of the task, if it is the one that agrees. */
function isGranted({ stages }: Workflow, name: string, outcome: string): boolean {
  const stage = stages[name];
  return stage?.once === true && listOwnOutcomes(stage)[0] === outcome;
}

/** The question of an ask stage. */
export function makeAsk(
  { stages }: Workflow,
  to: string,
  { at, progress }: { at: number; progress?: Pick<ProgressRow, "facts"> },
): AskedQuestion | undefined {
  const stage = stages[to];
  if (stage?.question === undefined) return undefined;
  const { question: text, shows, edits, on_timeout } = stage;
  const wait = stage.timeout && parseDuration(stage.timeout);
  const deadline = typeof wait === "number" ? new Date(at + wait).toISOString() : undefined;
  return {
    source: "stage",
    text: fillQuestion(text, progress?.facts),
    outcomes: listOwnOutcomes(stage),
    ...given({ shows, edits, deadline, on_timeout }),
  };
}

/** Continues from the stage that was entered, if a setting or a grant answers its question. */
function follow(order: MoveOrder, first: Advance, { outcome, lead }: { outcome: string; lead: Lead }): Move {
  const { id, progress, at } = order;
  const { ask, to } = first;
  const visits = { ...progress.visits, [to]: (progress.visits?.[to] ?? 0) + 1 };
  const entered = { ...progress, stage: to, visit: progress.visit + 1, visits };
  const answer = ask === undefined || to === progress.stage ? undefined : findAutomatic(to, order);
  const [agrees] = ask?.outcomes ?? [];
  const takes = answer && { automatic: { ...answer, outcome: agrees } };
  const next = { ...order, ask: undefined, reasons: undefined, progress: entered, takes };
  const then = takes && agrees !== undefined ? planMove(next, agrees) : undefined;
  return {
    ...(then ?? { to, asks: ask !== undefined }),
    advances: [first, ...(then?.advances ?? [])],
    notes: [
      ...noteTaken(order, outcome),
      ...noteEntered(id, progress, outcome, lead),
      ...(ask === undefined ? [] : [noteAsked(id, entered, ask, at)]),
      ...(then?.notes ?? []),
    ],
    discard: lead.discard ?? then?.discard,
  };
}

/** L24: who answers in place of a person, if a setting or an earlier answer does. */
export function findAutomatic(
  to: string,
  { rules, progress, at }: Pick<MoveOrder, "rules" | "progress" | "at">,
): Omit<Answer, "question"> | undefined {
  const stamp = { via: "setting" as const, at: new Date(at).toISOString() };
  if (rules.auto_approve?.includes(to) === true) return { by: "ask.auto_approve", ...stamp };
  return progress.grants?.includes(to) === true ? { by: "once", ...stamp } : undefined;
}

function noteTaken({ id, progress, takes }: MoveOrder, outcome: string): ToldEvent[] {
  if (takes === undefined) return [];
  const { by, via } = takes.automatic ?? progress.answered ?? { by: "", via: "file" as const };
  const said: ProgressRow["answered"] =
    takes.automatic === undefined ? progress.answered : { by, via, outcome };
  const question = questionId(id, progress);
  const { outcome: answered, comment } = said ?? {};
  return [{ type: "question_answered", task_id: id, question, outcome: answered, by, via, comment }];
}

/** The lines of the stages that are entered: those that are passed, and the one where the task stays. */
export function noteEntered(
  id: TaskId,
  from: { stage?: string | undefined; visit: number },
  outcome: string | undefined,
  { to, passed }: Pick<Lead, "to" | "passed">,
): ToldEvent[] {
  const visit = from.visit + 1;
  const targets = [...passed.map(({ stage }) => stage), to];
  return targets.map((target, at): ToldEvent => {
    const before: PassedStage | undefined = passed[at - 1];
    const left = before ?? { stage: from.stage, outcome };
    return {
      type: "stage_entered",
      task_id: id,
      from: left.stage,
      outcome: left.outcome,
      to: target,
      visit,
      skipped: before?.skipped,
    };
  });
}

/** The line of a question. The digest of what it shows is added once the row has it. */
export function noteAsked(
  id: TaskId,
  place: Pick<ProgressRow, "visit" | "first">,
  ask: AskedQuestion,
  at: number,
): ToldEvent {
  const { shows, ...rest } = ask;
  return {
    type: "asked",
    task_id: id,
    question: {
      id: questionId(id, place),
      ...rest,
      ...(shows === undefined ? {} : { shows: { what: shows, sha256: "" } }),
      asked_at: new Date(at).toISOString(),
    },
  };
}

/** Corrects the line of a question by the row that has it now: its id in a later pass, and the digest of what it shows. */
export function completeNote(note: ToldEvent, progress: ProgressRow | undefined): ToldEvent {
  if (note.type !== "asked") return note;
  const { shows, ...rest } = note.question;
  const question = { ...rest, id: idInPass(note.task_id ?? "", rest.id, progress?.first) };
  const sha256 = progress?.shown;
  return {
    ...note,
    question:
      shows === undefined || sha256 === undefined ? question : { ...question, shows: { ...shows, sha256 } },
  };
}

/** Only the store knows how many questions the passes before asked. */
function idInPass(task: string, id: string, first = 0): string {
  const number = Number(id.slice(task.length + 1));
  return number > first ? id : questionId(task, { visit: number, first });
}

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
function findNeed(work: Work, row: IndexRow, at: number): RowNeed | undefined {
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
  if (doneBy(position.stage.kind) === "person") return findUnaskedNeed(work, row, { progress, position, at });
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
