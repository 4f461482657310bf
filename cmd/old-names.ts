// Words of other programs and of earlier versions, the Go program first, that people type here, each with a hint on what takes their place. Data only. A word
// that is one typing error away from a real name needs no entry. docs/from-looper-go.md shows the Go program's, and a test compares them.

const ONE_TASK = "not yet: one task at a time is all there is";
const NO_DIR = "prompts are settings: prompts.iteration and the like, or --prompt-file for one run";

export const GO_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["tui", "not yet: a run on a terminal has a live line, and looper tail -f follows it from elsewhere"],
  ["workflow", "use looper workflows: it lists, shows, copies and checks them"],
  ["plugin", "there are none: an agent of kind command, acp or module takes their place"],
]);

/** Flags, by their whole name; also those of the shell script before the Go program. */
export const GO_FLAGS: ReadonlyMap<string, string> = new Map([
  ["--todo", "name the file: looper run FILE, --file FILE of the editing commands, or set todo_file"],
  ["--schema", "set schema_file, or check once with looper validate --schema FILE"],
  ["--config", "the settings are in .looper/config.json"],
  ["--log-dir", "set log_dir, or LOOPER_LOG_DIR"],
  ["--log-timestamps", "there is none: every line of the log has its time"],
  ["--log-caller", "there is none: the log names no lines of source code"],
  ["--codex-bin", "set agents.codex.binary, or CODEX_BIN"],
  ["--claude-bin", "set agents.claude.binary, or CLAUDE_BIN"],
  ["--codex-model", "use --model, or set agents.codex.model or CODEX_MODEL"],
  ["--claude-model", "use --model, or set agents.claude.model or CLAUDE_MODEL"],
  ["--codex-reasoning", "set agents.codex.reasoning, or LOOPER_AGENTS_CODEX_REASONING"],
  ["--codex-args", "set agents.codex.args, or CODEX_ARGS"],
  ["--claude-args", "set agents.claude.args, or CLAUDE_ARGS"],
  ["--ui", "not yet: a run on a terminal has a live line"],
  ["--prompt-dir", NO_DIR],
  ["--print-prompt", "looper run --dry-run prints the next prompt; the log keeps every one that was sent"],
  ["--parallel", ONE_TASK],
  ["--max-tasks", ONE_TASK],
  ["--max-agents-per-task", ONE_TASK],
  ["--strategy", ONE_TASK],
  ["--fail-fast", ONE_TASK],
  ["--output-mode", ONE_TASK],
  ["--iter-schedule", "use --schedule"],
  ["--interleave", "use --schedule odd-even"],
  ["--ls", "use looper ls"],
  ["--tail", "use looper tail"],
  ["--doctor", "use looper doctor"],
  [
    "-v",
    "looper show ID prints one task whole, looper ls --json all of them; looper doctor shows everything; looper -v prints the version",
  ],
]);

/** Unknown commands in lower case, each with its hint. */
export const OTHER_COMMANDS: ReadonlyMap<string, string> = new Map([
  // Commands of earlier versions.
  ["capsule", "each run's log is in its folder, without secrets: LOG_DIR/runs/RUN"],
  ...meaning("ls --json", "export"),
  ...meaning("todo ID --restart", "restart"),
  ...meaning("undo", "rollback"),
  // Words of other programs.
  ...meaning("ls", "list", "tasks", "dir", "backlog"),
  ...meaning("run", "start", "go", "work", "exec", "execute", "continue", "loop"),
  ...meaning("add", "new", "create", "append", "insert"),
  ...meaning("rm", "delete", "del", "remove", "drop"),
  ...meaning("set", "edit", "update", "modify", "change"),
  ...meaning("show", "view", "cat", "get", "describe", "info", "inspect"),
  ...meaning("done", "finish", "close", "resolve", "check-off"),
  ...meaning("todo", "reopen", "unblock", "open", "retry"),
  ...meaning("status", "state", "progress", "ps", "stat"),
  ...meaning("stop", "cancel", "kill", "abort", "quit", "interrupt"),
  ...meaning("runs", "history"),
  ...meaning("logs", "log", "output"),
  ...meaning("tail", "events", "watch", "follow"),
  ...meaning("why", "explain", "reason"),
  ...meaning("undo", "revert"),
  ...meaning("questions", "asks", "inbox", "waiting", "pending"),
  ...meaning("approve", "accept-plan", "yes", "confirm", "ok"),
  ...meaning("reject", "decline", "deny", "no", "refuse"),
  ...meaning("steer", "message", "tell", "note", "comment"),
  ...meaning("rescue", "restore", "stash", "recover"),
  ...meaning("validate", "lint", "verify", "check"),
  ...meaning("fmt", "format", "prettify"),
  ...meaning("config", "settings", "configure", "options", "setting"),
  ...meaning("doctor", "diagnose", "health"),
  ...meaning("init", "setup", "bootstrap"),
  ...meaning("init --import FILE", "import"),
  ...meaning("push", "release", "publish"),
  ...meaning("clean", "prune", "gc", "purge"),
  ...meaning("chapo", "chat", "ask", "prompt", "talk"),
  ...meaning("run --dry-run", "plan", "next", "preview"),
]);

/** Unknown flags by their whole name, each with its hint. */
export const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
  ...meaning("--json", "--jsonl", "-j"),
  ...meaning("--quiet", "--silent", "-q"),
  ...meaning("--log-level debug", "--verbose", "--debug"),
  ...meaning("-C <folder>", "--cwd", "--dir", "--directory", "--workdir", "--chdir", "--project"),
  ...meaning("-n <n>", "--limit", "--lines", "--number", "--count"),
  ...meaning("--max-cost <dollars>", "--budget", "--cost"),
  ...meaning("--max-duration <time>", "--timeout", "--duration"),
  ...meaning("--max-iterations <n>", "--iterations"),
  ...meaning("--max-attempts <n>", "--attempts", "--retries"),
  ...meaning("--mode <mode>", "--trust-mode", "--profile", "--permission-mode"),
  ...meaning("--no-color", "--no-colour", "--plain"),
  ...meaning("--depends-on <ids>", "--after", "--needs", "--blocked-by"),
  ...meaning("--details <text>", "--description", "--body"),
]);

function meaning(typed: string, ...words: readonly string[]): [string, string][] {
  return words.map((word) => [word, `did you mean ${typed}?`]);
}

/** The hints on commands, in lower case. */
export const COMMAND_HINTS: ReadonlyMap<string, string> = new Map([...OTHER_COMMANDS, ...GO_COMMANDS]);
export const FLAG_HINTS: ReadonlyMap<string, string> = new Map([...OTHER_FLAGS, ...GO_FLAGS]);
