// Holds the report of an agent against its stage: a declared outcome, an output that fits its schema, questions. Pure.
// perform-agent.ts asks once more where it does not fit; prompts/stage-report.ts has the words.
import type { AgentResult, FoundReport } from "../../../agents/agent.js";
import type { StageAgentReport } from "../../../todo/model/summary.js";
import { stripControlSequences } from "../../../system/text/control-sequences.js";
import { textsOf, toLine } from "../../../prompts/text.js";
import { asRecord, listOf, textOf } from "../../../system/text/json.js";
import { shorten } from "../../../system/text/cut.js";
import { MOST_OUTPUT_BYTES, type OutputSchema } from "../../../workflow/outputs/check-output.js";
import { severityOf } from "../../../workflow/outputs/outputs.js";
import { endAfterAsking } from "./report-again.js";
import { STAGE_KINDS } from "../../../workflow/stage-kinds.js";
import type { StageKind } from "../../../workflow/workflow.js";

/** The report that a stage takes. */
export interface Expected {
  kind: StageKind;
  outcomes: readonly string[];
  /** Absent: it declares no output. */
  schema?: OutputSchema;
  /** Of a review: the outcome that sends the work back, and those that let it through. */
  way?: { back: string; through: readonly string[] };
}

const MOST_DEPTH = 32;
const MOST_QUESTIONS = 20;
/** Of all questions together, in letters: a person reads them. */
const MOST_ASKED = 128 * 1024;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/gu;

/** The report as the stage counts it: cleaned, or invalid with all that is wrong. */
export function checkStageReport(report: FoundReport, expected: Expected): FoundReport {
  if (!("found" in report)) return report;
  const { outcome, output, questions, ...summary } = report.found;
  const read = readOutput(output, expected, summary.summary);
  const asked = readQuestions(questions, read.value);
  const kept = read.problems.length > 0 || read.value === undefined ? {} : { output: read.value };
  if (asked.length > 0) return { found: { ...summary, ...kept, questions: asked } };
  if (summary.status !== "done") return { found: summary };
  const named = findOutcome(outcome, expected);
  const problems = "problem" in named ? [named.problem] : whyNotOutput(read, named.outcome, expected);
  if (problems.length > 0 || "problem" in named) return { invalid: problems.join("; ") };
  const value = read.value ?? emptyOutput(expected, named.outcome);
  const found = { ...summary, outcome: named.outcome, ...(value === undefined ? {} : { output: value }) };
  const open = expected.way?.through.includes(named.outcome) === true ? describeOpen(value) : "";
  if (open === "" || expected.way === undefined) return { found };
  const { back } = expected.way;
  const invalid = `the outcome ${named.outcome} comes with ${open}; if that holds the outcome is ${back}, otherwise leave it out`;
  return { invalid, instead: { ...found, outcome: back } };
}

/** An item that says there are none. */
const NONE: ReadonlySet<string> = new Set(["none", "none.", "n/a", "-"]);

/** The parts of an output that keep work from being complete; "" if there are none. */
function describeOpen(output: unknown): string {
  const high = listOf(output, "findings").filter((one) => severityOf(textOf(one, "severity")) === "high");
  const failed = textsOf(output, "failed_items").filter((text) => !NONE.has(text.trim().toLowerCase()));
  const texts = [...high.map((one) => textOf(one, "text")), ...failed];
  if (texts.length === 0) return "";
  const shown = texts.slice(0, 3).map((text) => JSON.stringify(toLine(text, 80)));
  return `findings of severity high or failed items (${shown.join(", ")})`;
}

/** The end as it counts: of a report that contradicts its own findings and was not corrected, the findings decide. */
export function settleByFindings<R extends AgentResult>(end: R): { end: R; warning?: string } {
  if (end.outcome !== "ok" || !("invalid" in end.report) || end.report.instead === undefined) return { end };
  const { invalid, instead } = end.report;
  const [sentence = ""] = invalid.split("; if that holds");
  const warning = `${sentence}: its findings decide, and it counts as ${instead.outcome ?? ""}`;
  return { end: { ...end, report: { found: instead } }, warning };
}

/** Why the report cannot be used. */
export function whyNoReport(report: FoundReport): string {
  if ("invalid" in report) return report.invalid;
  return "missing" in report ? report.missing : "";
}

/** L19: work that is reported done has the outcome done; all other outcomes are named. */
function findOutcome(
  said: string | undefined,
  { kind, outcomes }: Expected,
): { outcome: string } | { problem: string } {
  const known = outcomes.join(", ");
  const outcome = said?.trim() ?? "";
  if (outcomes.includes(outcome)) return { outcome };
  const { success } = STAGE_KINDS[kind];
  if (outcome === "" && success !== undefined && outcomes.includes(success)) return { outcome: success };
  if (outcome === "") return { problem: `the report has no outcome; this stage has ${known}` };
  return {
    problem: `${JSON.stringify(shorten(outcome, 60))} is not an outcome of this stage; it has ${known}`,
  };
}

interface ReadOutput {
  value?: unknown;
  problems: string[];
}

function readOutput(output: unknown, { schema }: Expected, summary?: string): ReadOutput {
  if (output === undefined || output === null) return { problems: [] };
  if (depthOf(output) > MOST_DEPTH)
    return { problems: [`the output is nested more than ${String(MOST_DEPTH)} levels deep`] };
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes > MOST_OUTPUT_BYTES)
    return {
      problems: [`the output has ${String(bytes)} bytes of JSON; the most is ${String(MOST_OUTPUT_BYTES)}`],
    };
  const value = clean(output);
  if (schema === undefined) return { value, problems: [] };
  const problems = schema.problemsOf(value);
  if (problems.length === 0) return { value, problems };
  // Strict schemas have agents write null for what they have nothing to say on.
  const without = withoutNulls(value);
  const forms = [without, withOwnSeverities(without), completePlan(without, summary)];
  const fitting = forms.find((one) => schema.problemsOf(one).length === 0);
  return fitting === undefined ? { value, problems } : { value: fitting, problems: [] };
}

/** The output with the severity words of other tools as Looper's own. */
function withOwnSeverities(output: unknown): unknown {
  const findings = listOf(output, "findings").map((one) => {
    const severity = severityOf(textOf(one, "severity"));
    return severity === undefined || typeof one !== "object" ? one : { ...one, severity };
  });
  return typeof output === "object" && findings.length > 0 ? { ...output, findings } : output;
}

/** A plan of files, commands and tests alone: its overview is the report's, and its items are these. */
function completePlan(output: unknown, summary = ""): unknown {
  const list = (key: string, word: string) =>
    listOf(output, key).map((one) =>
      typeof one === "string"
        ? { path: one, [word]: "" }
        : { ...asRecord(one), path: textOf(one, "path"), [word]: textsOf(one, word).join("\n") },
    );
  const created = list("files_to_create", "purpose");
  const modified = list("files_to_modify", "changes");
  const commands = textsOf(output, "commands");
  const items = [
    ...created.map(({ path }) => `Create ${path}`),
    ...modified.map(({ path }) => `Change ${path}`),
    ...commands.map((command) => `Run ${command}`),
  ];
  if (items.length === 0) return output;
  const { steps, items: ticked, ...own } = asRecord(output);
  const isGiven = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
  return {
    ...own,
    ...{ files_to_create: created, files_to_modify: modified, commands, tests: list("tests", "coverage") },
    summary: textOf(output, "summary").trim() || summary.trim() || items.join("; "),
    steps: isGiven(steps) ? steps : ["Create and change these files, then run the commands."],
    items: isGiven(ticked) ? ticked : items,
  };
}

function whyNotOutput({ value, problems }: ReadOutput, outcome: string, expected: Expected): string[] {
  const { schema } = expected;
  if (problems.length > 0) return problems;
  if (schema === undefined || value !== undefined || emptyOutput(expected, outcome) !== undefined) return [];
  return [`the report has no output; this stage's output is ${schema.name}`];
}

/** An output that has nothing to tell may be left out: nothing was ticked, nothing was found. */
function emptyOutput({ schema, outcomes }: Expected, outcome: string): unknown {
  if (schema?.name === "implementation") return { completed: [] };
  return schema?.name === "findings" && outcome === outcomes[0] ? { findings: [] } : undefined;
}

/** The questions of the report; of a request that is not clear, those of its output. */
function readQuestions(said: readonly string[] = [], output: unknown): string[] {
  const isOpen = asRecord(output)["status"] === "needs_clarification";
  const inside = asRecord(output)["questions"];
  const own = said.length === 0 && isOpen && Array.isArray(inside) ? (inside as unknown[]) : said;
  const texts = own.flatMap((one) => (typeof one === "string" ? [cleanText(one).trim()] : []));
  const different = [...new Set(texts.filter((text) => text !== ""))].slice(0, MOST_QUESTIONS);
  return different.map((text) => shorten(text, Math.floor(MOST_ASKED / different.length)));
}

/** Levels of objects and lists, counted no further than is allowed. Without recursion: the value may be as deep as it likes. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= MOST_DEPTH) {
    level = level.flatMap((one): unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
    depth += 1;
  }
  return depth;
}

/** The value without control characters in its texts and keys. */
function clean(value: unknown): unknown {
  return mapTexts(value, cleanText);
}

function cleanText(text: string): string {
  return stripControlSequences(text).replaceAll("\r\n", "\n").replaceAll(CONTROL, "");
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [map(key), mapTexts(one, map)]));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutNulls(one)]));
}

/** The end of an attempt whose agent was asked once more: with its new report, or with why even that does not fit. */
export function endAfterAskingStage<R extends AgentResult>(first: R, second: R): R {
  const answers =
    second.outcome === "ok" && ("found" in second.report || settleByFindings(second).warning !== undefined);
  if (settleByFindings(first).warning !== undefined && !answers) return first;
  if (first.outcome !== "ok" || second.outcome !== "ok") return endAfterAsking(first, second);
  return "missing" in second.report ? first : second;
}

/** The report with its secrets replaced: it becomes a file. */
export function redactReport(report: FoundReport, redact: (text: string) => string): FoundReport {
  if ("invalid" in report && report.instead !== undefined)
    return { ...report, instead: redactOne(report.instead, redact) };
  return "found" in report ? { found: redactOne(report.found, redact) } : report;
}

function redactOne(report: StageAgentReport, redact: (text: string) => string): StageAgentReport {
  const { output, questions, ...rest } = report;
  return {
    ...rest,
    ...(output === undefined ? {} : { output: mapTexts(output, redact) }),
    ...(questions === undefined ? {} : { questions: questions.map(redact) }),
  };
}
