// Collects what the prompt of a stage holds: the task's document, what other stages reported, answers and notes of people, and for a
// reader of the work its diff and the gate's verdict. The paths that such a reader must not see are listed here too.
import { asResult } from "../../../git/base/git.js";
import { readWork, showWork } from "../../../git/saved-work/work-ref.js";
import type { Answered, SavedWorkFacts, StageFacts } from "../../../prompts/compose-stage.js";
import type { StageText } from "../../../prompts/output-document.js";
import { formatTaskDocument } from "../../../prompts/task-document.js";
import type { GivenAnswer, Progress } from "../../../workflow/progress.js";
import { arrowsOf, reachedFrom } from "../../../workflow/file/graph.js";
import type { Workflow } from "../../../workflow/workflow.js";
import type { JobFacts } from "../../step/effects.js";
import type { AgentStage } from "./agent-stage.js";
import { getProgress, getTask } from "../stage-of.js";
import { documentOf, orLost, readOutput } from "../outputs/stage-output.js";
import type { World } from "../world.js";
import { join } from "node:path";
import { RUN_FACTS } from "../../../logging/agent-file.js";
import { listRuns } from "../../../logging/read.js";
import { parseStart } from "../../../logging/run-id.js";
import { COPIES, parseOutputName, taskFolderName } from "../../../workflow/outputs/task-files.js";
import { doneBy, isWork } from "../../../workflow/stage-kinds.js";

type FactsWorld = Pick<World, "ports" | "project" | "memory" | "repo" | "workflows"> &
  Partial<Pick<World, "log">>;

/** The facts of the stage itself, beside those of every attempt at a task. */
export type OwnStageFacts = Pick<StageFacts, "stage" | "document" | "inputs" | "answers" | "notes" | "work">;

/** Collects the facts. An output that was edited is warned of; one that is lost fails the effect. */
export async function makeStageFacts(
  world: FactsWorld,
  job: JobFacts,
  agentStage: AgentStage,
): Promise<OwnStageFacts> {
  const { at, stage, request, reporting } = agentStage;
  const progress = getProgress(world, job);
  return {
    stage: {
      ...reporting,
      name: at.name,
      visit: at.visit,
      round: request.round,
      about: stage.about,
    },
    document: await readDocument(world, job),
    inputs: await readInputs(world, job, agentStage),
    answers: listAnswers(progress),
    notes: (progress?.notes ?? []).map(({ text, by, at: when }) => ({ text, by, at: when })),
    work: await readSavedWork(world, job, progress),
  };
}

/** As its file has it; before there is one (`run --dry-run` writes none), as it would begin. */
async function readDocument(
  { ports, project, memory }: FactsWorld,
  job: JobFacts,
): Promise<StageFacts["document"]> {
  const path = documentOf(project, job.task_id ?? "");
  const bytes = await ports.files.read(path);
  if (bytes !== undefined) return { path, text: new TextDecoder().decode(bytes) };
  const task = getTask({ memory }, job);
  return { path, text: task === undefined ? "" : formatTaskDocument(task, []) };
}

/** The outputs that the stage is given, oldest first: those that it names, else all that it may see. */
async function readInputs(world: FactsWorld, job: JobFacts, { at, stage }: AgentStage): Promise<StageText[]> {
  const progress = getProgress(world, job);
  const { outputs = {} } = progress ?? {};
  const wanted = Object.entries(outputs)
    .filter(([key]) => isInput(at.workflow, { key, reader: stage }))
    .map(([, output]) => output)
    .sort((one, other) => one.visit - other.visit);
  const texts: StageText[] = [];
  for (const output of wanted) {
    const reading = readOutput(world.ports, world.project, job.task_id ?? "", output);
    const isAhead = isDoneAgain(at, progress?.visits ?? {}, output.stage);
    const read = await (isAhead ? reading.catch(orLost) : reading);
    const message =
      read === undefined
        ? `the output of ${output.stage}, of an earlier pass, is lost: ${at.name} starts without it`
        : read.warning;
    if (message !== undefined) await world.log?.tell({ type: "warning", ...job, message });
    const { stage, visit, outcome } = output;
    const schema = at.workflow.stages[stage]?.output;
    if (read !== undefined) texts.push({ stage, visit, outcome, output: read.value, schema });
  }
  return texts;
}

/** Whether an output is of an earlier pass, before a restart, and this stage or one behind it makes it again. */
function isDoneAgain(
  { workflow, name }: Pick<AgentStage["at"], "workflow" | "name">,
  visits: Readonly<Partial<Record<string, number>>>,
  author: string,
): boolean {
  if (author === name) return visits[name] === 1;
  return visits[author] === undefined && reachedFrom(arrowsOf(workflow.stages), name).has(author);
}

/**
 * Whether a stage is given an output. A reader of work is never shown what its author says about it: of a work stage it sees the
 * declared output alone, and that only where its workflow names the stage in `inputs`. Answers of people are in the prompt anyway.
 */
export function isInput(
  workflow: Workflow,
  { key, reader }: { key: string; reader: AgentStage["stage"] },
): boolean {
  const [name = key] = key.split(".");
  const author = workflow.stages[name];
  if (reader.inputs !== undefined && !reader.inputs.includes(name)) return false;
  if (author === undefined || doneBy(author.kind) === "person") return false;
  if (!isWork(author.kind) || isWork(reader.kind)) return true;
  return reader.inputs !== undefined && author.output !== undefined;
}

/** The answers of people to the task's questions, the newest last. */
export function listAnswers(progress: Progress | undefined): Answered[] {
  const { answers = [], answer, question } = progress ?? {};
  const isOpen = answer !== undefined && !answers.some((one) => one.question === answer.question);
  const all: GivenAnswer[] = [...answers, ...(isOpen ? [{ ...answer, asked: question?.text }] : [])];
  return all.map(({ asked, ...rest }) => ({ ...rest, question: asked }));
}

/** The work that earlier stages left. Without git there is none to show. */
async function readSavedWork(
  { repo, project, memory }: FactsWorld,
  job: JobFacts,
  progress: Progress | undefined,
): Promise<SavedWorkFacts | undefined> {
  const saved = progress?.work;
  if (saved === undefined || repo === undefined) return undefined;
  const shown = await asResult(async () => {
    const work = memory.of(job.job).work ?? (await readWork(repo, job.task_id ?? ""));
    return work === undefined ? undefined : showWork(repo, work);
  });
  const { verdict } = saved;
  const commands = [...project.resolved.settings.verify.commands];
  if (!shown.ok || shown.value === undefined) return { verdict, commands, diff: "", command: "" };
  return { verdict, commands, ...shown.value };
}

type ReaderWorld = Pick<World, "ports" | "project" | "log" | "memory" | "workflows">;

/** The places to hide from the agent of a job; none, unless its stage only reads after another has worked. */
export async function hideFromReader(
  world: ReaderWorld,
  job: JobFacts,
  { stage, folder }: { stage: AgentStage | undefined; folder: string },
): Promise<readonly string[]> {
  const { workflow } = stage?.at ?? {};
  const outputs = Object.values(getProgress(world, job)?.outputs ?? {});
  const hasAuthor = outputs.some(({ stage: name }) => isWork(workflow?.stages[name]?.kind));
  if (stage === undefined || isWork(stage.stage.kind) || !hasAuthor) return [];
  await writeRunFacts(world, folder);
  const since = Math.min(...outputs.map(({ run }) => parseStart(run)));
  return [...(await listOutputs(world, job, stage)), ...(await listLogs(world, { folder, since }))];
}

/** The outputs of work stages, unless they are an input, and the copies of all. */
async function listOutputs(
  { ports, project }: ReaderWorld,
  { task_id: task }: JobFacts,
  { at, stage }: AgentStage,
): Promise<string[]> {
  const folder = join(project.paths.tasksDir, taskFolderName(task ?? ""));
  const names = await ports.files.list(folder);
  const hidden = names.filter((name) => {
    const of = parseOutputName(name.replace(/\.md$/u, ".json"));
    if (of === undefined) return false;
    const author = at.workflow.stages[of.stage];
    const isAuthor = author === undefined || isWork(author.kind);
    return isAuthor && !isInput(at.workflow, { key: of.stage, reader: stage });
  });
  return [...hidden, COPIES].map((name) => join(folder, name));
}

/** The logs of the runs that worked at the task, and all of this run's but the folder of the step itself. */
async function listLogs(
  { ports, project, log }: ReaderWorld,
  { folder, since }: { folder: string; since: number },
): Promise<string[]> {
  const runs = (await listRuns(ports, project.logDir)).filter(
    (run) => run !== log.run && parseStart(run) >= since,
  );
  const own = await ports.files.list(log.folder);
  const steps = own.filter((name) => /^\d{3,}-/u.test(name)).map((name) => join(log.folder, name));
  return [
    ...runs.map((run) => join(project.logDir, "runs", run)),
    ...steps.filter((one) => one !== folder),
    join(log.folder, "events.jsonl"),
  ];
}

async function writeRunFacts({ ports, project, log, workflows }: ReaderWorld, folder: string): Promise<void> {
  const facts = { project: project.folder, todo_file: project.todoFile, rules: { workflows } };
  await ports.files.writeNew(join(folder, RUN_FACTS), log.redact(JSON.stringify(facts)), {
    mode: 0o600,
    fleeting: true,
  });
}
