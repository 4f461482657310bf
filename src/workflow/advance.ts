// Follows an outcome: the next stage, with those that are passed on the way, and the limits of visits and spending.
// Pure, and without the state of a run; loop/step/job/advance.ts makes the change of the row.
import { parseDuration } from "../system/text/duration.js";
import type { Progress, ProgressRow, Spent } from "./progress.js";
import { isWork, STAGE_KINDS } from "./stage-kinds.js";
import { ENDS, type Scalar, type Stage, type StageOutcome, type Target, type Workflow } from "./workflow.js";

/** The most stages that a task enters, unless its workflow has a limit of its own. */
export const MOST_VISITS = 25;

/** The outcomes that the runner gives, and where each leads. A stage may map each in `next`; no agent reports one. */
const RUNNER_OUTCOMES = new Map<StageOutcome, "block" | "again" | "first work" | "last work">([
  ["failed", "again"],
  ["exhausted", "block"],
  ["blocked", "block"],
  ["over_limit", "block"],
  ["skipped", "again"],
  ["asks", "again"],
  // Of work that no longer fits the branch none is left, so the first stage begins it again.
  ["conflict", "first work"],
  ["gate_failed", "last work"],
]);

/** Where a task is, and what it used so far; the row of a task has all of it. */
export type WorkflowPlace = Pick<ProgressRow, "stage" | "visit" | "visits" | "facts" | "spent">;

/** A stage that is passed without a job, because its `when` does not hold, or by --skip. */
export interface PassedStage {
  stage: string;
  outcome: StageOutcome;
  skipped: "when" | "skip";
}

/** Where an outcome leads. */
export interface Lead {
  to: string;
  passed: readonly PassedStage[];
  /** The changes of the stage that was left are dropped. */
  discard?: true;
  /** Why it leads to `block`, where that is not the stage's own outcome. */
  reasons: readonly string[];
}

/** Whether a target is not a stage. */
export function isEnd(stage: string): stage is (typeof ENDS)[number] {
  return ENDS.some((end) => end === stage);
}

/**
 * Whether a person moved the task to where it is: the runner counts a visit of each stage that it enters, and an end is one visit
 * more than those of all stages. No task is moved to `block`, where nothing is done.
 */
export function wasMovedByHand({ stage, visit, visits = {} }: WorkflowPlace): boolean {
  if (stage === "block") return false;
  if (!isEnd(stage)) return visits[stage] === undefined;
  return visit <= Object.values(visits).reduce((sum, times) => sum + times, 0);
}

/** Whether the runner gives this outcome to a stage, whatever its agent or person says. */
export function isRunnerOutcome(outcome: string): boolean {
  return RUNNER_OUTCOMES.has(outcome);
}

/** L19: the outcomes that the agent or the person of a stage may report, the best first. */
export function listOwnOutcomes({ kind, next }: Stage): StageOutcome[] {
  const { outcomes } = STAGE_KINDS[kind];
  return outcomes.length > 0
    ? [...outcomes]
    : Object.keys(next).filter((outcome) => !isRunnerOutcome(outcome));
}

/**
 * The outcome of a stage that sends the work back, so that the stage comes again, and those that let it through. Of each target the
 * best outcomes are followed. `undefined`: it has not both.
 */
export function findWayBack(
  workflow: Workflow,
  name: string,
): { back: StageOutcome; through: StageOutcome[] } | undefined {
  const stage = workflow.stages[name];
  if (stage === undefined) return undefined;
  const led = listOwnOutcomes(stage).map((outcome) => {
    const passed = new Set<string>();
    let to: string | undefined = findTarget(workflow, { stage: name }, outcome)?.to;
    while (to !== undefined && to !== name && !isEnd(to) && !passed.has(to)) {
      passed.add(to);
      const at = workflow.stages[to];
      const [best] = at === undefined ? [] : listOwnOutcomes(at);
      to = best === undefined ? undefined : findTarget(workflow, { stage: to }, best)?.to;
    }
    return { outcome, to };
  });
  const back = led.find(({ to }) => to === name)?.outcome;
  const through = led.filter(({ to }) => to !== name && to !== "block").map(({ outcome }) => outcome);
  return back === undefined || through.length === 0 ? undefined : { back, through };
}

/** The facts of a stage's output that a `when` or a question names. Keyed without the stage's name, as the row of the task keeps them. */
export function collectFacts(workflow: Workflow, stage: string, output: unknown): Record<string, Scalar> {
  const facts: Record<string, Scalar> = {};
  if (typeof output !== "object" || output === null) return facts;
  const fields = new Map<string, unknown>(Object.entries(output));
  for (const one of Object.values(workflow.stages)) {
    const asked = [...(one.question ?? "").matchAll(FACT)].map(([, key = ""]) => key);
    for (const key of [...Object.keys(one.when ?? {}), ...asked]) {
      const [of, ...rest] = key.split(".");
      const field = rest.join(".");
      const value = factOf(fields.get(field));
      if (of === stage && value !== undefined) facts[field] = value;
    }
  }
  return facts;
}

/** A fact in the text of a question: `{{STAGE.FIELD}}`. */
const FACT = /\{\{([a-z0-9_.-]{1,80})\}\}/gu;

/** The text of an ask stage's question, with the facts that it names. */
export function fillQuestion(text: string, facts: WorkflowPlace["facts"] = {}): string {
  return text.replaceAll(FACT, (_whole, key: string) => String(facts[key] ?? "some"));
}

/** The fact that a field of an output holds, for instance how long a list is; `undefined` for an object. */
export function factOf(field: unknown): Scalar | undefined {
  if (Array.isArray(field)) return field.length;
  return typeof field === "string" || typeof field === "number" || typeof field === "boolean"
    ? field
    : undefined;
}

/** The work stages that the task was in, in the order of the file. */
function listWorked({ stages }: Workflow, { visits = {} }: Pick<WorkflowPlace, "visits">): string[] {
  return Object.keys(stages).filter((name) => isWork(stages[name]?.kind) && visits[name] !== undefined);
}

/** The stage whose changes an ask stage shows as a diff: the last work stage that leads to it, else the last there is. */
export function findShownStage(
  workflow: Workflow,
  ask: string,
  place: Pick<WorkflowPlace, "visits">,
): string | undefined {
  const shows = workflow.stages[ask]?.shows;
  if (shows !== undefined && shows !== "diff" && shows !== "work") return shows;
  const worked = listWorked(workflow, place);
  const leads = (name: string): boolean =>
    Object.values(workflow.stages[name]?.next ?? {}).some((target) => toTarget(target).to === ask);
  return worked.findLast(leads) ?? worked.at(-1);
}

/** A target in its long form. */
export function toTarget(target: Target): { to: string; discard?: true | undefined } {
  return typeof target === "string" ? { to: target } : target;
}

/** The target of an outcome; `undefined`: the stage does not declare it, and the runner does not give it. */
export function findTarget(
  workflow: Workflow,
  place: Pick<WorkflowPlace, "stage" | "visits">,
  outcome: StageOutcome,
): { to: string; discard?: true | undefined } | undefined {
  const stage = workflow.stages[place.stage];
  const declared = stage?.next[outcome];
  if (declared !== undefined) return toTarget(declared);
  const leads = RUNNER_OUTCOMES.get(outcome);
  // A failure that the stage itself reports is not tried again.
  const isOwn = stage !== undefined && listOwnOutcomes(stage).includes(outcome);
  if (leads === "again") return { to: isOwn ? "block" : place.stage };
  if (leads === undefined || leads === "block") return leads && { to: leads };
  const back = listWorked(workflow, place).at(leads === "first work" ? 0 : -1);
  const own = back === undefined ? undefined : workflow.stages[back]?.next[outcome];
  return own === undefined ? { to: back ?? "block" } : toTarget(own);
}

/** Why a stage is passed without a job, and with which outcome. */
export function findPassed(
  workflow: Workflow,
  name: string,
  { facts, skip }: { facts: WorkflowPlace["facts"]; skip: readonly string[] },
): PassedStage | undefined {
  const stage = workflow.stages[name];
  if (stage === undefined) return undefined;
  const holds = Object.entries(stage.when ?? {}).every(([key, values]) => {
    const fact = facts?.[key];
    return fact !== undefined && values.includes(fact);
  });
  if (!holds && stage.else !== undefined) return { stage: name, outcome: stage.else, skipped: "when" };
  const [first] = listOwnOutcomes(stage);
  return STAGE_KINDS[stage.kind].flag === "--skip" && first !== undefined && skip.includes(name)
    ? { stage: name, outcome: first, skipped: "skip" }
    : undefined;
}

/** Follows a target to the first stage that is not passed, or to an end. */
export function passStages(
  workflow: Workflow,
  place: Pick<WorkflowPlace, "visits" | "facts">,
  from: string,
  skip: readonly string[],
): Pick<Lead, "to" | "passed" | "reasons"> {
  const passed: PassedStage[] = [];
  let to = from;
  for (;;) {
    if (isEnd(to)) return { to, passed, reasons: [] };
    if (workflow.stages[to] === undefined)
      return { to: "block", passed, reasons: [`the workflow ${workflow.name} has no stage ${to}`] };
    const next = findPassed(workflow, to, { facts: place.facts, skip });
    if (next === undefined) return { to, passed, reasons: [] };
    if (passed.some(({ stage }) => stage === to))
      return { to: "block", passed, reasons: [`the stages that are passed lead back to ${to}`] };
    passed.push(next);
    to = findTarget(workflow, { stage: to, visits: place.visits }, next.outcome)?.to ?? "block";
  }
}

/** Where an outcome leads (L20: to no more stages than the limits allow); `undefined`: it is not an outcome of the stage (L19). */
export function leadOn(
  workflow: Workflow,
  place: WorkflowPlace,
  outcome: StageOutcome,
  skip: readonly string[],
): Lead | undefined {
  const target = findTarget(workflow, place, outcome);
  if (target === undefined) return undefined;
  const led = { ...passStages(workflow, place, target.to, skip), discard: target.discard };
  if (isEnd(led.to)) return led;
  // Work that no longer fits the branch is gone, so nothing could be accepted: it is done again, however often its stage was entered.
  const counted = outcome === "conflict" ? { ...place, visits: {} } : place;
  const over = explainOver(workflow, counted, led.to);
  if (over === undefined) return led;
  const mapped = findMapped(workflow, place, over);
  const isFree = isEnd(mapped) || (over.of === "stage" && explainOver(workflow, place, mapped) === undefined);
  return { ...led, to: isFree ? mapped : "block", reasons: [over.why] };
}

interface Over {
  of: "stage" | "workflow";
  stage: string;
  why: string;
}

/** A workflow that is over its limit can lead only to an end. */
function findMapped(workflow: Workflow, place: WorkflowPlace, { of, stage }: Over): string {
  const mapped = findTarget(workflow, { stage: of === "stage" ? stage : place.stage }, "over_limit")?.to;
  return mapped === undefined || (of === "workflow" && !isEnd(mapped)) ? "block" : mapped;
}

/** L20: why a stage is not entered: a limit of the workflow or of the stage is spent. */
export function explainOver(
  workflow: Workflow,
  { stage, visit, visits = {}, spent = {} }: WorkflowPlace,
  to: string,
): Over | undefined {
  const { limits = {} } = workflow;
  const most = limits.visits ?? MOST_VISITS;
  if (visit >= most)
    return {
      of: "workflow",
      stage: to,
      why: `visits: ${String(most)} stages were entered, and ${workflow.name} allows no more`,
    };
  const all = explainSpent(limits, spent["*"]);
  if (all !== undefined) return { of: "workflow", stage: to, why: `${all} (limits of ${workflow.name})` };
  const own = workflow.stages[to]?.limits ?? {};
  const times = visits[to] ?? 0;
  // The stage that asks what to do about the limit leads past it.
  const isAskedFor = findTarget(workflow, { stage: to, visits }, "over_limit")?.to === stage;
  if (own.visits !== undefined && times >= own.visits && !isAskedFor)
    return {
      of: "stage",
      stage: to,
      why: `visits: ${to} was entered ${String(times)} times, and its limit is ${String(own.visits)}`,
    };
  const why = explainSpent(own, spent[to]);
  return why === undefined ? undefined : { of: "stage", stage: to, why: `${why} (limits of ${to})` };
}

function explainSpent(
  { tokens, cost_usd, duration }: NonNullable<Workflow["limits"]>,
  spent: Spent | undefined,
): string | undefined {
  if (spent === undefined) return undefined;
  if (tokens !== undefined && spent.tokens >= tokens)
    return `tokens: ${String(spent.tokens)} of ${String(tokens)} are used`;
  if (cost_usd !== undefined && (spent.cost_usd ?? 0) >= cost_usd)
    return `cost: $${(spent.cost_usd ?? 0).toFixed(2)} of $${cost_usd.toFixed(2)} is spent`;
  const most = duration === undefined ? undefined : parseDuration(duration);
  return most !== undefined && spent.duration_ms >= most
    ? `duration: the ${duration ?? ""} at work are over`
    : undefined;
}

/** Whether the changes of a visit were dropped. */
export function isDropped(
  workflow: Workflow,
  { answers = [], visits }: Pick<Progress, "answers" | "visits">,
  { stage, visit, outcome }: { stage: string; visit: number; outcome?: string | undefined },
): boolean {
  if (discards(workflow, stage, outcome) && isWork(workflow.stages[stage]?.kind)) return true;
  return answers.some(({ question, stage: ask = "", outcome: answered }) => {
    const at = Number(/\.(\d+)$/u.exec(question)?.[1]);
    if (!(visit < at) || !discards(workflow, ask, answered)) return false;
    return findShownStage(workflow, ask, { visits }) === stage;
  });
}

function discards({ stages }: Workflow, stage: string, outcome: string | undefined): boolean {
  const target = outcome === undefined ? undefined : stages[stage]?.next[outcome];
  return target !== undefined && toTarget(target).discard === true;
}
