// The tools for an agent of a run: they read the task in hand, and leave requests in the step's folder. None
// of them writes the backlog: the runner reads the requests when the agent's turn has ended.
import path from "node:path";
import { z } from "zod";
import type { Project } from "../../../src/config/project/open-project.js";
import { listAnswers } from "../../../src/loop/perform/agent/stage-facts.js";
import { documentOf } from "../../../src/loop/perform/outputs/stage-output.js";
import { parseJson } from "../../../src/system/text/json.js";
import { readLines } from "../../../src/logging/read.js";
import { Rules } from "../../../src/logging/rules.js";
import { RUN_FACTS, STEP_DIR, writeAgentLine, type AgentLine } from "../../../src/logging/agent-file.js";
import { withoutAuthor } from "../../../src/prompts/compose-stage.js";
import { UserError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { NewTask, StageAgentReport } from "../../../src/todo/model/summary.js";
import type { Task } from "../../../src/todo/model/task.js";
import type { Progress } from "../../../src/workflow/progress.js";
import { projectOf } from "../../lookup/project.js";
import { readTasks } from "../../lookup/read-tasks.js";
import type { CommandContext } from "../../context/command-context.js";
import { makeReader, type McpOffer, type McpTool } from "./serve.js";
import { isReader } from "../../../src/workflow/stage-kinds.js";

export interface Step {
  /** Absent: the environment does not tell, so nothing can be requested. */
  folder?: string;
  taskId?: string;
  attempt?: number;
}

/** By the environment, or that of a process above: some clients pass on only a few variables. */
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

const INSTRUCTIONS =
  "Looper runs you on one task of a backlog. Read it with `task`. Use `report` when you have finished, `add_task` for work that turned out to be needed, `ask_human` for a question that only a person can answer, and `note` for what should be in the log. Looper commits and marks the task itself.";

/** The runner reads what the tools leave when the turn has ended. */
export function agentOffer(context: CommandContext, step = readStep(context)): McpOffer {
  const task = makeReader(
    "task",
    "The task in hand: its text, its stage in the workflow, answers of people, and the paths of its document and of its prompt, which has the outputs of earlier stages.",
    {},
    () => showTask(context, step),
  );
  const tools = [task, ...requestTools((line) => leaveRequest(context, step, line))];
  return { version: context.version, instructions: INSTRUCTIONS, tools };
}

/** Marked as reading: they change nothing, and a client that may only read must be able to report. */
function requestTools(leave: (line: Request) => Promise<object>): McpTool[] {
  return [
    makeReader(
      "add_task",
      "Adds a task to the backlog when this attempt has ended. Leave this work to that task.",
      NewTask.shape,
      (task) => leave({ type: "add_task", task }),
    ),
    makeReader(
      "ask_human",
      "Puts a question to a person. The answer comes in a later turn, so end your turn after it.",
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
    makeReader(
      "report",
      "Reports how the task went; it replaces the report of your final message.",
      StageAgentReport.shape,
      (report) => leave({ type: "report", report }),
    ),
    makeReader(
      "note",
      "Writes a remark to the log of the run.",
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

interface Site {
  project: Project;
  tasks: readonly Task[];
  workflows: Rules["workflows"];
}

async function readSite(context: CommandContext, { folder }: Step): Promise<Site> {
  // The run may have been started with another task file than the one of this folder.
  const start = folder === undefined ? {} : await readRunFacts(context, folder);
  const place = start.project === undefined ? context : { ...context, cwd: start.project };
  const project = await projectOf(place, { file: start.todo_file, quiet: true });
  const { tasks } = await readTasks(place, project);
  return { project, tasks, workflows: start.rules?.workflows };
}

/** The facts of a run that its log begins with. */
const Start = z.object({
  project: z.string().optional(),
  todo_file: z.string().optional(),
  rules: z.object({ workflows: Rules.shape.workflows }).optional(),
});

/** From the step's folder, if the agent does not see the log; else from the log. */
async function readRunFacts({ ports }: CommandContext, step: string): Promise<z.infer<typeof Start>> {
  const bytes = await ports.files.read(path.join(step, RUN_FACTS));
  if (bytes !== undefined) return Start.safeParse(parseJson(Buffer.from(bytes).toString("utf8"))).data ?? {};
  const folder = path.dirname(step);
  for await (const { value } of readLines(ports, folder)) return Start.safeParse(value).data ?? {};
  return {};
}

async function showTask(context: CommandContext, step: Step): Promise<object> {
  const site = await readSite(context, step);
  const task = site.tasks.find(({ id }) => id === step.taskId);
  if (task === undefined)
    return {
      task: null,
      message: step.taskId === undefined ? "No task is in hand." : `There is no task ${step.taskId}.`,
    };
  const { progress, ...rest } = task;
  const workflow = site.workflows?.[progress?.workflow ?? ""]?.workflow;
  // As in its prompt: a reader of work is not told what its author thought of it.
  const reads = isReader(workflow?.stages[progress?.stage ?? ""]?.kind);
  const prompt = step.folder === undefined ? undefined : path.join(step.folder, "prompt.md");
  return {
    task: reads ? withoutAuthor(rest) : rest,
    attempt: step.attempt ?? null,
    ...given({ prompt }),
    ...(progress === undefined ? {} : showProgress(site, task.id, progress)),
  };
}

function showProgress({ project }: Site, id: string, progress: Progress): object {
  const { workflow, stage, visit, notes = [] } = progress;
  return {
    workflow,
    stage,
    visit,
    document: documentOf(project, id),
    answers: listAnswers(progress),
    notes: notes.map(({ text, by }) => ({ text, by })),
  };
}
