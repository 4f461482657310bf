// Describes a check that fails before any work: how it ended, the line that explains it, and whether it could run. Pure.
import { endsWell } from "./runs.js";
import type { Ran, RedCheck } from "../verdict.js";

/** Exit codes of a shell that cannot start a command. */
const CANNOT_START: ReadonlySet<number> = new Set([126, 127]);

/**
 * Lines that programs print when the script or target they should run does not exist. Each matches at the
 * start of a line, because a test may print such words elsewhere. A missing module that a test imports does
 * not count: the test may be written before its module.
 */
const NOT_THERE: readonly RegExp[] = [
  // Package managers.
  /^npm (?:error|ERR!) Missing script: /,
  /^npm (?:error|ERR!) (?:enoent )?Could not read package\.json/i,
  /^npm (?:error|ERR!) could not determine executable to run/,
  /^Unknown command: "/,
  /^error Command "[^"]*" not found\./,
  /^Usage Error: Couldn't find a script named /,
  /^\s*\[?ERR_PNPM_(?:NO_SCRIPT|NO_IMPORTER_MANIFEST_FOUND|RECURSIVE_EXEC_FIRST_FAIL)\b/,
  /^error: Script not found "/,
  // Interpreters.
  /^\S*python[\d.]*: (?:can't open file |No module named |Error while finding module specification for )/i,
  /^(?:\S*\/)?(?:ba|da|z|k)?sh: (?:\d+: )?(?:\.: )?(?:cannot open|can't open) /,
  /^Could not find '[^']*'$/,
  // Build tools and runners.
  /^g?make(?:\[\d+\])?: \*\*\* (?:No rule to make target '[^']*'|No targets[^.]{0,50})\.\s+Stop\./,
  /^g?make(?:\[\d+\])?: (?:\*\*\* )?(?:\S+: )?No such file or directory/,
  /^g?make(?:\[\d+\])?: \*\*\* \[[^\]]*\] Error 12[67]\b/,
  /^error: (?:no such (?:sub)?command: |could not find `Cargo\.toml`)/,
  /^go: (?:go\.mod file not found|cannot find main module)/,
  /^ERROR: file or directory not found: /,
];

/** Node.js prints `Cannot find module '…'` with an empty `requireStack` if its script is missing. */
const NODE_MISSING = /^Error: Cannot find module '/m;
const NODE_UNASKED = /^[ \t]*requireStack: \[\]/m;

/**
 * A shell's messages about a command line that it cannot carry out: a program or a folder that does not exist, a syntax error,
 * an unknown option. They count as the last line only, because another command may follow (`a || b`).
 */
const SHELL_GAVE_UP =
  /^(?:\S*\/)?(?:ba|da|z|k)?sh: (?:-c: )?(?:(?:line )?\d+: )?(?:\S+: (?:command )?not found$|cd: .*(?:can't cd to |No such file or directory$)|[Ss]yntax error\b|unexpected EOF while looking for |set: (?:Illegal option|.*: invalid option name))/;

/** How many lines are searched: a program prints its reason at the end of its output. */
const LOOKED_AT = 30;
/** Lines that npm prints behind the reason. */
const TRAILER =
  /^npm (?:notice|warn|WARN)\b|^npm (?:error|ERR!)(?:\s*$|\s+(?:To see a list|npm run$|A complete log|Did you mean|This command))/;
const LONGEST_LINE = 300;
const NAMED = 3;

/** Describes a failing check; `undefined` if it passed. */
export function describeRedCheck(ran: Ran): RedCheck | undefined {
  const { end, tests = {} } = ran;
  const failed = Object.keys(tests).filter((name) => tests[name] === "failed");
  if (endsWell(end) && failed.length === 0) return undefined;
  const lines = ran.tail.split("\n").map((line) => line.trimEnd());
  const ending = lines.filter((line) => line !== "").slice(-LOOKED_AT);
  const last = ending.findLast((line) => !TRAILER.test(line)) ?? ending.at(-1);
  const told = Object.keys(tests).length > 0 ? undefined : tellingLine(ending, last);
  const cannotRun =
    end.how === "not-found" || (end.how === "exited" && (CANNOT_START.has(end.code) || told !== undefined));
  if (failed.length > 0) return { how: howItEnded(ran), line: namesOf(failed), cannot_run: false };
  const line = (cannotRun ? told : undefined) ?? (end.how === "not-found" ? end.message : last) ?? "";
  return { how: howItEnded(ran), line: line.trim().slice(0, LONGEST_LINE), cannot_run: cannotRun };
}

function namesOf(failed: readonly string[]): string {
  const more = failed.length > NAMED ? ` and ${String(failed.length - NAMED)} more` : "";
  const names = failed.slice(0, NAMED).join(", ");
  return `${failed.length === 1 ? "1 test fails" : `${String(failed.length)} tests fail`}: ${names.slice(0, LONGEST_LINE)}${more}`;
}

function tellingLine(lines: readonly string[], last: string | undefined): string | undefined {
  const text = lines.join("\n");
  if (NODE_UNASKED.test(text)) {
    const missing = lines.find((line) => NODE_MISSING.test(line));
    if (missing !== undefined) return missing;
  }
  const told = lines.findLast((line) => NOT_THERE.some((pattern) => pattern.test(line)));
  return told ?? (last !== undefined && SHELL_GAVE_UP.test(last) ? last : undefined);
}

function howItEnded({ end }: Ran): string {
  if (end.how === "exited") return `exit code ${String(end.code)}`;
  if (end.how === "killed") return `ended by ${end.signal}`;
  return end.how === "timed-out" ? "timed out" : "it could not be started";
}
