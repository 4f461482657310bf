// Why nothing proves a task that is done: which check proves nothing, or what its attempt changed. Pure.
// It goes by what the log keeps of the gate; leaves reading logs to src/ui/view/read-doubts.ts.
import type { CommandVerdict, GateVerdict, RedCheck } from "../verdict.js";

/** How a warning of the gate begins that says why a task is not verified. */
export const NOT_VERIFIED = "not verified, since ";
/** How the warning for a check begins that came too late to be trusted. */
export const NOT_TRUSTED = "not run, since it came after the question of trust: ";
/** How a warning ends that says the same of what it names. */
export const SO_NOT_VERIFIED = ": the task is not verified";

/** One command of the verdict, as far as it is needed here. */
export type JudgedCommand = Pick<CommandVerdict, "command" | "verdict" | "end" | "exit_code" | "tests">;

/** A check as it was before the work. `tests`: how many test cases it reported; `undefined`: it reported none. */
export interface CheckBefore {
  command: string;
  tests?: number | undefined;
  red?: RedCheck | undefined;
}

/** What the log keeps of a gate. */
export interface GateFound {
  verdict: GateVerdict;
  commands: readonly JudgedCommand[];
  warnings: readonly string[];
}

/** The reasons for the verdict "unverified", the plainest first; none for any other verdict. */
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
  return [...provesNothing(commands, before).map((one) => reasonOf(one, before)), ...untrusted, ...said];
}

/** The commands that keep the verdict from "passed": the blind ones, else those that fail as they did before. */
function provesNothing(
  commands: readonly JudgedCommand[],
  before: readonly CheckBefore[],
): readonly JudgedCommand[] {
  const red = commands.filter(({ verdict }) => verdict === "pre-existing");
  const blind = red.filter(({ command, tests }) => {
    const testsBefore = before.find((one) => one.command === command)?.tests;
    return tests === undefined || tests.pre_existing.length === 0 || testsBefore === undefined;
  });
  if (blind.length > 0) return blind;
  return red.length === commands.length ? red : [];
}

function reasonOf(one: JudgedCommand, before: readonly CheckBefore[]): string {
  const red = before.find(({ command }) => command === one.command)?.red;
  const line = red === undefined || red.line === "" ? "" : `: ${red.line}`;
  if (red?.cannot_run === true) return `"${one.command}" cannot run (${red.how})${line}`;
  return `"${one.command}" failed before the work and still fails (${endOf(one)})${line}`;
}

function endOf({ end, exit_code: code }: JudgedCommand): string {
  switch (end) {
    case "exited":
      return `exit code ${String(code ?? "unknown")}`;
    case "killed":
      return "ended by a signal";
    case "timed-out":
      return "timed out";
    default:
      return "it could not be started";
  }
}
