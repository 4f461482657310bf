// Renders calls of `step` in short lines for transcripts: the event, the reason, the effects, the notes and the state.
import { never } from "../../system/never.js";
import type { StepEvent } from "../../logging/events/events.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { Advance, Change } from "../../todo/model/changes/change.js";
import type { Effect, JobFacts } from "../step/effects.js";
import type { ChangeResult } from "../step/jobs.js";
import type { RunState, Work } from "../step/state.js";
import type { DecisionReason } from "../step/decision.js";
import { computeDigest } from "./world/disk.js";
import type { Taken } from "./world/sim.js";

/** Renders one call: `>` the event and the reason, `+` effects, `!` notes, `@` the timer. */
export function renderTaken({ event, next }: Taken): string[] {
  const wake = next.wakeAt === undefined ? [] : [`  @ wake at ${next.wakeAt / 1000} s`];
  return [
    `> ${words(event.type, jobOf(event), eventWords(event))}  (${renderBecause(next.because)})`,
    ...next.notes.map((note) => `  ! ${renderNote(note)}`),
    ...next.effects.map((effect) => `  + ${renderEffect(effect)}`),
    ...wake,
  ];
}

function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

function jobOf(event: object): string {
  return "job" in event && typeof event.job === "number" ? `#${event.job}` : "";
}

function quoted(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `"${text}"`;
}

function renderBecause({ rule, picked, candidates, loser, why }: DecisionReason): string {
  const of = candidates === undefined ? "" : `of ${candidates}`;
  const before = loser === undefined ? "" : `before ${loser}`;
  return words(rule, picked ?? "", of, before, why === undefined || why === "" ? "" : `: ${why}`);
}

function eventWords(event: StepEvent): string {
  switch (event.type) {
    case "recovered":
      return event.pending === undefined ? "" : `pending ${event.pending.task_id ?? "backlog"}`;
    case "backlog_read":
      return event.digest;
    case "backlog_invalid":
      return event.what;
    case "answered":
      return event.yes ? "yes" : "no";
    case "adopted":
      return event.adopted ? "yes" : `no ${quoted(event.why)}`;
    case "backlog_changed":
    case "committed":
      return outcomeWords(event);
    case "baseline_finished":
    case "preflight_finished":
      return event.outcome;
    case "gate_finished":
      return event.verdict;
    case "agent_finished":
      return event.outcome === "failed" ? words("failed", event.reason ?? "") : reportWords(event);
    case "snapshot":
      return event.head === "same" ? "" : event.head;
    case "hook_finished":
      return words(event.hook, event.outcome);
    case "effect_failed":
      return event.effect;
    case "run_interrupted":
      return words(event.signal, event.signal === "SIGHUP" && event.terminal ? "of the terminal" : "");
    case "edited":
      return "";
    case "stop_sent":
      return event.how;
    case "run_ended":
      return event.ending;
    case "run_started":
    case "checkpoint":
    case "restored":
    case "woke":
      return "";
    case "work_saved":
      return event.shelved ? "shelved" : "";
    case "person_asked":
      return words(event.task_id, event.outcome);
    case "agent_picked":
      return words(event.task_id, event.agent);
    default:
      return never(event);
  }
}

function reportWords({ report }: Extract<StepEvent, { type: "agent_finished" }>): string {
  if (report === undefined || "missing" in report) return "ok, no summary";
  if ("invalid" in report) return "ok, bad summary";
  const { status, task_id, new_tasks, outcome, questions = [] } = report.found;
  const added = new_tasks === undefined ? "" : `and ${new_tasks.length} new`;
  if (questions.length > 0) return words("ok, asks", quoted(questions.join(" ")));
  if (outcome !== undefined) return words("ok", outcome);
  return words("ok", status, task_id === null ? "" : `for ${task_id}`, added);
}

function outcomeWords({ updated, refused, edits }: ChangeResult): string {
  const moves = updated.map(({ id, from, to }) => `${id} ${from ?? "new"}→${to ?? "gone"}`);
  const refusals = refused.map(({ op, id, why }) => `refused ${words(op, id ?? "")}: ${why}`);
  const others = edits === undefined ? [] : [`edited: ${editWords(edits)}`];
  return [...moves, ...refusals, ...others].join(", ");
}

function editWords({ added, changed, removed = [], put_back }: NonNullable<ChangeResult["edits"]>): string {
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(" ")}`]),
    ...(changed.length === 0 ? [] : [`changed ${changed.join(" ")}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(" ")}`]),
    ...put_back,
  ];
  return parts.join("; ");
}

function renderNote(note: ToldEvent): string {
  return words(note.type, noteWords(note));
}

function noteWords(note: ToldEvent): string {
  if (note.type === "attempt_failed") {
    return words(jobOf(note), note.reason, quoted(note.evidence), `then ${note.next}`);
  }
  if (note.type === "task_updated") {
    return words(note.task_id ?? "", `${note.from ?? "new"}→${note.to ?? "gone"}`);
  }
  if (note.type === "task_selected") return words(note.task_id ?? "", note.reason, `of ${note.candidates}`);
  if (note.type === "backlog_edited") return editWords(note);
  if (note.type === "attempt_stopped") return words(jobOf(note), note.task_id ?? "", `kept: ${note.kept}`);
  if (note.type === "stage_entered") {
    const from = note.from === undefined ? "" : `, after ${note.from}: ${note.outcome ?? ""}`;
    const skipped = note.skipped === undefined ? "" : ` (passed by ${note.skipped})`;
    return `${note.task_id ?? ""} ${note.to}, visit ${note.visit}${from}${skipped}`;
  }
  if (note.type === "asked")
    return words(note.question.id, quoted(note.question.text), answersWords(note.question));
  if (note.type === "question_answered")
    return words(note.question, note.outcome ?? "", `by ${note.by} (${note.via})`);
  return note.type === "warning" ? words(jobOf(note), quoted(note.message)) : "";
}

function answersWords({
  outcomes,
  shows,
}: {
  outcomes: readonly string[];
  shows?: { what: string } | undefined;
}): string {
  const of = shows === undefined ? "" : `shows ${shows.what};`;
  return words(of, outcomes.length === 0 ? "any text" : outcomes.join(" or "));
}

/** Renders an effect in one line. */
export function renderEffect(effect: Effect): string {
  const job = "job" in effect && effect.job !== undefined ? jobOf(effect.job) : "";
  return words(effect.kind, job, effectWords(effect));
}

function effectWords(effect: Effect): string {
  switch (effect.kind) {
    case "ask":
      return quoted(effect.question);
    case "change-backlog":
      return words(effect.changes.map(changeWords).join(", "), `(${effect.during})`);
    case "commit":
      return words(effect.changes.map(changeWords).join(", "), `(${effect.during})`);
    case "checkpoint":
      return words(
        effect.reuse ? "the one there is" : "",
        effect.aside === true ? "with one aside" : "",
        effect.apply_work === true ? "with the saved work" : "",
      );
    case "save-work":
      return words(
        effect.outcome,
        effect.work ? "with its work" : "",
        effect.discard === undefined
          ? ""
          : words("without the changes of", effect.discard.stage ?? "this stage"),
        effect.shelve ? "and shelve" : "",
      );
    case "ask-person":
      return effect.task_id;
    case "pick-agent":
      return words(effect.task_id, `of ${effect.agents.join(", ")}, attempt ${effect.attempt}`);
    case "run-agent": {
      const earlier = effect.earlier.map(({ attempt, reason }) => `${attempt} ${reason}`).join(", ");
      return words(factWords(effect.job), effect.label, earlier === "" ? "" : `after ${earlier}`);
    }
    case "run-hook":
      return words(effect.hook, quoted(effect.command), effect.status, effect.label);
    case "stop":
      return effect.how;
    case "finish": {
      const { ending, signal, message, done, tasks, iterations } = effect;
      const totals = `${done} of ${tasks} done in ${iterations} iterations`;
      return words(ending, signal ?? "", totals, quoted(message));
    }
    case "commit-backlog":
      return effect.ending;
    case "read-backlog":
    case "adopt":
    case "snapshot":
    case "preflight":
    case "run-baseline":
    case "run-gate":
    case "restore":
    case "finish-pending":
      return "";
    default:
      return never(effect);
  }
}

function factWords({ agent, task_id, phase, iteration, attempt, stage }: JobFacts): string {
  const at = stage === undefined ? "" : ` at ${stage}`;
  return `${agent} for ${task_id ?? phase}${at}, iteration ${iteration}, attempt ${attempt},`;
}

function changeWords(change: Change): string {
  switch (change.op) {
    case "claim":
      return `claim ${change.id} (${change.expect})`;
    case "enter":
      return words("enter", change.workflow, change.id, `at ${change.to}`);
    case "advance":
      return advanceWords(change);
    case "uncount":
      return `uncount ${change.id}`;
    case "finish":
      return words("finish", change.id, change.verdict === "unverified" ? "" : change.verdict);
    case "block":
      return words("block", change.id, quoted(change.blockers.join("; ")));
    case "return":
      return `return ${change.id} to ${change.to}`;
    case "reopen":
      return words("reopen", change.id, `to ${change.to}`, quoted(change.blockers.join("; ")));
    case "add":
      return `add ${change.tasks.map(({ id, title }) => id ?? title).join(" ")}`;
    case "mark-complete":
      return change.op;
    default:
      return never(change);
  }
}

function advanceWords({ id, outcome, to, status, takes, reasons = [] }: Advance): string {
  const by =
    takes === undefined
      ? ""
      : takes.automatic === undefined
        ? "as answered"
        : `as ${takes.automatic.by} says`;
  return words("advance", id, `by ${outcome}`, by, `to ${to} (${status})`, quoted(reasons.join("; ")));
}

/** Renders the state in one line. */
export function renderState(state: RunState): string {
  switch (state.phase) {
    case "new":
      return "= new";
    case "opening": {
      const { asked, job, stopping } = state.opening;
      const count = (kind: "bootstrap" | "repair"): number =>
        asked[kind] + (job?.facts.phase === kind ? 1 : 0);
      return `= opening: ${count("bootstrap")} drafts, ${count("repair")} repairs${stopping === 0 ? "" : `, stopping ${stopping}`}`;
    }
    case "working":
      return `= working: ${workWords(state.work)}`;
    case "ending":
      return `= ending: ${state.close.ending}, at ${state.close.activity}`;
    case "ended":
      return `= ended: ${state.ending}`;
    default:
      return never(state);
  }
}

function workWords(work: Work): string {
  const jobs = work.jobs.map(
    ({ facts, activity }) =>
      `#${facts.job} ${facts.task_id ?? facts.phase} at ${words(facts.stage ?? "", activity)}`,
  );
  const { stopping, closing, dropped, iterations, reviews } = work;
  return [
    computeDigest([...work.index.values]),
    ...jobs,
    `${iterations} iterations`,
    ...(reviews.added + reviews.failed > 0
      ? [`reviews ${reviews.added} added, ${reviews.failed} failed`]
      : []),
    ...(dropped.size > 0 ? [`without ${[...dropped].join(" ")}`] : []),
    ...(stopping > 0 ? [`stopping ${stopping}`] : []),
    ...(closing === undefined ? [] : [`closing ${closing.ending}`]),
  ].join(", ");
}
