// How an agent in a stage of a workflow reports, in words: its outcomes, and its output by example and by schema. Pure.
// prompts/*.md have the words about the work; loop/perform/agent/stage-report.ts checks what comes back.
import type { TaskId } from "../todo/model/task.js";
import { asRecord } from "../system/text/json.js";
import { isWork } from "../workflow/stage-kinds.js";
import type { StageKind } from "../workflow/workflow.js";
import { cutEnd, fenceBlock, quoteCode, toLine } from "./text.js";

/** The stage as its report is concerned. */
export interface ReportingStage {
  kind: StageKind;
  /** Each with its target, in the order of `next`. */
  outcomes: readonly { name: string; to: string }[];
  /** Absent: it declares no output. */
  output?: { name: string; schema: Readonly<Record<string, unknown>> };
}

const MOST_SCHEMA = 16_000;

/** The part *How to report* of a prompt, without its heading. */
export function formatReporting(id: TaskId, stage: ReportingStage): string {
  const about = [...aboutStatus(stage), ...aboutOutput(stage), ...aboutRest(stage)];
  const parts = [
    "End your final message with one JSON object like this, and nothing after it:",
    formatReportExample(id, stage),
    about.join("\n"),
    formatSchema(stage),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The request to report once more, in the same session. `why`: what was wrong with the report. */
export function askForStageReport(id: TaskId, stage: ReportingStage, why: string): string {
  return [
    "Your final message held no report that the runner can use:",
    fenceBlock(cutEnd(why, 2000)),
    "Change nothing more: report what came of your work. Answer with one JSON object like this, and with nothing else:",
    formatReportExample(id, stage),
    [...aboutStatus(stage), ...aboutOutput(stage)].join("\n"),
    "",
  ].join("\n\n");
}

/** Comes before the prompt of a stage that an earlier run began and did not end. `resumed`: in the session of its agent. */
export function introduceAgain({ kind }: Pick<ReportingStage, "kind">, resumed: boolean): string {
  const tree = isWork(kind)
    ? "Nothing was undone: the changes made so far are in the working tree. Look at them first, keep what is good, and do not repeat what is done. An action that was cut off may have happened or not: look before you do it again."
    : "Nothing that was changed in the tree is left. Use what you know already, and do not repeat what is done.";
  return resumed
    ? `The run was stopped while you worked at this stage, and has started again in the same session. ${tree}\n\nContinue where you were. The instructions follow once more, as they are now.\n\n`
    : `An earlier run was stopped while an agent worked at this stage. ${tree} The instructions follow.\n\n`;
}

/** The outcomes and where each leads, one line each. */
export function formatOutcomes({ outcomes }: Pick<ReportingStage, "outcomes">): string {
  return outcomes.map(({ name, to }) => `- ${quoteCode(name)}: ${describeTarget(to)}`).join("\n");
}

function describeTarget(to: string): string {
  if (to === "finish") return "the task is finished";
  return to === "block" ? "the task is given up" : `the stage ${quoteCode(to)} comes next`;
}

/** A report as an example. */
export function formatReportExample(id: TaskId, stage: ReportingStage): string {
  const { kind, outcomes, output } = stage;
  const example = {
    task_id: id,
    status: "done",
    // An example with findings is not one of work that is complete.
    outcome: (output?.name === "findings" ? outcomes.at(-1) : outcomes[0])?.name ?? "done",
    ...(output === undefined ? {} : { output: exampleOf(output) }),
    questions: [],
    summary: isWork(kind)
      ? "The work that was done, and how it was checked."
      : "The files and tests that were looked at, and what follows.",
    ...(isWork(kind) ? { files: ["src/example.ts"], changes_checks: "", new_tasks: [] } : {}),
    blockers: [],
  };
  return fenceBlock(JSON.stringify(example, null, 2), "json");
}

function aboutStatus({ kind, outcomes }: ReportingStage): string[] {
  const names = outcomes.map(({ name }) => quoteCode(name)).join(", ");
  return [
    "- `status`: `done` when you did this stage's work, whatever its outcome; `blocked` when something only a person can supply is missing and no answer would help; `skipped` when you did nothing and it should be tried again.",
    `- \`outcome\`: one of ${names}.${isWork(kind) ? " `done` only if the work of this stage is done, and you checked it." : ""}`,
  ];
}

function aboutOutput({ output }: ReportingStage): string[] {
  return output === undefined ? [] : [`- \`output\`: ${WORDS[output.name] ?? "by the schema below"}.`];
}

function aboutRest({ kind }: ReportingStage): string[] {
  const questions =
    "- `questions`: what only a person can answer, one text each, with 2 to 4 options to choose from; usually empty. With a question the stage ends here: it is done again once they answered, with the answers in your prompt.";
  if (!isWork(kind))
    return [
      questions,
      "- `summary`: what you looked at and ran, in a few sentences.",
      "- `blockers`: with `blocked`, what is missing, one line each.",
    ];
  return [
    "- `questions`: leave it empty and decide yourself. Only where a wrong decision could not be taken back, put what a person must answer, one text each: the stage ends here, and is done again with the answers in your prompt.",
    "- `summary`: what you did and how you checked it, in a few sentences.",
    "- `files`: every file you changed, added or removed, relative to the project.",
    "- `blockers`: with `blocked`, what is missing, one line each.",
    "- `changes_checks`: if the task itself needs a change to existing tests or configuration, why, in one or two sentences; otherwise empty.",
    "- `new_tasks`: necessary work that no task covers yet, each with a `title` and, where useful, a `description`. Usually empty.",
  ];
}

const WORDS: Readonly<Record<string, string>> = {
  plan: "the plan. `summary` is its overview; `steps` in order, each a text or an object with `text`, `file` and `points`; `files_to_create`, `files_to_modify`, `commands`, `dependencies`, `reuses`, `assumptions`, `risks` and `out_of_scope` as far as there are any; `tests` is the testing strategy; `items` is the to-do list",
  request:
    "`status` is `clear`, with the whole request in `clarified_query`, or `needs_clarification`, with `questions` (and then the same texts in the report's own `questions`)",
  implementation:
    "`completed`: the items that are done now, worded as in the task's document, those of earlier visits too; `remaining`: the items that are not",
  findings:
    "`findings`: all that you found and verified, each with a `text` (what is wrong, and what would be right), `file`, `line` and a `severity` (`high`, `medium` or `low`); `failed_items`: ticked items that are not done, worded as in the task's document; `checked`: what you verified, and how",
  "scout-findings":
    "`summary`; `relevantFiles`; `codePatterns`, by name; `webFindings`; `recommendations`; `confidence` (`high`, `medium` or `low`)",
  report:
    "`summary`; `sections`, each with a `title` and a `text`; `sources`: files and pages that it rests on",
};

/** The example outputs by the name of their schema. */
export const OUTPUT_EXAMPLES: Readonly<Record<string, unknown>> = {
  plan: {
    summary: "The table is built by one formatter, which the command line calls.",
    steps: [{ text: "Write the formatter", file: "src/format.ts", points: ["one function", "no state"] }],
    files_to_create: [{ path: "src/format.ts", purpose: "the formatter" }],
    files_to_modify: [{ path: "src/main.ts", changes: "call the formatter" }],
    commands: ["npm test"],
    tests: [{ path: "test/format.test.ts", coverage: "empty input, wide characters" }],
    dependencies: [],
    reuses: ["padEnd of src/text.ts"],
    assumptions: ["Names have no line breaks: src/collect.ts refuses them"],
    risks: ["Wide characters shift the columns; the new test shows it"],
    out_of_scope: ["Sorting by size"],
    items: ["The formatter prints a table", "The command line calls it", "Its tests pass"],
  },
  request: { status: "clear", questions: [], clarified_query: "The request, with nothing left open." },
  implementation: { completed: ["The formatter prints a table", "Its tests pass"], remaining: [] },
  findings: {
    findings: [
      {
        text: "An empty list prints no heading; it should print the heading alone.",
        file: "src/format.ts",
        line: 12,
        severity: "high",
      },
    ],
    failed_items: ["The formatter prints a table"],
    checked: ["npm test: 41 passed, 1 failed"],
  },
  "scout-findings": {
    summary: "Reports are built in one place, src/main.ts.",
    relevantFiles: ["src/main.ts"],
    codePatterns: { errors: "results, not exceptions" },
    webFindings: [],
    recommendations: [],
    confidence: "medium",
  },
  report: {
    summary: "The answer in one or two sentences.",
    sections: [{ title: "How it works", text: "…" }],
    sources: ["src/main.ts"],
  },
};

/** A valid output as an example: a written one, or made from the schema's required keys. */
function exampleOf({ name, schema }: { name: string; schema: Readonly<Record<string, unknown>> }): unknown {
  return Object.hasOwn(OUTPUT_EXAMPLES, name) ? OUTPUT_EXAMPLES[name] : sample(schema, 0);
}

function sample(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  const { type, enum: words, properties, items, anyOf, const: only } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(words)) return words[0] as unknown;
  if (Array.isArray(anyOf)) return sample(asRecord(anyOf[0]), depth);
  switch (type) {
    case "object":
      return depth > 4
        ? {}
        : Object.fromEntries(
            Object.entries(asRecord(properties)).map(([key, one]) => [key, sample(asRecord(one), depth + 1)]),
          );
    case "array":
      return depth > 4 ? [] : [sample(asRecord(items), depth + 1)];
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    default: {
      const about = schema["description"];
      return typeof about === "string" ? toLine(about, 100) : "…";
    }
  }
}

/** The schema of an output that has no words of its own. */
function formatSchema({ output }: ReportingStage): string {
  if (output === undefined || Object.hasOwn(WORDS, output.name)) return "";
  const { $schema: _draft, $id: _id, ...schema } = output.schema;
  const text = cutEnd(JSON.stringify(schema, null, 2), MOST_SCHEMA);
  return `The JSON schema of \`output\` (${quoteCode(output.name)}):\n\n${fenceBlock(text, "json")}`;
}
