// Collects what the prompt of a stage holds: the task's document, what other stages reported, answers and notes of people, and for a
// reader of the work its diff and the gate's verdict.
import { asResult } from "../../../git/base/git.js";
import { readWork } from "../../../git/saved-work/work-ref.js";
import { showWork } from "../../../git/saved-work/show-work.js";
import type { Answered, SavedWorkFacts, StageFacts } from "../../../prompts/compose-stage.js";
import type { StageText } from "../../../prompts/output-document.js";
import { formatTaskDocument } from "../../../prompts/task-document.js";
import { given } from "../../../system/given.js";
import type { GivenAnswer, Progress, StageOutput } from "../../../workflow/progress.js";
import { arrowsOf, reachedFrom } from "../../../workflow/file/graph.js";
import type { Workflow } from "../../../workflow/workflow.js";
import type { JobFacts } from "../../step/effects.js";
import type { AgentStage } from "./agent-stage.js";
import { getProgress, getTask } from "../stage-of.js";
import { documentOf, orLost, readOutput } from "../outputs/stage-output.js";
import type { World } from "../world.js";

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
      ...given({ about: stage.about }),
    },
    document: await readDocument(world, job),
    inputs: await readInputs(world, job, agentStage),
    answers: listAnswers(progress),
    notes: (progress?.notes ?? []).map(({ text, by, at: when }) => ({ text, by, at: when })),
    ...given({ work: await readSavedWork(world, job, progress) }),
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
    if (read !== undefined) texts.push(toText(at.workflow, output, read.value));
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
  if (author === undefined || author.kind === "ask") return false;
  if (author.kind !== "work" || reader.kind === "work") return true;
  return reader.inputs !== undefined && author.output !== undefined;
}

function toText(workflow: Workflow, { stage, visit, outcome }: StageOutput, output: unknown): StageText {
  const author = workflow.stages[stage];
  const schema = author !== undefined && "output" in author ? author.output : undefined;
  return { stage, visit, outcome, output, ...given({ schema }) };
}

/** The answers of people to the task's questions, the newest last. */
export function listAnswers(progress: Progress | undefined): Answered[] {
  const { answers = [], answer, question } = progress ?? {};
  const isOpen = answer !== undefined && !answers.some((one) => one.question === answer.question);
  return [...answers, ...(isOpen ? [{ ...answer, ...given({ asked: question?.text }) }] : [])].map(
    toAnswered,
  );
}

function toAnswered({ asked, outcome, text, comment, by, via, at }: GivenAnswer): Answered {
  return { question: asked, outcome, text, comment, by, via, at };
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
  const { stat, patch = "", command } = shown.value;
  return { verdict, commands, diff: `${stat}\n${patch}`, command };
}
