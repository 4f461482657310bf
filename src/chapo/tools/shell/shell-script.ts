// Builds the script around a model's command: it restores the state that the last command saved, and saves the state for the
// next one: folder, variables, functions, aliases, options. Each command is a separate process, so that ending one does not
// end the session. Pure; shell-session.ts starts the process.
import { quoteWord } from "../../../shell/quote.js";

/** The files of one command, as absolute paths. */
export interface ScriptFiles {
  /** Holds the command's text. */
  command: string;
  stdout: string;
  stderr: string;
  /** The state to restore; without it the command begins in a fresh state, in the folder the shell is started in. */
  before?: string | undefined;
  /** Where to save the state; without it the state is not saved. Complete only if it ends in `STATE_END`. */
  after?: string | undefined;
}

/** The last line of a complete state file. */
export const STATE_END = "# whole\n";

/** Builds the script for `-c`. `marks`: variables that are not part of the state because each command gets its own. */
export function buildShellScript(shell: "bash" | "sh", files: ScriptFiles, marks: readonly string[]): string {
  const { command, stdout, stderr, before, after } = files;
  const saving = shell === "bash" ? SAVE_BASH : SAVE_SH;
  const read = shell === "bash" ? `$(<${quoteWord(command)})` : `$(cat ${quoteWord(command)})`;
  const state = after === undefined ? undefined : quoteWord(after);
  const prelude = [
    `exec >${quoteWord(stdout)} 2>${quoteWord(stderr)} </dev/null || exit 126`,
    ...(shell === "bash" ? ["shopt -s expand_aliases"] : []),
    ...(state === undefined ? [] : [saving(state, marks.join(" "))]),
    // Descriptor 9 carries the message that the folder is gone. Other messages, e.g. about a read-only variable, are dropped.
    ...(before === undefined ? [] : [`. ${quoteWord(before)} 9>&2 >/dev/null 2>&1`]),
    ...(state === undefined ? [] : [`trap '{ __looper_save $?; } 2>/dev/null' EXIT`]),
  ].join("\n");
  return [
    shell === "bash" ? joinToOneLine(prelude) : prelude,
    `eval "${read}"`,
    // Repeated here because a command may have replaced the trap.
    ...(state === undefined ? [] : ["{ __looper_save $?; } 2>/dev/null"]),
  ].join(shell === "bash" ? "; " : "\n");
}

/** Joins the prelude to one line, so that bash counts a command's lines from 1 in its error messages. */
function joinToOneLine(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n");
  return `eval $'${escaped}'`;
}

const GONE = "the folder the shell was in is gone; it is back where it began";

/** Calls every command as a builtin, because the session may define functions called `cd` or `printf`. */
const SAVE_BASH = (state: string, marks: string): string => `__looper_save() {
  builtin local __looper_on="$SHELLOPTS" __looper_name
  builtin set +euxfn
  builtin unset -f __looper_save
  builtin unset -v ${marks}
  {
    builtin printf 'builtin cd -- %q || builtin echo "${GONE}" >&9\\n' "$PWD"
    builtin umask -p
    builtin shopt -p
    builtin alias -p
    builtin declare -f
    builtin declare -F
    builtin declare -p IFS
    builtin local IFS=$'\\n'
    for __looper_name in $(builtin compgen -A variable); do
      case $__looper_name in
        BASH*|__looper_*|_|IFS|PWD|EUID|PPID|UID|SHELLOPTS|SHLVL|RANDOM|SRANDOM|SECONDS|EPOCH*) ;;
        LINENO|FUNCNAME|GROUPS|DIRSTACK|PIPESTATUS|HISTCMD|COMP_*|OPTIND) ;;
        *) builtin declare -p "$__looper_name" ;;
      esac
    done
    IFS=:
    for __looper_name in $__looper_on; do
      case $__looper_name in
        onecmd|noexec) ;;
        *) builtin printf 'set -o %s\\n' "$__looper_name" ;;
      esac
    done
    builtin printf '# whole\\n'
  } >|${state} 2>/dev/null
  builtin return "$1"
}`;

/** Functions do not carry over, because sh cannot list them. */
const SAVE_SH = (state: string, marks: string): string => `__looper_save() {
  set +euxf
  unset -f __looper_save
  unset -v ${marks}
  {
    set
    printf 'cd -- "$PWD" || echo "${GONE}" >&9\\n'
    export -p
    printf 'umask %s\\n' "$(umask)"
    printf '# whole\\n'
  } >|${state} 2>/dev/null
  return "$1"
}`;
