// Names of the Go program this one is a port of: its settings keys and variables, each with what takes its place here.
// Data alone; docs/from-looper-go.md shows the same tables, and a test compares them.

/** The replacement of an old name: a setting, or a sentence if no setting replaces it. */
export type Instead = { key: string } | { says: string };

const NOT_YET = "one task at a time is all there is yet";
const NO_PLUGINS = "plugins are not supported; use an agent of kind `command`, `acp` or `module`";
const LOGGED = "every line in the log has its time";

/** Keys of `looper.toml`, as paths; `*` is a name of the user's. */
export const GO_KEYS: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  ["todo_file", { key: "todo_file" }],
  ["schema_file", { key: "schema_file" }],
  ["log_dir", { key: "log_dir" }],
  ["max_iterations", { key: "loop.max_iterations" }],
  ["apply_summary", { key: "loop.apply_summary" }],
  ["loop_delay_seconds", { key: "loop.delay_seconds" }],
  ["git_init", { key: "git.init" }],
  ["hook_command", { key: "hooks.post_iteration" }],
  ["schedule", { key: "schedule.strategy" }],
  ["odd_agent", { key: "schedule.odd" }],
  ["even_agent", { key: "schedule.even" }],
  ["rr_agents", { key: "schedule.agents" }],
  ["repair_agent", { key: "roles.repair" }],
  ["review_agent", { key: "roles.review" }],
  ["bootstrap_agent", { key: "roles.bootstrap" }],
  ["roles.iter", { key: "roles.iteration" }],
  ["roles.review", { key: "roles.review" }],
  ["roles.repair", { key: "roles.repair" }],
  ["roles.bootstrap", { key: "roles.bootstrap" }],
  ["agents.*.binary", { key: "agents.*.binary" }],
  ["agents.*.model", { key: "agents.*.model" }],
  ["agents.*.reasoning", { key: "agents.*.reasoning" }],
  ["agents.*.args", { key: "agents.*.args" }],
  ["agents.*.prompt_format", { key: "agents.*.prompt_via" }],
  [
    "agents.*.parser",
    { says: "codex, claude, gemini and opencode are read natively; kind `command` reads text or JSON lines" },
  ],
  ["log_level", { says: "use `--log-level` or `LOOPER_LOG_LEVEL`" }],
  ["log_format", { says: "use `--log-format` or `LOOPER_LOG_FORMAT`" }],
  ["log_timestamps", { says: LOGGED }],
  ["log_caller", { says: "the log names no lines of source code" }],
  ["workflow", { says: "a workflow is a file of stages here; `looper workflows` lists them" }],
  ["workflows", { says: "a workflow is a file of stages here; `looper workflows` lists them" }],
  ["parallel", { says: NOT_YET }],
  ["plugins", { says: NO_PLUGINS }],
]);

/** Variables that are not among the short names of `settings.ts`. */
export const GO_VARIABLES: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  ["LOOPER_BASE_DIR", { key: "log_dir" }],
  ["LOOPER_ITER_SCHEDULE", { key: "schedule.strategy" }],
  ["LOOPER_ITER_ODD_AGENT", { key: "schedule.odd" }],
  ["LOOPER_ITER_EVEN_AGENT", { key: "schedule.even" }],
  ["LOOPER_ITER_RR_AGENTS", { key: "schedule.agents" }],
  ["LOOPER_ROLES_ITER", { key: "roles.iteration" }],
  ["LOOPER_REPAIR_AGENT", { key: "roles.repair" }],
  ["LOOPER_REVIEW_AGENT", { key: "roles.review" }],
  ["LOOPER_BOOTSTRAP_AGENT", { key: "roles.bootstrap" }],
  ["CODEX_REASONING", { key: "agents.codex.reasoning" }],
  ["CODEX_REASONING_EFFORT", { key: "agents.codex.reasoning" }],
  ["LOOPER_PROMPT", { says: "use `--prompt`" }],
  ["LOOPER_QUIET", { says: "use `--quiet`" }],
  ["LOOPER_PROMPT_MODE", { says: "prompts are settings: `prompts.iteration` and the like" }],
  ["LOOPER_PROMPT_DIR", { says: "prompts are settings: `prompts.iteration` and the like" }],
  ["LOOPER_PRINT_PROMPT", { says: "`looper run --dry-run` prints the next prompt" }],
  ["LOOPER_LOG_DIR_PERM", { says: "logs are for you alone: 0700, and 0600 for files" }],
  ["LOOPER_LOG_TIMESTAMPS", { says: LOGGED }],
  ["LOOPER_LOG_CALLER", { says: "the log names no lines of source code" }],
  ...["PARALLEL", "PARALLEL_STRATEGY", "MAX_TASKS", "MAX_AGENTS_PER_TASK", "FAIL_FAST", "OUTPUT_MODE"].map(
    (name): [string, Instead] => [`LOOPER_${name}`, { says: NOT_YET }],
  ),
]);

/** How the variables of the Go program's plugins begin. */
const PLUGINS = "LOOPER_PLUGINS_";

/** The replacement of a variable of the Go program; `undefined` for any other variable. */
export function replaceVariable(name: string): Instead | undefined {
  return GO_VARIABLES.get(name) ?? (name.startsWith(PLUGINS) ? { says: NO_PLUGINS } : undefined);
}

/** The replacement of a key of `looper.toml`, like `agents.mine.parser` or `parallel.enabled`; `undefined` for any other key. */
export function replaceKey(path: readonly string[]): Instead | undefined {
  const [first = "", name = "", ...rest] = path;
  if (first === "agents") {
    const instead = GO_KEYS.get(["agents", "*", ...rest].join("."));
    return instead === undefined || "says" in instead ? instead : { key: instead.key.replace("*", name) };
  }
  // Below a table that has no counterpart no key has one; a key with a value has nothing below it.
  const table = GO_KEYS.get(first);
  return GO_KEYS.get(path.join(".")) ?? (table !== undefined && "says" in table ? table : undefined);
}
