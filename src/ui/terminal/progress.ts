// The progress lines of a run: above the live line on a terminal, alone elsewhere. Pure.
import type { RunEvent, Sealed } from "../../logging/events/events.js";
import { cannotWork } from "../../agents/failure-words.js";
import { never } from "../../system/never.js";
import { keepEnd, listSome } from "../../system/text/cut.js";
import { plural, showBytes, showDuration, showMoment, showSpent } from "../view/words/amounts.js";
import type { StderrNote } from "./diagnostics.js";
import { overBudgetText } from "../view/words/ending.js";
import type { Finished } from "../view/job-view.js";
import { placeOf, type View } from "../view/view.js";
import type { Colours } from "../colours.js";
import {
  isEndOfWorkflow,
  PHASES,
  stageText,
  taskName,
  visitText,
  aroundWaiting,
  waitingText,
  type Titles,
} from "../view/words/live-line.js";
import { clean, cut } from "../text.js";
import { noOf, yesOf } from "../../workflow/question.js";
import { quoteIfNeeded } from "../../shell/quote.js";
import { ofSource } from "../view/open-questions.js";
import { RESULTS } from "../view/rows.js";

export interface ShownEvent {
  before: View;
  event: Sealed;
  after: View;
}

export interface LineStyle {
  titles: Titles;
  colours: Colours;
  /** A live line shows the job in progress, which then needs no line of its own. */
  live: boolean;
  /** The terminal's width: titles are truncated to leave room. */
  columns?: number;
}

/** The share of a line that a title may take. */
const TITLE_SHARE = 0.5;

/** The lines for one event, each a note of its own. */
export function progressNotes({ before, event, after }: ShownEvent, look: LineStyle): StderrNote[] {
  const notes = notesOf(event, after, look);
  const { current } = after;
  if (current !== undefined && current.job !== before.current?.job && !look.live)
    notes.push(told(beginLine(after, look)));
  notes.push(...after.finished.slice(before.finished.length).map((one) => finishedNote(one, after.at, look)));
  return notes;
}

function told(line: string): StderrNote {
  return { level: "info", lines: [line] };
}

function notesOf(event: Sealed, view: View, look: LineStyle): StderrNote[] {
  const { colours } = look;
  switch (event.type) {
    case "run_started":
      return [told(colours.dim(headOf(view))), ...event.warnings.map((message) => warning(message, colours))];
    case "recovered":
      return recovered(event, colours);
    case "backlog_read":
      return [told(colours.dim(`${plural(view.statuses.size, "task")}, ${view.doneAtStart} done`))];
    case "backlog_invalid":
      return [warning(invalidText(event), colours)];
    case "backlog_edited":
      return [warning(editedText(event), colours)];
    case "warning":
      return [warning(event.message, colours)];
    case "release_step":
      return (event.text ?? "").split("\n").map((line) => told(clean(line)));
    case "hook_finished": {
      if (event.outcome === "ok") return [];
      const code = event.exit_code === undefined ? "" : ` (exit ${String(event.exit_code)})`;
      const how = event.outcome === "timed-out" ? "took too long" : `failed${code}`;
      const said = event.output === "" ? "" : `: ${lastOf(clean(event.output))}`;
      return [warning(`the hook ${event.command} ${how}${said}`, colours)];
    }
    case "run_interrupted":
      return [told(colours.yellow(interruptText(event, view)))];
    case "waiting":
      return [waitingText(event, Date.parse(event.timestamp)), aroundWaiting(event)]
        .filter((line) => line !== "")
        .map((line) => told(colours.dim(line)));
    case "over_budget":
      return [warning(overBudgetText(event), colours)];
    case "logs_cleaned":
      return [told(colours.dim(cleanedText(event)))];
    case "stage_entered":
      return event.skipped === undefined ? [] : [told(colours.dim(skippedText(event)))];
    case "asked":
      return [{ level: "info", lines: askedLines(event, look) }];
    case "question_answered":
      return [told(`- ${answeredText(event)}`)];
    case "notified": {
      const { of, to, outcome, error = "" } = event;
      if (outcome === "ok") return [];
      const how = `${outcome === "timed-out" ? "took too long" : "failed"}${error === "" ? "" : `: ${error}`}`;
      return [warning(`the notification of ${of} to ${to} ${how}`, colours)];
    }
    default:
      return [];
  }
}

/** A run with nothing to start has no agents. */
function headOf({ version, run, agents }: View): string {
  const names = agents.map(clean).join(", ");
  return [`looper ${version}`, `run ${run}`, names].filter((part) => part !== "").join(" · ");
}

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function warning(message: string, colours: Colours): StderrNote {
  const text = clean(message);
  return { level: "warn", lines: [`${colours.yellow("!")} ${text}`], warning: text };
}

function recovered(event: Of<"recovered">, colours: Colours): StderrNote[] {
  const lines: string[] = [];
  if (event.took_over !== undefined) {
    const ended =
      event.killed === 0 ? "" : `, and ended ${plural(event.killed, "process", "processes")} it left`;
    lines.push(`took over from run ${event.took_over}, which is gone${ended}`);
  }
  if (event.pending !== undefined) lines.push("finishing the commit it had begun");
  if (event.left.length > 0) lines.push(`these processes could not be ended: ${event.left.join(", ")}`);
  if (event.locks_removed.length > 0) lines.push(`removed dead git locks: ${event.locks_removed.join(", ")}`);
  return lines.map((line) => warning(line, colours));
}

function invalidText(event: Of<"backlog_invalid">): string {
  switch (event.what) {
    case "missing":
      return "no task file";
    case "empty":
    case "no-tasks":
      return "the task file has no tasks";
    case "broken": {
      const [first] = event.problems;
      const where = first === undefined ? "" : `, the first in line ${first.line}: ${first.message}`;
      return `the task file has ${plural(event.count, "problem")}${where}`;
    }
    default:
      return never(event.what);
  }
}

/** How many names of a list are shown; the log has all. */
const NAMED = 10;

function editedText({ added, changed, removed = [], put_back: putBack, copy }: Of<"backlog_edited">): string {
  const parts = [
    added.length === 0 ? "" : `new: ${listSome(added, NAMED)}`,
    changed.length === 0 ? "" : `changed: ${listSome(changed, NAMED)}`,
    removed.length === 0 ? "" : `${listSome(removed, NAMED)} removed`,
    putBack.length === 0 ? "" : `put back: ${listSome(putBack, NAMED, "; ")}`,
    copy === undefined ? "" : `their version is kept in ${copy}`,
  ];
  return ["the task file was edited meanwhile", ...parts.filter((part) => part !== "")].join("; ");
}

function cleanedText({ runs, bytes }: Of<"logs_cleaned">): string {
  return `removed the logs of ${plural(runs.length, "old run")}, ${showBytes(bytes)} (log.keep, log.max_bytes)`;
}

function interruptText(event: Of<"run_interrupted">, view: View): string {
  const { interrupts, current, waiting } = view;
  if (event.signal === "SIGHUP" && !event.terminal) return "SIGHUP is ignored without a terminal";
  const isTerm = event.signal !== "SIGINT";
  if (!isTerm && interrupts > 2) return "ending everything at once";
  const signal = event.by === "stop" ? "looper stop: " : isTerm ? `${event.signal}: ` : "";
  // No agent is working, so there is nothing to wait for.
  if (current === undefined) return `${signal}stopping${waiting === undefined ? "" : ": the wait is over"}`;
  if (isTerm) return `${signal}ending the agent`;
  if (view.release !== undefined) return "ending the agent, and putting the tree back";
  return interrupts === 1
    ? `${signal}stopping once the agent has finished (Ctrl-C${event.by === "stop" ? "" : " again"} ends it now)`
    : `${signal}ending the agent (Ctrl-C again ends everything at once)`;
}

function beginLine(view: View, { titles }: LineStyle): string {
  const { current } = view;
  if (current === undefined) return "";
  const again = current.attempt > 1 ? `, attempt ${current.attempt}` : "";
  const agent = `${clean(current.agent)}${again}`;
  if (current.taskId === undefined) return `- ${PHASES[current.phase]} · ${agent}`;
  const { n, of } = placeOf(view);
  const stage = stageText(current);
  const who = isEndOfWorkflow(current) ? "" : ` · ${agent}`;
  return `- ${n}/${of} ${taskName(current.taskId, titles)}${stage === "" ? "" : ` · ${stage}`}${who}`;
}

/** How much of a reason, a question or a remark is shown during the run; the log has all of it. */
const MOST_WHY = 240;

/** A program that fails gives the reason last. */
function lastOf(printed: string): string {
  return printed.length <= MOST_WHY ? printed : `…${keepEnd(printed, MOST_WHY)}`;
}

/** A job whose agent was not available: it did not fail and does not count. */
function notStartedNote(one: Finished, at: number, colours: Colours): StderrNote {
  const what = one.taskId === undefined ? PHASES[one.phase] : clean(one.taskId);
  const agent = clean(one.agent);
  const why = cannotWork(agent, one.reason) ?? `${agent}: ${cut(clean(one.why), MOST_WHY)}`;
  const until = Date.parse(one.until ?? "");
  const next = Number.isNaN(until) ? "" : `. Next try ${showMoment(until, at)}`;
  return {
    level: RESULTS[one.result].level,
    lines: [`${colours.yellow("-")} ${what} not started: ${why}${next}`],
  };
}

function finishedNote(one: Finished, at: number, { titles, colours, columns }: LineStyle): StderrNote {
  if (one.result === "waiting" || one.result === "agent-dropped") return notStartedNote(one, at, colours);
  const whole = one.taskId === undefined ? PHASES[one.phase] : taskName(one.taskId, titles);
  const name = cut(whole, columns && Math.floor(columns * TITLE_SHARE));
  const added = one.added === 0 ? "" : plural(one.added, "new task");
  const attempt = one.attempt > 1 ? `attempt ${one.attempt}` : "";
  const agent = isEndOfWorkflow(one) ? "" : clean(one.agent);
  const facts = [visitText(one), agent, attempt, showDuration(one.ms), showSpent(one.spent), added];
  const shown = facts.filter((fact) => fact !== "").join(" · ");
  const why = one.why === "" ? "" : `: ${cut(clean(one.why), MOST_WHY)}`;
  const line = `${signOf(one, colours)} ${name} ${colours.dim(`· ${shown}`)}${why}${verdictText(one)}`;
  return { level: RESULTS[one.result].level, lines: [line] };
}

/** The verdict on a task that is done, with its evidence or the reason. */
function verdictText({ result, judged }: Finished): string {
  if (result !== "done" || judged === undefined || judged.verdict === "none") return "";
  const { verdict, text } = judged;
  return ` · ${verdict}${text === undefined ? "" : `: ${cut(clean(text), MOST_WHY)}`}`;
}

function signOf({ result, judged }: Finished, colours: Colours): string {
  const { verdict } = judged ?? {};
  if (result === "done" && verdict === "unbroken") return colours.yellow("~");
  if (result === "done" && verdict === "unverified") return colours.yellow("!");
  return colours[RESULTS[result].colour](RESULTS[result].sign);
}

function named(id: string | undefined): string {
  return clean(id ?? "");
}

function skippedText({ task_id: id, from = "", outcome = "", to, skipped }: Of<"stage_entered">): string {
  const why = skipped === "skip" ? "--skip" : "its `when` does not hold";
  return `- ${named(id)} ${clean(from)} passed (${why}): ${clean(outcome)}, next ${clean(to)}`;
}

/** The question, then the commands that answer it: they work from any shell. */
function askedLines({ task_id: id, question }: Of<"asked">, { titles, colours }: LineStyle): string[] {
  const name = taskName(id ?? "", titles);
  const task = quoteIfNeeded(named(id));
  const reject = noOf(question) === undefined ? "" : ` or looper reject ${task}`;
  return [
    `${colours.yellow("?")} ${name} ${ofSource(question)}: ${cut(clean(question.text), MOST_WHY)}`,
    yesOf(question) === undefined ? `  looper answer ${task} -m "…"` : `  looper approve ${task}${reject}`,
  ];
}

/** `T3 approve, by ada (cli): with a remark` */
function answeredText(event: Of<"question_answered">): string {
  const { task_id: id, outcome = "answered", by, via, comment = "" } = event;
  const remark = comment === "" ? "" : `: ${cut(clean(comment), MOST_WHY)}`;
  return `${named(id)} ${clean(outcome)}, by ${clean(by)} (${via})${remark}`;
}
