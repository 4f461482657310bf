// Words of other programs and of earlier versions that people type here, each with a hint on what to type instead. Data only. A word that is
// one typing error away from a real name needs no entry: `nearest` finds it.

/** Unknown commands in lower case, each with its hint. */
export const OTHER_COMMANDS: ReadonlyMap<string, string> = new Map([
  // Commands of earlier versions.
  ["capsule", "each run's log is in its folder, without secrets: LOG_DIR/runs/RUN"],
  ...meaning("ls --json", "export"),
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
  ...meaning("--no-color", "--no-colour", "--plain"),
  ...meaning("--depends-on <ids>", "--after", "--needs", "--blocked-by"),
  ...meaning("--details <text>", "--description", "--body"),
]);

/** Several words with the same hint. */
function meaning(typed: string, ...words: readonly string[]): [string, string][] {
  return words.map((word) => [word, `did you mean ${typed}?`]);
}
