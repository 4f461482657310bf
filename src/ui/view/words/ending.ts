// Why a run ended and what to do next, one sentence each. Pure.
import { describeBudget } from "../../../agents/process/stopped.js";
import type { RunEvent } from "../../../logging/events/events.js";
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural } from "./amounts.js";
import type { Ended, View } from "../view.js";
import { count } from "../view.js";
import { countOpen, hasLeftAnswer, listPaused } from "../stage-view.js";

/** How an ending is told: its colour, and the annotation that a GitHub workflow shows. */
export const ENDINGS: Readonly<
  Record<Ended["ending"], { colour: "green" | "yellow" | "red"; annotation?: "warning" | "error" }>
> = {
  complete: { colour: "green" },
  blocked: { colour: "yellow", annotation: "error" },
  limit: { colour: "yellow", annotation: "warning" },
  budget: { colour: "yellow", annotation: "warning" },
  waiting: { colour: "yellow", annotation: "warning" },
  interrupted: { colour: "yellow", annotation: "warning" },
  "unusable-backlog": { colour: "red", annotation: "error" },
  environment: { colour: "red", annotation: "error" },
};

/** Whether something kept the run from doing its work. */
export function couldNotWork({ ending }: Ended): boolean {
  return ENDINGS[ending].colour === "red";
}

/** `next` is empty when nothing is left to do. Texts are not cleaned. `file`: the task file as shown. */
export function explainEnding(view: View, ended: Ended, file: string): { why: string; next: string } {
  const { message } = ended;
  switch (ended.ending) {
    case "complete":
      return complete(view, ended);
    case "blocked":
      return blockedEnding(view, ended);
    case "limit":
      return {
        why: message ?? "the limit of this run is reached",
        next: `${runAgain(view)}; --max-iterations allows more`,
      };
    case "budget":
      return { why: message ?? "the budget of this run is spent", next: nextForBudget(view) };
    case "waiting":
      return waitingEnding(view, message);
    case "unusable-backlog":
      return {
        why: message ?? "the task file cannot be used",
        next: nextForBacklog(view, file),
      };
    case "environment":
      return {
        why: message ?? "something around the run is missing",
        next: nextForEnvironment(message),
      };
    case "interrupted":
      return {
        why: message ?? `stopped by ${view.stoppedBy ?? ended.signal ?? "a signal"}`,
        next: runAgain(view),
      };
    default:
      return never(ended.ending);
  }
}

/** A message about something that was removed says itself what is lost. */
function nextForEnvironment(message: string | undefined): string {
  const doctor = "looper doctor checks what a run needs";
  return /\bwas (?:removed|damaged)\b/.test(message ?? "")
    ? doctor
    : `${doctor}; nothing that was done is lost`;
}

const FIX =
  "fix what is named above (also under `blockers` in the task file), then looper run: it tries blocked tasks once more";

/** Nothing is ready: tasks are blocked or paused, or wait for those. */
function blockedEnding(view: View, { message, rejected = [] }: Ended): { why: string; next: string } {
  const paused = listPaused(view.stages);
  const statuses = new Map(view.statuses.values.map(({ id, status }) => [id, status]));
  const held = paused.filter((id) => statuses.get(id) === "blocked").length;
  const blocked = count(view, "blocked") - countOpen(view.stages) - held;
  const left = view.statuses.size - count(view, "done") - count(view, "blocked") - (paused.length - held);
  const first = paused[0] ?? "ID";
  // With --task the others may be ready.
  const beside = view.only === undefined ? [leftBeside(left)] : [];
  if (paused.length === 0) return { why: message ?? [blockedText(blocked), ...beside].join("; "), next: FIX };
  const parts = [
    ...(blocked === 0 ? [] : [blockedText(blocked)]),
    ...pausedTexts(paused, new Set(rejected)),
    ...beside,
  ];
  const resume = `looper resume ${first} lifts ${paused.length === 1 ? "the" : "a"} pause`;
  return {
    why: message ?? parts.join("; "),
    next: blocked === 0 ? `${resume}, then looper run` : `${FIX}; ${resume}`,
  };
}

/** The paused tasks, those first that a person rejected. */
function pausedTexts(paused: readonly string[], rejected: ReadonlySet<string>): string[] {
  const no = paused.filter((id) => rejected.has(id));
  const rest = paused.filter((id) => !rejected.has(id));
  const was = no.length === 1 ? "was rejected and is" : "were rejected and are";
  return [
    ...(no.length === 0 ? [] : [`${plural(no.length, "task")} ${was} paused (${listSome(no)})`]),
    ...(rest.length === 0
      ? []
      : [`${plural(rest.length, "task")} ${rest.length === 1 ? "is" : "are"} paused (${listSome(rest)})`]),
  ];
}

function blockedText(blocked: number): string {
  return `${plural(blocked, "task")} ${blocked === 1 ? "is" : "are"} blocked`;
}

/** The run waits: for people, or for an agent. */
function waitingEnding(view: View, message: string | undefined): { why: string; next: string } {
  if (countOpen(view.stages) > 0) return askedEnding(view, message);
  const why = message ?? "an agent cannot work for a while";
  return hasLeftAnswer(view.stages)
    ? { why, next: `run the command that is named above, then ${runAgain(view)}` }
    : { why, next: `${runAgain(view)}, when the agent can work again; or schedule another agent` };
}

/** The run has nothing to do until a person answers. */
function askedEnding({ stages }: View, message: string | undefined): { why: string; next: string } {
  const open = countOpen(stages);
  const ask = open === 1 ? "question waits" : "questions wait";
  return {
    why: message ?? `${String(open)} ${ask} for an answer`,
    next: "answer with the commands above, from any shell, then looper run: it takes up the answers first",
  };
}

function nextForBudget(view: View): string {
  const { inDollars, unpriced } = view;
  const again = runAgain(view);
  if (inDollars && unpriced !== undefined) {
    const price = `have ${unpriced} tell its cost or set its model, with a price in prices_file`;
    return `${price}; or set loop.unknown_cost to allow; then ${again}`;
  }
  return `${again}; or allow more (loop.max_duration, max_cost_usd, max_tokens)`;
}

/** The sentence on an exceeded budget of a task or the run. Not cleaned. */
export function overBudgetText(event: Extract<RunEvent, { type: "over_budget" }>): string {
  const who = event.of === "task" ? (event.task_id ?? "a task") : "the run";
  return `${who}: ${describeBudget(event)}`;
}

function nextForBacklog({ invalid }: View, file: string): string {
  switch (invalid) {
    case undefined:
    case "broken":
      return `looper validate ${file} shows every problem with its place`;
    case "known":
      return "take that version back, then run again";
    case "nothing":
      return 'write tasks, or have them drafted: looper run --prompt "what to build"';
    default:
      return never(invalid);
  }
}

function complete(view: View, { message }: Ended): { why: string; next: string } {
  if (message !== undefined) return { why: message, next: "" };
  const all = view.only === undefined ? "every task is done" : `${view.only} and what it depends on are done`;
  return { why: all, next: view.only === undefined ? "" : "looper run works through the rest" };
}

/** The command for the next run, which first resumes the task in progress, if any. */
export function runAgain(view: View): string {
  const inHand = view.statuses.values.find(({ status }) => status === "doing")?.id;
  return inHand === undefined ? "looper run" : `looper run continues with ${inHand}`;
}

/** The sentence on tasks that are neither done nor blocked. */
function leftBeside(waiting: number): string {
  if (waiting === 0) return "nothing else is left to do";
  return `${plural(waiting, "task")} ${waiting === 1 ? "waits" : "wait"} for what is not done`;
}
