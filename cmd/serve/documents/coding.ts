// `/coding`: a request becomes a task with a workflow, whose plan and calls a person approves. The row is the
// session: nothing is held while a person thinks.
import path from "node:path";
import { z } from "zod";
import type { Project } from "../../../src/config/project/open-project.js";
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../../src/config/workflows/find-workflows.js";
import { textField } from "../../../src/agents/fields.js";
import { listRuns, readLines } from "../../../src/logging/read.js";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { orLost, readOutput } from "../../../src/loop/perform/outputs/stage-output.js";
import { given } from "../../../src/system/given.js";
import { isRecord } from "../../../src/system/text/json.js";
import { pauseTask, resumeTask } from "../../../src/todo/change/person-answers.js";
import { removeTasks } from "../../../src/todo/change/person-edits.js";
import type { Task } from "../../../src/todo/model/task.js";
import { isRejected, openQuestion } from "../../../src/workflow/question.js";
import * as answers from "../../commands/answer.js";
import { addTasks, editAs } from "../../lookup/edit.js";
import { nameOfUser, personOf } from "../../lookup/caller.js";
import { readTasks } from "../../lookup/read-tasks.js";
import { readShown } from "../../lookup/workflows/shown-work.js";
import { ApiError } from "../api-error.js";
import { route, someText, type ApiCall, type ApiRoute } from "../route.js";
import { startWhenFree } from "../start-run.js";

const WORKFLOW = "plan-approve-execute";
/** How long a start waits for a refusal. */
const SOON_MS = 600;
const LOOK_AGAIN_MS = 200;
const MOST_ACTIONS = 500;
const MOST_TITLE = 100;

const CompletedAction = z.object({ action: z.string(), path: z.string(), status: z.string() });
type CompletedAction = z.infer<typeof CompletedAction>;

const STAGES = [
  ...["planning", "needs_clarification", "awaiting_plan_approval", "awaiting_tool_approval", "executing"],
  ...["completed", "cancelled", "failed"],
] as const;

const Coding = z.object({
  session_id: z.string(),
  status: z.string().describe("running, paused, needs_clarification, completed, cancelled or failed"),
  mode: z.string().describe("Its workflow"),
  stage: z.enum(STAGES),
  query: z.string(),
  clarified_query: z.string().nullable(),
  question: z.string().nullable(),
  plan: z.unknown(),
  shown: z.string().nullable().describe("The text or diff that its question is about"),
  pending_action: z.object({ type: z.string(), command: z.string() }).nullable(),
  completed_actions: z.array(CompletedAction),
  created_at: z.string(),
  updated_at: z.string(),
  checkpoint: z.enum(["plan_approval", "tool_approval", "clarification"]).optional(),
});

/**
 * The first of these tasks that is there, if the client may see it: the person at this machine sees all, everyone else those
 * that were made under that name; `open`: also those that were not made over HTTP.
 */
export async function findOwn(call: ApiCall, ids: readonly string[], open = false) {
  const { context, session, site } = call;
  const { tasks } = await readTasks(context, await site.project());
  const [found] = ids.flatMap((id) => tasks.find((task) => task.id === id) ?? []);
  const creator = isRecord(found?.meta) ? found.meta["creator"] : undefined;
  const seesAll = session.role === "admin" && session.name === nameOfUser(site.context.env);
  return seesAll || creator === session.name || (open && typeof creator !== "string") ? found : undefined;
}

/** The session's task; 404 also where it is another person's. */
async function taskOf(call: ApiCall): Promise<Task> {
  const found = await findOwn(call, [call.params["session_id"] ?? ""]);
  if (found === undefined) throw new ApiError(404, "no-session", "Session not found");
  return found;
}

/** The stage in the words of the documents. Pure. */
export function stageOf({ status, progress }: Pick<Task, "status" | "progress">): (typeof STAGES)[number] {
  if (status === "done") return "completed";
  if (isRejected(progress)) return "cancelled";
  const question = openQuestion(progress);
  if (question?.source === "tool") return "awaiting_tool_approval";
  if (question !== undefined)
    return question.shows === undefined ? "needs_clarification" : "awaiting_plan_approval";
  if (status === "blocked") return "failed";
  const { stage = "clarify", outputs } = progress ?? {};
  const isPlanned = outputs?.["plan"] !== undefined && stage !== "plan";
  return isPlanned || !["clarify", "plan", "block"].includes(stage) ? "executing" : "planning";
}

const CHECKPOINTS: Readonly<Record<string, "plan_approval" | "tool_approval" | "clarification">> = {
  awaiting_plan_approval: "plan_approval",
  awaiting_tool_approval: "tool_approval",
  needs_clarification: "clarification",
};

function statusOf(stage: (typeof STAGES)[number], isPaused: boolean): string {
  if (stage === "planning" || stage === "executing") return isPaused ? "paused" : "running";
  return stage.startsWith("awaiting") ? "paused" : stage;
}

async function stateOf(call: ApiCall, task: Task): Promise<z.infer<typeof Coding>> {
  const { context, site } = call;
  const project = await site.project();
  const { progress } = task;
  const stage = stageOf(task);
  const question = openQuestion(progress);
  const outputOf = async (of: string): Promise<unknown> => {
    const output = progress?.outputs?.[of];
    if (output === undefined) return null;
    return (await readOutput(context.ports, project, task.id, output).catch(orLost))?.value ?? null;
  };
  const about = question && (await readShown({ context, project, task, question }, context.out));
  const shown = about !== undefined && "text" in about ? about.text.join("\n") : null;
  return {
    session_id: task.id,
    status: statusOf(stage, progress?.paused !== undefined),
    mode: progress?.workflow ?? task.workflow ?? project.resolved.settings.workflow,
    stage,
    query: task.details ?? task.title,
    clarified_query: textField(await outputOf("clarify"), "clarified_query") ?? null,
    question: question?.text ?? null,
    plan: await outputOf("plan"),
    shown,
    pending_action:
      question?.call === undefined ? null : { type: question.call.tool, command: question.call.command },
    completed_actions: await actionsOf(call, project, task.id),
    created_at: utc(task.created_at),
    updated_at: utc(task.updated_at),
    ...given({ checkpoint: CHECKPOINTS[stage] }),
  };
}

function utc(at: string | undefined): string {
  const time = Date.parse(at ?? "");
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/write|create|mkdir/i, "create_file"],
  [/edit|patch|replace|move/i, "modify_file"],
  [/delete|remove/i, "delete_file"],
  [/bash|shell|command|exec|npm|git_/i, "run_command"],
];

/** The calls of its agents that changed something or ran a command, in the order of the logs. */
async function actionsOf({ context }: ApiCall, { logDir }: Project, id: string): Promise<CompletedAction[]> {
  const actions: CompletedAction[] = [];
  const open = new Map<unknown, CompletedAction>();
  const but = (type: string): boolean => !["tool_use", "tool_result", "command"].includes(type);
  for (const run of await listRuns(context.ports, logDir)) {
    const lines = readLines(context.ports, path.join(logDir, "runs", run), 0, { but });
    for await (const { value, type } of lines) {
      if (value["task_id"] !== id) continue;
      const asked = open.get(value["id"]);
      const [begun, ended] = [type === "tool_use" ? callOf(value) : undefined, value["exit_code"]];
      if (begun !== undefined) {
        actions.push(begun);
        open.set(value["id"], begun);
      } else if (type === "tool_result" && asked !== undefined)
        asked.status = value["is_error"] === true ? "failed" : "completed";
      else if (type === "command" && ended !== undefined) {
        const status = ended === 0 ? "completed" : "failed";
        actions.push({ action: "run_command", path: textField(value, "command") ?? "", status });
      }
    }
  }
  return actions.slice(-MOST_ACTIONS);
}

function callOf(value: Readonly<Record<string, unknown>>): CompletedAction | undefined {
  const name = textField(value, "name") ?? "";
  const action = KINDS.find(([words]) => words.test(name))?.[1];
  const keys = ["path", "file_path", "command", "destination"];
  const [first = name] = keys.flatMap((key) => textField(value["input"], key) ?? []);
  return action === undefined ? undefined : { action, path: first, status: "started" };
}

/** A run takes the task up; the state where it ends. A client that leaves stops nothing. */
async function untilCheckpoint(call: ApiCall, { id }: Task): Promise<unknown> {
  const { signal, context } = call;
  const project = await call.site.project();
  const left = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(undefined);
    });
  });
  // Another run may be in progress for hours: the run starts without a client that leaves meanwhile.
  const started = startWhenFree(call, id).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code === "untrusted") throw error;
    return undefined;
  });
  const run = await Promise.race([started, left]);
  while (run !== undefined && !signal.aborted && (await findLiveRun(context.ports, project))?.run === run)
    await context.ports.clock.sleep(LOOK_AGAIN_MS);
  return stateOf(call, await taskOf(call));
}

const Comment = z.string().max(100_000).optional();
const Plan = z.record(z.string(), z.unknown()).optional();

type AnswerCommand = (typeof answers)["approve" | "reject" | "command"];

/** Gives an answer as the command does; its text, where the person changed it. */
async function give(
  call: ApiCall,
  by: AnswerCommand,
  said: { comment?: string | undefined; changed?: object | undefined; outcome?: string },
): Promise<unknown> {
  const task = await taskOf(call);
  const { comment: message, changed, outcome } = said;
  const text = changed && JSON.stringify(changed);
  await by.answer(call.context, { id: task.id, ...given({ message, text, outcome }) });
  return untilCheckpoint(call, task);
}

const session = "/coding/{session_id}";
const SHARED = { answer: Coding, errors: [404, 409, 422] };

export const CODING_ROUTES: readonly ApiRoute[] = [
  route("POST", "/coding/start", {
    does: "A request becomes a task with a workflow, and a run takes it up. Answers at once.",
    body: z.strictObject({ request: someText(100_000), workflow: z.string().max(100).optional() }),
    answer: Coding,
    status: 202,
    errors: [409, 422],
    handle: async (call) => {
      const { context, site, body } = call;
      const workflow = body.workflow ?? WORKFLOW;
      const project = await site.project();
      const named = { name: workflow, namedBy: "workflow" };
      await loadWorkflow(context.ports.files, workflowPlaces({ ...context, project }), named);
      const text = body.request.trim();
      const title = (text.split("\n")[0] ?? "").slice(0, MOST_TITLE);
      const meta = { creator: call.session.name };
      const { changed } = await editAs(context, addTasks([{ workflow, title, details: text, meta }]));
      const id = changed[0]?.id ?? "";
      const own = { ...call, params: { session_id: id } };
      const started = startWhenFree(call, id).catch((error: unknown) => error);
      const refused = await Promise.race([started, context.ports.clock.sleep(SOON_MS)]);
      if (refused instanceof ApiError && refused.code === "untrusted") {
        await editAs(context, removeTasks([id], { force: false }));
        throw refused;
      }
      return stateOf(own, await taskOf(own));
    },
  }),
  route("GET", session, {
    does: "The state of a session.",
    answer: Coding,
    errors: [404],
    handle: async (call) => stateOf(call, await taskOf(call)),
  }),
  route("POST", `${session}/approve`, {
    ...SHARED,
    does: "Approves its plan, or that very call; answers at the next checkpoint or the end.",
    role: "answer",
    body: z.strictObject({ approved_plan: Plan, comment: Comment }).optional(),
    handle: async (call) => {
      const { approved_plan: plan, comment } = call.body ?? {};
      const shown = (await stateOf(call, await taskOf(call))).plan;
      const isChanged = plan !== undefined && JSON.stringify(plan) !== JSON.stringify(shown);
      return give(call, answers.approve, { comment, ...(isChanged ? { changed: plan } : {}) });
    },
  }),
  route("POST", `${session}/reject`, {
    ...SHARED,
    does: "Refuses its plan, or that call alone.",
    role: "answer",
    body: z.strictObject({ comment: Comment }).optional(),
    handle: (call) => give(call, answers.reject, { comment: call.body?.comment }),
  }),
  route("POST", `${session}/edit`, {
    ...SHARED,
    does: "Changes its plan and asks about it again, answers a question with a text, or runs a call with other arguments.",
    role: "answer",
    body: z.strictObject({ plan: Plan, arguments: Plan, text: Comment, comment: Comment }),
    handle: async (call) => {
      const { plan, arguments: changed, text, comment } = call.body;
      const whole = changed ?? plan;
      if (whole !== undefined)
        return give(call, answers.command, { comment, changed: whole, outcome: "edit" });
      if (text === undefined) throw new ApiError(400, "shape", "name the plan, the arguments or a text");
      return give(call, answers.command, { comment: text });
    },
  }),
  route("POST", `${session}/pause`, {
    ...SHARED,
    does: "Starts no more jobs on it.",
    body: z.strictObject({ comment: Comment }).optional(),
    handle: async (call) => {
      const { id } = await taskOf(call);
      await editAs(call.context, pauseTask(id, call.body?.comment, personOf(call.context)));
      return stateOf(call, await taskOf(call));
    },
  }),
  route("POST", `${session}/resume`, {
    ...SHARED,
    does: "Lifts its pause; answers at the next checkpoint or the end. Completed work is not repeated.",
    body: z.strictObject({}).optional(),
    handle: async (call) => {
      const task = await taskOf(call);
      await editAs(call.context, resumeTask(task.id, personOf(call.context)));
      return untilCheckpoint(call, task);
    },
  }),
];
