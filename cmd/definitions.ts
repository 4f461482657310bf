// Every command there is: its name, operands, flags, what it does. Read by the parser and the help; cheap to load.
// Leaves the doing to commands/, each imported only when it is asked for.
import type { Command } from "./shell.js";

export interface FlagDefinition {
  /** As commander spells it: `-n <N>`, `--json`, `--no-review`. */
  spelled: string;
  says: string;
  /** May be given several times. */
  repeatable?: true;
}

export interface CommandDefinition {
  name: string;
  /** As commander spells them: `[file]`. */
  operands: readonly { spelled: string; says: string }[];
  says: string;
  flags: readonly FlagDefinition[];
  /** Command lines and what they do, for the help. */
  examples?: readonly { line: string; says: string }[];
  hidden?: true;
  load(): Promise<Command>;
}

const JSON_FLAG: FlagDefinition = { spelled: "--json", says: "print JSON" };

const FILE = { spelled: "[file]", says: "the task file (default: the project's)" };
const TODO_FILE: FlagDefinition = {
  spelled: "--file <file>",
  says: "the task file (default: the project's)",
};
const TASK = { spelled: "<id>", says: "the task" };
const TASKS = { spelled: "<ids...>", says: "the tasks" };
const RUN = { spelled: "[run]", says: "a run's id (default: the newest)" };

const RUN_FLAGS: readonly FlagDefinition[] = [
  { spelled: "--agent <name>", says: "the agent of every phase" },
  { spelled: "--schedule <strategy>", says: "single, odd-even, round-robin, or the name of an agent" },
  { spelled: "--odd-agent <name>", says: "odd-even: the agent of iterations 1, 3, 5 …" },
  { spelled: "--even-agent <name>", says: "odd-even: the agent of iterations 2, 4, 6 …" },
  { spelled: "--rr-agents <names>", says: "round-robin: the agents, as a,b,c" },
  { spelled: "--iteration-agent <name>", says: "the agent of iterations, whatever the schedule says" },
  { spelled: "--review-agent <name>", says: "the agent of reviews" },
  { spelled: "--repair-agent <name>", says: "the agent that repairs a broken task file" },
  { spelled: "--bootstrap-agent <name>", says: "the agent that writes the first task file" },
  { spelled: "--model <model>", says: "the model the agents are to use" },
  { spelled: "--task <id>", says: "only this task, and what it depends on" },
  { spelled: "--max-iterations <n>", says: "attempts and reviews of this run (default: 50)" },
  { spelled: "--max-attempts <n>", says: "attempts at one task (default: 2)" },
  { spelled: "--max-duration <time>", says: "the longest this run may take, e.g. 8h" },
  { spelled: "--max-cost <dollars>", says: "the most this run may cost" },
  { spelled: "--max-tokens <n>", says: "the most tokens this run may use" },
  { spelled: "--loop-delay <seconds>", says: "pause between iterations" },
  { spelled: "--prompt <text>", says: "the idea to write the first task file from; - reads stdin" },
  { spelled: "--prompt-file <file>", says: "the template of the iteration prompt" },
  { spelled: "--hook <command>", says: "run after every attempt and review; repeatable", repeatable: true },
  {
    spelled: "--verify <command>",
    says: "must pass before a task counts as done; repeatable",
    repeatable: true,
  },
  { spelled: "--no-review", says: "no review when nothing is ready" },
  { spelled: "--no-apply-summary", says: "leave the task file to the agent" },
  { spelled: "--git-init", says: "make a repository where there is none" },
  { spelled: "--trust", says: "trust the commands this project's files name" },
  { spelled: "-y", says: "do not ask before the first task file is written" },
  { spelled: "--dry-run", says: "show the plan; start nothing, write nothing" },
  { spelled: "--json", says: "print the events as JSON lines (with --dry-run: the plan as JSON)" },
  { spelled: "--quiet", says: "print only the result and errors" },
];

/** In the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: "run",
    operands: [FILE],
    says: "work through the backlog until every task is done (the default)",
    flags: RUN_FLAGS,
    load: async () => (await import("./commands/run.js")).run,
  },
  {
    name: "ls",
    operands: [
      { spelled: "[status]", says: "todo, doing, blocked or done; or the task file" },
      { spelled: "[file]", says: "the task file" },
    ],
    says: "list the tasks, in the order they will be taken",
    flags: [
      { spelled: "--status <status>", says: "only tasks with this status" },
      { spelled: "--tag <tag>", says: "only tasks with this tag" },
      { spelled: "--ready", says: "only tasks that could be taken now" },
      JSON_FLAG,
    ],
    load: async () => (await import("./commands/ls.js")).ls,
  },
  {
    name: "why",
    operands: [TASK],
    says: "say why a task is the next one, or why not",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [{ line: "looper why T7", says: "what it waits for, or what comes before it" }],
    load: async () => (await import("./commands/why.js")).why,
  },
  {
    name: "add",
    operands: [
      { spelled: "<title>", says: "what is to be done, in one line; - reads titles from stdin, one a line" },
    ],
    says: "add a task; prints its id",
    flags: [
      { spelled: "-p, --priority <n>", says: "1 (first) to 5 (default: 3)" },
      {
        spelled: "--depends-on <ids>",
        says: "tasks that must be done first, as A,B; repeatable",
        repeatable: true,
      },
      { spelled: "--tag <tag>", says: "a tag; repeatable", repeatable: true },
      { spelled: "--details <text>", says: "what an agent must know to do it; - reads stdin" },
      {
        spelled: "--verify <command>",
        says: "must pass before it counts as done; repeatable",
        repeatable: true,
      },
      { spelled: "--agent <name>", says: "the agent that is to do it" },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'looper add "Dates are right in leap years" -p 1 --tag bug',
        says: "comes before what is less urgent",
      },
      {
        line: 'looper add "Release it" --depends-on T3,T4 --details - < notes.md',
        says: "after T3 and T4, with all that is to be known",
      },
    ],
    load: async () => (await import("./commands/edit.js")).add,
  },
  {
    name: "set",
    operands: [
      TASK,
      {
        spelled: "<assignments...>",
        says: "key=value; a list takes += and -= as well; key= takes it away; key=- reads stdin",
      },
    ],
    says: "change a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper set T3 priority=1 tags+=urgent", says: "sooner, and one tag more" },
      {
        line: 'looper set T3 depends-on=T1,T2 steps+="write the test" agent=',
        says: "other dependencies, a further step, and any agent",
      },
    ],
    load: async () => (await import("./commands/edit.js")).set,
  },
  {
    name: "block",
    operands: [TASK, { spelled: "<why>", says: "what keeps it from being done" }],
    says: "mark a task as blocked, with the reason",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      {
        line: 'looper block T3 "waits for the key of the test account"',
        says: "what depends on it waits as well",
      },
    ],
    load: async () => (await import("./commands/edit.js")).block,
  },
  {
    name: "todo",
    operands: [TASKS],
    says: "mark tasks as to be done, again",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [{ line: "looper todo T3", says: "its blockers are settled" }],
    load: async () => (await import("./commands/edit.js")).todo,
  },
  {
    name: "done",
    operands: [TASKS],
    says: "mark tasks as done, by hand: nothing checks it",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [{ line: "looper done T3 T4", says: "what depends on them can begin" }],
    load: async () => (await import("./commands/edit.js")).done,
  },
  {
    name: "rm",
    operands: [TASKS],
    says: "remove tasks; refused while others depend on them",
    flags: [{ spelled: "--force", says: "remove these dependencies as well" }, TODO_FILE, JSON_FLAG],
    examples: [{ line: "looper rm T3 --force", says: "and nothing depends on it any more" }],
    load: async () => (await import("./commands/edit.js")).rm,
  },
  {
    name: "validate",
    operands: [FILE],
    says: "show every problem of the task file",
    flags: [{ spelled: "--schema <file>", says: "another JSON Schema it must meet" }, JSON_FLAG],
    load: async () => (await import("./commands/validate.js")).validate,
  },
  {
    name: "fmt",
    operands: [FILE],
    says: "print the task file in its canonical form: one order of tasks and keys",
    flags: [
      { spelled: "-w, --write", says: "write it into the file" },
      { spelled: "--check", says: "only say whether it is formatted: exit 1 when it is not" },
      { spelled: "-d, --diff", says: "print what would change" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper fmt -w", says: "format the project's task file" },
      { line: "looper fmt --check --diff", says: "in CI: what is not formatted, and exit 1" },
    ],
    load: async () => (await import("./commands/fmt.js")).fmt,
  },
  {
    name: "runs",
    operands: [],
    says: "list the past runs, the newest first",
    flags: [{ spelled: "-n <n>", says: "only the newest n" }, JSON_FLAG],
    examples: [
      { line: "looper runs", says: "how each ended, what it did, and what it used" },
      { line: "looper runs -n 1 --json", says: "the last one, for a program" },
    ],
    load: async () => (await import("./commands/runs.js")).runs,
  },
  {
    name: "tail",
    operands: [RUN],
    says: "show what a run did",
    flags: [
      { spelled: "-f", says: "wait for more, into the next run; Ctrl-C ends it" },
      { spelled: "-n <n>", says: "only the last n events" },
      { spelled: "--task <id>", says: "only events of this task" },
      { spelled: "--type <type>", says: "only events of this type" },
      { spelled: "--raw", says: "the log's own JSON lines" },
      { spelled: "--json", says: "the same as --raw" },
    ],
    load: async () => (await import("./commands/tail.js")).tail,
  },
  {
    name: "replay",
    operands: [{ spelled: "[run]", says: "a run's id, or a capsule (default: the newest run)" }],
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
    load: async () => (await import("./commands/replay.js")).replay,
  },
  {
    name: "capsule",
    operands: [RUN],
    says: "pack a run's log into one file for a bug report, without secrets",
    flags: [
      {
        spelled: "--output <file>",
        says: "where to; - prints it (default: RUN.capsule in the current folder)",
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
    load: async () => (await import("./commands/capsule.js")).capsule,
  },
  {
    name: "undo",
    operands: [{ spelled: "<id>", says: "the task" }, FILE],
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
    load: async () => (await import("./commands/undo.js")).undo,
  },
  {
    name: "rescue",
    operands: [
      { spelled: "[verb]", says: "list (the default), show, restore or drop" },
      { spelled: "[ids...]", says: "as listed, or the beginning of one" },
    ],
    says: "see what was put aside, bring it back, or drop it",
    flags: [JSON_FLAG],
    examples: [
      { line: "looper rescue show T3-2", says: "what was put aside after the second attempt at T3" },
      { line: "looper rescue restore T3-2", says: "brings it back into the working tree, uncommitted" },
    ],
    load: async () => (await import("./commands/rescue.js")).rescue,
  },
  {
    name: "config",
    operands: [
      { spelled: "[verb]", says: "get, or path; without it every setting" },
      { spelled: "[key]", says: "for get: a setting, e.g. loop.max_attempts" },
    ],
    says: "show the settings in force, and where each comes from",
    flags: [JSON_FLAG],
    examples: [
      {
        line: "looper config",
        says: "every setting, its value, and the file, variable or default it comes from",
      },
      { line: "looper config get loop.max_attempts", says: "one value" },
      { line: "looper config path", says: "the files that are read, and whether they are there" },
    ],
    load: async () => (await import("./commands/config.js")).config,
  },
  {
    name: "doctor",
    operands: [],
    says: "check what a run needs, and what dead runs left behind",
    flags: [{ spelled: "--fix", says: "end leftover processes of dead runs, remove their locks" }, JSON_FLAG],
    load: async () => (await import("./commands/doctor.js")).doctor,
  },
  {
    name: "demo",
    operands: [],
    says: "watch a small backlog being worked through; needs no agent and no network",
    flags: [],
    load: async () => (await import("./commands/demo.js")).demo,
  },
  {
    name: "agent-host",
    operands: [{ spelled: "<file>", says: "a module, a file of steps, or a program" }],
    says: "the child that hosts an agent",
    flags: [
      { spelled: "--scripted", says: "the file is a file of steps" },
      { spelled: "--acp", says: "the file is a program that speaks the Agent Client Protocol" },
    ],
    hidden: true,
    load: async () => (await import("./commands/agent-host.js")).agentHost,
  },
];

/** What every command takes. */
export const COMMON_FLAGS: readonly FlagDefinition[] = [
  { spelled: "-C <folder>", says: "as if started in this folder" },
];
