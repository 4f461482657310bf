// Finds the workflows that the tasks of a run go through, and checks all that they name: stages, prompts, schemas, agents.
// Leaves reading a workflow to src/config/workflows, and the rules of a workflow to src/workflow.
import path from "node:path";
import { knownAgents } from "../../config/read/agent-settings.js";
import { resolveSettings } from "../../config/read/resolve.js";
import type { Project } from "../../config/project/open-project.js";
import {
  findWorkflowFile,
  workflowPlaces,
  type WorkflowPlaces,
} from "../../config/workflows/find-workflows.js";
import {
  findAgentConflict,
  layerOfAgents,
  loadWorkflow,
  readWorkflowFile,
  refuseWorkflow,
  type LoadedWorkflow,
  type NamedWorkflow,
} from "../../config/workflows/load-workflow.js";
import type { Rules } from "../../logging/rules.js";
import { quoteIfNeeded } from "../../shell/quote.js";
import { usageError } from "../../system/errors.js";
import { nearest } from "../../system/text/nearest.js";
import type { Task } from "../../todo/model/task.js";
import { DEFAULT_WORKFLOW } from "../../workflow/words.js";
import { listKinds } from "../../workflow/stage-kinds.js";
import type { Stage, StageKind, Workflow } from "../../workflow/workflow.js";
import type { RunRequest } from "../runs/run-request.js";
import { checkStageFiles } from "./before/check-stage-files.js";

/** The workflows of a run. */
export interface WorkflowsInUse {
  /** Empty where every task goes through `default`. */
  rules: Pick<Rules, "workflow" | "workflows" | "stage_agents" | "skip" | "auto_approve">;
  /** The project's own, unless they are what Looper brings: they must be approved. */
  own: readonly { shown: string; workflow: Workflow }[];
  /** The project, its settings with the agents of the workflows. */
  project: Project;
  warnings: readonly string[];
}

type Asked = Pick<
  RunRequest,
  "ports" | "project" | "env" | "home" | "workflowsFolder" | "promptsFolder" | "skip" | "autoApprove"
>;

/** Throws a `usage` error for a workflow that is not there or has problems, and for whatever it names that is not there. */
export async function findWorkflowsInUse(asked: Asked, tasks: readonly Task[]): Promise<WorkflowsInUse> {
  const { ports, project } = asked;
  const places = workflowPlaces(asked);
  const loaded: LoadedWorkflow[] = [];
  for (const named of namesInUse(project, tasks)) {
    if (named.name === DEFAULT_WORKFLOW && !(await hasOwnDefault(asked, places))) continue;
    loaded.push(await loadWorkflow(ports.files, places, named));
  }
  const stages = loaded.flatMap((from) =>
    Object.entries(from.reading.workflow.stages).map(([name, stage]) => ({ from, name, stage })),
  );
  const flags = flagRules(asked, loaded, stages);
  if (loaded.length === 0) return { rules: {}, own: [], project, warnings: [] };
  for (const one of loaded) {
    const problems = await checkStageFiles(asked, one);
    if (problems.length > 0) throw refuseWorkflow(one, problems);
  }
  const own: WorkflowsInUse["own"][number][] = [];
  for (const { name, origin, shown, reading } of loaded) {
    if (origin !== "project" || (await shippedDigest(asked, places, name)) === reading.digest) continue;
    own.push({ shown, workflow: reading.workflow });
  }
  const named = withAgents(project, loaded);
  const { stage_agents, warnings } = resolveStageAgents(named, stages);
  const { workflow } = project.resolved.settings;
  return {
    rules: {
      ...(workflow === DEFAULT_WORKFLOW ? {} : { workflow }),
      workflows: Object.fromEntries(
        loaded.map(({ name, reading }) => [name, { digest: reading.digest, workflow: reading.workflow }]),
      ),
      ...(Object.keys(stage_agents).length === 0 ? {} : { stage_agents }),
      ...flags,
    },
    own,
    project: named,
    warnings,
  };
}

/** Each name with what names it first; a task in a stage stays in its workflow. */
function namesInUse({ resolved, todoFile }: Project, tasks: readonly Task[]): NamedWorkflow[] {
  const name = resolved.settings.workflow;
  const where = resolved.values.get("workflow")?.source.where ?? "";
  const names = new Map<string, NamedWorkflow>([
    [name, { name, namedBy: where === "" ? "the setting workflow" : where }],
  ]);
  for (const { id, status, workflow, progress } of tasks) {
    if (status === "done") continue;
    const namedBy = `task ${id} in ${path.basename(todoFile)}`;
    for (const own of [progress?.workflow, workflow])
      if (own !== undefined && !names.has(own)) {
        const wayOut = findWayOut(id, own, { isIn: progress?.workflow === own, isNamed: workflow === own });
        names.set(own, { name: own, namedBy, wayOut });
      }
  }
  return [...names.values()];
}

/** How a task leaves a workflow whose file was removed. `isIn`: it is in a stage of it; `isNamed`: its key `workflow` names it. */
function findWayOut(
  task: string,
  name: string,
  { isIn, isNamed }: { isIn: boolean; isNamed: boolean },
): string {
  const id = quoteIfNeeded(task);
  const leave = isIn ? [`looper todo ${id} takes ${task} out of it and begins again`] : [];
  const other = isNamed ? [`looper set ${id} workflow=NAME chooses another one`] : [];
  return `restore the file of ${name}, or: ${[...leave, ...other].join("; ")}`;
}

/** Whether `default` is not the one that Looper brings. */
async function hasOwnDefault({ ports }: Asked, places: WorkflowPlaces): Promise<boolean> {
  const own = await findWorkflowFile(ports.files, places, DEFAULT_WORKFLOW);
  if (own === undefined || own.origin === "shipped") return false;
  const namedBy = own.shown;
  const mine = await loadWorkflow(ports.files, places, { name: DEFAULT_WORKFLOW, namedBy });
  return mine.reading.digest !== (await shippedDigest({ ports }, places, DEFAULT_WORKFLOW));
}

/** The digest of the workflow of that name that Looper brings; `undefined` if there is none. */
async function shippedDigest(
  { ports }: Pick<Asked, "ports">,
  places: WorkflowPlaces,
  name: string,
): Promise<string | undefined> {
  const file = path.join(places.shipped, `${name}.json`);
  if ((await ports.files.stat(file)) === undefined) return undefined;
  const read = await readWorkflowFile(ports.files, places, { name, file, origin: "shipped" });
  return read.workflow === undefined ? undefined : read.digest;
}

/** A stage of a workflow in use. */
interface StageInUse {
  from: LoadedWorkflow;
  name: string;
  stage: Stage;
}

/** A flag that names no stage of the right kind is refused; the setting may be about other workflows. */
function flagRules(
  { project, skip = [], autoApprove = [] }: Asked,
  loaded: readonly LoadedWorkflow[],
  stages: readonly StageInUse[],
): Pick<Rules, "skip" | "auto_approve"> {
  const namesOf = (kinds: readonly StageKind[]): string[] => [
    ...new Set(stages.filter(({ stage }) => kinds.includes(stage.kind)).map(({ name }) => name)),
  ];
  const approvable = listKinds((row) => row.flag === "--auto-approve");
  const workflows = loaded.length === 0 ? DEFAULT_WORKFLOW : loaded.map(({ name }) => name).join(", ");
  for (const [flag, kinds, names] of [
    ["--skip", listKinds((row) => row.flag === "--skip"), skip],
    ["--auto-approve", approvable, autoApprove],
  ] as const) {
    const known = namesOf(kinds);
    const wrong = names.find((name) => !known.includes(name));
    if (wrong === undefined) continue;
    const near = nearest(wrong, known);
    const other = known.length === 0 ? `there are none` : `known: ${known.join(", ")}`;
    throw usageError(
      `${flag} ${wrong}: there is no ${kinds.join(" or ")} stage of that name in ${workflows}`,
      near === undefined ? other : `did you mean ${near}?`,
    );
  }
  const asks = namesOf(approvable);
  const set = project.resolved.settings.ask.auto_approve.filter((name) => asks.includes(name));
  const approved = [...new Set([...autoApprove, ...set])];
  return {
    ...(skip.length === 0 ? {} : { skip: [...new Set(skip)] }),
    ...(approved.length === 0 ? {} : { auto_approve: approved }),
  };
}

/** The agents of workflows are a layer of settings. */
function withAgents(project: Project, loaded: readonly LoadedWorkflow[]): Project {
  const workflows = loaded.flatMap((one) => layerOfAgents(one) ?? []);
  if (workflows.length === 0) return project;
  const conflict = findAgentConflict(workflows);
  if (conflict !== undefined)
    throw usageError(conflict, "give the agents of one of the workflows other names");
  return { ...project, resolved: resolveSettings({ ...project.layers, workflows }) };
}

function resolveStageAgents(
  { resolved }: Project,
  stages: readonly StageInUse[],
): { stage_agents: Record<string, string>; warnings: string[] } {
  const agents = knownAgents(resolved.settings);
  const roles = new Map<string, string | undefined>(Object.entries(resolved.settings.roles));
  const stage_agents: Record<string, string> = {};
  const warnings = new Set<string>();
  for (const { from, name, stage } of stages) {
    const named = stage.agent;
    if (named === undefined) continue;
    const agent = roles.get(named) ?? (agents.includes(named) ? named : undefined);
    if (agent !== undefined) stage_agents[named] = agent;
    const near = agent === undefined ? nearest(named, agents) : undefined;
    if (near !== undefined)
      warnings.add(
        `${from.shown}: the stage ${name} names ${named}, which is neither a role nor an agent: the task's agent or the schedule does it; did you mean ${near}?`,
      );
  }
  return { stage_agents, warnings: [...warnings] };
}
