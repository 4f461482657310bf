// Says in words what keeps a task from being verified although its checks pass. Pure. why-unverified.ts has the reasons
// that come from single commands.
import type { CommandVerdict, GateReport, Turned } from "../verdict.js";
import { NOT_VERIFIED } from "./why-unverified.js";

/** The fields of a gate's report that say it, and its warnings, which may have the reason in a sentence. */
export type Doubtful = Pick<GateReport, "verdict" | "because" | "needs" | "on" | "proof"> & {
  warnings?: readonly string[];
  commands?: readonly Pick<CommandVerdict, "command" | "verdict">[];
};

/** How many paths a sentence names. */
const NAMED = 3;
/** The longest line of a diff in a sentence, in characters. */
const LONGEST_LINE = 80;

/** Whether a person must look at the task: its checks say too little about the program itself. */
export function needsLook({ verdict, because }: Pick<Doubtful, "verdict" | "because">): boolean {
  return verdict === "unverified" && (because === "influence" || because === "no-report");
}

/**
 * Whether a task that passes its checks is blocked, by the least verdict that counts as done. Missing checks block no task, nor does
 * a check of the project that is red before and after.
 */
export function fallsShort(accept: "unbroken" | "verified" | undefined, found: Doubtful): boolean {
  if (accept === undefined) return false;
  if (found.verdict === "unbroken") return accept === "verified" && found.because !== "red-before";
  return needsLook(found);
}

/** The reason in one clause, of an unverified task only if a person must look; of an unbroken one always. */
export function describeDoubt(found: Doubtful): string | undefined {
  const { because, needs = [], on = [], warnings = [] } = found;
  if (found.verdict === "unbroken") return describeUnbroken(found);
  if (!needsLook(found)) return undefined;
  const said = warnings.find((warning) => warning.startsWith(NOT_VERIFIED));
  if (said !== undefined) return oneLine(said.slice(NOT_VERIFIED.length)).replace(/^it passes/u, "passes");
  if (because === "no-report") return "a test runner reported no test, or fewer than before";
  if (needs.length === 0 && on.length > 0)
    return `passes only with the checks that ${on.join(" and ")} changed`;
  if (needs.length === 0) return "passes only with files that are not plainly the program's source";
  const shown = needs.slice(0, NAMED).map(({ path, diff }) => `${oneLine(path)}${firstChange(diff)}`);
  const more = needs.length - shown.length;
  return `passes only with ${shown.join(", ")}${more === 0 ? "" : ` and ${String(more)} more`}`;
}

/** The evidence of a verified task, in one clause: "2 tests red → green", "3 new tests fail without the work". */
export function describeProof({ proof }: Pick<GateReport, "proof">): string | undefined {
  if (proof === undefined) return undefined;
  const { fail_to_pass: turned, new_tests: added } = proof;
  if (turned.length > 0) return `${countTurned(turned)} red → green`;
  if (added.length === 0) return undefined;
  return `${countTurned(added, "new ")} ${added.length === 1 ? "fails" : "fail"} without the work`;
}

/** Why a task is unbroken, in one clause. */
export function describeUnbroken({ because, proof, commands = [] }: Unbroken): string {
  const red = commands.filter(({ verdict }) => verdict === "pre-existing").map(({ command }) => command);
  const green = proof?.pass_to_pass ?? 0;
  switch (because) {
    case "nothing-changed":
      return "nothing was changed";
    case "only-checks":
      return "only checks were changed, and they pass without other changes";
    case "red-before":
      return describeRed(red);
    default:
      return green === 0
        ? "no check covers the change"
        : `${String(green)} ${green === 1 ? "check passes" : "checks pass"} as before, none of them covers the change`;
  }
}

/** The fields of a gate's report that say why. */
type Unbroken = Pick<GateReport, "because" | "proof"> & {
  commands?: readonly Pick<CommandVerdict, "command" | "verdict">[];
};

/** "`npm test` fails as before". */
export function describeRed(commands: readonly string[]): string {
  if (commands.length === 0) return "a check fails as before";
  const named = commands.slice(0, NAMED).map((command) => `\`${oneLine(command)}\``);
  const more = commands.length - named.length;
  const all = more === 0 ? named : [...named, `${String(more)} more`];
  return `${all.join(" and ")} ${commands.length === 1 ? "fails" : "fail"} as before`;
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

/** The first line that a diff adds, or else removes, in brackets. */
function firstChange(diff: string): string {
  const lines = diff.split("\n");
  const line =
    lines.find((one) => /^\+(?!\+\+)\s*\S/u.test(one)) ?? lines.find((one) => /^-(?!--)\s*\S/u.test(one));
  if (line === undefined) return "";
  const [text, sign] = [oneLine(line.slice(1)), line.slice(0, 1)];
  return ` (${sign}${text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text})`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\u0000-\u001f\u007f]+/gu, " ").trim();
}
