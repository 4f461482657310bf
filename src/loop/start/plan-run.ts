// `--dry-run`: plans tasks, agents and the first prompt; starts nothing, writes nothing. The order is that of a run in which
// every attempt succeeds.
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { CheckOptions } from "../../todo/check/check.js";
import { closure, indexOf, selectTask } from "../../todo/model/select.js";
import { openStore } from "../../todo/store/store.js";
import { TaskId, type IndexRow } from "../../todo/model/task.js";
import { understandBacklog } from "../../todo/understand/understand-backlog.js";
import type { ReadResult } from "../../todo/store/writer.js";
import { readCheckOptions, readLookUpEnvironment, configureAgents, resolveSchedule } from "./assemble.js";
import { checkRequest } from "./check-request.js";
import { findMissingChecks } from "./missing-checks.js";
import { renderPrompt } from "../perform/prompt-for.js";
import type { RunRequest } from "../runs/run-request.js";
import { chooseAgent } from "../step/schedule.js";
import { createMemory } from "../perform/world.js";

/** A step of the plan. */
export interface PlannedStep {
  iteration: number;
  task: string;
  title: string;
  agent: string;
}

/** The steps of a run and its first prompt, or why it would start nothing. */
export type Plan = ({ steps: PlannedStep[]; prompt: string } | { nothing: string }) & {
  warnings?: readonly string[];
};

/** Plans a run. An invalid backlog is a `usage` error, because a run would have it repaired first. */
export async function planRun(request: RunRequest): Promise<Plan> {
  const { ports, project } = request;
  const { folder } = await checkRequest(request);
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
  const place = { folder, env: await readLookUpEnvironment(request), trusted: "all" as const };
  const { warnings, refused } = await findMissingChecks(request, read.backlog.tasks, place);
  if (refused !== undefined) return { nothing: refused, warnings };
  const steps = await planSteps(
    request,
    read.index.rows,
    (id) => read.backlog.tasks.find((task) => task.id === id)?.title ?? "",
  );
  const [first] = steps;
  if (first === undefined)
    return { nothing: "no task is ready: a run would have an agent review the project, or end" };
  const world = {
    ports,
    project,
    check,
    memory: { ...createMemory(), backlog: read.backlog },
    promptsFolder: request.promptsFolder,
  };
  const job = {
    job: 1,
    iteration: 1,
    phase: "iteration" as const,
    task_id: TaskId.parse(first.task),
    agent: first.agent,
    attempt: 1,
  };
  return { steps, warnings, prompt: await renderPrompt(world, job, { earlier: [], draft: undefined }) };
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
  rows: readonly IndexRow[],
  titleOf: (id: TaskId) => string,
): Promise<PlannedStep[]> {
  const { loop, roles } = request.project.resolved.settings;
  const schedule = await resolveSchedule(request, configureAgents(request));
  const rules = { schedule, roles, ...given({ agent: request.agent }) };
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
    const wanted = picked.agent === undefined ? {} : { wanted: picked.agent };
    const agent = chooseAgent(rules, "iteration", { iteration, dropped: new Set(), ...wanted });
    steps.push({ iteration, task: picked.id, title: titleOf(picked.id), agent: agent ?? "" });
    now = now.map((row) => (row.id === picked.id ? { ...row, status: "done" as const } : row));
  }
  return steps;
}
