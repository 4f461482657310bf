// Turns the facts of a job into the variables of its prompt template (docs/prompts.md). Every text is
// bounded. Leaves the wording to prompts/*.md, and collecting the facts to the loop.
import { never } from "../system/never.js";
import type { AgentReport, Summary } from "../todo/model/summary.js";
import type { Task } from "../todo/model/task.js";
import { formatReporting, type ReportingStage } from "./stage-report.js";
import { quoteCode, cutEnd, cutStart, fenceBlock } from "./text.js";
import { isReader } from "../workflow/stage-kinds.js";

/** In characters. Together well below the 1,048,576 that the strictest agent takes. */
const MOST = {
  task: 160_000,
  dependencies: 48_000,
  attempts: 32_000,
  history: 16_000,
  sources: 8_000,
  checks: 8_000,
  done: 160_000,
  open: 48_000,
  changes: 96_000,
  idea: 96_000,
  problems: 48_000,
} as const;

/** A broken backlog of more bytes is given by its path alone. */
const LARGEST_INLINE = 64 * 1024;

/** The setting `git.commit`: who commits a task's work. */
export type CommitRule = "runner" | "agent" | "none";

/** Facts about the project that every prompt holds. */
export interface PromptProject {
  /** As the backlog has it. */
  name?: string | undefined;
  /** Absolute: the folder the agent works in. */
  folder: string;
}

/** Facts that the prompts about a valid backlog share; paths as the agent would write them. */
export interface BacklogFacts {
  project: PromptProject;
  /** From 1. */
  iteration: number;
  todoFile: string;
  logDir: string;
  sourceFiles: readonly string[];
}

/** One earlier attempt at a task: why it failed, and its last events as lines, oldest first. */
export interface EarlierAttempt {
  attempt: number;
  reason: string;
  evidence: string;
  events: readonly string[];
}

export interface IterationFacts extends BacklogFacts {
  task: Task;
  /** From 1. */
  attempt: number;
  maxAttempts: number;
  /** The tasks it depends on. */
  dependencies: readonly Task[];
  /** The commands the runner runs once the task is reported done: the project's, then its own. */
  checks: readonly string[];
  /** The checks that failed before any work on the task, a line each, and their failing test cases below; absent: not measured. */
  failedBefore?: readonly string[];
  /** Oldest first. */
  earlierAttempts: readonly EarlierAttempt[];
  /** Tasks finished lately, oldest first; dependencies among them are not shown twice. */
  history: readonly Task[];
  commitRule: CommitRule;
}

/** The variables of the iteration template. */
export function iterationVariables(facts: IterationFacts) {
  const { task, dependencies } = facts;
  const known = new Set([task.id, ...dependencies.map(({ id }) => id)]);
  const history = facts.history.filter(({ id }) => !known.has(id));
  return {
    ...backlogVariables(facts),
    attempt: String(facts.attempt),
    max_attempts: String(facts.maxAttempts),
    task_id: quoteCode(task.id),
    task: fenceBlock(cutEnd(JSON.stringify(task, null, 2), MOST.task), "json"),
    dependencies: formatJsonList(dependencies.map(reported), MOST.dependencies),
    earlier_attempts: earlierAttempts(facts.earlierAttempts),
    history: formatJsonList(history.map(reported), MOST.history),
    checks: lines(facts.checks, MOST.checks),
    failed_before: lines(facts.failedBefore ?? [], MOST.checks),
    commit_rule: commitRule(facts.commitRule),
    example: example(doneSummary(task.id)),
  };
}

function doneSummary(id: Task["id"]): AgentReport {
  return {
    task_id: id,
    status: "done",
    summary: "What was done, and how it was checked.",
    files: ["src/example.ts"],
    blockers: [],
    new_tasks: [],
    changes_checks: "",
  };
}

/** The prompt for an agent that finished without a report, sent to the same session. Without a task: for a review. */
export function askForReport(id: Task["id"] | undefined, why: string): string {
  const [words, like] =
    id === undefined
      ? ["`reviewed`", reviewSummary()]
      : ["`done` only if the task is finished and checked, else `blocked` or `skipped`", doneSummary(id)];
  return [
    "Your final message held no report that the runner can read:",
    fenceBlock(cutEnd(why, 2000)),
    "Change nothing more: report what came of your work.",
    "Answer with one JSON object like this, and with nothing else:",
    example(like),
    `\`status\`: ${words}.`,
    "",
  ].join("\n\n");
}

/** The message with what people wrote while an agent worked, sent to the same session. `stage`: in a workflow. */
export function askToTakeMessages(
  id: Task["id"],
  messages: readonly string[],
  stage?: ReportingStage,
): string {
  return [
    "While you worked, people wrote this about the task. Where it differs from the task, the plan or your own decision, it counts:",
    fenceBlock(cutStart(messages.join("\n\n"), MOST.attempts)),
    isReader(stage?.kind)
      ? "Look again where it asks for that, and change nothing."
      : "Change your work where it asks for that, and check it again. If it changes nothing, leave the work as it is.",
    "Then report once more, on the whole of your work and not only on this.",
    stage === undefined
      ? `End with one JSON object like this, and nothing after it:\n\n${example(doneSummary(id))}`
      : formatReporting(id, stage),
    "",
  ].join("\n\n");
}

/** How many changed files the question names, in characters. */
const MOST_NAMED = 2000;

/** The question why a task needs its changes to these files, sent to the same session. Either answer is fine. */
export function askForReason(id: Task["id"], paths: readonly string[]): string {
  return [
    "Your work changed existing tests or configuration:",
    fenceBlock(cutEnd(paths.join("\n"), MOST_NAMED)),
    "That is fine where the task calls for it. Change nothing more, and take nothing back. Say in one or two sentences why the task needs these changes, or that it does not need them: both answers are fine, and a person reads yours beside the work.",
    "Answer with your report once more, with that in `changes_checks`, and with nothing else:",
    example({ ...doneSummary(id), changes_checks: "Why the task needs these changes, or that it does not." }),
    "",
  ].join("\n\n");
}

export interface ReviewFacts extends BacklogFacts {
  /** Every done task, oldest first. */
  done: readonly Task[];
  /** Every other task. */
  open: readonly Task[];
  /** The changes since the run began, as git shows them; "" when there are none, or git is not in use. */
  changes: string;
}

/** The variables of the review template. */
export function reviewVariables(facts: ReviewFacts) {
  return {
    ...backlogVariables(facts),
    done: formatJsonList(facts.done.map(reported), MOST.done),
    open: formatJsonList(facts.open.map(waiting), MOST.open),
    changes: block(facts.changes, MOST.changes, "diff"),
    example: example(reviewSummary()),
  };
}

function reviewSummary(): Summary {
  const findings = [
    {
      title: "What is to be done",
      description: "What is wrong, where, and how to see it mended.",
      priority: 2,
    },
  ];
  return { task_id: null, status: "reviewed", summary: "What was looked at.", new_tasks: findings };
}

export interface BootstrapFacts {
  project: PromptProject;
  documents: readonly { path: string; text: string }[];
  /** The names in the project's folder. */
  entries: readonly string[];
  /** The user's request; "" when there is none. */
  idea: string;
  /** Absolute: where the agent writes the backlog. */
  outputFile: string;
  /** Drafts that were not taken, oldest first. */
  earlierAttempts?: readonly EarlierAttempt[];
}

/** The variables of the bootstrap template. The documents are bounded already (read-documents.ts). */
export function bootstrapVariables(facts: BootstrapFacts) {
  const documents = facts.documents.map(
    ({ path, text }) => `${quoteCode(path)}:\n\n${fenceBlock(text, "markdown")}`,
  );
  return {
    project: project(facts.project),
    idea: block(facts.idea, MOST.idea),
    documents: documents.join("\n\n"),
    entries: lines(facts.entries, MOST.sources),
    earlier_attempts: earlierAttempts(facts.earlierAttempts ?? []),
    output_file: quoteCode(facts.outputFile),
  };
}

export interface RepairFacts {
  project: PromptProject;
  /** The broken file's text; `undefined` when it is not UTF-8. */
  brokenText: string | undefined;
  /** Absolute: a copy of the broken file. */
  brokenFile: string;
  /** One line each, in the file's order. */
  problems: readonly string[];
  /** Absolute: where the agent writes the mended backlog. */
  outputFile: string;
  /** Repairs that were refused, oldest first. */
  earlierAttempts?: readonly EarlierAttempt[];
}

/** The variables of the repair template. */
export function repairVariables(facts: RepairFacts) {
  const { brokenText: text } = facts;
  return {
    project: project(facts.project),
    problems: lines(facts.problems, MOST.problems),
    broken_file: quoteCode(facts.brokenFile),
    broken_text:
      text === undefined || text === "" || Buffer.byteLength(text) > LARGEST_INLINE
        ? ""
        : fenceBlock(text, "json"),
    earlier_attempts: earlierAttempts(facts.earlierAttempts ?? []),
    output_file: quoteCode(facts.outputFile),
  };
}

export interface PushFacts {
  project: PromptProject;
  /** The version there is; "" when nothing says one. */
  from: string;
  /** The user's wish; "" leaves it to the agent. */
  wanted: string;
  /** The file that names the version; "" when there is none. */
  versionFile: string;
  /** The last tag; "" when there is none. */
  tag: string;
  /** How many commits there are since then. */
  count: number;
  /** Their subjects, newest first, as many as were read. */
  changes: readonly string[];
  /** The changelog's path as the agent would write it, and how it begins; "" when there is none. */
  changelog: string;
  changelogHead: string;
  /** The commands that are run once the agent is done. */
  checks: readonly string[];
}

/** The variables of the push template. */
export function pushVariables(facts: PushFacts) {
  return {
    project: project(facts.project),
    version: facts.from === "" ? "" : quoteCode(facts.from),
    no_version: facts.from === "" ? "no file and no tag names a version yet" : "",
    wanted: facts.wanted === "" ? "" : quoteCode(facts.wanted),
    free: facts.wanted === "" ? "You choose the new version" : "",
    version_file: facts.versionFile === "" ? "" : quoteCode(facts.versionFile),
    last_tag: facts.tag === "" ? "" : quoteCode(facts.tag),
    count: String(facts.count),
    changes: lines(facts.changes, MOST.changes),
    changelog: facts.changelog === "" ? "" : quoteCode(facts.changelog),
    new_changelog: facts.changelog === "" ? quoteCode("CHANGELOG.md") : "",
    changelog_head: block(facts.changelogHead, MOST.history, "markdown"),
    checks: lines(facts.checks, MOST.checks),
  };
}

function backlogVariables(facts: BacklogFacts) {
  return {
    project: project(facts.project),
    iteration: String(facts.iteration),
    todo_file: quoteCode(facts.todoFile),
    log_dir: quoteCode(facts.logDir),
    source_files: lines(facts.sourceFiles, MOST.sources),
  };
}

function project({ name, folder }: PromptProject): string {
  return name === undefined || name === ""
    ? `in ${quoteCode(folder)}`
    : `${quoteCode(cutEnd(name, 200))} in ${quoteCode(folder)}`;
}

function lines(items: readonly string[], most: number): string {
  return block(items.join("\n"), most);
}

/** A text as a block of at most `most` characters; "" where there is none. */
function block(text: string, most: number, language?: string): string {
  return text.trim() === "" ? "" : fenceBlock(cutEnd(text, most), language);
}

/** The fields of a finished task that other tasks need. */
function reported({ id, title, status, result, files }: Task) {
  return { id, title, status, result, files };
}

/** The fields of an unfinished task that a reviewer needs. */
function waiting({ id, title, status, description, blockers, depends_on }: Task) {
  return { id, title, status, description, blockers, depends_on };
}

function earlierAttempts(attempts: readonly EarlierAttempt[]): string {
  const texts = attempts.map(({ attempt, reason, evidence, events }) =>
    [
      `attempt ${String(attempt)} failed (${reason}): ${evidence}`,
      ...events.map((event) => `  ${event}`),
    ].join("\n"),
  );
  return texts.length === 0 ? "" : fenceBlock(cutStart(texts.join("\n\n"), MOST.attempts));
}

function commitRule(rule: CommitRule): string {
  switch (rule) {
    case "runner":
      return "Do not commit, and do not switch branches, reset, rebase or push: the runner commits your work when you are done.";
    case "agent":
      return "Commit your work on the branch you find, with a message that says what and why. Do not switch branches, reset, rebase or push.";
    case "none":
      return "Do not commit, and do not switch branches, reset, rebase or push: the work stays in the working tree.";
    default:
      return never(rule);
  }
}

function example(summary: AgentReport): string {
  return fenceBlock(JSON.stringify(summary, null, 2), "json");
}

/** How long a text in a record may stay, tried in order. */
const LENGTHS = [4000, 1000, 200] as const;

/**
 * The records as a fenced JSON list of at most about `most` characters, the newest last; "" when there are none. Long texts are
 * shortened first, and the oldest are left out last.
 */
export function formatJsonList(records: readonly object[], most: number): string {
  if (records.length === 0) return "";
  const attempts = LENGTHS.map((length) => records.map((record) => shortened(record, length)));
  const fitting = attempts.find((texts) => size(texts) <= most);
  if (fitting !== undefined) return fenceBlock(asList(fitting), "json");
  const kept = newest(attempts.at(-1) ?? [], most);
  const left = records.length - kept.length;
  return `${String(left)} earlier ones are left out.\n\n${fenceBlock(asList(kept), "json")}`;
}

function shortened(record: object, length: number): string {
  const shorten = (_: string, value: unknown) => (typeof value === "string" ? cutEnd(value, length) : value);
  return JSON.stringify(record, shorten);
}

function newest(texts: readonly string[], most: number): string[] {
  let room = most;
  const first = texts.findLastIndex((text) => {
    room -= text.length + 2;
    return room < 0;
  });
  return texts.slice(first + 1);
}

function size(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 2, 0);
}

function asList(texts: readonly string[]): string {
  return `[\n${texts.join(",\n")}\n]`;
}
