// `--dry-run`: plans tasks, agents and the first prompt; starts nothing, writes nothing. The order is that of a run in which
// every attempt succeeds.
import type { Rules } from "../../logging/rules.js";
import { usageError } from "../../system/errors.js";
import { closure, indexOf, selectTask } from "../../todo/model/select.js";
import { TaskId, type Backlog, type IndexRow, type Task } from "../../todo/model/task.js";
import { checkUnderstood } from "../../todo/understand/understand.js";
import { openAgentStage } from "../perform/agent/agent-stage.js";
import { renderPrompt } from "../perform/agent/prompt-for.js";
import { createMemory } from "../perform/world.js";
import type { RunRequest } from "../runs/run-request.js";
import { NO_AGENT } from "../step/edits.js";
import { locate, routeOf, type Position } from "../step/job/stage.js";
import { chooseAgentOf } from "../step/job/start-stage.js";
import { listOwnOutcomes, passStages, toTarget } from "../../workflow/advance.js";
import { never } from "../../system/never.js";
import { collect, resolveSchedule, type Collected, makeBootstrapRule } from "./assemble.js";
import { makeRules } from "./make-rules.js";

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
  const collected = await collect(asked);
  const { request, inUse } = collected;
  const { project } = request;
  const bytes = await request.ports.files.read(project.todoFile);
  // With obvious mistakes corrected, as a run would.
  const read = bytes === undefined ? undefined : checkUnderstood(bytes, collected.check);
  if (read === undefined || read.kind === "empty") {
    const isWanted = request.yes || request.idea !== undefined;
    const drafts = isWanted
      ? "a run would first have an agent draft them"
      : 'looper run --prompt "what to build" has an agent draft them';
    return { nothing: `there are no tasks in ${project.todoFile} yet: ${drafts}` };
  }
  if (read.kind === "invalid") {
    throw usageError(
      `${project.todoFile} is not valid: a run would have it repaired first`,
      "looper validate shows what is wrong",
    );
  }
  const { backlog } = read;
  const schedule = await resolveSchedule(request, collected.configuredAgents);
  const made = makeRules(request, schedule, makeBootstrapRule(request, backlog.tasks));
  const steps = planSteps(collected, { ...made, ...inUse.rules }, backlog);
  const [first] = steps;
  if (first === undefined)
    return { nothing: "no task is ready: a run would have an agent review the project, or end" };
  return { steps, warnings: inUse.warnings, prompt: await renderFirst(collected, first, backlog) };
}

/** The prompt of the first step, as its agent would get it; empty for a stage without an agent. */
async function renderFirst(
  { request: { ports, project, promptsFolder }, inUse: { rules }, check }: Collected,
  first: PlannedStep,
  backlog: Backlog,
): Promise<string> {
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
  const world = { ports, project, check, memory, promptsFolder, workflows: rules.workflows };
  const visit = tasks.find(({ id }) => id === first.task)?.progress?.visit;
  const job = {
    job: 1,
    iteration: 1,
    phase: "iteration" as const,
    task_id: TaskId.parse(first.task),
    agent: first.agent,
    attempt: 1,
    ...(stage === undefined ? {} : { stage, visit }),
  };
  const agentStage = await openAgentStage(world, job);
  return renderPrompt(world, job, { earlier: [], draft: undefined, stage: agentStage });
}

function planSteps({ request, configuredAgents }: Collected, rules: Rules, backlog: Backlog): PlannedStep[] {
  const index = indexOf(backlog);
  const only = rules.only === undefined ? undefined : closure(rules.only, index.rows);
  const blockedAtStart = new Set(index.rows.filter(({ status }) => status === "blocked").map(({ id }) => id));
  const { strategy } = request.project.resolved.settings.schedule;
  const agents = [...configuredAgents.keys()];
  const frame = { rules, agents, dropped: new Set<string>(), backoffs: new Map(), strategy };
  let now = [...index.rows];
  const steps: PlannedStep[] = [];
  while (steps.length < rules.max_iterations) {
    const chosen = selectTask(now, {
      attempts: new Map(),
      maxAttempts: rules.max_attempts,
      blockedAtStart,
      finalForRun: new Set(),
      only,
    });
    if ("none" in chosen) break;
    const { picked } = chosen;
    const title = backlog.tasks.find(({ id }) => id === picked.id)?.title ?? "";
    const place = planStage({ ...frame, iterations: steps.length }, picked);
    steps.push({ iteration: steps.length + 1, task: picked.id, title, ...place });
    now = now.map((row) => (row.id === picked.id ? { ...row, status: "done" as const } : row));
  }
  return steps;
}

type Frame = Parameters<typeof chooseAgentOf>[0] & { strategy: string };

/** The stage that a task is in, or enters first, its agent, and the stages that follow. */
function planStage(frame: Frame, row: IndexRow): Pick<PlannedStep, "workflow" | "stage" | "agent" | "then"> {
  const position = locate(frame.rules, row);
  switch (position.kind) {
    case "default":
      return { agent: nameAgent(frame, row, { position, next: { route: "attempt" } }) };
    case "lost":
      return { agent: "", workflow: position.progress?.workflow };
    case "end":
      return { workflow: position.progress.workflow, stage: position.end, agent: "" };
    case "enter":
    case "stage": {
      const [first, ...then] = listStages(frame, row, position);
      const { stage = "finish", agent = "" } = first ?? {};
      const own = agent === A_PERSON ? "" : agent;
      return { workflow: position.workflow.name, stage, agent: own, ...(then.length === 0 ? {} : { then }) };
    }
    default:
      return never(position);
  }
}

const A_PERSON = "you";

/** By the first outcome of each stage; one that comes again is the end of what can be told. */
function listStages(
  frame: Frame,
  row: IndexRow,
  position: Extract<Position, { kind: "enter" | "stage" }>,
): { stage: string; agent: string }[] {
  const { workflow } = position;
  const at = { visits: {}, facts: row.progress?.facts };
  const pass = (to: string): string => passStages(workflow, at, to, frame.rules.skip ?? []).to;
  const stages: { stage: string; agent: string }[] = [];
  const agents = { ...row.progress?.agents };
  let name = pass(position.kind === "stage" ? position.progress.stage : position.to);
  for (;;) {
    const stage = Object.hasOwn(workflow.stages, name) ? workflow.stages[name] : undefined;
    if (stage === undefined || stages.some((one) => one.stage === name)) return stages;
    const route = routeOf(stage);
    const agent =
      route === undefined
        ? A_PERSON
        : nameAgent(
            frame,
            { agent: row.agent, progress: { agents } },
            { position, next: { route, stage: name } },
          );
    stages.push({ stage: name, agent });
    if (route !== undefined && agent !== "") agents[name] = agent;
    const target = stage.next[listOwnOutcomes(stage)[0] ?? ""];
    if (target === undefined) return stages;
    name = pass(toTarget(target).to);
  }
}

/** The agent, or the module that will choose it; "" where only commands run. */
function nameAgent(
  frame: Frame,
  row: Parameters<typeof chooseAgentOf>[1],
  order: Pick<Parameters<typeof chooseAgentOf>[2], "position" | "next">,
): string {
  const { choice, open } = chooseAgentOf(frame, row, { ...order, at: 0 });
  if (open === true) return frame.strategy;
  return choice !== undefined && "agent" in choice && choice.agent !== NO_AGENT ? choice.agent : "";
}
