// The live line of a run: task, agent, time, current action. Pure.
// Leaves drawing it to screen.ts.
import { showCost, showDuration, showTokens, showMoment } from "./amounts.js";
import { ENDS } from "../../../workflow/workflow.js";
import type { Current, StageVisitFacts } from "../job-view.js";
import { placeOf, type View } from "../view.js";
import type { Colours } from "../../colours.js";
import { clean, cut, widthOf } from "../../text.js";
import type { RunEvent } from "../../../logging/events/events.js";

/** Titles of tasks by id. */
export type Titles = ReadonlyMap<string, string>;

/** Id and title of a task, cleaned. */
export function taskName(id: string, titles: Titles): string {
  return `${clean(id)} ${clean(titles.get(id) ?? "")}`.trim();
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const FRAME_MS = 100;
/** A narrower title is left out. */
const LEAST_TITLE = 12;

export interface Scene {
  view: View;
  titles: Titles;
  /** Epoch ms. */
  now: number;
  /** The width of the line. */
  columns: number;
  colours: Colours;
}

/** The line, at most `columns` wide; empty when there is nothing to show. */
export function liveLine(scene: Scene): string {
  const { view, now, columns, colours } = scene;
  if (view.ended !== undefined) return "";
  const frame = FRAMES.charAt(Math.floor(now / FRAME_MS) % FRAMES.length);
  if (view.current === undefined) {
    const words = view.waiting === undefined ? "" : waitingText(view.waiting, now);
    return words === "" ? "" : colours.dim(cut(`${frame} ${words}`, columns));
  }
  const { head, tail } = partsOf(scene, view.current);
  const stopping = view.interrupts === 0 ? "" : "stopping · ";
  const shown = cut(`${frame} ${head}`, columns);
  const left = columns - widthOf(shown);
  return colours.cyan(shown) + colours.dim(cut(` · ${stopping}${tail}`, left));
}

function partsOf(scene: Scene, current: Current): { head: string; tail: string } {
  const { now, columns } = scene;
  const who = [stageText(current), isEndOfWorkflow(current) ? "" : clean(current.agent)];
  const facts = [...who.filter((one) => one !== ""), showDuration(now - current.began), ...amounts(current)];
  const title = cut(titleOf(scene, current), Math.max(LEAST_TITLE, Math.floor(columns * 0.3)));
  return {
    head: `${labelOf(scene, current)}${title}`,
    tail: `${facts.join(" · ")} · ${clean(current.doing)}`,
  };
}

function amounts({ spent, attempt }: Current): string[] {
  const parts = attempt > 1 ? [`attempt ${attempt}`] : [];
  if (spent.tokens > 0) parts.push(showTokens(spent.tokens));
  if (spent.cost !== undefined) parts.push(showCost(spent.cost));
  return parts;
}

function labelOf({ view }: Scene, current: Current): string {
  if (current.taskId === undefined) return "";
  const { n, of } = placeOf(view);
  return `${n}/${of} ${clean(current.taskId)} `;
}

function titleOf({ titles }: Scene, current: Current): string {
  return current.taskId === undefined ? PHASES[current.phase] : clean(titles.get(current.taskId) ?? "");
}

/** The stage of a job with its visit; empty under `default`. */
export function stageText({ stage, visit }: StageVisitFacts): string {
  if (stage === undefined) return "";
  if (stage === "finish") return "finishing";
  if (stage === "block") return "giving up";
  const nth = visit === undefined || visit < 2 ? "" : `, visit ${String(visit)}`;
  return `${clean(stage)}${nth}`;
}

/** `review: changes, next implement`; empty under `default`. The stage alone where a failed attempt left the task in it. */
export function visitText(one: StageVisitFacts & { to?: string; result?: string }): string {
  const { outcome, to } = one;
  const stage = isEndOfWorkflow(one) ? "" : stageText(one);
  const isRejected = one.result === "failed" && to === undefined;
  if (stage === "" || isRejected || (outcome === undefined && to === undefined)) return stage;
  const parts = [clean(outcome ?? ""), to === undefined ? "" : `next ${clean(to)}`];
  return `${stage}: ${parts.filter((part) => part !== "").join(", ")}`;
}

/** Whether a job is one of the two ends, which have no agent. */
export function isEndOfWorkflow({ stage }: StageVisitFacts): boolean {
  return ENDS.some((end) => end === stage);
}

/** The names of jobs without a task. */
export const PHASES: Readonly<Record<Current["phase"], string>> = {
  bootstrap: "drafting the task file",
  repair: "mending the task file",
  iteration: "a task",
  review: "reviewing the project",
  push: "preparing the release",
};

type Waiting = Omit<Extract<RunEvent, { type: "waiting" }>, "type">;

/** One line; `now`: epoch ms. */
export function waitingText({ reason, until, agent, until_why: why }: Waiting, now: number): string {
  if (until === undefined) return `waiting for ${clean(reason)}`;
  const at = Date.parse(until);
  const when = Number.isNaN(at)
    ? clean(until)
    : `${showMoment(at, now)} (${showDuration(Math.max(0, at - now))})`;
  const whom = agent === undefined ? "" : ` for ${clean(agent)}`;
  return `waiting until ${when}${whom}: ${clean(reason)}${why === undefined ? "" : ` (${clean(why)})`}`;
}

/** The hint on a wait that an earlier run reported; empty for other waits. */
export function aroundWaiting({ agent, remembered }: Waiting): string {
  if (agent === undefined || remembered === undefined) return "";
  return `an earlier run was told so of ${clean(agent)}; another agent or model is asked now: --agent NAME, --model NAME`;
}
