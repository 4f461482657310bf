// A stage's output as Markdown for people: the file beside the JSON, and what questions and prompts show. Pure.
import { asRecord, listOf, textOf } from "../system/text/json.js";
import type { StageKind } from "../workflow/workflow.js";
import { textsOf, toCode, toLine, toParagraphs } from "./text.js";

/** An output as its file holds it. `schema`: the stage's `output`; absent: it declares none. */
export interface StageText {
  stage: string;
  visit: number;
  schema?: string;
  outcome?: string;
  /** Of the stage; absent: the workflow does not have it any more. */
  kind?: StageKind;
  /** The parsed content of its file. */
  output: unknown;
}

/** The content of a stage's output file: what the agent reported, or its summary where the stage declares no output. */
export function makeOutput(
  schema: string | undefined,
  report: { output?: unknown; summary?: string | undefined; files?: readonly string[] | undefined },
): unknown {
  if (schema !== undefined || report.output !== undefined) return report.output ?? {};
  return { summary: report.summary, files: report.files };
}

/** The readable file beside an output. */
export function formatOutput(text: StageText, task: { id: string; title: string }): string {
  const outcome = text.outcome === undefined ? "" : `, outcome ${toCode(text.outcome)}`;
  const parts = [
    `# ${toLine(task.id)}: ${toLine(task.title)}`,
    `Stage ${toCode(text.stage)}, visit ${String(text.visit)}${outcome}`,
    formatOutputBody(text),
  ];
  return `${parts.join("\n\n").trimEnd()}\n`;
}

/** The output without its title; its headings are of the second level. */
export function formatOutputBody({ schema, output }: Pick<StageText, "schema" | "output">): string {
  const shaped = SHAPES[schema ?? ""]?.(output) ?? [];
  const parts = shaped.filter((part) => part !== "");
  return parts.length > 0 ? parts.join("\n\n") : formatAny(output);
}

const SHAPES: Readonly<Record<string, (output: unknown) => string[]>> = {
  plan: formatPlanParts,
  request: formatRequest,
  implementation: (output) => [
    section("Completed", bullets(textsOf(output, "completed"))),
    section("Remaining", bullets(textsOf(output, "remaining"))),
    section("New tests that fail, as they must at this stage", bullets(textsOf(output, "red"), toCode)),
    paragraphs(output, "summary"),
  ],
  findings: (output) => [
    section("Findings", formatFindings(output)),
    section("Failed items", bullets(textsOf(output, "failed_items"))),
    section("Checked", bullets(textsOf(output, "checked"))),
  ],
  "scout-findings": formatScout,
  report: formatReport,
};

function formatPlanParts(output: unknown): string[] {
  return [
    paragraphs(output, "summary"),
    section("Plan", formatPlanSteps(output)),
    section("Testing strategy", formatTesting(output)),
    section("Dependencies", bullets(textsOf(output, "dependencies"))),
    section("Reuse", bullets(textsOf(output, "reuses"))),
    section("Assumptions", bullets(textsOf(output, "assumptions"))),
    section("Risks", bullets(textsOf(output, "risks"))),
    section("Out of scope", bullets(textsOf(output, "out_of_scope"))),
    section(
      "To-do",
      textsOf(output, "items")
        .map((item) => `- [ ] ${toLine(item)}`)
        .join("\n"),
    ),
  ];
}

/** The steps of a plan, numbered: those in words, then one for each file, with its sub-points, then the commands. */
export function formatPlanSteps(plan: unknown): string {
  const steps = listOf(plan, "steps").map((step) => {
    const file = textOf(step, "file");
    const text = toLine(typeof step === "string" ? step : textOf(step, "text"));
    const points = textsOf(step, "points").map((point) => `   - ${toLine(point)}`);
    return [`${file === "" ? "" : `${toCode(file)}: `}${text}`, ...points].join("\n");
  });
  const created = listOf(plan, "files_to_create").map((file) => fileStep("Create", file, "purpose"));
  const modified = listOf(plan, "files_to_modify").map((file) => fileStep("Change", file, "changes"));
  const commands = textsOf(plan, "commands").map((command) => `Run ${toCode(command)}`);
  return [...steps, ...created, ...modified, ...commands]
    .map((step, at) => `${String(at + 1)}. ${step}`)
    .join("\n");
}

function fileStep(verb: string, file: unknown, key: string): string {
  const points = textsOf(file, key).flatMap((text) => text.split("\n"));
  const lines = points.map((point) => toLine(point.replace(/^\s*(?:[-*+]|\d+[.)])\s+/u, "")));
  const under = lines.filter((line) => line !== "").map((line) => `   - ${line}`);
  const path = typeof file === "string" ? file : textOf(file, "path");
  return [`${verb} ${toCode(path)}`, ...under].join("\n");
}

/** The tests of a plan, one line each. */
export function formatTesting(plan: unknown): string {
  const tests = listOf(plan, "tests").map((test) => {
    if (typeof test === "string") return `- ${toLine(test)}`;
    const coverage = toLine(textsOf(test, "coverage").join("; "));
    return `- ${toCode(textOf(test, "path"))}${coverage === "" ? "" : `: ${coverage}`}`;
  });
  return tests.join("\n");
}

/** The findings, one line each: severity, place, text. */
export function formatFindings(output: unknown): string {
  const lines = listOf(output, "findings").map((finding) => {
    if (typeof finding === "string") return `- ${toLine(finding)}`;
    const file = textOf(finding, "file");
    const line = textOf(finding, "line");
    const place = file === "" ? "" : `${toCode(line === "" ? file : `${file}:${line}`)}: `;
    const severity = toLine(textOf(finding, "severity"));
    return `- ${severity === "" ? "" : `**${severity}** `}${place}${toLine(textOf(finding, "text"), 2000)}`;
  });
  return lines.join("\n");
}

function formatRequest(output: unknown): string[] {
  const clarified = textOf(output, "clarified_query");
  return [
    section("Request", toParagraphs(clarified)),
    section("Questions", bullets(textsOf(output, "questions"))),
    clarified === "" ? "" : section("Status", toLine(textOf(output, "status"))),
  ];
}

function formatScout(output: unknown): string[] {
  const patterns = Object.entries(asRecord(asRecord(output)["codePatterns"]));
  return [
    paragraphs(output, "summary"),
    section("Relevant files", bullets(textsOf(output, "relevantFiles"), toCode)),
    section(
      "Code patterns",
      patterns.map(([name, value]) => `- **${toLine(name)}**: ${toLine(asPlain(value))}`).join("\n"),
    ),
    section("Findings from the web", bulletsOfAny(listOf(output, "webFindings"))),
    section("Recommendations", bullets(textsOf(output, "recommendations"))),
    section("Confidence", toLine(textOf(output, "confidence"))),
  ];
}

function formatReport(output: unknown): string[] {
  const sections = listOf(output, "sections").map((one) => {
    if (typeof one === "string") return toParagraphs(one);
    const text = ["text", "content", "body"].map((key) => textOf(one, key)).find((found) => found !== "");
    return section(toLine(textOf(one, "title") || textOf(one, "heading")), toParagraphs(text ?? ""));
  });
  return [
    paragraphs(output, "summary"),
    ...sections,
    section("Sources", bulletsOfAny(listOf(output, "sources"))),
  ];
}

/** An output of any shape: a section for each key. */
function formatAny(output: unknown): string {
  const entries = Object.entries(asRecord(output));
  if (entries.length === 0) return output === undefined ? "" : toParagraphs(asPlain(output));
  const shown = entries.map(([key, value]) => {
    const title = toLine(key.replaceAll("_", " "));
    const text = Array.isArray(value) ? bulletsOfAny(value) : toParagraphs(asPlain(value));
    return section(title.charAt(0).toUpperCase() + title.slice(1), text);
  });
  return shown.filter((part) => part !== "").join("\n\n");
}

function bulletsOfAny(values: readonly unknown[]): string {
  return values.map((value) => `- ${toLine(asPlain(value), 2000)}`).join("\n");
}

/** A value in words: the members of an object as `key: value`. */
function asPlain(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(asPlain).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${asPlain(one)}`)
    .join("; ");
}

function bullets(texts: readonly string[], format: (text: string) => string = toLine): string {
  return texts.map((text) => `- ${format(text)}`).join("\n");
}

function paragraphs(output: unknown, key: string): string {
  return toParagraphs(textOf(output, key));
}

function section(title: string, text: string): string {
  if (text === "") return "";
  return title === "" ? text : `## ${title}\n\n${text}`;
}
