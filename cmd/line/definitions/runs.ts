// The commands about runs, their logs, and what they left. Cheap to load: what they do is imported only when it is asked for.
import {
  ALL_RUNS,
  FILE,
  JSON_FLAG,
  RUN,
  TASK,
  TODO_FILE,
  type CommandDefinition,
} from "../../context/definition.js";
import { RESCUE_VERBS } from "../../context/words.js";

/** In the order of the help. */
export const LOG_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "runs",
    operands: [],
    says: "list the past runs, the newest first",
    flags: [{ spelled: "-n <n>", says: "only the newest n" }, ALL_RUNS, JSON_FLAG],
    examples: [
      { line: "looper runs", says: "how each ended, what it did, and what it used" },
      { line: "looper runs -n 1 --json", says: "the last one, for a program" },
    ],
    load: async () => (await import("../../commands/runs/runs.js")).runs,
  },
  {
    name: "status",
    operands: [],
    says: "show the run in progress, or the last one, and what is left",
    flags: [ALL_RUNS, JSON_FLAG],
    examples: [
      {
        line: "looper status",
        says: "done and left, what is in hand, how long it may take, what it has cost",
      },
      {
        line: "looper status --json | jq .run.eta_ms",
        says: "how long until nothing is left, in milliseconds",
      },
    ],
    load: async () => (await import("../../commands/runs/status.js")).status,
  },
  {
    name: "stop",
    operands: [],
    says: "end the run that goes on: once its agent has finished, or now",
    flags: [{ spelled: "--now", says: "end its agent now; the task is taken up first next time" }, JSON_FLAG],
    examples: [
      { line: "looper stop", says: "after the task in hand, checked and committed" },
      { line: "looper stop --now", says: "what is in hand stays in the tree, and goes on with the next run" },
    ],
    load: async () => (await import("../../commands/runs/stop.js")).stop,
  },
  {
    name: "tail",
    operands: [RUN],
    says: "show what a run did",
    flags: [
      { spelled: "-f, --follow", says: "wait for more, into the next run; Ctrl-C ends it" },
      { spelled: "-n <n>", says: "only the last n events" },
      { spelled: "--task <id>", says: "only events of this task", completes: "task" },
      { spelled: "--type <type>", says: "only events of this type", completes: "event-type" },
      { spelled: "--decisions", says: "also what the run decided on each event, and why" },
      ALL_RUNS,
      { spelled: "--raw", says: "the log's own JSON lines, decisions among them" },
      { spelled: "--json", says: "the same as --raw" },
    ],
    examples: [
      { line: "looper tail -n 20 --task T3", says: "the last that happened to T3" },
      { line: "looper tail --raw --type committed", says: "the log's own lines of every commit" },
    ],
    load: async () => (await import("../../commands/runs/tail.js")).tail,
  },
  {
    name: "logs",
    operands: [
      TASK,
      {
        spelled: "[run]",
        says: "a run's id, or its beginning (default: the newest that worked on the task)",
        completes: "run",
      },
    ],
    says: "print what the agent said on a task, attempt by attempt",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper logs T3", says: "every attempt of the newest run that worked on T3" },
      { line: "looper logs T3 --json", says: "the same for a program, each message with its time" },
    ],
    load: async () => (await import("../../commands/runs/logs.js")).logs,
  },
  {
    name: "replay",
    operands: [
      {
        spelled: "[run]",
        says: "a run's id, or a capsule (default: the newest run)",
        completes: "run-or-file",
      },
    ],
    says: "take every decision of a run again and compare",
    flags: [
      { spelled: "--at <seq>", says: "show state, decision and reason at this line of the log" },
      {
        spelled: "--tree",
        says: "do it all again in a temporary clone, with what the attempts left: the same commits, the same task file?",
      },
      {
        spelled: "--gate",
        says: "with --tree: run the verify commands there as well, and compare their verdicts",
      },
      { spelled: "--trust", says: "with --gate: trust the commands this project's files name" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper replay --tree",
        says: "the newest run again, without an agent: the same commits, the same task file?",
      },
      {
        line: "looper replay bug.capsule --at 120",
        says: "what somebody's run decided at line 120, and why",
      },
    ],
    load: async () => (await import("../../commands/runs/replay.js")).replay,
  },
  {
    name: "capsule",
    operands: [RUN],
    says: "pack a run's log into one file for a bug report, without secrets",
    flags: [
      {
        spelled: "--output <file>",
        says: "where to; - prints it (default: RUN.capsule in the current folder)",
        completes: "file",
      },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper capsule", says: "the newest run, into a file of its name" },
      {
        line: "looper capsule 2026-01-31_08-30-00 --output - | gzip > bug.gz",
        says: "an older one, compressed",
      },
    ],
    load: async () => (await import("../../commands/runs/capsule.js")).capsule,
  },
  {
    name: "undo",
    operands: [TASK, FILE],
    says: "take back what a done task changed, by a commit on top, and open the task again",
    flags: [
      { spelled: "--cascade", says: "done tasks that depend on it as well" },
      { spelled: "--reason <text>", says: "why; the next attempt is told" },
      { spelled: "--dry-run", says: "show what would be undone; change nothing" },
      { spelled: "--trust", says: "trust the commands this project's files name" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper undo T3 --reason 'dates are wrong in leap years'",
        says: "T3 is to do again, and told why",
      },
      { line: "looper undo T3 --cascade --dry-run", says: "what would go with it" },
    ],
    load: async () => (await import("../../commands/runs/undo.js")).undo,
  },
  {
    name: "rescue",
    operands: [
      { spelled: "[verb]", says: "list (the default), show, restore or drop", completes: RESCUE_VERBS },
      { spelled: "[ids...]", says: "as listed, or the beginning of one", completes: "rescue" },
    ],
    says: "see what was put aside, bring it back, or drop it",
    flags: [
      { spelled: "--only-files", says: "restore: the files alone, not as work of their task" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper rescue show T3-2", says: "what was put aside after the second attempt at T3" },
      { line: "looper rescue restore T3-2", says: "hand the work back to T3, uncommitted" },
    ],
    load: async () => (await import("../../commands/runs/rescue.js")).rescue,
  },
  {
    name: "clean",
    operands: [],
    says: "remove the logs of old runs; what is still needed stays",
    flags: [
      { spelled: "--keep <n>", says: "the newest n stay" },
      {
        spelled: "--age <time>",
        says: "only runs that began longer ago, e.g. 7d; with --keep a run goes only if both let it",
      },
      { spelled: "--dry-run", says: "show what would go; remove nothing" },
      { spelled: "-y", says: "without --keep and --age: do not ask, do what would be proposed" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper clean --keep 20 --dry-run", says: "what would go, and why the rest stays" },
      { line: "looper clean --age 30d", says: "whatever is older than a month" },
    ],
    load: async () => (await import("../../commands/runs/clean.js")).clean,
  },
];
