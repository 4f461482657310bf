// Warns of what a person changed about a task before its stage starts: such edits count, but never in silence. Pure.
import { quoteIfNeeded } from "../../../shell/quote.js";
import type { IndexRow } from "../../../todo/model/task.js";
import { listPassedOver } from "../../../workflow/file/passed-over.js";
import type { Decision } from "../decision.js";
import type { Work } from "../state.js";
import type { Position } from "./stage.js";

/** Makes each warning once in a run. */
export function warnOfRow(work: Work, row: IndexRow, position: Position, decision: Decision): Work {
  if (position.kind !== "stage") return work;
  const warned = work.warned ?? new Set();
  const messages = [
    ...explainChanged(row, position),
    ...explainPassedOver(row, position, work.rules.skip ?? []),
  ].filter((message) => !warned.has(message));
  if (messages.length === 0) return work;
  for (const message of messages) decision.notes.push({ type: "warning", task_id: row.id, message });
  return { ...work, warned: new Set([...warned, ...messages]) };
}

type InStage = Extract<Position, { kind: "stage" }>;

/** The file of a workflow may change while a task is in it: the current one counts. */
function explainChanged({ id, progress }: IndexRow, { workflow, digest }: InStage): string[] {
  const before = progress?.digest;
  if (before === undefined || before === digest) return [];
  return [`the workflow ${workflow.name} has changed since ${id} began: it goes by the current file`];
}

function explainPassedOver(
  { id }: IndexRow,
  { workflow, progress }: InStage,
  skip: readonly string[],
): string[] {
  const passed = listPassedOver(workflow, progress, skip);
  const [first] = passed;
  if (first === undefined) return [];
  const what =
    passed.length === 1
      ? `the question of ${first}, which has`
      : `the questions of ${passed.join(", ")}, which have`;
  return [
    `${id} was moved by hand to ${progress.stage}, past ${what} no answer; to be asked: looper restart ${quoteIfNeeded(id)} --stage ${first}`,
  ];
}
