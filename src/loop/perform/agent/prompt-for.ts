// Renders the prompt of an agent step from the current state (docs/prompts.md).
import { asResult } from "../../../git/base/git.js";
import { relative } from "node:path";
import type { Baseline } from "../../../gate/verdict.js";
import { describeRedCheck } from "../../../gate/verdict/red-check.js";
import { findRootFolder } from "../../../config/project/project.js";
import type { Phase } from "../../../agents/agent.js";
import { summariseChanges } from "../../../git/base/read/history.js";
import {
  bootstrapVariables,
  iterationVariables,
  pushVariables,
  repairVariables,
  reviewVariables,
  type BacklogFacts,
} from "../../../prompts/compose.js";
import { readDocuments } from "../../../prompts/read-documents.js";
import { render } from "../../../prompts/render.js";
import { readStageTemplate, readTemplate, type PromptPlaces } from "../../../prompts/store.js";
import { stageVariables } from "../../../prompts/compose-stage.js";
import { checkBacklog } from "../../../todo/check/check.js";
import { never } from "../../../system/never.js";
import { decodeUtf8 } from "../../../system/text/decode-utf8.js";
import type { Task, TaskId } from "../../../todo/model/task.js";
import type { Earlier, JobFacts } from "../../step/effects.js";
import type { AgentStage } from "./agent-stage.js";
import { makeStageFacts } from "./stage-facts.js";
import type { World } from "../world.js";
import { listHiddenPlaces } from "../../../gate/rooms/hidden.js";

/** The parts of the world that prompts use. */
export type PromptWorld = Pick<World, "ports" | "project" | "check" | "memory" | "promptsFolder"> &
  Partial<World>;

/** How many recently finished tasks a prompt lists. */
const HISTORY = 10;

/** The working directory of agents, gate and hooks: the backlog's `project.root` if it is inside the project. */
export async function findWorkFolder(world: PromptWorld): Promise<string> {
  const { project, memory } = world;
  const root = memory.backlog?.project?.root;
  return (await findRootFolder(world.ports.files, project, root)) ?? project.folder;
}

/** Where the templates of a run lie. */
export function getPromptPlaces(world: Pick<PromptWorld, "promptsFolder" | "project">): PromptPlaces {
  const { prompts: instead, promptFolders: folders } = world.project.paths;
  return { bundled: world.promptsFolder, instead, folders };
}

/** Renders the prompt of a job. `draft`: the file a bootstrap or repair must write. `stage`: the job's, in a workflow. */
export async function renderPrompt(
  world: PromptWorld,
  job: JobFacts,
  extra: { earlier: readonly Earlier[]; draft: string | undefined; stage?: AgentStage | undefined },
): Promise<string> {
  const places = getPromptPlaces(world);
  const { files } = world.ports;
  const { stage, earlier } = extra;
  if (stage === undefined)
    return render(await readTemplate(files, places, job.phase), await makeVariables(world, job, extra));
  const facts = {
    ...(await makeIterationFacts(world, job, earlier)),
    ...(await makeStageFacts(world, job, stage)),
    ...findStageLimits(world, stage),
  };
  return render(await readStageTemplate(files, places, stage.stage.prompt), stageVariables(facts));
}

/** Where the stage differs from other attempts at a task: its own attempts, and the commands of its own gate. */
function findStageLimits({ project }: PromptWorld, { stage }: AgentStage) {
  const { limits, gate } = stage;
  const checks = Array.isArray(gate) ? gate : gate === "none" ? [] : undefined;
  const maxAttempts = limits?.attempts ?? project.resolved.settings.loop.max_attempts;
  return { maxAttempts, ...(checks === undefined ? {} : { checks }) };
}

async function makeVariables(
  world: PromptWorld,
  job: JobFacts,
  extra: { earlier: readonly Earlier[]; draft: string | undefined },
): Promise<Readonly<Record<string, string>>> {
  const phase: Phase = job.phase;
  const { folder } = world.project;
  const draft = {
    outputFile: extra.draft ?? "",
    earlierAttempts: extra.earlier.map((one) => ({ ...one, events: [] })),
  };
  switch (phase) {
    case "iteration":
      return iterationVariables(await makeIterationFacts(world, job, extra.earlier));
    case "review":
      return reviewVariables({ ...(await makeReviewFacts(world)), ...(await makeBacklogFacts(world, job)) });
    case "bootstrap": {
      const read = await readDocuments(world.ports.files, folder);
      return bootstrapVariables({ project: { folder }, ...read, idea: world.idea ?? "", ...draft });
    }
    case "repair":
      return repairVariables({ ...(await makeBrokenFacts(world)), ...draft });
    case "push":
      if (world.release === undefined) throw new Error("the run has no release");
      return pushVariables(world.release);
    default:
      return never(phase);
  }
}

async function makeBacklogFacts(world: PromptWorld, job: JobFacts): Promise<BacklogFacts> {
  const { backlog } = world.memory;
  const folder = await findWorkFolder(world);
  return {
    project: { folder, name: backlog?.project?.name },
    iteration: job.iteration,
    todoFile: relative(folder, world.project.todoFile),
    logDir: relative(folder, world.project.logDir),
    sourceFiles: backlog?.source_files ?? [],
  };
}

/** The facts of an attempt at a task. */
export async function makeIterationFacts(world: PromptWorld, job: JobFacts, earlier: readonly Earlier[]) {
  const id = job.task_id;
  const task = id === undefined ? undefined : findTasks(world, [id])[0];
  if (id === undefined || task === undefined) throw new Error(`no task ${String(id)} to give to an agent`);
  const { loop, git, verify } = world.project.resolved.settings;
  const tail = (world.memory.tails.get(id) ?? []).map(({ text }) => text);
  return {
    ...(await makeBacklogFacts(world, job)),
    task,
    attempt: job.attempt,
    maxAttempts: loop.max_attempts,
    checks: [...verify.commands, ...(task.verify ?? [])],
    failedBefore: listFailedBefore(world.memory.baseline?.baseline),
    dependencies: findTasks(world, task.depends_on ?? []),
    earlierAttempts: earlier.map((one, at) => ({ ...one, events: at === earlier.length - 1 ? tail : [] })),
    history: findTasks(world, [...world.memory.finished].slice(-HISTORY)),
    commitRule: git.commit,
  };
}

/** How many failing test cases of a command are named. */
const MOST_CASES = 50;

/** The checks that fail before the work, each with the test cases that fail. */
function listFailedBefore(before: Baseline | undefined): string[] {
  return [...(before?.commands ?? []), ...(before?.own ?? [])].flatMap((ran) => {
    const red = describeRedCheck(ran);
    if (red === undefined) return [];
    const failed = Object.entries(ran.tests ?? {}).flatMap(([name, status]) =>
      status === "failed" ? [`  ${name}`] : [],
    );
    const left = failed.length - MOST_CASES;
    const more = left > 0 ? [`  and ${String(left)} more`] : [];
    const own = ran.own ? "; a check of the task itself, which has to pass in the end" : "";
    return [`${ran.command}: ${red.how}${own}`, ...failed.slice(0, MOST_CASES), ...more];
  });
}

function findTasks(world: PromptWorld, ids: readonly TaskId[]): Task[] {
  if (ids.length === 0) return [];
  const wanted = new Set<string>(ids);
  const found = new Map(
    (world.memory.backlog?.tasks ?? []).filter(({ id }) => wanted.has(id)).map((task) => [task.id, task]),
  );
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function makeReviewFacts(world: PromptWorld) {
  const tasks = (world.memory.backlog?.tasks ?? []).filter(({ id }) => id !== "PROJECT-DONE");
  const { repo, head } = world;
  const changes =
    repo === undefined || head === undefined ? undefined : await asResult(() => summariseChanges(repo, head));
  return {
    done: tasks.filter(({ status }) => status === "done"),
    open: tasks.filter(({ status }) => status !== "done"),
    changes: changes?.ok === true ? changes.value : "",
  };
}

async function makeBrokenFacts(world: PromptWorld) {
  const { ports, project, check } = world;
  const bytes = (await ports.files.read(project.todoFile)) ?? new Uint8Array();
  const decoded = decodeUtf8(bytes);
  const checked = checkBacklog(bytes, check);
  const problems = checked.kind === "invalid" ? checked.problems : [];
  return {
    project: { folder: project.folder },
    brokenText: decoded.ok ? decoded.value : undefined,
    brokenFile: project.todoFile,
    problems: problems.map(
      ({ line, column, pointer, message, suggestion }) =>
        `line ${String(line)}, column ${String(column)} (${pointer}): ${message}${suggestion === null ? "" : ` (${suggestion})`}`,
    ),
  };
}

/** The files of hidden checks, and the folder of their output: neither agents nor other checks must see them. */
export function listPlacesToHide({ hidden }: Pick<World, "hidden">): readonly string[] {
  return hidden === undefined ? [] : [...listHiddenPlaces(hidden.checks), hidden.folder];
}
