// THE table of settings: for each key its type, default, short environment names, flag and a sentence. Leaves
// reading files to load.ts, the order of layers to resolve.ts, an agent's settings to agent-settings.ts.
import { DEFAULT_WORKFLOW, NAME_PATTERN, PERMISSIONS } from "../../workflow/words.js";
import { CHAPO_HOOK_ROWS, CHAPO_ROWS } from "./chapo-rows.js";
import { z } from "zod";
import { AUTO_ORDER, KINDS, row, type KeyPath, type Row, type NestedTree } from "./setting-row.js";
import * as types from "./types.js";

/** How the agent of an iteration is chosen. */
export const STRATEGIES = ["single", "odd-even", "round-robin", "pattern"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The pattern of an agent's name. */
export const AGENT_NAME = /^[a-z][a-z0-9-]*$/;

/** In `schedule.agent`: the first built-in agent that is installed. */
export const AUTO = "auto";

const agentRule = "an agent's name (a small letter, then small letters, digits and dashes)";
/** Capitals and spaces around it have no meaning. */
const agent = z.string(agentRule).trim().toLowerCase().regex(AGENT_NAME, agentRule);
const agents = z.array(agent, "a list of agents' names").min(1, "a list of at least one agent's name");

/** The path of a module that chooses; a word without a slash is a strategy. */
export type StrategyModule = `${string}/${string}`;
export const STRATEGY_WORDS = `${STRATEGIES.join(" | ")}, or the path of a module (./pick.js)`;

const strategy = z.union(
  [
    z
      .enum([...STRATEGIES, "odd_even", "oddeven", "round_robin", "roundrobin", "rr"])
      .transform((spelling): Strategy => {
        if (spelling === "single" || spelling === "pattern") return spelling;
        return spelling.startsWith("odd") ? "odd-even" : "round-robin";
      }),
    z.templateLiteral([z.string(), "/", z.string()]),
  ],
  STRATEGY_WORDS,
);

/** Whether a strategy is a module of the user's. */
export function isStrategyModule(value: unknown): value is StrategyModule {
  return typeof value === "string" && value.includes("/");
}

const name = types.matching(
  NAME_PATTERN,
  "a name (a small letter, then at most 39 small letters, digits, dashes and underscores)",
);
const receivers = types.oneOrMore("a command line or a URL, or a list of these");

const checkRule = "a command, or {command, files?, into?, project?, tasks?}";
const word = types.filled(checkRule);
const hiddenCheck = z.strictObject(
  {
    command: word,
    /** A file or folder outside the project, whose content is copied into the room. */
    files: word.optional(),
    /** The folder of the room that it is copied into. */
    into: word.optional(),
    /** The only project it is for. */
    project: word.optional(),
    /** The only tasks it is for. */
    tasks: types.commands.optional(),
  },
  checkRule,
);
/** One hidden check as it is spelled. */
export type SpelledHiddenCheck = z.output<typeof hiddenCheck>;
const onlyCommand = word.transform((command): SpelledHiddenCheck => ({ command }));
const hiddenChecks = z.array(
  z.union([onlyCommand, hiddenCheck], checkRule),
  `a list, each item ${checkRule}`,
);

/** Every setting there is, by key path; `*` stands for a name of the user's. */
export const SETTINGS = {
  todo_file: row(types.path, "to-do.json", {
    doc: "The task file, relative to the project.",
    env: { LOOPER_TODO: "todo_file" },
    written: "runner",
  }),
  schema_file: row(types.path, {
    doc: "A further JSON Schema the task file must meet.",
    env: { LOOPER_SCHEMA: "schema_file" },
  }),
  prices_file: row(types.path, "A JSON file of model prices, for agents that do not report their cost."),
  log_dir: row(types.path, "looper-logs", {
    doc: "The folder of the logs; `~` and `$VAR` expand.",
    written: "runner",
  }),
  "log.keep": row(
    types.wholeNumber(1),
    "How many runs keep their logs; logs still needed are never removed.",
  ),
  "log.max_bytes": row(types.byteSize, "2GB", {
    doc: "The largest total size of the logs; a run removes the oldest at its end. 0 = any size.",
  }),

  "schedule.strategy": row(strategy, "single", {
    doc: "How the agent of an iteration is chosen: a strategy, or the path of a module that chooses (see module-agents.md).",
    env: { LOOPER_SCHEDULE: "schedule.strategy" },
    flag: { name: "--schedule", value: "strategy", help: "a strategy, ./module.js or agent" },
    asks: "path",
  }),
  "schedule.agent": row(agent, AUTO, {
    doc: `The agent of \`single\`; \`auto\` is the first installed of ${AUTO_ORDER.slice(0, -1).join(", ")}, or chapo if a key is set.`,
  }),
  "schedule.odd": row(agent, "codex", {
    doc: "The agent of iterations 1, 3, 5 …",
    flag: { name: "--odd-agent", value: "name", help: "odd-even: agent of odd iterations" },
  }),
  "schedule.even": row(agent, "claude", {
    doc: "The agent of iterations 2, 4, 6 …",
    flag: { name: "--even-agent", value: "name", help: "odd-even: agent of even iterations" },
  }),
  "schedule.agents": row(agents, ["claude", "codex"], {
    doc: "The agents of `round-robin`, in order; repeats are allowed. Of a module: those it may choose.",
    flag: { name: "--rr-agents", value: "names", help: "round-robin: the agents" },
  }),
  "schedule.pattern": row(
    agents,
    "The agents of `pattern`, in order, with repeats: `claude, claude, codex`.",
  ),
  "schedule.on_limit": row(types.oneOf("wait", "switch"), "switch", {
    doc: "When an agent may not work for a while: wait for it, or let the next one scheduled take over.",
  }),

  "roles.iteration": row(agent, {
    doc: "The agent of iterations; overrides the schedule.",
    flag: { name: "--iteration-agent", value: "name" },
  }),
  "roles.review": row(agent, {
    doc: "The agent of reviews.",
    flag: { name: "--review-agent", value: "name" },
  }),
  "roles.repair": row(agent, {
    doc: "The agent that repairs a broken task file.",
    flag: { name: "--repair-agent", value: "name" },
  }),
  "roles.bootstrap": row(agent, {
    doc: "The agent that writes the first task file.",
    flag: { name: "--bootstrap-agent", value: "name" },
  }),
  "roles.push": row(agent, "The agent that prepares releases."),
  "roles.*": row(agent, "The agent of stages that name this role."),

  "loop.max_iterations": row(types.wholeNumber(1, "--dry-run starts nothing"), 50, {
    doc: "Attempts and review passes of one run.",
    env: { LOOPER_MAX_ITERATIONS: "loop.max_iterations" },
    flag: { name: "--max-iterations", value: "n" },
  }),
  "loop.max_attempts": row(types.wholeNumber(1), 2, {
    doc: "Attempts per task and run.",
    flag: { name: "--max-attempts", value: "n" },
  }),
  "loop.max_reviews": row(types.wholeNumber(0), 3, "Review passes that may add tasks."),
  "loop.delay_seconds": row(types.seconds, 0, {
    doc: "Pause between iterations.",
    env: { LOOPER_LOOP_DELAY: "loop.delay_seconds" },
    flag: { name: "--loop-delay", value: "seconds" },
  }),
  "loop.max_wait": row(types.duration, {
    doc: "The longest single wait for an agent that may not work; then the run ends.",
  }),
  "loop.max_duration": row(types.duration, {
    doc: "The longest a run may take; work in progress is kept. 0 = no limit.",
    flag: { name: "--max-duration", value: "time" },
  }),
  "loop.max_cost_usd": row(types.dollars, {
    doc: "The most a run may cost.",
    flag: { name: "--max-cost", value: "dollars" },
  }),
  "loop.max_tokens": row(types.wholeNumber(1), {
    doc: "The most tokens a run may use; cached tokens count.",
    flag: { name: "--max-tokens", value: "n" },
  }),
  "loop.task_cost_usd": row(types.dollars, "The most a task may cost in a run; then it is blocked."),
  "loop.task_tokens": row(
    types.wholeNumber(1),
    "The most tokens a task may use in a run; then it is blocked.",
  ),
  "loop.unknown_cost": row(types.oneOf("refuse", "allow"), "refuse", {
    doc: "With a budget in dollars: whether agents whose cost cannot be known may be used.",
  }),
  "loop.apply_summary": row(types.yesNo, true, {
    doc: "Whether an agent's summary changes the task file.",
    env: { LOOPER_APPLY_SUMMARY: "loop.apply_summary" },
    flag: { name: "--no-apply-summary", help: "leave the task file to the agent" },
  }),
  "loop.review": row(types.yesNo, true, {
    doc: "Whether an agent reviews the project when nothing is ready.",
    flag: { name: "--no-review", help: "skip the review when no task is ready" },
  }),
  "loop.completion_marker": row(
    types.yesNo,
    true,
    "Whether a finished task file gets the completion marker.",
  ),

  "agents.*.kind": row(types.oneOf(...KINDS), {
    doc: "How the agent is called; by default the agent's name, if that is a kind.",
  }),
  "agents.*.binary": row(types.path, {
    doc: "The program: a path, or a name on PATH.",
    env: { CODEX_BIN: "agents.codex.binary", CLAUDE_BIN: "agents.claude.binary" },
    neededBy: ["command", "acp"],
    asks: "whole",
  }),
  "agents.*.model": row(types.text, {
    doc: "The model to ask for; kind `chapo`: `provider/model`.",
    env: { CODEX_MODEL: "agents.codex.model", CLAUDE_MODEL: "agents.claude.model" },
    flag: { name: "--model", value: "model" },
  }),
  "agents.*.reasoning": row(types.text, {
    doc: "The reasoning effort to ask for.",
    kinds: ["codex", "claude", "opencode", "acp", "chapo"],
  }),
  "agents.*.args": row(types.args, [], {
    doc: "Further arguments.",
    env: { CODEX_ARGS: "agents.codex.args", CLAUDE_ARGS: "agents.claude.args" },
    asks: "whole",
  }),
  "agents.*.env.*": row(types.anyText, {
    doc: "A variable added to the agent's environment.",
    asks: "whole",
  }),
  "agents.*.pass_env": row(
    types.texts,
    "Globs: only matching variables are inherited (PATH and HOME always are).",
  ),
  "agents.*.work_dir": row(types.path, {
    doc: "The folder the agent works in, relative to the project.",
    written: "agent",
  }),
  "agents.*.last_message": row(types.path, {
    doc: "A path where the final message is also written.",
    written: "agent",
  }),
  "agents.*.timeout": row(types.duration, "30m", "Time limit for one attempt; 0 = no limit."),
  "agents.*.idle_timeout": row(types.duration, "10m", "Time limit for an agent's silence; 0 = no limit."),
  "agents.*.max_events": row(
    types.wholeNumber(0),
    20_000,
    "The most events an attempt may have; 0 = any number.",
  ),
  "agents.*.max_output": row(types.byteSize, "1GB", "The most an attempt may print; 0 = any amount."),
  "agents.*.max_turns": row(types.wholeNumber(0), 0, {
    doc: "The most turns of an attempt; a turn is the model's output up to the next results. 0 = any number.",
  }),
  "agents.*.contain": row(types.oneOf("auto", "none"), "auto", {
    doc: "Whether the agent gets its own PID namespace where the system allows one.",
  }),
  "agents.*.permissions": row(types.oneOf(...PERMISSIONS), "workspace", {
    doc: "The agent's permissions, translated for its client.",
    asks: "full",
  }),
  "agents.*.network": row(types.yesNo, false, {
    doc: "Kind `codex`: whether commands in its sandbox reach the network.",
    kinds: ["codex"],
  }),
  "agents.*.prompt_via": row(types.oneOf("stdin", "arg", "file"), "stdin", {
    doc: "Kind `command`: how it gets the prompt.",
    kinds: ["command"],
  }),
  "agents.*.output": row(types.oneOf("text", "jsonl"), "text", {
    doc: "Kind `command`: what it prints.",
    kinds: ["command"],
  }),
  "agents.*.module": row(types.path, {
    doc: "Kind `module`: the file whose default export is an agent.",
    kinds: ["module"],
    neededBy: ["module"],
    asks: "whole",
  }),
  "agents.*.script": row(types.path, {
    doc: "Kind `scripted`: the file of steps.",
    kinds: ["scripted"],
    neededBy: ["scripted"],
    asks: "whole",
  }),
  ...CHAPO_ROWS,
  ...CHAPO_HOOK_ROWS,
  workflow: row(name, DEFAULT_WORKFLOW, {
    doc: "The workflow of tasks that name none; `looper workflows` lists them.",
    flag: { name: "--workflow", value: "name", help: "the workflow of tasks" },
  }),
  tasks_dir: row(types.path, ".looper/tasks", {
    doc: "The folder of the documents and outputs of tasks in a workflow, relative to the project.",
    written: "runner",
  }),
  "ask.to": row(types.texts, [], "The people who are asked, as notifications name them."),
  "ask.auto_approve": row(z.array(name, "a list of stages' names"), [], {
    doc: "Stages whose question is answered with its first outcome; each is recorded.",
  }),
  "hooks.notification": row(receivers, [], {
    doc: "Commands (event as JSON on stdin) or URLs (POST) told when a person is asked, a task is blocked or merged, or a run ends.",
    asks: "each",
  }),

  "hooks.post_iteration": row(types.hooks, [], {
    doc: "Commands run after every attempt and review.",
    env: { LOOPER_HOOK: "hooks.post_iteration" },
    flag: { name: "--hook", value: "command", help: "run after every attempt and review" },
    isOne: true,
    asks: "each",
  }),
  "hooks.pre_iteration": row(types.hooks, [], {
    doc: "Commands run before every attempt and review.",
    asks: "each",
  }),
  "hooks.on_blocked": row(types.hooks, [], {
    doc: "Commands run when a task becomes blocked.",
    asks: "each",
  }),
  "hooks.on_run_end": row(types.hooks, [], { doc: "Commands run when a run ends.", asks: "each" }),
  "hooks.timeout": row(types.duration, "60s", "Time limit for each hook; 0 = no limit."),

  "git.init": row(types.yesNo, false, {
    doc: "Whether a project without git gets a repository.",
    env: { LOOPER_GIT_INIT: "git.init" },
    flag: { name: "--git-init", help: "create a repository where there is none" },
  }),
  "git.commit": row(types.oneOf("runner", "agent", "none"), "runner", "Who commits the work of a task."),
  "git.on_failure": row(types.oneOf("restore", "keep"), "restore", {
    doc: "Whether the work of an abandoned task is saved and the tree restored, or left in the tree.",
  }),
  "git.max_untracked_bytes": row(types.byteSize, "50MB", {
    doc: "Untracked files larger than this are not in checkpoints: a run names them and cannot restore them. 0 = any size.",
  }),
  "git.branch": row(types.text, "current", {
    doc: "The branch of the commits: `current`, or a name (`{run}` is the run id).",
  }),

  "git.share": row(types.text, "none", {
    doc: "The remote to share open questions with (`refs/looper/open/*`), so that other clones answer them. `none`: nothing is pushed.",
    asks: "whole",
  }),

  "serve.webhook_secret": row(types.text, {
    doc: "The secret that signs answers to the webhook of `looper serve`; without it the webhook is off. It counts in the user's own file alone.",
  }),

  "verify.commands": row(types.commands, [], {
    doc: "Commands that prove a task done, run in the project; without any, tasks stay unverified.",
    flag: { name: "--verify", value: "command", help: "must pass before a task counts as done" },
    asks: "each",
  }),
  "verify.timeout": row(types.duration, "10m", "Time limit for each check; 0 = no limit."),
  "verify.strict": row(types.yesNo, false, {
    doc: "Whether a check that failed before and still fails also fails the attempt, and one that cannot run refuses the run.",
    flag: { name: "--strict", help: "also fail on checks that failed before the run" },
  }),
  "verify.report": row(types.commands, [], {
    doc: "Where the checks report test cases, as JUnit XML or TAP: files or folders in the project, or `stdout`.",
  }),
  "verify.cold": row(types.yesNoAuto, "auto", {
    doc: "Whether the checks run in a fresh copy of the commit (the cold room). `auto`: where they can run there. `true`: a run refuses to start where they cannot.",
  }),
  "verify.setup": row(types.commands, [], {
    doc: "Commands that prepare the cold room, e.g. `npm ci`; the result is kept for the run while manifests and lock files stay the same.",
    asks: "each",
  }),
  "verify.protected": row(types.commands, [], {
    doc: "Patterns as in .gitignore: files that the cold room has as they were when the run began, in addition to CI files, test configuration and existing tests. `!…` removes one.",
  }),
  "verify.source": row(types.commands, [], {
    doc: "Patterns as in .gitignore, or folders: where the program is. No other code or data is source then; without it, manifests and usual folders say where it is.",
  }),
  "verify.accept": row(types.oneOf("unverified", "unbroken", "verified"), "unverified", {
    doc: "The least verdict that counts as done; a task that falls short is blocked for you to look at. Missing checks, and a check that is red before and after, block no task.",
  }),
  "verify.hidden": row(hiddenChecks, [], {
    doc: "Checks that no agent is shown: commands, and files outside the project, which are copied into a room of their own after all other checks passed. A task that fails one is blocked.",
    asks: "each",
  }),
  "verify.hidden_tell": row(types.oneOf("none", "names"), "none", {
    doc: "Whether the log and the backlog name the failed tests of a hidden check. With `none` they only say that it failed.",
  }),
  "verify.home": row(types.oneOf("user", "room"), "user", {
    doc: "The home folder of checks in a cold room: the user's, or an empty one of the room's own (caches are in the user's).",
  }),
  "verify.from_agents": row(types.yesNo, false, {
    doc: "Whether `verify` and `agent` are kept in new tasks that agents propose.",
  }),

  "prompts.bootstrap": row(types.path, "A file used instead of the bundled bootstrap prompt."),
  "prompts.iteration": row(types.path, {
    doc: "A file used instead of the bundled iteration prompt.",
    flag: { name: "--prompt-file", value: "file" },
  }),
  "prompts.repair": row(types.path, "A file used instead of the bundled repair prompt."),
  "prompts.review": row(types.path, "A file used instead of the bundled review prompt."),
  "prompts.push": row(types.path, "A file used instead of the bundled push prompt."),

  env_file: row(types.path, {
    doc: "A file of KEY=VALUE lines for agents, hooks and checks; the real environment wins.",
    asks: "whole",
  }),
} as const satisfies Readonly<Record<string, Row>>;

/** Whether a row takes a list, which a variable may spell with commas. */
export function takesList({ type }: Row): boolean {
  return types.writtenAs(type) === "list";
}

/** Whether a row takes the name of an agent, or a list of such names. */
export function namesAgents({ type }: Row): boolean {
  return type === agent || type === agents;
}

/** All settings, nested as in a file; durations in milliseconds. `agents` holds every agent that can be named. */
export type Settings = NestedTree<typeof SETTINGS>;

/** The rows by key, in the table's order. */
export const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>(Object.entries(SETTINGS));

/** The row of a key path as it is spelled: `agents.codex.timeout` is one of `agents.*.timeout`. */
export function rowOf(key: string): Row | undefined {
  return rowAt(key.split("."));
}

/** The table as a tree: a branch, or (with `row`) a leaf. */
export interface Branch {
  row?: Row;
  children: Map<string, Branch>;
}

export const TREE: Branch = { children: new Map() };
for (const [key, row] of ROWS) growBranch(key.split(".")).row = row;

function growBranch(path: KeyPath): Branch {
  let branch = TREE;
  for (const segment of path) {
    const next: Branch = branch.children.get(segment) ?? { children: new Map() };
    branch.children.set(segment, next);
    branch = next;
  }
  return branch;
}

/** The branch of a key path; `undefined` where there is no setting at it or below it. */
export function branchAt(path: KeyPath): Branch | undefined {
  let branch: Branch | undefined = TREE;
  for (const segment of path) branch = branch?.children.get(segment) ?? branch?.children.get("*");
  return branch;
}

/** The row of a key path; `undefined` when the setting does not exist. */
export function rowAt(path: KeyPath): Row | undefined {
  return branchAt(path)?.row;
}
