// Says in words what keeps a task from being verified although its checks pass. Pure. why-unverified.ts has the reasons
// that come from single commands.
import type { GateReport } from "../verdict.js";
import { NOT_VERIFIED } from "./why-unverified.js";

/** The fields of a gate's report that say it, and its warnings, which may have the reason in a sentence. */
export type Doubtful = Pick<GateReport, "verdict" | "because" | "needs" | "on"> & {
  warnings?: readonly string[];
};

/** How many paths a sentence names. */
const NAMED = 3;
/** The longest line of a diff in a sentence, in characters. */
const LONGEST_LINE = 80;

/** Whether a person must look at the task: its checks say too little about the program itself. */
export function needsLook({ verdict, because }: Pick<Doubtful, "verdict" | "because">): boolean {
  return verdict === "unverified" && (because === "influence" || because === "no-report");
}

/** The reason in one clause; `undefined` if a person need not look. */
export function describeDoubt(found: Doubtful): string | undefined {
  const { because, needs = [], on = [], warnings = [] } = found;
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
