// Turns the facts of a job in a stage of a workflow into the variables of its prompt (docs/prompts.md). Outputs
// of other stages, answers and notes are quoted as data. Every text is bounded.
import type { Task } from "../todo/model/task.js";
import type { Answer, SavedWork } from "../workflow/progress.js";
import { isWork } from "../workflow/stage-kinds.js";
import { iterationVariables, type IterationFacts } from "./compose.js";
import { asRecord, textOf } from "../system/text/json.js";
import { formatOutputBody, type StageText } from "./output-document.js";
import { formatOutcomes, formatReportExample, formatReporting, type ReportingStage } from "./stage-report.js";
import { cutEnd, fenceBlock, quoteCode } from "./text.js";

/** Outputs that the task's document holds already. */
const IN_DOCUMENT: ReadonlySet<string> = new Set(["plan", "implementation", "findings"]);

/** In characters. */
const MOST = {
  document: 96_000,
  input: 64_000,
  inputs: 160_000,
  people: 32_000,
  question: 4000,
  diff: 160_000,
} as const;

/** A question that was answered. */
export type Answered = Partial<
  Pick<Answer, "question" | "outcome" | "text" | "comment" | "by" | "via" | "at">
>;

/** The work that is saved so far, as a reader of it sees it. */
export interface SavedWorkFacts {
  verdict: SavedWork["verdict"];
  /** The commands that the gate ran. */
  commands: readonly string[];
  /** Git's summary and patch against the commit that it is based on. */
  diff: string;
  /** The command that shows all of it; "" if there is none. */
  command: string;
}

export interface StageFacts extends IterationFacts {
  stage: ReportingStage & {
    name: string;
    /** The number of stages that the task entered. */
    visit: number;
    /** How often it entered this one. */
    round: number;
    about?: string | undefined;
  };
  /** The task's document: its absolute path, and its text. */
  document: { path: string; text: string };
  /** The reports of other stages, the oldest first. */
  inputs: readonly StageText[];
  /** Oldest first. */
  answers: readonly Answered[];
  /** Oldest first. */
  notes: readonly { text: string; by: string; at: string }[];
  /** Absent: there is none. */
  work?: SavedWorkFacts | undefined;
}

/** The variables of a stage's template: those of the iteration template, and its own. */
export function stageVariables(facts: StageFacts) {
  const { stage, work } = facts;
  const { progress: _progress, ...task } = facts.task;
  const seen = isWork(stage.kind) ? { ...facts, task } : withoutPraise(facts);
  return {
    ...iterationVariables(seen),
    example: formatReportExample(facts.task.id, stage),
    stage: quoteCode(stage.name),
    visit: String(stage.visit),
    round: String(stage.round),
    again: stage.round > 1 ? String(stage.round) : "",
    about: stage.about === undefined ? "" : cutEnd(stage.about.replaceAll(/\s+/gu, " "), 500),
    task_document: quoteCode(facts.document.path),
    document: fenceBlock(cutEnd(facts.document.text, MOST.document), "markdown"),
    inputs: formatInputs(facts.inputs),
    reports: formatInputs(facts.inputs.filter((input) => !isShown(facts, input))),
    ticks: hasTicks(stage) ? "yes" : "",
    answers: formatAnswers(facts.answers),
    notes: formatNotes(facts.notes),
    outcomes: formatOutcomes(stage),
    report: formatReporting(facts.task.id, stage),
    gate: work === undefined ? "" : formatVerdict(work, facts.checks.length > 0),
    diff: work === undefined ? "" : formatDiff(work),
  };
}

/** Whether the prompt has an output elsewhere: in the task's document, or as the reason of an earlier attempt. */
function isShown({ earlierAttempts }: StageFacts, { schema = "", output }: StageText): boolean {
  if (IN_DOCUMENT.has(schema)) return true;
  const evidence = textOf(output, "evidence");
  return evidence !== "" && earlierAttempts.some((one) => one.evidence.includes(evidence));
}

/** Whether a report of the stage has room for ticks. */
function hasTicks({ output }: ReportingStage): boolean {
  return "completed" in asRecord(output?.schema["properties"]);
}

/** A reader of work is not told what its author thinks of it: no result of this task, none of others. */
function withoutPraise(facts: StageFacts): StageFacts {
  const { progress: _progress, ...task } = withoutAuthor(facts.task);
  return { ...facts, task, dependencies: [], history: [] };
}

/**
 * A task without what its agents wrote into its row; blockers can be the summary of one that gave up. Those of `looper undo` stay:
 * they are a person's reason, and the work is to be done again because of it.
 */
export function withoutAuthor<T extends Pick<Task, "result" | "blockers">>(
  task: T,
): Omit<T, "result" | "blockers"> & Pick<Task, "blockers"> {
  const { result: _result, blockers = [], ...rest } = task;
  const kept = blockers.filter((blocker) => UNDONE.test(blocker));
  return { ...rest, ...(kept.length === 0 ? {} : { blockers: kept }) };
}

/** As src/loop/undo/plan-undo.ts begins its blockers. */
const UNDONE = /^undone(?: with [^:]+)?(?:: |$)/u;

function formatInputs(inputs: readonly StageText[]): string {
  const parts = inputs.map(({ stage, visit, schema, output }) => {
    const title = `Stage ${quoteCode(stage)}, visit ${String(visit)}${schema === undefined ? "" : ` (${schema})`}:`;
    const text = formatOutputBody({ output, schema });
    return `${title}\n\n${fenceBlock(cutEnd(text === "" ? "It reported nothing." : text, MOST.input), "markdown")}`;
  });
  let room: number = MOST.inputs;
  const fitting = parts.filter((part) => (room -= part.length) >= 0);
  const left = parts.length - fitting.length;
  return [...fitting, ...(left === 0 ? [] : [`${String(left)} more are left out.`])].join("\n\n");
}

function formatAnswers(answers: readonly Answered[]): string {
  if (answers.length === 0) return "";
  const texts = answers.map(({ question, outcome, text, comment, by, via, at }) =>
    [
      ...(question === undefined ? [] : [`question: ${cutEnd(question, MOST.question)}`]),
      `answer: ${[outcome, text].filter((one) => one !== undefined).join(": ")}`,
      ...(comment === undefined ? [] : [`remark: ${comment}`]),
      ...(by === undefined
        ? []
        : [`by: ${by}${via === undefined ? "" : ` (${via})`}${at === undefined ? "" : `, ${at}`}`]),
    ].join("\n"),
  );
  return fenceBlock(joinNewest(texts));
}

function formatNotes(notes: StageFacts["notes"]): string {
  if (notes.length === 0) return "";
  return fenceBlock(joinNewest(notes.map(({ text, by, at }) => `${by}, ${at}: ${text}`)));
}

/** The words of people in their order. Where they do not all fit, the oldest are left out: the newest are what counts. */
function joinNewest(texts: readonly string[]): string {
  const kept: string[] = [];
  let room: number = MOST.people;
  for (const text of texts.toReversed()) {
    if (kept.length > 0 && text.length > room) break;
    kept.unshift(cutEnd(text, room));
    room -= text.length;
  }
  const left = texts.length - kept.length;
  return [...(left === 0 ? [] : [`(${String(left)} older left out)`]), ...kept].join("\n\n");
}

function formatDiff({ diff, command }: SavedWorkFacts): string {
  if (diff.trim() === "") return "";
  const shown = fenceBlock(cutEnd(diff, MOST.diff), "diff");
  return diff.length > MOST.diff ? `${shown}\n\nAll of it: ${quoteCode(command)}` : shown;
}

const VERDICTS: Readonly<Record<SavedWorkFacts["verdict"], string>> = {
  passed: "The runner's own checks passed on this work.",
  unbroken:
    "The runner's own checks pass on this work as they did before it: nothing is broken, and none of them shows that what the task asks for was done. Your own look and your own test runs tell that.",
  unverified:
    "The runner could not verify this work: its checks did not run, or they pass only with changed tests or configuration.",
  failed: "The runner's own checks failed on this work.",
};

/** `isListed`: the prompt lists the commands anyway. */
function formatVerdict({ verdict, commands }: SavedWorkFacts, isListed: boolean): string {
  if (commands.length === 0 && verdict === "unverified")
    return "Verdict: `unverified`. The runner has no checks for this work: nothing but your own look and your own test runs tells whether it holds.";
  const ran =
    commands.length === 0 || isListed ? "" : ` They are:\n\n${fenceBlock(cutEnd(commands.join("\n"), 8000))}`;
  return `Verdict: \`${verdict}\`. ${VERDICTS[verdict]}${ran}`;
}
