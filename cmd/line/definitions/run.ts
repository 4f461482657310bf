// The commands that work through the backlog. Cheap to load: what they do is imported only when it is asked for.
import { BUMPS } from "../../../src/release/version.js";
import { FILE, JSON_FLAG, type CommandDefinition, type FlagDefinition } from "../../context/definition.js";

const RUN_FLAGS: readonly FlagDefinition[] = [
  { spelled: "--agent <name>", says: "the agent of every phase", completes: "agent" },
  {
    spelled: "--schedule <strategy>",
    says: "single, odd-even, round-robin, or the name of an agent",
    completes: "schedule",
  },
  { spelled: "--odd-agent <name>", says: "odd-even: the agent of iterations 1, 3, 5 …", completes: "agent" },
  { spelled: "--even-agent <name>", says: "odd-even: the agent of iterations 2, 4, 6 …", completes: "agent" },
  { spelled: "--rr-agents <names>", says: "round-robin: the agents, as a,b,c", completes: "agents" },
  {
    spelled: "--iteration-agent <name>",
    says: "the agent of iterations, whatever the schedule says",
    completes: "agent",
  },
  { spelled: "--review-agent <name>", says: "the agent of reviews", completes: "agent" },
  { spelled: "--repair-agent <name>", says: "the agent that repairs a broken task file", completes: "agent" },
  {
    spelled: "--bootstrap-agent <name>",
    says: "the agent that writes the first task file",
    completes: "agent",
  },
  { spelled: "--model <model>", says: "the model the agents are to use" },
  { spelled: "--task <id>", says: "only this task, and what it depends on", completes: "task" },
  { spelled: "--max-iterations <n>", says: "attempts and reviews of this run (default: 50)" },
  { spelled: "--max-attempts <n>", says: "attempts at one task (default: 2)" },
  { spelled: "--max-duration <time>", says: "the longest this run may take, e.g. 8h" },
  { spelled: "--max-cost <dollars>", says: "the most this run may cost" },
  { spelled: "--max-tokens <n>", says: "the most tokens this run may use" },
  { spelled: "--loop-delay <seconds>", says: "pause between iterations" },
  { spelled: "--prompt <text>", says: "the idea to write the first task file from; - reads stdin" },
  { spelled: "--prompt-file <file>", says: "the template of the iteration prompt", completes: "file" },
  { spelled: "--hook <command>", says: "run after every attempt and review; repeatable", repeatable: true },
  {
    spelled: "--verify <command>",
    says: "must pass before a task counts as done; repeatable",
    repeatable: true,
  },
  {
    spelled: "--strict",
    opposite: "--no-strict",
    says: "refuse to start while a check cannot run; red checks fail attempts",
  },
  { spelled: "--no-review", opposite: "--review", says: "no review when nothing is ready" },
  {
    spelled: "--no-apply-summary",
    opposite: "--apply-summary",
    says: "leave the task file to the agent",
  },
  {
    spelled: "--git-init",
    opposite: "--no-git-init",
    says: "make a repository where there is none; --no-git-init: never",
  },
  { spelled: "--trust", says: "trust the commands this project's files name" },
  { spelled: "-y", says: "do not ask before the first task file is written" },
  { spelled: "--dry-run", says: "show the plan; start nothing, write nothing" },
  {
    spelled: "--junit <file>",
    says: "write what the run came to as JUnit XML, a case for each task",
    completes: "file",
  },
  { spelled: "--json", says: "print the events as JSON lines (with --dry-run: the plan as JSON)" },
  { spelled: "--quiet", says: "print only the result and errors" },
];

/** In the order of the help. */
export const RUN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "run",
    operands: [FILE],
    says: "work through the backlog until every task is done (the default)",
    flags: RUN_FLAGS,
    examples: [
      {
        line: "looper run --dry-run",
        says: "which task comes next, with which agent and prompt; starts nothing",
      },
      { line: "looper run --max-duration 8h --max-iterations 40", says: "a night, and no more than that" },
    ],
    load: async () => (await import("../../commands/run/run.js")).run,
  },
  {
    name: "push",
    operands: [
      {
        spelled: "[version]",
        says: "patch, minor, major, or the version itself (default: the agent chooses)",
        completes: BUMPS,
      },
    ],
    says: "release: an agent prepares it, the runner checks, commits, tags and pushes it",
    flags: [
      {
        spelled: "--agent <name>",
        says: "the agent that prepares it (default: roles.push, or the schedule's)",
        completes: "agent",
      },
      { spelled: "--model <model>", says: "the model the agent is to use" },
      { spelled: "--verify <command>", says: "must pass before and after; repeatable", repeatable: true },
      { spelled: "--trust", says: "trust the commands this project's files name" },
      { spelled: "-y", says: "do not ask before it is pushed, nor before it is published" },
      {
        spelled: "--dry-run",
        says: "show what would be released, and the prompt; start nothing, write nothing",
      },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper push", says: "the agent chooses the version from what changed; asks before the push" },
      {
        line: "looper push minor --dry-run",
        says: "what would be released, and what the agent would be told",
      },
    ],
    load: async () => (await import("../../commands/run/push.js")).push,
  },
];
