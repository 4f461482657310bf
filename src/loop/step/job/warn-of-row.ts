// Warns of what a person changed about a task before its stage starts: such edits count, but never in silence. Pure.
import { quoteIfNeeded } from "../../../shell/quote.js";
import { given } from "../../../system/given.js";
import { never } from "../../../system/never.js";
import type { IndexRow } from "../../../todo/model/task.js";
import { listPassedOver } from "../../../workflow/file/passed-over.js";
import type { Workflow } from "../../../workflow/workflow.js";
import type { Decision } from "../decision.js";
import type { Work } from "../state.js";
import type { Position } from "./stage.js";

/** Makes each warning once in a run. */
export function warnOfRow(work: Work, row: IndexRow, position: Position, decision: Decision): Work {
  const warned = work.warned ?? new Set();
  const messages = explain(work, row, position).filter((message) => !warned.has(message));
  if (messages.length === 0) return work;
  for (const message of messages) decision.notes.push({ type: "warning", task_id: row.id, message });
  return { ...work, warned: new Set([...warned, ...messages]) };
}

function explain({ rules }: Work, row: IndexRow, position: Position): string[] {
  switch (position.kind) {
    case "stage": {
      const moved: Brought = { workflow: position.workflow, at: position.progress, how: "moved by hand to" };
      return [...explainChanged(row, position), ...explainPassedOver(row, moved, rules.skip ?? [])];
    }
    case "enter": {
      const { facts, answered_stages } = row.progress ?? {};
      const at = { stage: position.to, visit: 1, ...given({ facts, answered_stages }) };
      return explainPassedOver(
        row,
        { workflow: position.workflow, at, how: "restarted at" },
        rules.skip ?? [],
      );
    }
    case "end": {
      const { workflow, progress: at } = position;
      if (workflow === undefined || at.complete === true) return [];
      const digest = rules.workflows?.[workflow.name]?.digest ?? at.digest;
      return [
        ...explainChanged(row, { workflow, digest }),
        ...explainPassedOver(row, { workflow, at, how: "moved by hand to" }, rules.skip ?? []),
      ];
    }
    case "default":
    case "lost":
      return [];
    default:
      return never(position);
  }
}

/** The file of a workflow may change while a task is in it: the current one counts. */
function explainChanged(
  { id, progress }: IndexRow,
  { workflow, digest }: { workflow: Workflow; digest: string | undefined },
): string[] {
  const before = progress?.digest;
  if (before === undefined || before === digest) return [];
  return [`the workflow ${workflow.name} has changed since ${id} began: it goes by the current file`];
}

/** A task that was brought past questions by a person. `at`: where it is now. */
interface Brought {
  workflow: Workflow;
  at: Parameters<typeof listPassedOver>[1];
  how: "moved by hand to" | "restarted at";
}

function explainPassedOver({ id }: IndexRow, brought: Brought, skip: readonly string[]): string[] {
  const passed = listPassedOver(brought.workflow, brought.at, skip);
  const [first] = passed;
  if (first === undefined) return [];
  const what =
    passed.length === 1
      ? `the question of ${first}, which has`
      : `the questions of ${passed.join(", ")}, which have`;
  return [
    `${id} was ${brought.how} ${brought.at.stage}, past ${what} no answer; to be asked: looper todo ${quoteIfNeeded(id)} --restart --stage ${first}`,
  ];
}
