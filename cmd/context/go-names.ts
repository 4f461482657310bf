// Commands and flags of the Go program that do not exist here, each with a hint on its replacement. Data only;
// docs/from-looper-go.md shows the same tables, and a test compares them.

const ONE_TASK = "not yet: one task at a time is all there is";
const NO_DIR = "prompts are settings: prompts.iteration and the like, or --prompt-file for one run";

/** Commands. */
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
