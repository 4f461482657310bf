// The commands that work through the backlog. Cheap to load: what they do is imported only when it is asked for.
import { BUMPS } from "../../../src/release/version.js";
import {
  FILE,
  JSON_FLAG,
  TRUST,
  type CommandDefinition,
  type FlagDefinition,
} from "../../context/definition.js";
import { SETTING_FLAGS, settingFlag } from "../setting-flags.js";

const RUN_FLAGS: readonly FlagDefinition[] = [
  { spelled: "--agent <name>", help: "the agent of every phase", completes: "agent" },
  ...SETTING_FLAGS,
  { spelled: "--task <id>", help: "only this task and its dependencies", completes: "task" },
  {
    spelled: "--skip <stage>",
    help: "pass this analyze stage; repeatable",
    completes: "stage",
    repeatable: true,
  },
  {
    spelled: "--auto-approve <stage>",
    help: "answer this ask stage as approved; repeatable",
    completes: "stage",
    repeatable: true,
  },
  { spelled: "--prompt <text>", help: "the idea for a first task file; - reads stdin" },
  TRUST,
  { spelled: "-y", help: "do not ask before writing the first task file" },
  { spelled: "--dry-run", help: "show the plan; start nothing, write nothing" },
  { spelled: "--junit <file>", help: "write the result as JUnit XML, a case per task", completes: "file" },
  { spelled: "--fail-unverified", help: "exit with 1 when a task ended unverified" },
  { spelled: "--json", help: "print events as JSON lines; with --dry-run the plan" },
  { spelled: "--quiet", help: "print only the result and errors" },
];

/** In the order of the help. */
export const RUN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "run",
    operands: [FILE],
    help: "work through the backlog until every task is done",
    flags: RUN_FLAGS,
    examples: [
      {
        line: "looper run --dry-run",
        help: "show the plan; start nothing",
      },
      { line: "looper run --max-duration 8h --max-cost 20", help: "work overnight, within a budget" },
    ],
    load: async () => (await import("../../commands/run/run.js")).run,
  },
  {
    name: "push",
    operands: [
      {
        spelled: "[version]",
        help: "patch, minor, major or a version (default: the agent chooses)",
        completes: BUMPS,
      },
    ],
    help: "release: prepare, check, commit, tag and push a version",
    flags: [
      {
        spelled: "--agent <name>",
        help: "the agent that prepares it (default: roles.push)",
        completes: "agent",
      },
      settingFlag("--model"),
      { ...settingFlag("--verify"), help: "must pass before and after; repeatable" },
      TRUST,
      { spelled: "-y", help: "do not ask before pushing and publishing" },
      {
        spelled: "--dry-run",
        help: "show the release and the prompt; change nothing",
      },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper push", help: "let the agent choose the version; asks before the push" },
      {
        line: "looper push minor --dry-run",
        help: "show what would be released, and the prompt",
      },
    ],
    load: async () => (await import("../../commands/run/push.js")).push,
  },
];
