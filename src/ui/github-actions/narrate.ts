// A run as the log of a GitHub workflow shows it: a group of lines for each task, an annotation for what went wrong. Pure.
// Leaves the syntax of commands to commands.ts, and the table at the end to summary.ts.
import type { RunEvent } from "../../logging/events/events.js";
import type { Level, StderrNote } from "../terminal/diagnostics.js";
import { ENDINGS, explainEnding } from "../view/words/ending.js";
import type { Current, Finished } from "../view/job-view.js";
import { PHASES, taskName } from "../view/words/live-line.js";
import { ofSource, waysToAnswer } from "../view/open-questions.js";
import { progressNotes, type LineStyle, type ShownEvent } from "../terminal/progress.js";
import { RESULTS } from "../view/rows.js";
import { clean, cut } from "../text.js";
import type { Ended, View } from "../view/view.js";
import { annotation, END_GROUP, group } from "./commands.js";
import { stripVTControlCharacters } from "node:util";
import { showDuration } from "../view/words/amounts.js";

/** Lines for the log; those of a `command` must be written unchanged. */
export interface Spoken extends StderrNote {
  command?: true;
}

/** The state between two events. */
export interface Narration {
  /** The task or job of the open group. */
  open?: string;
  /** The problems of the task file, until it is corrected. */
  problems: Extract<RunEvent, { type: "backlog_invalid" }>["problems"];
  /** A task was given up in this run. */
  gaveUp: boolean;
}

export const NOTHING_SAID: Narration = { problems: [], gaveUp: false };

export interface WorkflowLook extends LineStyle {
  /** The task file, from the root of the checkout. */
  todoFile: string;
}

/** Longer reasons are truncated in an annotation; the log of the run has all of it. */
const MOST_WHY = 2000;
/** How many errors a workflow shows for a step. */
const MOST_PROBLEMS = 9;

/** The lines for one event in order, and the state for the next one. */
export function narrate(
  narration: Narration,
  step: ShownEvent,
  look: WorkflowLook,
): { narration: Narration; spoken: Spoken[] } {
  const { before, event, after } = step;
  const { current } = after;
  const opened =
    current !== undefined && current.job !== before.current?.job
      ? openGroup(narration, current, look)
      : { narration, spoken: [] };
  const given = after.finished.slice(before.finished.length);
  const told = progressNotes(step, look).map(asAnnotation);
  const asked = event.type === "asked" ? [noticeOf(event, look)] : [];
  const gate = event.type === "gate_finished" ? gateLines(event).map((line) => says("info", line)) : [];
  const over = given.some(({ result }) => RESULTS[result].isOver === true) || event.type === "run_ended";
  const closed = over ? closeGroup(opened.narration) : { narration: opened.narration, spoken: [] };
  const blocked = given.filter(({ result }) => result === "blocked");
  const known = {
    ...closed.narration,
    gaveUp: narration.gaveUp || blocked.length > 0,
    ...problemsAfter(event),
  };
  return {
    narration: known,
    spoken: [
      ...opened.spoken,
      ...gate,
      ...told,
      ...asked,
      ...closed.spoken,
      ...blocked.map((one) => errorOf(one, look)),
      ...(after.ended === undefined ? [] : ofEnding(known, after, after.ended, look)),
    ],
  };
}

function says(level: Level, line: string): Spoken {
  return { level, lines: [line] };
}

function commands(level: Level, ...lines: string[]): Spoken {
  return { level, lines, command: true };
}

/** Shows a warning as an annotation as well. */
function asAnnotation(note: StderrNote): Spoken {
  if (note.warning === undefined) return note;
  return commands("warn", annotation("warning", note.warning, { title: "looper" }));
}

type Turned = { narration: Narration; spoken: Spoken[] };

/** All attempts at a task share one group. */
function openGroup(narration: Narration, { taskId, job, phase }: Current, look: WorkflowLook): Turned {
  const key = taskId === undefined ? `job ${job}` : `task ${taskId}`;
  if (narration.open === key) return { narration, spoken: [] };
  const title = taskId === undefined ? PHASES[phase] : taskName(taskId, look.titles);
  const before = narration.open === undefined ? [] : [END_GROUP];
  return { narration: { ...narration, open: key }, spoken: [commands("info", ...before, group(title))] };
}

function closeGroup(narration: Narration): Turned {
  const { open, ...rest } = narration;
  return { narration: rest, spoken: open === undefined ? [] : [commands("info", END_GROUP)] };
}

function errorOf({ taskId = "", why }: Finished, look: WorkflowLook): Spoken {
  const title = `${taskName(taskId, look.titles)}: blocked`;
  return commands("error", annotation("error", cut(clean(why), MOST_WHY) || "blocked", { title }));
}

/** A question, so that a person finds it from the list of workflow runs. */
function noticeOf({ task_id, question }: Extract<RunEvent, { type: "asked" }>, look: WorkflowLook): Spoken {
  const id: string = task_id ?? "";
  const title = `${taskName(id, look.titles)} ${ofSource(question)}`;
  const text = `${cut(clean(question.text), MOST_WHY)}\n${waysToAnswer(id, question).join("\n")}`;
  return commands("info", annotation("notice", text, { title }));
}

function problemsAfter(event: RunEvent): Partial<Narration> {
  if (event.type === "backlog_invalid") return { problems: event.problems };
  return event.type === "backlog_read" ? { problems: [] } : {};
}

function ofEnding(narration: Narration, view: View, ended: Ended, look: WorkflowLook): Spoken[] {
  const { why, next } = explainEnding(view, ended, look.todoFile);
  const title = `looper: ${ended.ending}`;
  const { annotation: kind } = ENDINGS[ended.ending];
  // Each abandoned task already has its own annotation.
  if (kind === undefined || (ended.ending === "blocked" && narration.gaveUp)) return [];
  const text = annotation(kind, next === "" ? why : `${why}\n${next}`, { title });
  const said = commands(kind === "error" ? "error" : "warn", text);
  return ended.ending === "unusable-backlog"
    ? [commands("error", ...problemLines(narration, look)), said]
    : [said];
}

function problemLines({ problems }: Narration, { todoFile }: WorkflowLook): string[] {
  return problems.slice(0, MOST_PROBLEMS).map(({ rule, line, column, message, suggestion }) => {
    const text = suggestion === undefined ? message : `${message}: ${suggestion}`;
    return annotation("error", text, { title: rule, file: todoFile, line, col: column });
  });
}

type GateFinished = Extract<RunEvent, { type: "gate_finished" }>;

/** How many of the last lines of a command's output are shown. */
const MOST_LINES = 30;

/** A line for each command, followed by the end of its output when it failed the task. */
function gateLines({ commands, tampered }: GateFinished): string[] {
  return [
    ...commands.flatMap(commandLines),
    ...tampered.map(({ path, name, what, detail }) => {
      const where = [path, name].filter((part) => part !== undefined).join(" ");
      return `  gate ✗ tampering, ${what}: ${clean(where)}: ${clean(detail)}`;
    }),
  ];
}

function commandLines(one: GateFinished["commands"][number]): string[] {
  const bad = one.verdict === "regressed" || one.verdict === "new";
  const how = one.end === "exited" ? `exit ${one.exit_code ?? "?"}` : one.end;
  const facts = [one.verdict, how, showDuration(one.duration_ms)].join(", ");
  return [`  gate ${bad ? "✗" : "✓"} ${clean(one.command)} (${facts})`, ...(bad ? tailOf(one.tail) : [])];
}

function tailOf(tail: string): string[] {
  const lines = stripVTControlCharacters(tail)
    .trimEnd()
    .split(/\r\n|[\r\n]/);
  return lines.slice(-MOST_LINES).map((line) => {
    const indent = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "  ") ?? "";
    return `  | ${indent}${clean(line)}`.trimEnd();
  });
}
