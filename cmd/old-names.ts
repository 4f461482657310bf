// Words of the Go program and of earlier versions that people type here, and what takes their place. A word
// one typing error away from a real name needs none. docs/from-looper-go.md shows the Go program's.

export const GO_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["tui", "not yet: a run on a terminal has a live line, and looper tail -f follows it from elsewhere"],
  ["workflow", "use looper workflows: it lists, shows, copies and checks them"],
  ["plugin", "there are none: an agent of kind command, acp or module takes their place"],
]);

/** Flags, by their whole name. */
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
  ["--prompt-dir", "prompts are settings: prompts.iteration and the like, or --prompt-file for one run"],
  ["--print-prompt", "looper run --dry-run prints the next prompt; the log keeps every one that was sent"],
  ...["--parallel", "--max-tasks", "--max-agents-per-task", "--strategy", "--fail-fast", "--output-mode"].map(
    (flag) => [flag, "not yet: one task at a time is all there is"] as const,
  ),
  [
    "-v",
    "looper show ID prints one task whole, looper ls --json all of them; looper doctor shows everything; looper -v prints the version",
  ],
]);

/** Commands of earlier versions, and those that other programs have most. */
export const OLD_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["capsule", "each run's log is in its folder, without secrets: LOG_DIR/runs/RUN"],
  ["list", "did you mean ls?"],
  ["create", "did you mean add?"],
  ["delete", "did you mean rm?"],
  ["remove", "did you mean rm?"],
  ["edit", "did you mean set?"],
  ["export", "did you mean ls --json?"],
  ["import", "did you mean add --import FILE?"],
  ["reopen", "did you mean todo?"],
  ["restart", "did you mean todo ID --restart?"],
  ["revert", "did you mean undo?"],
  ["rollback", "did you mean undo?"],
  ["unblock", "did you mean todo?"],
]);
