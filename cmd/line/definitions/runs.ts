// The commands about runs, their logs, and what they left. Cheap to load: what they do is imported only when it is asked for.
import {
  ALL_RUNS,
  FILE,
  JSON_FLAG,
  RUN,
  TASK,
  TODO_FILE,
  TRUST,
  type CommandDefinition,
} from "../../context/definition.js";
import { RESCUE_VERBS } from "../../context/words.js";

/** In the order of the help. */
export const LOG_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "runs",
    operands: [],
    help: "list past runs, newest first",
    flags: [{ spelled: "-n <n>", help: "only the newest n" }, ALL_RUNS, JSON_FLAG],
    examples: [
      { line: "looper runs", help: "list each run with its ending, result and cost" },
      { line: "looper runs -n 1 --json", help: "print the last one as JSON" },
    ],
    load: async () => (await import("../../commands/runs/runs.js")).runs,
  },
  {
    name: "status",
    operands: [],
    help: "show the run in progress or the last one, and what is left",
    flags: [ALL_RUNS, JSON_FLAG],
    examples: [
      {
        line: "looper status",
        help: "show progress, the current task, time left and cost",
      },
      {
        line: "looper status --json | jq .run.eta_ms",
        help: "print the estimated milliseconds until the run is finished",
      },
    ],
    load: async () => (await import("../../commands/runs/status.js")).status,
  },
  {
    name: "stop",
    operands: [],
    help: "stop the run in progress after its current task, or now",
    flags: [{ spelled: "--now", help: "stop the agent too; its task resumes first next time" }, JSON_FLAG],
    examples: [
      { line: "looper stop", help: "stop after the current task is checked and committed" },
      { line: "looper stop --now", help: "stop at once; the next run resumes the task" },
    ],
    load: async () => (await import("../../commands/runs/stop.js")).stop,
  },
  {
    name: "tail",
    operands: [RUN],
    help: "show the events of a run",
    flags: [
      { spelled: "-f, --follow", help: "wait for more events, also of the next run" },
      { spelled: "-n <n>", help: "only the last n events" },
      { spelled: "--task <id>", help: "only events of this task", completes: "task" },
      { spelled: "--type <type>", help: "only events of this type", completes: "event-type" },
      { spelled: "--decisions", help: "also show each decision and its reason" },
      ALL_RUNS,
      { spelled: "--raw", help: "print the JSON lines of the log" },
      { spelled: "--json", help: "the same as --raw" },
    ],
    examples: [
      { line: "looper tail -n 20 --task T3", help: "show the last 20 events of T3" },
      { line: "looper tail --raw --type committed", help: "print the log line of every commit" },
      {
        line: "looper tail --raw --type usage | jq -s 'map(.output_tokens) | add'",
        help: "sum the output tokens of the run",
      },
    ],
    load: async () => (await import("../../commands/runs/tail.js")).tail,
  },
  {
    name: "logs",
    operands: [
      TASK,
      {
        spelled: "[run]",
        help: "a run's id, or how it begins (default: the newest with this task)",
        completes: "run",
      },
    ],
    help: "print what the agent wrote about a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper logs T3", help: "print every attempt of the newest run that worked on T3" },
      { line: "looper logs T3 --json", help: "the same as JSON, each message with its time" },
    ],
    load: async () => (await import("../../commands/runs/logs.js")).logs,
  },
  {
    name: "replay",
    operands: [RUN],
    help: "repeat every decision of a run and compare",
    flags: [
      { spelled: "--at <seq>", help: "show state, decision and reason at this line" },
      {
        spelled: "--tree",
        help: "repeat the commits in a temporary clone as well",
      },
      {
        spelled: "--gate",
        help: "with --tree: also run the verify commands",
      },
      { spelled: "--trust", help: "with --gate: approve the commands of the project" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper replay --tree",
        help: "repeat the newest run without an agent; compare its commits",
      },
      {
        line: "looper replay --at 20",
        help: "explain the decision at line 20 of the log",
      },
    ],
    load: async () => (await import("../../commands/runs/replay.js")).replay,
  },
  {
    name: "undo",
    operands: [TASK, FILE],
    help: "take back what a task changed, and reopen it",
    flags: [
      { spelled: "--cascade", help: "also undo done tasks that depend on it" },
      { spelled: "--reason <text>", help: "the reason, for the prompt of the next attempt" },
      { spelled: "--dry-run", help: "show what would be undone; change nothing" },
      { spelled: "-y", help: "do not ask about the work of a task that is not done" },
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper undo T3 --reason 'dates are wrong in leap years'",
        help: "revert T3 and pass the reason to its next attempt",
      },
      { line: "looper undo T3 --cascade --dry-run", help: "show which tasks would be undone" },
      { line: "looper undo T3 -y", help: "take back what T3 has changed so far, without a question" },
    ],
    load: async () => (await import("../../commands/runs/undo.js")).undo,
  },
  {
    name: "rescue",
    operands: [
      { spelled: "[verb]", help: "list (default), show, restore or drop", completes: RESCUE_VERBS },
      { spelled: "[ids...]", help: "ids as listed, or how they begin", completes: "rescue" },
    ],
    help: "list, show, restore or drop abandoned work",
    flags: [
      { spelled: "--only-files", help: "restore the files only, not as work of their task" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper rescue show T3-2", help: "show what was saved of the second attempt at T3" },
      { line: "looper rescue restore T3-2", help: "restore the work for T3, uncommitted" },
    ],
    load: async () => (await import("../../commands/runs/rescue.js")).rescue,
  },
  {
    name: "clean",
    operands: [],
    help: "remove old runs and sessions that nothing needs",
    flags: [
      { spelled: "--keep <n>", help: "keep the newest n runs and n sessions" },
      {
        spelled: "--age <time>",
        help: "remove only older ones, e.g. 7d; combines with --keep",
      },
      { spelled: "--dry-run", help: "show what would be removed; remove nothing" },
      { spelled: "-y", help: "do not ask; remove what it would propose" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper clean --keep 20 --dry-run",
        help: "show what would be removed, and why the rest is kept",
      },
      { line: "looper clean --age 30d", help: "remove runs and sessions older than 30 days" },
    ],
    load: async () => (await import("../../commands/runs/clean.js")).clean,
  },
];
