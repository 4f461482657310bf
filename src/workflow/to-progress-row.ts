// The row of a task's progress, as the index of the backlog and the log hold it. Pure.
import { shorten } from "../system/text/cut.js";
import { wasMovedByHand } from "./advance.js";
import type { Progress, ProgressRow } from "./progress.js";
import { isAnswered, UNKNOWN } from "./question.js";
import type { Scalar } from "./workflow.js";

/** In characters; the row of the task file has all of it. */
const MOST_COMMENT = 2000;

/** The part of a task's progress that `step` decides by. Facts are keyed `STAGE.FIELD`. */
export function toProgressRow(progress: Progress): ProgressRow {
  const { workflow, stage, visit, visits, outputs = {}, work, question, answer, grants } = progress;
  const facts: Record<string, Scalar> = {};
  const agents: Record<string, string> = {};
  for (const [name, output] of Object.entries(outputs)) {
    agents[name] = output.agent;
    for (const [key, value] of Object.entries(output.facts ?? {})) facts[`${name}.${key}`] = value;
  }
  const named = (grants ?? []).flatMap(({ what }) => (typeof what === "string" ? [what] : []));
  return {
    workflow,
    ...(progress.digest === "" ? {} : { digest: progress.digest }),
    stage,
    visit,
    ...(progress.first === undefined ? {} : { first: progress.first }),
    ...(visits === undefined ? {} : { visits }),
    ...(work === undefined ? {} : { verdict: work.verdict, base: work.base }),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    ...(wasMovedByHand(progress) ? listAnswered(progress) : {}),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
    ...(progress.spent === undefined ? {} : { spent: progress.spent }),
    ...(question === undefined
      ? {}
      : {
          asked: question.source,
          ...(question.shows === undefined ? {} : { shown: question.shows.sha256 }),
          ...(question.deadline === undefined ? {} : { deadline: question.deadline }),
          ...(question.on_timeout === undefined ? {} : { on_timeout: question.on_timeout }),
        }),
    ...(answer === undefined || !isAnswered(progress)
      ? {}
      : {
          answered: {
            by: answer.by ?? UNKNOWN,
            via: answer.via ?? "file",
            ...(answer.outcome === undefined ? {} : { outcome: answer.outcome }),
            ...(answer.at === undefined ? {} : { at: answer.at }),
            ...(answer.comment === undefined ? {} : { comment: shorten(answer.comment, MOST_COMMENT) }),
            ...(answer.edited === undefined ? {} : { edited: true as const }),
          },
        }),
    ...(named.length === 0 ? {} : { grants: named }),
    ...(progress.paused === undefined ? {} : { paused: true as const }),
    ...(progress.complete === undefined ? {} : { complete: true as const }),
    ...(progress.restart === undefined ? {} : { restart: progress.restart }),
  };
}

function listAnswered({ answers = [], grants = [] }: Progress): Pick<ProgressRow, "answered_stages"> {
  const granted = grants.flatMap(({ what }) => (typeof what === "string" ? [what] : []));
  const stages = new Set([...answers.flatMap(({ stage }) => stage ?? []), ...granted]);
  return stages.size === 0 ? {} : { answered_stages: [...stages] };
}
