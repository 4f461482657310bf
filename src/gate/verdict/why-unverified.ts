// Explains why a finished task is not verified: which check proves nothing, or what its attempt changed. Pure.
// Its input is what the log has of the gate; src/ui/view/read-doubts.ts reads it.
import type { CommandVerdict, GateVerdict, RedCheck } from "../verdict.js";

/** The beginning of a gate's warning that explains why a task is not verified. */
export const NOT_VERIFIED = "not verified, since ";
/** The beginning of the warning about a check that was added after the user approved the commands. */
export const NOT_TRUSTED = "not run, since it came after the question of trust: ";
/** The end of a warning that names something which keeps a task from being verified. */
export const SO_NOT_VERIFIED = ": the task is not verified";

/** The fields of a command's verdict that explain it. */
export type JudgedCommand = Pick<CommandVerdict, "command" | "verdict" | "end" | "exit_code">;

/** The result of a check before the work. `tests`: the number of its test cases; `undefined` without a report. */
export interface CheckBefore {
  command: string;
  tests?: number | undefined;
  red?: RedCheck | undefined;
}

/** The fields of a gate's report that the log has. */
export interface GateFound {
  verdict: GateVerdict;
  commands: readonly JudgedCommand[];
  warnings: readonly string[];
}

/** The reasons for the verdict "unverified", the clearest first; empty for any other verdict. */
export function whyUnverified(
  { verdict, commands, warnings }: GateFound,
  before: readonly CheckBefore[],
): string[] {
  if (verdict !== "unverified") return [];
  const untrusted = warnings.filter((warning) => warning.startsWith(NOT_TRUSTED));
  const said = warnings.flatMap((warning) => {
    if (warning.startsWith(NOT_VERIFIED)) return [warning.slice(NOT_VERIFIED.length)];
    return warning.endsWith(SO_NOT_VERIFIED) ? [warning.slice(0, -SO_NOT_VERIFIED.length)] : [];
  });
  if (commands.length === 0)
    return [...(untrusted.length > 0 ? untrusted : ["no checks are configured"]), ...said];
  const red = commands.filter((one) => one.verdict === "pre-existing");
  return [...red.map((one) => reasonOf(one, before)), ...untrusted, ...said];
}

function reasonOf({ command, end, exit_code: code }: JudgedCommand, before: readonly CheckBefore[]): string {
  const red = before.find((one) => one.command === command)?.red;
  const line = red === undefined || red.line === "" ? "" : `: ${red.line}`;
  if (red?.cannot_run === true) return `"${command}" cannot run (${red.how})${line}`;
  const how = end === "exited" ? `exit code ${String(code ?? "unknown")}` : (red?.how ?? end);
  return `"${command}" failed before the work and still fails (${how})${line}`;
}
