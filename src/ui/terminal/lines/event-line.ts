// Shows a log line as one line of text. Parses loosely, so that logs of other versions can be shown too. Pure.
import { plural, showBytes, showMoment, showTime } from "../../view/words/amounts.js";
import type { Colours } from "../../colours.js";
import { clean, cut } from "../../text.js";
import { isRecord } from "../../../system/text/json.js";

type Value = Readonly<Record<string, unknown>>;

const TYPE_WIDTH = 17;
const TIME_WIDTH = "00:00:00".length;

/** `14:05:09 T3 claude     command         runs npm test`, the time local; `columns` cuts it, without it nothing is cut. */
export function eventLine(
  event: Value,
  { colours, columns }: { colours: Colours; columns?: number },
): string {
  const time = showTime(Date.parse(text(event, "timestamp"))).padEnd(TIME_WIDTH);
  const type = clean(text(event, "type"));
  const who = [text(event, "task_id"), text(event, "stage"), text(event, "agent")]
    .map(clean)
    .filter((part) => part !== "");
  const head = `${time} ${type.padEnd(TYPE_WIDTH)} `;
  const words = [who.join(" "), clean(wordsFor(type, event))].filter((part) => part !== "").join("  ");
  const shown = cut(words, columns && columns - head.length);
  const loud = LOUD.has(type);
  return `${colours.dim(head)}${loud ? colours.yellow(shown) : shown}`.trimEnd();
}

const LOUD = new Set(["error", "attempt_failed", "effect_failed", "warning", "over_budget"]);

/** A task file without tasks has no problems to count. */
const NO_TASKS: Readonly<Record<string, string>> = {
  missing: "no task file",
  empty: "the task file is empty",
  "no-tasks": "the task file holds no tasks",
};

/** The same of events about stages and questions. */
const STAGE_WORDS: Readonly<Record<string, (event: Value) => string>> = {
  stage_entered: (event) => {
    const before = [text(event, "from"), text(event, "outcome")].filter((part) => part !== "").join(": ");
    const how = text(event, "skipped") === "" ? "" : ` (${text(event, "skipped")})`;
    return `${before}${how} → ${text(event, "to")}, visit ${text(event, "visit")}`.trim();
  },
  asked: (event) => {
    const { question } = event;
    if (!isRecord(question)) return "";
    const outcomes: unknown[] = Array.isArray(question["outcomes"]) ? question["outcomes"] : [];
    const words = outcomes.length === 0 ? "any text" : outcomes.join(", ");
    return `${text(question, "id")} ${text(question, "text")} (${words})`;
  },
  question_answered: (event) => {
    const answer = [text(event, "question"), text(event, "outcome") || "answered"].join(" ");
    const remark = text(event, "comment");
    return `${answer}, by ${text(event, "by")} (${text(event, "via")})${remark === "" ? "" : `: ${remark}`}`;
  },
  output_written: (event) => `${text(event, "file")} ${text(event, "sha256").slice(0, 12)}`,
  work_saved: (event) => {
    const paths = plural(amount(event, "paths"), "path");
    const { output } = event;
    const found = isRecord(output) ? `${text(output, "outcome")}: ${text(output, "file")}, ` : "";
    return `${found}${paths} saved${event["shelved"] === true ? ", tree put back" : ""}`;
  },
  person_asked: (event) => (text(event, "outcome") === "left" ? "left open" : "answered"),
  agent_picked: (event) => `${text(event, "agent")} for iteration ${amount(event, "iteration")}`,
  session: (event) => text(event, "id"),
  notified: (event) => `${text(event, "of")} → ${join(event, "to", "outcome", "error")}`,
};

/** The text of each event type. Without an entry the event's fields are shown. */
const WORDS: Readonly<Record<string, (event: Value) => string>> = {
  run_started: (event) => `${text(event, "run")} in ${text(event, "project")}`,
  recovered,
  backlog_read: (event) => plural(amount(event, "tasks"), "task"),
  backlog_changed: moves,
  committed: (event) =>
    [text(event, "commit").slice(0, 12), moves(event)].filter((part) => part !== "").join("  "),
  backlog_invalid: (event) =>
    NO_TASKS[text(event, "what")] ?? `${text(event, "what")}, ${plural(amount(event, "count"), "problem")}`,
  task_selected: (event) =>
    `iteration ${text(event, "iteration")}, ${text(event, "reason")}, out of ${text(event, "candidates")}`,
  task_updated: (event) => move(event),
  checkpoint: (event) => text(event, "base").slice(0, 12),
  agent_started: (event) => text(event, "command"),
  agent_finished: (event) => join(event, "outcome", "reason", "evidence"),
  attempt_failed: (event) => `${join(event, "reason", "evidence")} (${text(event, "next")}${until(event)})`,
  message: (event) => text(event, "content"),
  tool_use: (event) => `${text(event, "name")} ${text(event, "input")}`,
  tool_result: (event) => text(event, "output"),
  command: (event) =>
    `${text(event, "command")}${event["exit_code"] === undefined ? "" : ` → exit ${text(event, "exit_code")}`}`,
  error: (event) => text(event, "error"),
  warning: (event) => text(event, "message"),
  usage: (event) => `${text(event, "input_tokens")} tokens in, ${text(event, "output_tokens")} out`,
  summary: (event) => join(event, "status", "summary"),
  decided: (event) => `${because(event)} → ${effects(event)}`,
  baseline_finished: (event) => `${text(event, "outcome")}: ${checks(event)}`,
  preflight_finished: (event) => `${text(event, "outcome")}: ${checks(event)}`,
  gate_finished: (event) => [text(event, "verdict"), checks(event)].filter((part) => part !== "").join(": "),
  restored: (event) => {
    const paths: unknown[] = Array.isArray(event["paths"]) ? event["paths"] : [];
    const kept = text(event, "rescue");
    const back = paths.length === 0 ? "nothing to put back" : `${plural(paths.length, "path")} put back`;
    return `${back}${kept === "" ? "" : `, kept as ${kept}`}`;
  },
  hook_finished: (event) => join(event, "command", "outcome"),
  release_step: (event) => text(event, "text").split("\n")[0] || join(event, "what", "outcome"),
  effect_failed: (event) => join(event, "effect", "error"),
  run_interrupted: (event) =>
    event["by"] === "stop"
      ? `looper stop${text(event, "signal") === "SIGTERM" ? " --now" : ""}`
      : text(event, "signal"),
  stop_sent: (event) => (text(event, "how") === "kill" ? "killed the agent" : "told the agent to end"),
  waiting: (event) => `${until(event).trim()}: ${text(event, "reason")}`,
  over_budget: (event) =>
    `${text(event, "spent")} of ${text(event, "most")} ${text(event, "unit")} (${text(event, "key")})`,
  room_prepared: (event) => `${text(event, "how")} ${join(event, "duration_ms")} ms`,
  logs_cleaned: (event) => {
    const runs: unknown[] = Array.isArray(event["runs"]) ? event["runs"] : [];
    return `${plural(runs.length, "old run")}, ${showBytes(amount(event, "bytes"))}`;
  },
  snapshot: (event) => {
    const changed = amount(event, "changed");
    const what = changed === 0 ? "nothing changed" : `${plural(changed, "path")} changed`;
    return `${what}, HEAD ${text(event, "head")}`;
  },
  run_ended: (event) => join(event, "ending", "message"),
  ...STAGE_WORDS,
};

const STAMPS = new Set([
  "type",
  "timestamp",
  "seq",
  "job",
  "iteration",
  "phase",
  "task_id",
  "agent",
  "attempt",
  "stage",
  "visit",
]);

function wordsFor(type: string, event: Value): string {
  const known = Object.hasOwn(WORDS, type) ? WORDS[type] : undefined;
  if (known !== undefined) return known(event);
  const own = Object.entries(event).filter(([key]) => !STAMPS.has(key));
  return own.length === 0 ? "" : JSON.stringify(Object.fromEntries(own));
}

function text(event: Value, key: string): string {
  const value = event[key];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function join(event: Value, ...keys: readonly string[]): string {
  return keys
    .map((key) => text(event, key))
    .filter((part) => part !== "")
    .join(": ");
}

/** The number in a field; 0 if it has none. */
function amount(event: Value, key: string): number {
  const value = event[key];
  return typeof value === "number" ? value : 0;
}

/** The leftovers of a dead run that a start found; empty counts are left out. */
function recovered(event: Value): string {
  const listed = (key: string): number => (Array.isArray(event[key]) ? event[key].length : 0);
  const [killed, left, locks] = [amount(event, "killed"), listed("left"), listed("locks_removed")];
  const parts = [
    text(event, "took_over") === "" ? "" : `took over from ${text(event, "took_over")}`,
    killed === 0 ? "" : `${plural(killed, "process", "processes")} ended`,
    left === 0 ? "" : `${plural(left, "process", "processes")} could not be ended`,
    locks === 0 ? "" : `${plural(locks, "dead git lock")} removed`,
    event["pending"] === undefined ? "" : "an unfinished commit found",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "nothing was left over" : parts.join(", ");
}

/** ` until …` in local time, and why it is later than reported; empty without a wait. */
function until(event: Value): string {
  const [said, why] = [text(event, "until"), text(event, "until_why")];
  const at = Date.parse(said);
  const when = Number.isNaN(at) ? said : showMoment(at, Date.parse(text(event, "timestamp")));
  return said === "" ? "" : ` until ${when}${why === "" ? "" : `, ${why}`}`;
}

function moves(event: Value): string {
  const updated: unknown[] = Array.isArray(event["updated"]) ? event["updated"] : [];
  return updated.map((one) => (isRecord(one) ? `${text(one, "id")} ${move(one)}` : "")).join(", ");
}

function move(event: Value): string {
  return `${text(event, "from") || "new"} → ${text(event, "to") || "gone"}`;
}

/** `npm test passed, sh lint.sh regressed` */
function checks(event: Value): string {
  const commands: unknown[] = Array.isArray(event["commands"]) ? event["commands"] : [];
  return commands
    .map((one) => {
      if (!isRecord(one)) return "";
      const passed = one["passed"] === undefined ? "" : one["passed"] === true ? "passed" : "failed";
      return `${text(one, "command")} ${text(one, "verdict") || passed}`;
    })
    .join(", ");
}

function because(event: Value): string {
  const reason = event["because"];
  return isRecord(reason) ? join(reason, "rule", "picked", "why") : "";
}

function effects(event: Value): string {
  const list: unknown[] = Array.isArray(event["effects"]) ? event["effects"] : [];
  const kinds = list.map((effect) => (isRecord(effect) ? text(effect, "kind") : ""));
  return kinds.length === 0 ? "nothing" : kinds.join(", ");
}
