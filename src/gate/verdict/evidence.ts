// Words the evidence against an attempt: for the next attempt's prompt, and in one line for the task's blocker. Pure.
// compare.ts finds it.
import { never } from "../../system/never.js";
import { listSome } from "../../system/text/cut.js";
import type { CommandJudgement } from "./compare.js";
import { describeRedCheck } from "./red-check.js";
import { cutText, cutLine, cutToLastLines } from "../report/cut.js";
import type { CommandEnd, Tampering } from "../verdict.js";

/** Bytes of the whole evidence. */
const MOST_EVIDENCE = 16 * 1024;
/** Bytes of the first line, and of a name or a command. */
const MOST_HEADLINE = 500;
const MOST_NAME = 160;
/** How many names are listed, below and in the first line. */
const LISTED = 20;
const IN_HEADLINE = 3;

const UNMEASURED = "The failures before this task are unknown, so every failure now counts as new.";

/** The findings to put into words. */
export interface EvidenceFacts {
  tampered: readonly Tampering[];
  /** The commands that fail the attempt. */
  failing: readonly CommandJudgement[];
  /** Whether there is a baseline. */
  measured: boolean;
}

/** At most 16 KiB; empty if no check failed. The first line is a sentence of its own. */
export function tellEvidence({ tampered, failing, measured }: EvidenceFacts): string {
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
  return `${count(tampered.length, "existing check")} taken away or weakened: ${some(shown, IN_HEADLINE)}`;
}

function failureHeadline(failing: readonly CommandJudgement[]): string {
  const [first, ...others] = failing;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `; ${count(others.length, "more command")} failed`;
  return `${nameOf(first.ran.command)}${reasonFor(first)}${more}`;
}

/** The words behind the command in the first line. */
function reasonFor({ ran, verdict, names }: CommandJudgement): string {
  const reasons = [
    ...reason(names.regressed, (tests) => `${tests} regressed`),
    ...reason(names.new, (tests) => `${tests} failed, not there before`),
    ...(verdict === "pre-existing" ? reason(names.pre_existing, (tests) => `${tests} failed as before`) : []),
  ];
  if (reasons.length > 0) return `: ${reasons.join("; ")}`;
  const end = ran.end.how === "exited" ? `exit ${ran.end.code}` : endWords(ran.end);
  if (verdict === "regressed") return ` fails now (${end}); it passed before this task`;
  const red = describeRedCheck(ran);
  if (red?.cannot_run === true) return ` cannot run (${red.how})${red.line === "" ? "" : `: ${red.line}`}`;
  return verdict === "pre-existing" ? ` fails (${end}), as before this task` : ` fails (${end})`;
}

function reason(names: readonly string[], words: (tests: string) => string): string[] {
  if (names.length === 0) return [];
  return [`${words(count(names.length, "test"))}: ${some(names, IN_HEADLINE)}`];
}

function endWords(end: CommandEnd): string {
  switch (end.how) {
    case "exited":
      return `exit code ${end.code}`;
    case "killed":
      return `killed by ${end.signal}`;
    case "timed-out":
      return "not done within verify.timeout";
    case "not-found":
      return `not started, ${end.message}`;
    default:
      return never(end);
  }
}

function describe({ ran, names }: CommandJudgement): string {
  return [
    `Command: ${nameOf(ran.command)}\nEnd: ${endWords(ran.end)}`,
    ...listIf("Regressed (passed before):", names.regressed),
    ...listIf("Failing, and not there before:", names.new),
    ...listIf("Failing as before:", names.pre_existing),
    ...listIf("Failed, then passed when run again:", names.flaky),
  ].join("\n");
}

function tailWithin(tail: string, most: number): string {
  const title = "\nThe end of its output:\n";
  const shown = cutToLastLines(tail.trimEnd(), most - title.length);
  return shown === "" ? "" : title + shown;
}

function tamperingLine(one: Tampering): string {
  return `${subjectOf(one)}: ${one.what}, ${nameOf(one.detail)}`;
}

function subjectOf({ path, name }: Tampering): string {
  return [path, name].flatMap((part) => (part === undefined ? [] : [nameOf(part)])).join(": ") || "tests";
}

function listIf(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [list(title, names.map(nameOf))];
}

function list(title: string, lines: readonly string[]): string {
  const more = lines.length > LISTED ? [`and ${lines.length - LISTED} more`] : [];
  return [title, ...lines.slice(0, LISTED).map((line) => `- ${line}`), ...more].join("\n");
}

function some(names: readonly string[], most: number): string {
  return listSome(names.map(nameOf), most);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function nameOf(text: string): string {
  return cutLine(text, MOST_NAME);
}
