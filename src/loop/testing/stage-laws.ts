// The laws L19 to L24 as checks on a state and on one call of `step`, from rows, effects and the simulated disk alone.
import { fallsShort } from "../../gate/verdict/reasons.js";
import type { Advance } from "../../todo/model/changes/change.js";
import type { IndexRow } from "../../todo/model/task.js";
import { MOST_VISITS, isRunnerOutcome, isEnd } from "../../workflow/advance.js";
import type { Workflow } from "../../workflow/workflow.js";
import type { Effect } from "../step/effects.js";
import type { Sim, Taken } from "./world/sim.js";

/** The violations of a state. */
export function askedStates(sim: Sim, workflow: Workflow): string[] {
  return sim.disk.rows.flatMap((row) => [
    ...lost(sim, row),
    ...beyond(row, workflow),
    ...workless(sim, row, workflow),
    ...held(sim, row),
  ]);
}

/** L2 in a workflow: one commit, and only of a task that is done. */
function lost({ disk, state }: Sim, { id, status }: IndexRow): string[] {
  const commits = disk.commits.filter(({ task }) => task === id).length;
  const pending = disk.pending?.commit.task === id;
  // A person set its status by a command.
  if (disk.edited?.includes(id) === true) return [];
  if (commits > 1) return [`${id} has ${commits} commits`];
  if (commits === 1 && status !== "done") return [`${id} has a commit and is ${status}`];
  const isOver = state.phase === "ended" && state.ending === "complete";
  if (isOver && commits === 0) return [`it ended complete, and ${id} is ${status} without a commit`];
  return status === "done" && commits === 0 && !pending ? [`${id} is done without a commit`] : [];
}

/** L20 */
function beyond({ id, progress }: IndexRow, { limits }: Workflow): string[] {
  const most = limits?.visits ?? MOST_VISITS;
  if (progress === undefined || isEnd(progress.stage) || progress.visit <= most) return [];
  return [`${id} entered ${progress.visit} stages, and ${most} are allowed`];
}

/** L21: once a task is past a work stage, its work is under the ref, or its commit is being made. */
function workless({ disk }: Sim, { id, status, progress }: IndexRow, { stages }: Workflow): string[] {
  if (status === "done" || progress === undefined || progress.stage === "block") return [];
  // A person completed it, and the gate rejects its work: that is a rescue.
  if (progress.complete === true && progress.stage === "finish") return [];
  const { visits = {}, stage: now } = progress;
  const isPast = Object.entries(stages).some(
    ([name, { kind }]) => kind === "work" && (visits[name] ?? 0) > (now === name ? 1 : 0),
  );
  const isKept = disk.works?.[id] !== undefined || disk.pending?.commit.task === id;
  return isPast && !isKept ? [`the work of ${id} is lost`] : [];
}

/** L23: while an agent works, the tree holds the work of its task alone. */
function held({ tree, open }: Sim, { id }: IndexRow): string[] {
  const others = open.flatMap(({ effect }) =>
    effect.kind === "run-agent" && effect.job.task_id !== id ? [effect.job.task_id] : [],
  );
  return tree.includes(id) && others.length > 0
    ? [`${others.join(", ")} in a tree that holds the work of ${id}`]
    : [];
}

interface Turn {
  before: Sim;
  taken: Taken;
  after: Sim;
  workflow: Workflow;
}

/** The violations of one decision. */
export function movedTurns(turn: Turn): string[] {
  const advances = turn.taken.next.effects.flatMap((effect) =>
    effect.kind === "change-backlog" ? effect.changes.filter((change) => change.op === "advance") : [],
  );
  return [
    ...advances.flatMap((advance) => [...undeclared(advance, turn.workflow), ...unanswered(advance, turn)]),
    ...turn.taken.next.effects.flatMap((effect) => [
      ...misjudged(effect, turn),
      ...startedOnHeld(effect, turn),
      ...startedElsewhere(effect, turn),
    ]),
  ];
}

/** L19: only an outcome of the stage, or one that the runner gives. */
function undeclared({ outcome, expect, to, takes }: Advance, { stages }: Workflow): string[] {
  if (isEnd(expect.stage)) return [];
  const stage = stages[expect.stage];
  const isRunners = isRunnerOutcome(outcome) || outcome === "complete";
  const isCheck = stage?.kind === "check" && ["passed", "failed"].includes(outcome);
  if (isRunners || isCheck || stage?.next[outcome] !== undefined) return [];
  return takes !== undefined && to === expect.stage ? [] : [`${expect.stage} has no outcome ${outcome}`];
}

/** L24: a stage that asks is left only with an answer, which says who gave it, or by a person who completed the task. */
function unanswered({ expect, takes, outcome, id }: Advance, { before, workflow }: Turn): string[] {
  const stage = workflow.stages[expect.stage];
  if (stage?.kind !== "ask" || outcome === "complete" || outcome === "over_limit") return [];
  if (takes === undefined) return [`${expect.stage} of ${id} is left without an answer`];
  if (takes.automatic !== undefined)
    return standsIn({ stage: expect.stage, id, via: takes.automatic.via }, before);
  const rows = [...before.disk.rows, ...before.seen.rows].filter((row) => row.id === id);
  const isAnswered = rows.some(({ progress }) => progress?.answered !== undefined);
  return isAnswered ? [] : [`${expect.stage} of ${id} is left without an answer in its row`];
}

/**
 * L5: the verdict on a finished task is the word of its gate, or that of the saved work on this very base; none where no
 * stage has work. Work that falls short is not committed, unless a person completed its task.
 */
function misjudged(effect: Effect, { before, taken: { event } }: Turn): string[] {
  if (effect.kind !== "commit") return [];
  const { accept } = before.rules;
  const progress = before.disk.rows.find(({ id }) => id === effect.job.task_id)?.progress;
  const isSame = event.type === "checkpoint" && event.head === progress?.base;
  const word = event.type === "gate_finished" ? event.verdict : isSame ? progress?.verdict : undefined;
  const isNothing = progress !== undefined && progress.verdict === undefined && progress.complete !== true;
  const isNone = event.type !== "gate_finished" && isNothing;
  const unproven = isNone ? "none" : "unverified";
  const verdict = word === "passed" ? "verified" : word === "unbroken" ? word : unproven;
  const isShort =
    event.type === "gate_finished" ? fallsShort(accept, event) : accept === "verified" && word === "unbroken";
  return effect.changes.flatMap((change) => {
    if (change.op !== "finish") return [];
    if (isShort && progress?.complete !== true) return [`${change.id} is finished, and falls short`];
    return change.verdict === verdict
      ? []
      : [`${change.id} is said to be ${change.verdict}, and is ${verdict}`];
  });
}

/** L22: no job starts on a task that waits for an answer, or is paused when the run knows it. */
function startedOnHeld(effect: Effect, { after }: Turn): string[] {
  if (effect.kind !== "run-agent" && effect.kind !== "run-gate" && effect.kind !== "commit") return [];
  const progress = after.disk.rows.find(({ id }) => id === effect.job.task_id)?.progress;
  return progress?.asked === undefined
    ? []
    : [`${effect.kind} on ${effect.job.task_id}, which waits for an answer`];
}

/** L23: an agent starts with the saved work of its task, and no other's. */
function startedElsewhere(effect: Effect, { before }: Turn): string[] {
  if (effect.kind !== "run-agent") return [];
  const { task_id: id } = effect.job;
  const others = before.tree.filter((one) => one !== id);
  if (others.length > 0) return [`an agent starts on ${id} in a tree with the work of ${others.join(", ")}`];
  const isMissing = id !== undefined && before.disk.works?.[id] !== undefined && !before.tree.includes(id);
  return isMissing ? [`an agent starts on ${id} without its work`] : [];
}

/** L24: a setting answers where a person set it so, and a timeout once the deadline is over. */
function standsIn({ stage, id, via }: { stage: string; id: string; via: string }, before: Sim): string[] {
  const progress = before.disk.rows.find((row) => row.id === id)?.progress;
  const isSet =
    before.rules.auto_approve?.includes(stage) === true || progress?.grants?.includes(stage) === true;
  const isOver = progress?.deadline !== undefined && Date.parse(progress.deadline) <= before.now;
  return (via === "setting" && isSet) || (via === "timeout" && isOver)
    ? []
    : [`${stage} of ${id} is answered by neither a setting nor a timeout`];
}
