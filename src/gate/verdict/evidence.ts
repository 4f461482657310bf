// Words the evidence against an attempt: for the next attempt's prompt, and in one line for the task's
// blocker. Pure. compare.ts finds it.
import { listSome } from "../../system/text/cut.js";
import { describeRedCheck } from "./red-check.js";
import { cutText, cutLine, cutName, cutToLastLines } from "../report/cut.js";
import type { CommandEnd, Finding, Ran, Tampering } from "../verdict.js";

/** Bytes of the whole evidence. */
const MOST_EVIDENCE = 16 * 1024;
/** Bytes of the first line. */
const MOST_HEADLINE = 500;
/** How many names are listed, below and in the first line. */
const LISTED = 20;
const IN_HEADLINE = 3;

const UNMEASURED = "The failures before this task are unknown, so every failure now counts as new.";

/** Names of test cases by finding; those that passed are not listed. */
export type Names = Record<"regressed" | "fixed" | "pre_existing" | "new" | "flaky", string[]>;

/** The judgement of one command. */
export interface CommandJudgement {
  ran: Ran;
  verdict: Finding;
  names: Names;
  /** The number of test cases; `undefined` without a report. */
  total: number | undefined;
  /** Cases no longer run, although the command was not cut short. They may run when it is repeated. */
  losesCases: boolean;
}

/**
 * At most 16 KiB; empty if no check failed. The first line is a sentence of its own. `failing`: the commands
 * that fail the attempt; `measured`: whether there is a baseline.
 */
export function tellEvidence(
  failing: readonly CommandJudgement[],
  tampered: readonly Tampering[],
  measured: boolean,
): string {
  const headline = tampered.length > 0 ? tamperingHeadline(tampered) : failureHeadline(failing);
  if (headline === "") return "";
  const parts = [cutLine(headline, MOST_HEADLINE)];
  if (tampered.length > 0) parts.push(list("Taken away or weakened:", tampered.map(tamperingLine)));
  if (!measured && failing.some(({ ran }) => !ran.own)) parts.push(UNMEASURED);
  const heads = failing.map(describe);
  const left = MOST_EVIDENCE - Buffer.byteLength([...parts, ...heads].join("\n\n"));
  failing.forEach(({ ran }, index) => {
    parts.push((heads[index] ?? "") + tailWithin(ran.tail, Math.floor(left / failing.length)));
  });
  return cutText(parts.join("\n\n"), MOST_EVIDENCE);
}

function tamperingHeadline(tampered: readonly Tampering[]): string {
  const shown = tampered.map((one) => `${subjectOf(one)} (${one.what})`);
  return `${count(tampered.length, "existing check")} taken away or weakened: ${some(shown)}`;
}

function failureHeadline(failing: readonly CommandJudgement[]): string {
  const [first, ...others] = failing;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `; ${count(others.length, "more command")} failed`;
  return `${cutName(first.ran.command)}${reasonFor(first)}${more}`;
}

/** The kinds of cases against an attempt: the title of their list, and the words of the first line. */
const KINDS = [
  ["regressed", "Regressed (passed before):", "regressed"],
  ["new", "Failing, and not there before:", "failed, not there before"],
  ["pre_existing", "Failing as before:", "failed as before"],
  ["flaky", "Failed, then passed when run again:", undefined],
] as const;

/** The words behind the command in the first line. */
function reasonFor({ ran, verdict, names }: CommandJudgement): string {
  const reasons = KINDS.flatMap(([kind, , words]) => {
    if (names[kind].length === 0 || words === undefined) return [];
    if (kind === "pre_existing" && verdict !== "pre-existing") return [];
    return [`${count(names[kind].length, "test")} ${words}: ${some(names[kind])}`];
  });
  if (reasons.length > 0) return `: ${reasons.join("; ")}`;
  const end = ran.end.how === "exited" ? `exit ${ran.end.code}` : endWords(ran.end);
  if (verdict === "regressed") return ` fails now (${end}); it passed before this task`;
  const red = describeRedCheck(ran);
  if (red?.cannot_run === true) return ` cannot run (${red.how})${red.line === "" ? "" : `: ${red.line}`}`;
  return verdict === "pre-existing" ? ` fails (${end}), as before this task` : ` fails (${end})`;
}

function endWords(end: CommandEnd): string {
  if (end.how === "exited") return `exit code ${end.code}`;
  if (end.how === "killed") return `killed by ${end.signal}`;
  return end.how === "timed-out" ? "not done within verify.timeout" : `not started, ${end.message}`;
}

function describe({ ran, names }: CommandJudgement): string {
  const lists = KINDS.filter(([kind]) => names[kind].length > 0).map(([kind, title]) =>
    list(title, names[kind].map(cutName)),
  );
  return [`Command: ${cutName(ran.command)}\nEnd: ${endWords(ran.end)}`, ...lists].join("\n");
}

function tailWithin(tail: string, most: number): string {
  const title = "\nThe end of its output:\n";
  const shown = cutToLastLines(tail.trimEnd(), most - title.length);
  return shown === "" ? "" : title + shown;
}

function tamperingLine(one: Tampering): string {
  return `${subjectOf(one)}: ${one.what}, ${cutName(one.detail)}`;
}

function subjectOf({ path, name }: Tampering): string {
  return [path, name].flatMap((part) => (part === undefined ? [] : [cutName(part)])).join(": ") || "tests";
}

function list(title: string, lines: readonly string[]): string {
  const more = lines.length > LISTED ? [`and ${lines.length - LISTED} more`] : [];
  return [title, ...lines.slice(0, LISTED).map((line) => `- ${line}`), ...more].join("\n");
}

function some(names: readonly string[]): string {
  return listSome(names.map(cutName), IN_HEADLINE);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
