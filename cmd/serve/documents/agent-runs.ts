// `POST /api/tasks/{id}/agent-runs`: the jobs of a task in `plan-implement-review`, as runs of three agents.
// The row and the logs are the state; a run is a process of its own.
import path from "node:path";
import { z } from "zod";
import type { Project } from "../../../src/config/project/open-project.js";
import { listRuns, readLines } from "../../../src/logging/read.js";
import { parseStart, RUN_ID } from "../../../src/logging/run-id.js";
import { findLiveRun, stopRun } from "../../../src/loop/runs/live-run.js";
import { UserError } from "../../../src/system/errors.js";
import { completeTask, decideQuestion, restartTask } from "../../../src/todo/change/person-answers.js";
import { setStatus, type PersonEdit } from "../../../src/todo/change/person-edits.js";
import type { Ports } from "../../../src/system/ports.js";
import type { Task } from "../../../src/todo/model/task.js";
import { readView, readViews } from "../../../src/ui/view/read-view.js";
import { editAs } from "../../lookup/edit.js";
import { personOf } from "../../lookup/caller.js";
import { ApiError } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";
import { jobsOf, type AgentJob } from "../routes/attempts.js";
import { startRun, startWhenFree } from "../start-run.js";
import { findOwn } from "./coding.js";

const WORKFLOW = "plan-implement-review";
/** The stage of each type. */
const STAGES = { planification: "plan", implementation: "implement", review: "review" } as const;
type AgentType = keyof typeof STAGES;
const TYPES = Object.keys(STAGES) as AgentType[];
const NAMED = { op: "edit" as const, set: { workflow: WORKFLOW }, clear: [] };

/** How long a claim may take to be in the log. */
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 50;

const AgentRun = z.object({
  id: z.number().nullable().describe("Null while it is pending"),
  task_id: z.string(),
  agent_type: z.enum(["planification", "implementation", "review"]),
  status: z.enum(["pending", "running", "completed", "failed"]),
  conversation_id: z.string().nullable().describe("The run, and the folder of the agent's step in it"),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});
type AgentRun = z.infer<typeof AgentRun>;

/** Tasks whose agent is being started or waits: others who ask meanwhile are told the same run. */
const busy = new Map<string, Promise<AgentRun>>();
/** Those that wait for another run's end. */
const waiting = new Map<string, AgentRun>();

/** The task with this id, or with `T` before a number; 400 for what cannot be an id, else 404. */
async function taskOf(call: ApiCall): Promise<Task> {
  const asked = call.params["taskId"] ?? "";
  const found = await findOwn(call, [asked, `T${asked}`], true);
  if (found !== undefined) return found;
  if (/^T?\d+$/i.test(asked)) throw new ApiError(404, "no-task", "Task not found");
  throw new ApiError(400, "task-id", "Invalid task ID");
}

/** The number of a run's job: the same for as long as its log is there, and below 2⁵³. */
function numberOf(run: string, job: number): number {
  const again = Number(RUN_ID.exec(run)?.[2] ?? 1) - 1;
  return (parseStart(run) / 1000) * 1_000_000 + again * 100_000 + job;
}

/** The folders of the agents' steps, by their jobs. */
async function labelsOf({ ports }: ApiCall["context"], folder: string) {
  const labels = new Map<unknown, string>();
  const but = (type: string): boolean => type !== "agent_started";
  for await (const { value } of readLines(ports, folder, 0, { but }))
    if (value["type"] === "agent_started") labels.set(value["job"], String(value["label"]));
  return labels;
}

function typeOf(stage: string | null): AgentType {
  return TYPES.find((type) => STAGES[type] === stage) ?? "implementation";
}

/** Stages without an agent. */
const ENDS: ReadonlySet<string> = new Set(["finish", "block"]);
const FAILED: ReadonlySet<string> = new Set(["failed", "blocked", "agent-dropped"]);

function recordOf(
  { run, job, task, stage, started, duration_ms: ms, result }: AgentJob,
  { label, live }: { label: string; live: boolean },
): AgentRun {
  const running = result === null && live;
  const failed = result === null || FAILED.has(result);
  return {
    ...{ id: numberOf(run, job), task_id: task ?? "", agent_type: typeOf(stage) },
    status: running ? "running" : failed ? "failed" : "completed",
    conversation_id: `${run}/${label}`,
    created_at: started,
    completed_at: running ? null : new Date(Date.parse(started) + ms).toISOString(),
  };
}

/** The jobs of a task in which an agent works or worked, newest first; or of all tasks in one run. */
async function recordsOf({ context, site }: ApiCall, id?: string, only?: string): Promise<AgentRun[]> {
  const { ports } = context;
  const project = await site.project();
  const live = await findLiveRun(ports, project);
  const records: AgentRun[] = [];
  const views = only === undefined ? readViews(ports, project, id) : [await viewOf(ports, project, only)];
  for await (const view of views) {
    const own = jobsOf(view).filter(({ task, stage }) => (id ?? task) === task && !ENDS.has(stage ?? ""));
    if (own.length === 0) continue;
    const labels = await labelsOf(context, path.join(project.logDir, "runs", view.run));
    for (const job of own.reverse()) {
      const label = labels.get(job.job);
      if (label !== undefined) records.push(recordOf(job, { label, live: live?.run === view.run }));
    }
  }
  return records;
}

const viewOf = (ports: Ports, { logDir }: Project, run: string) =>
  readView(ports, path.join(logDir, "runs", run));

/** The record of the agent that works at the task now. */
async function runningOf(call: ApiCall, id: string): Promise<AgentRun | undefined> {
  const live = await findLiveRun(call.context.ports, await call.site.project());
  if (live === undefined) return undefined;
  return (await recordsOf(call, id, live.run)).find(({ status }) => status === "running");
}

function alreadyRunning(runningAgent: AgentRun): ApiError {
  return new ApiError(409, "running", "An agent is already running for this task", { runningAgent });
}

/** Sets the row to the stage of the type: the answer that starts the implementation, or the stage anew. */
function enterStage(task: Task, type: AgentType, call: ApiCall): PersonEdit {
  const person = personOf(call.context);
  const { question, answer, stage } = task.progress ?? {};
  const isAsked = stage === "start" && question !== undefined && answer === undefined;
  if (type === "implementation" && isAsked) return decideQuestion(task.id, { word: "approve" }, person);
  return (backlog) => [
    ...(task.status === "done" ? setStatus([task.id], "todo")(backlog) : []),
    ...(task.workflow === undefined ? [{ ...NAMED, id: task.id }] : []),
    ...restartTask(task.id, STAGES[type], person)(backlog),
  ];
}

async function start(call: ApiCall, task: Task, type: AgentType): Promise<AgentRun> {
  const running = await runningOf(call, task.id);
  if (running !== undefined) throw alreadyRunning(running);
  const { context, site } = call;
  const { ports } = context;
  const project = await site.project();
  const { workflow: set } = project.resolved.settings;
  const begun = task.progress?.digest === "" ? undefined : task.progress?.workflow;
  const workflow = begun ?? task.workflow ?? (set === "default" ? WORKFLOW : set);
  if (workflow !== WORKFLOW)
    throw new ApiError(409, "workflow", `the task has the workflow ${workflow}`, { workflow });
  await editAs(context, enterStage(task, type, call));
  const live = await findLiveRun(ports, project);
  const now = new Date(ports.clock.now()).toISOString();
  const pending: AgentRun = {
    ...{ id: null, task_id: task.id, agent_type: type, status: "pending", conversation_id: null },
    ...{ created_at: now, completed_at: null },
  };
  if (live !== undefined) {
    waiting.set(task.id, pending);
    void startWhenFree(call, task.id, () => waiting.get(task.id) === pending)
      .catch(() => undefined)
      .finally(() => waiting.get(task.id) === pending && waiting.delete(task.id));
    return pending;
  }
  const { run } = await startRun(site, [`--task=${task.id}`]);
  for (const until = ports.clock.now() + PATIENCE_MS; ports.clock.now() < until;) {
    const isOver = (await findLiveRun(ports, project))?.run !== run;
    const [newest] = await recordsOf(call, task.id, run);
    if (newest !== undefined) return newest;
    if (isOver) throw new ApiError(500, "start", "The agent could not be started");
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
  return pending;
}

/** Ends what runs for the task; how many agents that were. */
async function stopAgents(call: ApiCall, id: string): Promise<number> {
  const { context, site } = call;
  const project = await site.project();
  const live = await findLiveRun(context.ports, project);
  const at = live && (await viewOf(context.ports, project, live.run)).current?.taskId;
  if (live === undefined || at !== id) return 0;
  try {
    await stopRun(context.ports, project, { now: true });
    return 1;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.kind === "no") return 0;
    throw new ApiError(504, "stop", error.message, { pid: live.pid });
  }
}

/** The record with this number, in any run of the project. */
async function recordWith(call: ApiCall): Promise<AgentRun> {
  const missing = new ApiError(404, "no-agent-run", "Agent run not found");
  const wanted = Number(call.params["id"]);
  const { logDir } = await call.site.project();
  const runs = await listRuns(call.context.ports, logDir);
  const run = runs.findLast((one) => {
    const job = wanted - numberOf(one, 0);
    return job >= 0 && job < 100_000;
  });
  const records = run === undefined ? [] : await recordsOf(call, undefined, run);
  const record = records.find(({ id, task_id: task }) => id === wanted && task !== "");
  if (record === undefined) throw missing;
  // The task of another person is as one that is not there.
  await taskOf({ ...call, params: { taskId: record.task_id } }).catch(() => {
    throw missing;
  });
  return record;
}

export const AGENT_RUN_ROUTES: readonly ApiRoute[] = [
  route("POST", "/api/tasks/{taskId}/agent-runs", {
    does: `Starts an agent at a task: planification, implementation or review, the stages of ${WORKFLOW}.`,
    body: z.looseObject({ agentType: z.unknown().optional() }),
    answer: AgentRun,
    status: 201,
    errors: [404, 409],
    handle: async (call) => {
      const type = TYPES.find((one) => one === call.body.agentType);
      if (type === undefined)
        throw new ApiError(400, "agent-type", `Invalid agent type. Must be one of: ${TYPES.join(", ")}`);
      const task = await taskOf(call);
      const other = waiting.get(task.id) ?? busy.get(task.id);
      if (other !== undefined) throw alreadyRunning(await other);
      const begun = start(call, task, type);
      busy.set(task.id, begun);
      try {
        return await begun;
      } finally {
        if (busy.get(task.id) === begun) busy.delete(task.id);
      }
    },
  }),
  route("GET", "/api/tasks/{taskId}/agent-runs", {
    does: "The runs of its agents, newest first.",
    answer: z.array(AgentRun),
    errors: [404],
    handle: async (call) => {
      const { id } = await taskOf(call);
      const pending = waiting.get(id);
      return [...(pending === undefined ? [] : [pending]), ...(await recordsOf(call, id))];
    },
  }),
  route("GET", "/api/agent-runs/{id}", {
    does: "One of them.",
    answer: AgentRun,
    errors: [404],
    handle: async (call) => recordWith(call),
  }),
  route("PUT", "/api/tasks/{taskId}/workflow-complete", {
    does: "true: ends its agent's processes, then its workflow. false: the task is to be done again.",
    body: z.looseObject({ complete: z.unknown().optional() }),
    answer: z.object({
      success: z.literal(true),
      workflow_complete: z.boolean(),
      forceCompletedAgents: z.int(),
    }),
    errors: [404, 504],
    handle: async (call) => {
      const { complete } = call.body;
      if (typeof complete !== "boolean")
        throw new ApiError(400, "complete", "Invalid request: complete must be true or false");
      const { id } = await taskOf(call);
      const { context } = call;
      if (!complete) {
        await editAs(context, setStatus([id], "todo"));
        return { success: true, workflow_complete: false, forceCompletedAgents: 0 };
      }
      waiting.delete(id);
      const forceCompletedAgents = await stopAgents(call, id);
      const { progress } = await taskOf(call);
      // Saved work is delivered, unless the gate rejected it.
      const delivers = progress?.work !== undefined && progress.work.verdict !== "failed";
      await editAs(context, delivers ? completeTask(id, personOf(context)) : setStatus([id], "done"));
      if (delivers) void startWhenFree(call, id).catch(() => undefined);
      return { success: true, workflow_complete: true, forceCompletedAgents };
    },
  }),
];
