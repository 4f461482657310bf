// Holds the report of an agent against its stage: a declared outcome, an output that fits its schema, questions. Pure.
// perform-agent.ts asks once more where it does not fit; prompts/stage-report.ts has the words.
import type { AgentResult, FoundReport, Session } from "../../../agents/agent.js";
import type { StageAgentReport } from "../../../todo/model/summary.js";
import { stripControlSequences } from "../../../system/text/control-sequences.js";
import { shorten } from "../../../system/text/cut.js";
import { MOST_OUTPUT_BYTES, type OutputSchema } from "../../../workflow/outputs/check-output.js";
import { endAfterAsking } from "../agent/report-again.js";

/** The report that a stage takes. */
export interface Expected {
  kind: "work" | "analyze";
  outcomes: readonly string[];
  /** Absent: it declares no output. */
  schema?: OutputSchema;
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
  const read = readOutput(output, expected);
  const asked = readQuestions(questions, read.value);
  const kept = read.problems.length > 0 || read.value === undefined ? {} : { output: read.value };
  if (asked.length > 0) return { found: { ...summary, ...kept, questions: asked } };
  if (summary.status !== "done") return { found: summary };
  const named = findOutcome(outcome, expected);
  const problems = "problem" in named ? [named.problem] : whyNotOutput(read, named.outcome, expected);
  if (problems.length > 0 || "problem" in named) return { invalid: problems.join("; ") };
  const value = read.value ?? emptyOutput(expected, named.outcome);
  return { found: { ...summary, outcome: named.outcome, ...(value === undefined ? {} : { output: value }) } };
}

/** The session to ask in: the report is missing, or does not fit the stage. */
export function findSessionToAskStage(result: AgentResult): Session | undefined {
  return result.outcome === "ok" && !("found" in result.report) ? result.session : undefined;
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
  if (outcome === "" && kind === "work" && outcomes.includes("done")) return { outcome: "done" };
  if (outcome === "") return { problem: `the report has no outcome; this stage has ${known}` };
  return {
    problem: `${JSON.stringify(shorten(outcome, 60))} is not an outcome of this stage; it has ${known}`,
  };
}

interface ReadOutput {
  value?: unknown;
  problems: string[];
}

function readOutput(output: unknown, { schema }: Expected): ReadOutput {
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
  return schema.problemsOf(without).length === 0 ? { value: without, problems: [] } : { value, problems };
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
  const isOpen = memberOf(output, "status") === "needs_clarification";
  const inside = memberOf(output, "questions");
  const own = said.length === 0 && isOpen && Array.isArray(inside) ? (inside as unknown[]) : said;
  const texts = own.flatMap((one) => (typeof one === "string" ? [cleanText(one).trim()] : []));
  const different = [...new Set(texts.filter((text) => text !== ""))].slice(0, MOST_QUESTIONS);
  return different.map((text) => shorten(text, Math.floor(MOST_ASKED / different.length)));
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (Reflect.get(value, key) as unknown) : undefined;
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
  if (first.outcome !== "ok" || second.outcome !== "ok") return endAfterAsking(first, second);
  return "missing" in second.report && "invalid" in first.report ? first : second;
}

/** The report with its secrets replaced: it becomes a file. */
export function redactReport(report: FoundReport, redact: (text: string) => string): FoundReport {
  if (!("found" in report)) return report;
  const { output, questions, ...rest } = report.found;
  const found: StageAgentReport = {
    ...rest,
    ...(output === undefined ? {} : { output: mapTexts(output, redact) }),
    ...(questions === undefined ? {} : { questions: questions.map(redact) }),
  };
  return { found };
}
