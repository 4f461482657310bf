// Says in words what keeps a task from being verified although its checks pass, by what the log has of the gate. Pure.
import { listSome } from "../../system/text/cut.js";
import type { CommandVerdict, GateReport, RedCheck, Turned } from "../verdict.js";

/** The beginning of a gate's warning that explains why a task is not verified. */
export const NOT_VERIFIED = "not verified, since ";
/** The beginning of the warning about a check that was added after the user approved the commands. */
export const NOT_TRUSTED = "not run, since it came after the question of trust: ";

/** The fields of a command's verdict that explain it. */
export type JudgedCommand = Pick<CommandVerdict, "command" | "verdict"> &
  Partial<Pick<CommandVerdict, "end" | "exit_code">>;

/** The fields of a gate's report that say it, and its warnings, which have the reason in a sentence. */
export type Doubtful = Pick<GateReport, "verdict" | "because" | "needs" | "on" | "proof"> & {
  warnings?: readonly string[];
  commands?: readonly JudgedCommand[];
};

/** The result of a check before the work. `tests`: the number of its cases, with a report. */
export interface CheckBefore {
  command: string;
  tests?: number | undefined;
  red?: RedCheck | undefined;
}

/** How many paths a sentence names. */
const NAMED = 3;

/** Whether a person must look at the task: its checks say too little about the program itself. */
export function needsLook({ verdict, because }: Pick<Doubtful, "verdict" | "because">): boolean {
  return verdict === "unverified" && (because === "influence" || because === "no-report");
}

/**
 * Whether a task that passes its checks is blocked, by the least verdict that counts as done. Missing checks
 * block no task, nor does a check of the project that is red before and after.
 */
export function fallsShort(accept: "unbroken" | "verified" | undefined, found: Doubtful): boolean {
  if (accept === undefined) return false;
  if (found.verdict === "unbroken") return accept === "verified" && found.because !== "red-before";
  return needsLook(found);
}

/** Every reason why the work is not verified, the clearest first; empty if it is. `before`: the checks before the work. */
export function whyNotVerified(found: Doubtful, before: readonly CheckBefore[]): string[] {
  const { verdict, commands = [], warnings = [] } = found;
  // Of checks that fail as before the reasons are the same for both verdicts, and name the output.
  if (verdict === "unbroken" && found.because !== "red-before") return [describeUnbroken(found)];
  if (verdict !== "unverified" && verdict !== "unbroken") return [];
  const untrusted = warnings.filter((warning) => warning.startsWith(NOT_TRUSTED));
  const said = saidIn(warnings);
  if (commands.length === 0)
    return [...(untrusted.length > 0 ? untrusted : ["no checks are configured"]), ...said];
  const red = commands.filter((one) => one.verdict === "pre-existing");
  const reasons = [...red.map((one) => reasonOf(one, before)), ...untrusted, ...said];
  return verdict === "unbroken" && reasons.length === 0 ? [describeUnbroken(found)] : reasons;
}

/** The reasons that warnings give. */
function saidIn(warnings: readonly string[]): string[] {
  return warnings.flatMap((one) => (one.startsWith(NOT_VERIFIED) ? [one.slice(NOT_VERIFIED.length)] : []));
}

function reasonOf({ command, end, exit_code: code }: JudgedCommand, before: readonly CheckBefore[]): string {
  const red = before.find((one) => one.command === command)?.red;
  const line = red === undefined || red.line === "" ? "" : `: ${red.line}`;
  if (red?.cannot_run === true) return `"${command}" cannot run (${red.how})${line}`;
  const how = end === "exited" ? `exit code ${String(code ?? "unknown")}` : (red?.how ?? end ?? "unknown");
  return `"${command}" failed before the work and still fails (${how})${line}`;
}

/** The reason in one clause, of an unverified task only if a person must look; of an unbroken one always. */
export function describeDoubt(found: Doubtful): string | undefined {
  const { because, needs = [], on = [], warnings = [] } = found;
  if (found.verdict === "unbroken") return describeUnbroken(found);
  if (!needsLook(found)) return undefined;
  const [said] = saidIn(warnings);
  if (said !== undefined) return oneLine(said).replace(/^it passes/u, "passes");
  if (because === "no-report") return "a test runner reported no test, or fewer than before";
  if (needs.length > 0)
    return `passes only with ${listSome(
      needs.map(({ path }) => oneLine(path)),
      NAMED,
    )}`;
  return on.length > 0
    ? `passes only with the checks that ${on.join(" and ")} changed`
    : "passes only with files that are not plainly the program's source";
}

/** The evidence in one clause: "2 tests red → green", "3 new tests fail without the work". */
export function describeProof({ proof }: Pick<GateReport, "proof">): string | undefined {
  if (proof === undefined) return undefined;
  const { fail_to_pass: turned, new_tests: added } = proof;
  if (turned.length > 0) return `${countTurned(turned)} red → green`;
  if (added.length === 0) return undefined;
  return `${countTurned(added, "new ")} ${added.length === 1 ? "fails" : "fail"} without the work`;
}

/** Why a task is unbroken, in one clause. */
export function describeUnbroken({
  because,
  proof,
  commands = [],
}: Pick<Doubtful, "because" | "proof" | "commands">): string {
  const green = proof?.pass_to_pass ?? 0;
  switch (because) {
    case "nothing-changed":
      return "nothing was changed";
    case "only-checks":
      return "only checks were changed, and they pass without other changes";
    case "red-before":
      return describeRed(
        commands.filter(({ verdict }) => verdict === "pre-existing").map(({ command }) => command),
      );
    default:
      return green === 0
        ? "no check covers the change"
        : `${String(green)} ${green === 1 ? "check passes" : "checks pass"} as before, none of them covers the change`;
  }
}

/** "`npm test` fails as before". */
export function describeRed(commands: readonly string[]): string {
  if (commands.length === 0) return "a check fails as before";
  const named = listSome(
    commands.map((command) => `\`${oneLine(command)}\``),
    NAMED,
    " and ",
  );
  return `${named} ${commands.length === 1 ? "fails" : "fail"} as before`;
}

function countTurned(all: readonly Turned[], which = ""): string {
  const cases = all.filter(({ name }) => name !== undefined).length;
  const [count, thing] = cases > 0 ? [cases, "test"] : [all.length, "command"];
  return `${String(count)} ${which}${thing}${count === 1 ? "" : "s"}`;
}

/** The evidence for a person: the reason, then each diff. */
export function formatDoubt(found: Doubtful): string {
  const diffs = (found.needs ?? []).map(({ path, diff }) => `${oneLine(path)}:\n${diff.trimEnd()}`);
  return [`not verified: ${describeDoubt(found) ?? ""}`, ...diffs].join("\n\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\u0000-\u001f\u007f]+/gu, " ").trim();
}
