// Makes the changes of a task's row that follow from an outcome: through passed stages and questions that a setting answers, to
// the next stage, question or end. Pure. workflow/advance.ts says where an outcome leads.
import type { Rules } from "../../../logging/rules.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import { given } from "../../../system/given.js";
import type { Advance, AskedQuestion } from "../../../todo/model/changes/change.js";
import type { Status, TaskId } from "../../../todo/model/task.js";
import {
  fillQuestion,
  leadOn,
  listOwnOutcomes,
  type Lead,
  type PassedStage,
  type WorkflowPlace,
} from "../../../workflow/advance.js";
import type { Answer, ProgressRow } from "../../../workflow/progress.js";
import { questionId } from "../../../workflow/question.js";
import type { Workflow } from "../../../workflow/workflow.js";
import { parseDuration } from "../../../system/text/duration.js";

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
  const lead = leadOn(workflow, progress, outcome, { skip: rules.skip ?? [], toMs: parseDuration });
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
  const why = reasons.length === 0 ? {} : { reasons };
  const advance: Advance = { op: "advance", id, expect: { stage, visit }, outcome, to, status, ...why };
  const notes = noteEntered(id, progress, outcome, { to, passed: [] });
  return { advances: [advance], notes, to, asks: false };
}

function makeAdvance(order: MoveOrder, outcome: string, lead: Lead): Advance {
  const { id, progress, status, takes, workflow } = order;
  const { stage, visit } = progress;
  const asks = order.ask !== undefined && lead.to === stage;
  const ask = asks ? order.ask : makeAsk(workflow, lead.to, order);
  const reasons = lead.to === "block" ? explainBlock(order, outcome, lead) : [];
  const grants = takes !== undefined && isGranted(workflow, stage, outcome);
  return {
    ...{ op: "advance", id, expect: { stage, visit }, outcome, to: lead.to },
    status: ask === undefined ? status : "blocked",
    ...given({ ask, takes }),
    ...(grants ? { grant: true as const } : {}),
    ...(reasons.length === 0 ? {} : { reasons }),
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
  return stage?.kind === "ask" && stage.once === true && listOwnOutcomes(stage)[0] === outcome;
}

/** The question of an ask stage. */
export function makeAsk(
  { stages }: Workflow,
  to: string,
  { at, progress }: { at: number; progress?: Pick<ProgressRow, "facts"> },
): AskedQuestion | undefined {
  const stage = stages[to];
  if (stage?.kind !== "ask") return undefined;
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
  const { takes: _takes, ask: _ask, reasons: _reasons, ...rest } = order;
  const notes = [...noteTaken(order, outcome), ...noteEntered(id, progress, outcome, lead)];
  const discard = lead.discard === true ? { discard: true as const } : {};
  const answer =
    first.ask === undefined || first.to === progress.stage ? undefined : findAutomatic(first.to, order);
  const next = enterPlace(progress, first.to);
  const asked: ToldEvent[] =
    first.ask === undefined ? [] : [noteAsked(id, { ...progress, ...next }, first.ask, at)];
  const [agrees] = first.ask?.outcomes ?? [];
  const takes = answer && { automatic: { ...answer, outcome: agrees } };
  const then =
    takes && agrees !== undefined
      ? planMove({ ...rest, progress: { ...progress, ...next }, takes }, agrees)
      : undefined;
  return {
    ...(then ?? { to: first.to, asks: first.ask !== undefined }),
    advances: [first, ...(then?.advances ?? [])],
    notes: [...notes, ...asked, ...(then?.notes ?? [])],
    ...discard,
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

/** Where the task is once it has entered a stage. */
function enterPlace(
  { visit, visits }: WorkflowPlace,
  to: string,
): { stage: string; visit: number; visits: Record<string, number> } {
  return { stage: to, visit: visit + 1, visits: { ...visits, [to]: (visits?.[to] ?? 0) + 1 } };
}

function noteTaken({ id, progress, takes }: MoveOrder, outcome: string): ToldEvent[] {
  if (takes === undefined) return [];
  const { by, via } = takes.automatic ?? progress.answered ?? { by: "", via: "file" as const };
  const comment = takes.automatic === undefined ? progress.answered?.comment : undefined;
  const answered = takes.automatic === undefined ? progress.answered?.outcome : outcome;
  return [
    {
      type: "question_answered",
      task_id: id,
      question: questionId(id, progress),
      outcome: answered,
      by,
      via,
      comment,
    },
  ];
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
