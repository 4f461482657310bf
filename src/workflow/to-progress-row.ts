// The row of a task's progress, as the index of the backlog and the log hold it. Pure.
import { shorten } from "../system/text/cut.js";
import { wasMovedByHand } from "./advance.js";
import type { GivenAnswer, Progress, ProgressRow } from "./progress.js";
import { isAnswered, UNKNOWN } from "./question.js";
import type { Scalar } from "./workflow.js";

/** In characters; the row of the task file has all of it. */
const MOST_COMMENT = 2000;

/** The part of a task's progress that `step` decides by. Facts are keyed `STAGE.FIELD`. */
export function toProgressRow(progress: Progress): ProgressRow {
  const { workflow, stage, visit, visits, outputs = {}, work, question, answer } = progress;
  const facts: Record<string, Scalar> = {};
  const agents: Record<string, string> = {};
  for (const [name, output] of Object.entries(outputs)) {
    agents[name] = output.agent;
    for (const [key, value] of Object.entries(output.facts ?? {})) facts[`${name}.${key}`] = value;
  }
  const granted = (progress.grants ?? []).flatMap(({ what }) => (typeof what === "string" ? what : []));
  const answered = [
    ...new Set([...(progress.answers ?? []).flatMap(({ stage: of }) => of ?? []), ...granted]),
  ];
  return {
    workflow,
    digest: progress.digest === "" ? undefined : progress.digest,
    stage,
    visit,
    first: progress.first,
    visits,
    verdict: work?.verdict,
    base: work?.base,
    facts: orAbsent(facts),
    answered_stages: wasMovedByHand(progress) ? orAbsent(answered) : undefined,
    agents: orAbsent(agents),
    spent: progress.spent,
    asked: question?.source,
    shown: question?.shows?.sha256,
    deadline: question?.deadline,
    on_timeout: question?.on_timeout,
    answered: answer !== undefined && isAnswered(progress) ? toAnswered(answer) : undefined,
    grants: orAbsent(granted),
    paused: progress.paused && true,
    complete: progress.complete && true,
    restart: progress.restart,
  };
}

function orAbsent<T extends object>(list: T): T | undefined {
  return Object.keys(list).length === 0 ? undefined : list;
}

function toAnswered({ by = UNKNOWN, via = "file", outcome, at, comment, edited }: GivenAnswer) {
  return {
    by,
    via,
    outcome,
    at,
    comment: comment && shorten(comment, MOST_COMMENT),
    edited: edited && (true as const),
  };
}
