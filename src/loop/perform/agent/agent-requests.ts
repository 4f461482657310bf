// Makes the requests of an agent in `agent.jsonl` part of its attempt: a report replaces that of the final message,
// new tasks and questions join it, notes are logged. Pure. The file itself is src/logging/agent-file.ts.
import type { AgentResult } from "../../../agents/agent.js";
import type { AgentLine, AgentLines } from "../../../logging/agent-file.js";
import { listSome } from "../../../system/text/cut.js";
import type { NewTask, StageAgentReport } from "../../../todo/model/summary.js";
import type { JobFacts } from "../../step/effects.js";

/** The requests of one attempt. */
export interface AgentRequests {
  /** The last one. */
  report?: StageAgentReport;
  tasks: NewTask[];
  questions: string[];
  notes: string[];
  warnings: string[];
}

export function noRequests(): AgentRequests {
  return { tasks: [], questions: [], notes: [], warnings: [] };
}

/** Sorts lines by what they ask. Lines of another task or attempt, and questions without a task, are only warned of. */
export function readRequests(
  { lines, warnings }: AgentLines,
  job: Pick<JobFacts, "task_id" | "attempt">,
): AgentRequests {
  const requests: AgentRequests = { ...noRequests(), warnings: [...warnings] };
  for (const line of lines) {
    const why = whyNot(line, job);
    if (why !== undefined) requests.warnings.push(`${line.type} in agent.jsonl is not used: ${why}`);
    else if (line.type === "report") requests.report = line.report;
    else if (line.type === "add_task") requests.tasks.push(line.task);
    else if (line.type === "note") requests.notes.push(line.text);
    else if (!requests.questions.includes(line.question)) requests.questions.push(line.question);
  }
  return requests;
}

function whyNot(line: AgentLine, job: Pick<JobFacts, "task_id" | "attempt">): string | undefined {
  const { type, task_id, attempt } = line;
  if (task_id !== undefined && task_id !== job.task_id)
    return `it is of task ${task_id}, and this is ${job.task_id ?? "no task"}`;
  if (attempt !== undefined && attempt !== job.attempt)
    return `it is of attempt ${String(attempt)}, and this is attempt ${String(job.attempt)}`;
  if (type === "ask_human" && job.task_id === undefined) return "only an agent with a task can ask";
  return undefined;
}

/**
 * The end of a turn with its report: the one from the file, else the final message's. An agent that asked and reported nothing
 * has reported that it is blocked by its questions, so that it is not asked for a report.
 */
export function takeReport<R extends AgentResult>(
  result: R,
  { report, questions }: Pick<AgentRequests, "report" | "questions">,
): R {
  if (result.outcome !== "ok") return result;
  if (report !== undefined) return { ...result, report: { found: report } };
  if (questions.length === 0 || "found" in result.report) return result;
  const found: StageAgentReport = {
    task_id: null,
    status: "blocked",
    summary: `asked: ${listSome(questions, 3)}`,
    blockers: [...questions],
  };
  return { ...result, report: { found } };
}

/** The end of the attempt with its tasks and questions, and a warning for what cannot be used. */
export function addRequests<R extends AgentResult>(
  result: R,
  { tasks, questions }: AgentRequests,
): { result: R; warnings: string[] } {
  const counted = [
    ...(tasks.length === 0 ? [] : [`new tasks: ${listSome(tasks.map(({ title }) => title))}`]),
    ...(questions.length === 0 ? [] : [`questions: ${listSome(questions)}`]),
  ];
  if (counted.length === 0) return { result, warnings: [] };
  if (result.outcome !== "ok" || !("found" in result.report)) {
    const why = result.outcome === "ok" ? "the agent did not report" : "the attempt failed";
    return { result, warnings: counted.map((what) => `${why}; not used of agent.jsonl: ${what}`) };
  }
  const { found } = result.report;
  const all = {
    ...found,
    ...(questions.length === 0 ? {} : asking(found, questions)),
    ...(tasks.length === 0 ? {} : { new_tasks: [...(found.new_tasks ?? []), ...tasks] }),
  };
  return { result: { ...result, report: { found: all } }, warnings: [] };
}

/** A task with an open question is not done, whatever the final message says: each question is a blocker. */
function asking(
  { questions: own = [], blockers = [] }: StageAgentReport,
  asked: readonly string[],
): Pick<StageAgentReport, "status" | "blockers" | "questions"> {
  const joined = (before: readonly string[]): string[] => [...new Set([...before, ...asked])];
  return { status: "blocked", blockers: joined(blockers), questions: joined(own) };
}
