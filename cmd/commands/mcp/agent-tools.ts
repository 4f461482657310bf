// The tools for an agent of a run: they read the task in hand, and leave requests in the folder of the agent's step. None of
// them writes the backlog: the runner reads the requests when the agent's turn has ended.
import path from "node:path";
import { z } from "zod";
import type { Project } from "../../../src/config/project/open-project.js";
import { readStart } from "../../../src/loop/runs/own-runs.js";
import { STEP_DIR, writeAgentLine, type AgentLine } from "../../../src/logging/agent-file.js";
import { UserError } from "../../../src/system/errors.js";
import { sha256Hex } from "../../../src/system/text/sha256.js";
import { parseJson } from "../../../src/system/text/json.js";
import { given } from "../../../src/system/given.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import { NewTask, StageAgentReport } from "../../../src/todo/model/summary.js";
import type { Task } from "../../../src/todo/model/task.js";
import type { Progress, StageOutput } from "../../../src/workflow/progress.js";
import { projectOf } from "../../lookup/project.js";
import { readTasks } from "../../lookup/read-tasks.js";
import type { CommandContext } from "../../context/command-context.js";
import { selectNext } from "./next.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";
import { makeTool, type McpTool } from "./tool.js";

/** The step of an agent, as its environment describes it. */
export interface Step {
  /** Absent: the environment does not tell, so nothing can be requested. */
  folder?: string;
  taskId?: string;
  attempt?: number;
}

/** Reads the step from the environment, or from that of a process above: some clients pass on only a few variables. */
export function readStep({ env, ports }: CommandContext): Step {
  const variable = (name: string): string | undefined => {
    const value = env[name] ?? ports.processes.environmentAbove(name);
    return value === "" ? undefined : value;
  };
  const folder = variable(STEP_DIR);
  const attempt = Number(variable("LOOPER_ATTEMPT"));
  return given({
    folder: folder !== undefined && path.isAbsolute(folder) ? folder : undefined,
    taskId: variable("LOOPER_TASK_ID"),
    attempt: Number.isInteger(attempt) && attempt > 0 ? attempt : undefined,
  });
}

export const AGENT_INSTRUCTIONS =
  "Looper runs you on one task of a backlog. Read it with `task`. Use `report` when you have finished, `add_task` for work that turned out to be needed, `ask_human` for a question that only a person can answer, and `note` for what should be in the log. Looper commits and marks the task itself.";

/** The tools; the runner reads what they leave when the turn has ended. */
export function agentTools(context: CommandContext, step: Step): McpTool[] {
  return [...readingTools(context, step), ...requestTools((line) => leaveRequest(context, step, line))];
}

function readingTools(context: CommandContext, step: Step): McpTool[] {
  return [
    makeTool(
      {
        name: "task",
        description:
          "The task in hand: its text, its stage in the workflow, the outputs of earlier stages (such as the plan), answers of people, and the path of its document.",
        reads: true,
      },
      {},
      () => showTask(context, step),
    ),
    makeTool(
      {
        name: "next_task",
        description:
          "The task that comes next once this one is done. It is only shown: do not begin with it.",
        reads: true,
      },
      {},
      async () => {
        const { tasks } = await readBacklog(context, step);
        return selectNext(tasks, step.taskId);
      },
    ),
  ];
}

/** Marked as reading: they change nothing of the project, and a client that may only read must be able to report. */
function requestTools(leave: (line: Request) => Promise<object>): McpTool[] {
  return [
    makeTool(
      {
        name: "add_task",
        description: "Adds a task to the backlog when this attempt has ended. Leave this work to that task.",
        reads: true,
      },
      NewTask.shape,
      (task) => leave({ type: "add_task", task }),
    ),
    makeTool(
      {
        name: "ask_human",
        description:
          "Puts a question to a person. The answer comes in a later turn, so end your turn after it.",
        reads: true,
      },
      {
        question: z
          .string()
          .trim()
          .min(1)
          .max(20_000)
          .describe("One question, with what one must know to answer it"),
      },
      ({ question }) => leave({ type: "ask_human", question }),
    ),
    makeTool(
      {
        name: "report",
        description: "Reports how the task went; it replaces the report of your final message.",
        reads: true,
      },
      StageAgentReport.shape,
      (report) => leave({ type: "report", report }),
    ),
    makeTool(
      { name: "note", description: "Writes a remark to the log of the run.", reads: true },
      { text: z.string().trim().min(1).max(60_000) },
      ({ text }) => leave({ type: "note", text }),
    ),
  ];
}

type Request = AgentLine extends infer L
  ? L extends AgentLine
    ? Omit<L, "at" | "task_id" | "attempt">
    : never
  : never;

const SAID: Readonly<Record<AgentLine["type"], string>> = {
  add_task:
    "The task will be added when your attempt ends and counts. Tasks that exist already are not added twice.",
  ask_human:
    "The question will be put to a person once your turn has ended. End your turn now; the answer will be in the prompt of the next one.",
  report: "Reported. End your turn now: the checks run next.",
  note: "Noted in the log.",
};

async function leaveRequest({ ports }: CommandContext, step: Step, line: Request): Promise<object> {
  const { folder, taskId: task_id, attempt } = step;
  if (folder === undefined)
    throw new UserError(
      "no",
      `cannot pass on a ${line.type}: ${STEP_DIR} is not set`,
      "have the client pass it on to its MCP servers, or say it in the final message",
    );
  if ((await ports.files.stat(folder))?.kind !== "folder")
    throw new UserError("no", `cannot pass on a ${line.type}: the attempt has ended`);
  const at = new Date(ports.clock.now()).toISOString();
  await writeAgentLine(ports, folder, { ...line, at, ...given({ task_id, attempt }) });
  return { ok: true, message: SAID[line.type] };
}

async function readBacklog(
  context: CommandContext,
  { folder }: Step,
): Promise<{ project: Project; tasks: readonly Task[] }> {
  // The run may have been started with another task file than the one of this folder.
  const start = folder === undefined ? {} : await readStart(context.ports, path.dirname(folder));
  const place = start.project === undefined ? context : { ...context, cwd: start.project };
  const project = await projectOf(place, { file: start.todoFile, quiet: true });
  const { tasks } = await readTasks(place, project);
  return { project, tasks: withoutMarker(tasks) };
}

async function showTask(context: CommandContext, step: Step): Promise<object> {
  const { project, tasks } = await readBacklog(context, step);
  const task = tasks.find(({ id }) => id === step.taskId);
  if (task === undefined)
    return {
      task: null,
      message: step.taskId === undefined ? "There is no task in hand." : `There is no task ${step.taskId}.`,
    };
  const { progress, ...rest } = task;
  const prompt = step.folder === undefined ? undefined : path.join(step.folder, "prompt.md");
  return {
    task: rest,
    attempt: step.attempt ?? null,
    ...given({ prompt }),
    ...(progress === undefined ? {} : await showProgress(context, project, { task, progress })),
  };
}

async function showProgress(
  { ports }: CommandContext,
  project: Project,
  { task, progress }: { task: Task; progress: Progress },
): Promise<object> {
  const folder = tasksFolder(project);
  const { workflow, stage, visit, outputs = {}, answer, answers = [], notes = [] } = progress;
  const inputs: Record<string, object> = {};
  for (const [name, output] of Object.entries(outputs))
    inputs[name] = await readOutput(ports.files, folder, output);
  const all =
    answer === undefined
      ? answers
      : [...answers.filter(({ question }) => question !== answer.question), answer];
  return {
    workflow,
    stage,
    visit,
    document: path.join(folder, task.id, "task.md"),
    inputs,
    answers: all.map(({ question, outcome, text, comment }) => ({
      question,
      ...given({ outcome, text, comment }),
    })),
    notes: notes.map(({ text, by }) => ({ text, by })),
  };
}

/** A longer output is named only. */
const LONGEST_OUTPUT = 512 * 1024;

async function readOutput(
  files: CommandContext["ports"]["files"],
  folder: string,
  { file, sha256, outcome, visit }: StageOutput,
): Promise<object> {
  const place = path.join(folder, file);
  const about = { outcome, visit, file: place };
  const stat = await files.stat(place);
  if (stat?.kind !== "file") return { ...about, problem: "the file is missing" };
  if (stat.size > LONGEST_OUTPUT) return { ...about, problem: "the file is too long to be shown here" };
  const bytes = (await files.read(place)) ?? new Uint8Array();
  const problem = sha256Hex(bytes) === sha256 ? {} : { problem: "the file was changed since it was written" };
  return { ...about, ...problem, output: parseJson(bytes) ?? null };
}

/** The tools of a person's client, each refused inside a run. */
export function refuseInRun(name: string): string | undefined {
  const instead: Readonly<Record<string, string>> = {
    edit_task: "report what should change in `summary`",
    answer: "only a person answers questions",
    approve: "only a person approves",
    reject: "only a person rejects",
    complete: "report the outcome of your stage with `report`",
    list_tasks: "read the task in hand with `task`",
    show_task: "read the task in hand with `task`",
    status: "read the task in hand with `task`",
    questions: "read the task in hand with `task`",
  };
  const what = instead[name];
  return what === undefined ? undefined : `${name} is not for an agent of a run: ${what}`;
}
