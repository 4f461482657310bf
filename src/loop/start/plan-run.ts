// `--dry-run`: plans tasks, agents and the first prompt; starts nothing, writes nothing. The order is that of a run in which
// every attempt succeeds.
import { isStrategyModule } from "../../config/settings/settings.js";
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { CheckOptions } from "../../todo/check/check.js";
import { closure, indexOf, selectTask } from "../../todo/model/select.js";
import { openStore } from "../../todo/store/store.js";
import { TaskId, type Backlog, type IndexRow, type Task } from "../../todo/model/task.js";
import { understandBacklog } from "../../todo/understand/understand-backlog.js";
import type { ReadResult } from "../../todo/store/writer.js";
import { readCheckOptions, configureAgents, resolveSchedule } from "./assemble.js";
import { checkRequest } from "./before/check-request.js";
import { findWorkflowsInUse, type WorkflowsInUse } from "./find-workflows-in-use.js";
import { openAgentStage } from "../perform/agent/agent-stage.js";
import { locate } from "../step/job/stage.js";
import { listOwnOutcomes, passStages, toTarget } from "../../workflow/advance.js";
import type { Stage } from "../../workflow/workflow.js";
import type { Rules } from "../../logging/rules.js";
import { renderPrompt } from "../perform/agent/prompt-for.js";
import type { RunRequest } from "../runs/run-request.js";
import { chooseAgent, chooseStageAgent, orderOfPhase } from "../step/schedule/schedule.js";
import { createMemory } from "../perform/world.js";

/** A step of the plan. */
export interface PlannedStep {
  iteration: number;
  task: string;
  title: string;
  /** Empty for a stage without one. */
  agent: string;
  /** Absent under `default`. */
  workflow?: string;
  /** The stage that is entered first, or that the task is in: finish and block are not stages. */
  stage?: string;
  /** The stages that follow by the first outcome of each; the agent `you` is a person, "" only commands. */
  then?: { stage: string; agent: string }[];
}

/** The steps of a run and its first prompt, or why it would start nothing. */
export type RunPlan = ({ steps: PlannedStep[]; prompt: string } | { nothing: string }) & {
  warnings?: readonly string[];
};

/** Plans a run. An invalid backlog is a `usage` error, because a run would have it repaired first. */
export async function planRun(asked: RunRequest): Promise<RunPlan> {
  const { tasks } = await checkRequest(asked);
  const inUse = await findWorkflowsInUse(asked, tasks);
  const request = { ...asked, project: inUse.project };
  const { project } = request;
  const check = await readCheckOptions(request);
  const read = await readBacklog(request, check);
  if (read.kind === "missing" || read.kind === "empty") {
    const isWanted = request.yes || request.idea !== undefined;
    const drafts = isWanted
      ? "a run would first have an agent draft them"
      : 'looper run --prompt "what to build" has an agent draft them';
    return { nothing: `there are no tasks in ${project.todoFile} yet: ${drafts}` };
  }
  if (read.kind === "invalid") {
    throw new UserError(
      "usage",
      `${project.todoFile} is not valid: a run would have it repaired first`,
      "looper validate shows what is wrong",
    );
  }
  const steps = await planSteps(request, {
    rows: read.index.rows,
    rules: inUse.rules,
    titleOf: (id) => read.backlog.tasks.find((task) => task.id === id)?.title ?? "",
  });
  const [first] = steps;
  if (first === undefined)
    return { nothing: "no task is ready: a run would have an agent review the project, or end" };
  const prompt = await renderFirst(request, { first, rules: inUse.rules, check, backlog: read.backlog });
  return { steps, warnings: inUse.warnings, prompt };
}

/** The prompt of the first step, as its agent would get it; empty for a stage without an agent. */
async function renderFirst(
  { ports, project, promptsFolder }: RunRequest,
  facts: { first: PlannedStep; rules: WorkflowsInUse["rules"]; check: CheckOptions; backlog: Backlog },
): Promise<string> {
  const { first, rules, check, backlog } = facts;
  if (first.agent === "") return "";
  const { workflow, stage } = first;
  const digest = rules.workflows?.[workflow ?? ""]?.digest ?? "";
  const entered: Task["progress"] =
    workflow === undefined || stage === undefined
      ? undefined
      : { workflow, digest, stage, visit: 1, since: new Date(ports.clock.now()).toISOString() };
  const tasks = backlog.tasks.map((task) =>
    task.id === first.task && entered !== undefined && task.progress?.stage !== stage
      ? { ...task, progress: { ...task.progress, ...entered } }
      : task,
  );
  const memory = { ...createMemory(), backlog: { ...backlog, tasks } };
  const world = { ports, project, check, memory, promptsFolder, ...given({ workflows: rules.workflows }) };
  const visit = tasks.find(({ id }) => id === first.task)?.progress?.visit;
  const job = {
    job: 1,
    iteration: 1,
    phase: "iteration" as const,
    task_id: TaskId.parse(first.task),
    agent: first.agent,
    attempt: 1,
    ...(stage === undefined ? {} : given({ stage, visit })),
  };
  const agentStage = await openAgentStage(world, job);
  return renderPrompt(world, job, { earlier: [], draft: undefined, ...given({ stage: agentStage }) });
}

/** Reads the backlog as a run would, with obvious mistakes corrected. */
async function readBacklog({ ports, project }: RunRequest, check: CheckOptions): Promise<ReadResult> {
  const read = await openStore(ports, project.todoFile, { lockFolder: project.lockDir, check }).read();
  const understood = read.kind === "invalid" ? understandBacklog(read.bytes, check) : undefined;
  if (understood === undefined) return read;
  const { backlog } = understood.checked;
  return { kind: "ok", bytes: understood.bytes, backlog, index: indexOf(backlog) };
}

async function planSteps(
  request: RunRequest,
  known: {
    rows: readonly IndexRow[];
    rules: WorkflowsInUse["rules"];
    titleOf: (id: TaskId) => string;
  },
): Promise<PlannedStep[]> {
  const { rows, titleOf } = known;
  const { loop, roles, schedule: scheduled } = request.project.resolved.settings;
  const configured = configureAgents(request);
  const schedule = await resolveSchedule(request, configured);
  const { on_limit, strategy } = scheduled;
  const picks = isStrategyModule(strategy) ? ({ picks: true } as const) : {};
  const rules = { ...known.rules, schedule, roles, on_limit, ...picks, ...given({ agent: request.agent }) };
  const only = request.only === undefined ? undefined : closure(TaskId.parse(request.only), rows);
  const blockedAtStart = new Set(rows.filter(({ status }) => status === "blocked").map(({ id }) => id));
  let now = [...rows];
  const steps: PlannedStep[] = [];
  while (steps.length < loop.max_iterations) {
    const chosen = selectTask(now, {
      attempts: new Map(),
      maxAttempts: loop.max_attempts,
      blockedAtStart,
      finalForRun: new Set(),
      ...given({ only }),
    });
    if ("none" in chosen) break;
    const { picked } = chosen;
    const iteration = steps.length + 1;
    const place = planStage(rules, picked, { iteration, strategy, known: [...configured.keys()] });
    const order = { iteration, dropped: new Set<string>(), backoffs: new Map(), at: 0, wanted: picked.agent };
    const chosenAgent = chooseAgent(rules, orderOfPhase(rules, "iteration", order));
    const agent = place?.agent ?? nameChoice(chosenAgent, strategy);
    steps.push({ iteration, task: picked.id, title: titleOf(picked.id), ...place, agent });
    now = now.map((row) => (row.id === picked.id ? { ...row, status: "done" as const } : row));
  }
  return steps;
}

/** The agent, or the module that will choose it. */
function nameChoice({ choice, open }: ReturnType<typeof chooseAgent>, strategy: string): string {
  if (open === true) return strategy;
  return choice !== undefined && "agent" in choice ? choice.agent : "";
}

type PlanRules = WorkflowsInUse["rules"] &
  Pick<Rules, "schedule" | "picks" | "on_limit" | "agent"> & { roles: Partial<Record<string, string>> };

interface StagesOrder {
  iteration: number;
  strategy: string;
  known: readonly string[];
}

/** The stage that a task is in, or enters first, its agent, and the stages that follow; `undefined` under `default`. */
function planStage(
  rules: PlanRules,
  row: IndexRow,
  order: StagesOrder,
): Pick<PlannedStep, "workflow" | "stage" | "agent" | "then"> | undefined {
  const position = locate(rules, row);
  if (position.kind === "default") return undefined;
  if (position.kind === "lost") return { agent: "", ...given({ workflow: position.progress?.workflow }) };
  if (position.kind === "end")
    return { workflow: position.progress.workflow, stage: position.end, agent: "" };
  const { workflow } = position;
  const at = position.kind === "stage" ? position.progress.stage : position.to;
  const facts = row.progress?.facts;
  const pass = (name: string): string =>
    passStages(workflow, { visits: {}, facts }, name, rules.skip ?? []).to;
  const stages: { stage: string; agent: string }[] = [];
  const agents = { ...row.progress?.agents };
  // By the first outcome of each stage; a stage that comes again is the end of what can be told.
  for (let name = pass(at); !stages.some(({ stage }) => stage === name);) {
    const stage = Object.hasOwn(workflow.stages, name) ? workflow.stages[name] : undefined;
    const agent = stage === undefined ? "" : agentOfStage(rules, { ...order, row, stage, agents });
    if (stage !== undefined || stages.length === 0) stages.push({ stage: name, agent });
    if (stage === undefined) break;
    if (agent !== "" && stage.kind !== "ask") agents[name] = agent;
    const target = stage.next[listOwnOutcomes(stage)[0] ?? ""];
    if (target === undefined) break;
    name = pass(toTarget(target).to);
  }
  const [{ stage, agent } = { stage: at, agent: "" }, ...then] = stages;
  const isAsk = workflow.stages[stage]?.kind === "ask";
  return {
    ...{ workflow: workflow.name, stage, agent: isAsk ? "" : agent },
    ...(then.length === 0 ? {} : { then }),
  };
}

/** The agent of a stage, `you` where a person is asked, or "" if only commands run. */
function agentOfStage(
  rules: PlanRules,
  {
    row,
    stage,
    agents,
    strategy,
    ...order
  }: StagesOrder & { row: IndexRow; stage: Stage; agents: Record<string, string> },
): string {
  if (stage.kind === "ask") return "you";
  if (stage.kind !== "work" && stage.kind !== "analyze") return "";
  const now = { dropped: new Set<string>(), backoffs: new Map(), at: 0, wanted: row.agent };
  const chosen = chooseStageAgent(rules, { ...order, ...now, stage, progress: { agents } });
  return nameChoice(chosen, strategy);
}
