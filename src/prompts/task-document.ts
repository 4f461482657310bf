// The document of a task in a workflow, task.md: overview, plan, testing strategy, to-do list with ticks, and the findings of
// the latest review. All of it comes from the outputs of its stages, so it can be made again at any time. Pure.
import { asRecord, listOf, textOf } from "../system/text/json.js";
import { cutEnd, textsOf, toLine, toParagraphs } from "./text.js";
import { formatFindings, formatPlanSteps, formatTesting, type StageText } from "./output-document.js";
import { isWork } from "../workflow/stage-kinds.js";

/** The parts of a task that its document holds. */
export interface DocumentTask {
  id: string;
  title: string;
  description?: string | undefined;
  steps?: readonly string[] | undefined;
}

/** An item of the to-do list. */
export interface Item {
  text: string;
  done: boolean;
}

/** Of an item that only an implementer names, in characters: a reviewer reads it. */
const MOST_ITEM = 200;

/** The name of the document in the task's folder. */
export const TASK_DOCUMENT = "task.md";

const NOTE =
  "Written by looper from the reports of the stages. Changes to this file are lost when the next stage ends.";

/** The document. `outputs`: every output of the task in the order of their visits. */
export function formatTaskDocument(task: DocumentTask, outputs: readonly StageText[]): string {
  const plan = findPlan(outputs);
  const items = foldItems(task, outputs);
  const parts = [
    `# ${toLine(task.id)}: ${toLine(task.title)}`,
    `<!-- ${NOTE} -->`,
    `## Overview\n\n${formatOverview(task, outputs, plan)}`,
    `## Plan\n\n${plan === undefined ? numbered(task.steps ?? []) || "There is no plan." : formatPlanSteps(plan) || "The plan has no steps."}`,
    `## Testing strategy\n\n${formatTesting(plan) || "None is planned: the tests of the project hold."}`,
    `## To-do\n\n${items.map(({ text, done }) => `- [${done ? "x" : " "}] ${toLine(text)}`).join("\n")}`,
    `## Review findings\n\n${formatReview(outputs, items)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * The items of the latest plan; without a plan the task's steps, and what implementers name besides. `completed` ticks,
 * `remaining` and a reviewer's `failed_items` untick; the later output wins.
 */
export function foldItems(task: DocumentTask, outputs: readonly StageText[]): Item[] {
  const plan = findPlan(outputs);
  const planned = plan === undefined ? [] : [...textsOf(plan, "items")];
  const steps = plan === undefined ? (task.steps ?? []) : textsOf(plan, "steps");
  const isPlanned = planned.length > 0 || (plan !== undefined && steps.length > 0);
  const items: Item[] = (planned.length > 0 ? planned : steps).map((text) => ({ text, done: false }));
  for (const { output } of outputs) {
    const named = [
      ...textsOf(output, "completed").map((text) => ({ text, done: true })),
      ...textsOf(output, "remaining").map((text) => ({ text, done: false })),
      ...textsOf(output, "failed_items").map((text) => ({ text, done: false, failed: true })),
    ];
    for (const { text, done, ...rest } of named) {
      const item = findItem(items, text);
      if (item !== undefined) item.done = done;
      else if (!isPlanned && !("failed" in rest)) items.push({ text: cutEnd(text, MOST_ITEM), done });
    }
  }
  return items.length > 0 ? items : [{ text: task.title, done: false }];
}

/** The item that a report means: by its text, or by its number. */
function findItem(items: readonly Item[], text: string): Item | undefined {
  const wanted = normalise(text);
  const number = /^(?:item\s*)?#?(\d{1,4})[.)]?$/iu.exec(text.trim())?.[1];
  return (
    items.find((item) => normalise(item.text) === wanted) ??
    (number === undefined ? undefined : items[Number(number) - 1])
  );
}

function normalise(text: string): string {
  return text
    .replace(/^\s*(?:[-*+]\s+)?(?:\[[ xX]?\]\s*)?(?:\d{1,4}[.)]\s+)?/u, "")
    .replaceAll(/[`*_]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .replace(/(?<![.;,\s])[.;,\s]+$/u, "")
    .trim()
    .toLowerCase();
}

/** The latest plan among the outputs. An implementer has no say in it: a reviewer would take its words for the plan's. */
function findPlan(outputs: readonly StageText[]): unknown {
  const isPlan = ({ schema, output, kind }: StageText): boolean =>
    !isWork(kind) && (schema === "plan" || (schema === undefined && listOf(output, "items").length > 0));
  return outputs.findLast(isPlan)?.output;
}

function formatOverview(task: DocumentTask, outputs: readonly StageText[], plan: unknown): string {
  const request = outputs.findLast(({ schema, kind }) => !isWork(kind) && schema === "request")?.output;
  const texts = [textOf(plan, "summary"), textOf(request, "clarified_query"), task.description ?? ""];
  const text = texts.find((one) => one.trim() !== "") ?? task.title;
  return toParagraphs(text);
}

function formatReview(outputs: readonly StageText[], items: readonly Item[]): string {
  const latest = outputs.findLast(
    ({ schema, output, kind }) => !isWork(kind) && (schema === "findings" || "findings" in asRecord(output)),
  );
  if (latest === undefined) return "There was no review yet.";
  const { stage, visit, output } = latest;
  const unknown = textsOf(output, "failed_items").filter((text) => findItem(items, text) === undefined);
  const lines = [formatFindings(output), ...unknown.map((text) => `- Not done: ${toLine(text)}`)];
  const found = lines.filter((line) => line !== "").join("\n");
  const who = `Of the stage \`${toLine(stage)}\`, visit ${String(visit)}:`;
  return found === "" ? `${who} nothing was found.` : `${who}\n\n${found}`;
}

function numbered(texts: readonly string[]): string {
  return texts.map((text, at) => `${String(at + 1)}. ${toLine(text)}`).join("\n");
}
