// The outputs of stages as files: written by the runner before the task's row names them, and read with their digest. A copy of
// each is kept by its digest, so that an output that others edit or remove is still there as it was decided on. The commit at the end
// of a run holds those of open tasks: so a clone can read what a question shows, and answer it.
import { basename, join } from "node:path";
import type { Project } from "../../../config/project/open-project.js";
import type { GateReport } from "../../../gate/verdict.js";
import { formatOutput, makeOutput, type StageText } from "../../../prompts/output-document.js";
import { formatTaskDocument, TASK_DOCUMENT } from "../../../prompts/task-document.js";
import { errorCode, errorMessage, isOfTheDisk, UserError } from "../../../system/errors.js";
import { isHalfWritten } from "../../../system/files/half-written.js";
import { given } from "../../../system/given.js";
import type { Files } from "../../../system/ports.js";
import { parseJson } from "../../../system/text/json.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import type { StageOutput } from "../../../workflow/progress.js";
import { collectFacts, isDropped } from "../../../workflow/advance.js";
import {
  COPIES,
  copyOfOutput,
  outputFile,
  parseOutputName,
  readableFile,
  taskFolderName,
} from "../../../workflow/outputs/task-files.js";
import type { JobFacts } from "../../step/effects.js";
import { EffectError } from "../../step/drive.js";
import { getTask, type JobStage } from "../stage-of.js";
import type { World } from "../world.js";
import type { TravellingOutputs } from "../../../git/commit/commit.js";
import type { Task } from "../../../todo/model/task.js";
import { doneBy, isWork } from "../../../workflow/stage-kinds.js";
import { orInTheWay, writeFile, writeOutputFiles } from "../../runs/output-files.js";

/** The folder of one task's files, absolute. */
export function taskFolder(project: Pick<Project, "paths">, task: string): string {
  return join(project.paths.tasksDir, taskFolderName(task));
}

/** Outputs are a few pages of text; a larger file does not come from a stage. */
export const LARGEST_OUTPUT = 16 * 1024 * 1024;

type OutputWorld = Pick<World, "ports" | "project" | "log" | "memory" | "workflows">;

/** Writes the output of a visit and the readable file beside it; `undefined` if the stage reported none. */
export async function writeOutput(
  world: OutputWorld,
  job: JobFacts,
  at: JobStage,
  said: { outcome: string; text?: string | undefined },
): Promise<StageOutput | undefined> {
  const { ports, project, log } = world;
  const content = makeContent(world, job, at, said);
  const task = getTask(world, job);
  if (content === undefined || task === undefined) return undefined;
  const file = outputFile(task.id, { visit: at.visit, stage: at.name });
  const json = Buffer.from(log.redact(`${JSON.stringify(content, undefined, 2)}\n`), "utf8");
  const sha256 = sha256Hex(json);
  await openFolder(ports.files, project, taskFolder(project, task.id));
  const place = { stage: at.name, visit: at.visit, outcome: said.outcome };
  const shown = { ...place, output: content, schema: at.stage?.output };
  const text = log.redact(formatOutput(shown, { id: task.id, title: task.title }));
  await writeOutputFiles(ports.files, project.paths.tasksDir, { file, sha256, json, text });
  const facts = collectFacts(at.workflow, at.name, content);
  return {
    ...place,
    file,
    sha256,
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    agent: job.agent,
    run: log.run,
    at: new Date(ports.clock.now()).toISOString(),
  };
}

/** The content of the file: what was reported, and of a work stage the gate's verdict too. */
function makeContent(
  { memory }: OutputWorld,
  job: JobFacts,
  { stage }: JobStage,
  { outcome, text }: { outcome: string; text?: string | undefined },
): unknown {
  if (stage === undefined) return undefined;
  if (doneBy(stage.kind) !== "agent") return { outcome, ...given({ evidence: text }) };
  const report = memory.of(job.job).summary;
  if (report === undefined || (outcome === "asks" && report.output === undefined)) return undefined;
  const content = makeOutput(stage.output, report);
  if (!isWork(stage.kind)) return content;
  const judged = memory.of(job.job).gate;
  const verdict = judged?.verdict ?? "unverified";
  const red = stage.gate === "red" && verdict === "passed" ? listRed(judged) : [];
  const object = typeof content === "object" && content !== null && !Array.isArray(content);
  return {
    ...(object ? content : { output: content }),
    verdict,
    ...(red.length === 0 ? {} : { red }),
  };
}

/** The new tests that fail, as the stage is to make them; of a command that names no test, the command. */
function listRed(judged: Pick<GateReport, "commands"> | undefined): string[] {
  const failing =
    judged?.commands.filter(({ verdict }) => verdict === "new" || verdict === "regressed") ?? [];
  return failing.flatMap(({ command, tests }) => tests?.new ?? [command]);
}

/** The `.gitignore` of the folder of all tasks. The commit at the end of a run has the outputs of open tasks all the same. */
export const IGNORES_ALL = "*\n";

/** Makes the folder of all tasks, which git ignores unless a person decided otherwise. */
export async function openTasksFolder(files: Files, top: string): Promise<void> {
  const ignore = join(top, ".gitignore");
  // A clone has the outputs of open tasks and not this file.
  if ((await files.stat(ignore)) !== undefined) return;
  await orInTheWay(top, () => files.makeFolder(top, 0o700));
  await writeFile(files, ignore, IGNORES_ALL);
}

/** Makes the folder of a task, and removes what a killed run was writing. */
async function openFolder(files: Files, project: Pick<Project, "paths">, folder: string): Promise<void> {
  await openTasksFolder(files, project.paths.tasksDir);
  const copies = join(folder, COPIES);
  await orInTheWay(copies, () => files.makeFolder(copies, 0o700));
  const names = await files.list(folder);
  for (const name of names) {
    const of = /^\.(.+)\.[0-9a-f]{12}\.tmp$/u.exec(name)?.[1];
    if (of !== undefined && isHalfWritten(name, of)) await files.remove(join(folder, name));
  }
}

/** An output as it was decided on, and a warning if its file is not that any more. */
export interface StoredOutput {
  value: unknown;
  bytes: Uint8Array;
  warning?: string;
}

/**
 * Reads the output that a row names. If its file was edited or removed, the version of the row's digest counts, with a warning;
 * without one the effect fails.
 */
export async function readOutput(
  { files }: { files: Files },
  project: Pick<Project, "paths">,
  task: string,
  { file, sha256: digest, stage }: Pick<StageOutput, "file" | "sha256" | "stage">,
): Promise<StoredOutput> {
  const path = join(project.paths.tasksDir, file);
  const kept = join(project.paths.tasksDir, copyOfOutput({ file, sha256: digest }));
  const found = await readSmall(files, path);
  if (found.bytes !== undefined && sha256Hex(found.bytes) === digest)
    return { value: parse(found.bytes), bytes: found.bytes };
  const copy = await readSmall(files, kept);
  if (copy.bytes === undefined || sha256Hex(copy.bytes) !== digest)
    throw new EffectError(
      "read-output",
      `the output of ${stage} of ${task} ${found.why}, and no copy of it is left: ${path}; to do the stage again: looper todo ${task} --restart --stage ${stage}`,
    );
  const warning = `the output of ${stage} of ${task} ${found.why}: ${path}; the version that its stage reported counts: ${kept}`;
  return { value: parse(copy.bytes), bytes: copy.bytes, warning };
}

/** An output that is lost counts as none; every other error is thrown again. */
export function orLost(error: unknown): undefined {
  if (!(error instanceof EffectError)) throw error;
}

/**
 * Why a stage cannot be done, if an error is one of the files of its task alone: the task is blocked, and the run continues with
 * others. `undefined`: the error is the disk's, or is about something else.
 */
export function explainLostFiles(
  project: Pick<Project, "paths">,
  task: string | undefined,
  error: unknown,
): string | undefined {
  const message = errorMessage(error);
  if (task === undefined || isOfTheDisk(message)) return undefined;
  if (error instanceof EffectError) return error.effect === "read-output" ? message : undefined;
  const folder = taskFolder(project, task);
  if (![`${folder}/`, `${folder}:`, `${folder}'`].some((named) => message.includes(named))) return undefined;
  return error instanceof UserError && error.hint !== undefined ? `${message}: ${error.hint}` : message;
}

async function readSmall(files: Files, path: string): Promise<{ bytes?: Uint8Array; why: string }> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return { why: "is missing" };
    if (stat.kind !== "file") return { why: "is not a file" };
    if (stat.size > LARGEST_OUTPUT)
      return { why: `was changed after it was written, and is too large (${String(stat.size)} bytes)` };
    const bytes = await files.read(path);
    return bytes === undefined ? { why: "is missing" } : { bytes, why: "was changed since" };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || isOfTheDisk(errorMessage(error))) throw error;
    return { why: `cannot be read (${code})` };
  }
}

function parse(bytes: Uint8Array): unknown {
  return parseJson(Buffer.from(bytes).toString("utf8"));
}

/** The task's document, absolute. It need not be there. */
export function documentOf(project: Pick<Project, "paths">, task: string): string {
  return join(taskFolder(project, task), TASK_DOCUMENT);
}

/** Makes sure that the task's document is there, and as the outputs say, before an agent is told to read it. */
export async function openTaskDocument(world: OutputWorld, job: JobFacts, at: JobStage): Promise<void> {
  const task = getTask(world, job);
  if (task === undefined) return;
  const { files } = world.ports;
  await openFolder(files, world.project, taskFolder(world.project, task.id));
  const file = outputFile(task.id, { visit: at.visit, stage: at.name });
  for (const name of [file, ...Object.values(readableFile(file))]) {
    const path = join(world.project.paths.tasksDir, name);
    const isOther = (await files.stat(path))?.kind === "folder";
    if (isOther) await orInTheWay(path, () => files.read(path));
  }
  await writeTaskDocument(world, job, at, undefined);
}

/** Renders the task's document from all of its outputs. Contract: the output of the visit is written. */
export async function writeTaskDocument(
  world: OutputWorld,
  job: JobFacts,
  at: JobStage,
  latest: StageOutput | undefined,
): Promise<void> {
  const { ports, project, log } = world;
  const task = getTask(world, job);
  if (task === undefined) return;
  const folder = taskFolder(project, task.id);
  if ((await ports.files.stat(folder)) === undefined) return;
  const known = [...Object.values(task.progress?.outputs ?? {}), ...(latest === undefined ? [] : [latest])];
  const outputs = await readAll(world, { task: task.id, known, upTo: at.visit });
  const kept = outputs.filter((one) => !isDropped(at.workflow, task.progress ?? {}, one));
  const texts = kept.map(({ output, ...one }): StageText => {
    const stage = at.workflow.stages[one.stage];
    return { ...one, output, schema: stage?.output, kind: stage?.kind };
  });
  await writeFile(ports.files, join(folder, TASK_DOCUMENT), log.redact(formatTaskDocument(task, texts)));
}

/**
 * Every output of this pass, in the order of the visits. Those that the row names are read with their digest. Of the files beside
 * them only those of earlier visits count: an agent may have written others.
 */
async function readAll(
  { ports, project }: OutputWorld,
  { task, known, upTo }: { task: string; known: readonly StageOutput[]; upTo: number },
): Promise<{ stage: string; visit: number; outcome?: string; output: unknown }[]> {
  const folder = taskFolder(project, task);
  const byFile = new Map(known.map((output) => [basename(output.file), output]));
  const names = [...new Set([...byFile.keys(), ...(await ports.files.list(folder))])];
  const found: { name: string; stage: string; visit: number; outcome?: string; output: unknown }[] = [];
  const isEarlier = (of: { stage: string; visit: number }): boolean =>
    known.some(({ stage, visit }) => stage === of.stage && visit > of.visit);
  for (const name of names) {
    const of = parseOutputName(name);
    const row = byFile.get(name);
    if (of === undefined || of.visit > upTo || (row === undefined && !isEarlier(of))) continue;
    // One that is lost fails the stage whose prompt needs it; the document does without.
    const { bytes } =
      row === undefined
        ? await readSmall(ports.files, join(folder, name))
        : ((await readOutput(ports, project, task, row).catch(orLost)) ?? {});
    if (bytes !== undefined) found.push({ name, ...of, outcome: row?.outcome, output: parse(bytes) });
  }
  return found
    .sort((one, other) => one.visit - other.visit || (one.name < other.name ? -1 : 1))
    .map(({ name: _name, ...one }) => one);
}

/** The outputs that the row of an open task names, the one of an answer that no run has taken among them. */
function listOutputs({ status, progress }: Task): StageOutput[] {
  if (status === "done" || progress === undefined) return [];
  const edited = progress.answer?.edited;
  return [...Object.values(progress.outputs ?? {}), ...(edited === undefined ? [] : [edited])];
}

/** The outputs of these tasks that a commit is to hold; `undefined`: no task was in a stage here, or the folder's own `.gitignore` says that a person decides. */
export async function collectOutputs(
  { files }: { files: Files },
  { paths }: Pick<Project, "paths">,
  tasks: readonly Task[],
): Promise<TravellingOutputs | undefined> {
  const folder = paths.tasksDir;
  const ignored = await files.read(join(folder, ".gitignore"));
  const isByPerson = ignored !== undefined && Buffer.from(ignored).toString("utf8") !== IGNORES_ALL;
  if (isByPerson || (await files.stat(folder)) === undefined) return undefined;
  // Another task file in the same tree has tasks of its own.
  const owned = new Set(tasks.map(({ id }) => taskFolderName(id)));
  return { folder, owned, files: await findOutputs({ files }, { paths }, tasks) };
}

/** The outputs of open tasks by their place below the folder, and where their content is, as it was reported. */
export async function findOutputs(
  { files }: { files: Pick<Files, "read" | "stat"> },
  { paths: { tasksDir: folder } }: Pick<Project, "paths">,
  tasks: readonly Task[],
): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for (const output of tasks.flatMap(listOutputs)) {
    const { readable, copy } = readableFile(output.file);
    found.set(
      output.file,
      await findSource(files, folder, [copyOfOutput(output), output.file], output.sha256),
    );
    found.set(readable, await findSource(files, folder, [copy, readable]));
  }
  return found;
}

/** The first of these files that is there, with this digest. */
async function findSource(
  files: Pick<Files, "read" | "stat">,
  folder: string,
  names: readonly string[],
  digest?: string,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const bytes =
      (await files.stat(path, { link: true }))?.kind === "file" ? await files.read(path) : undefined;
    if (bytes !== undefined && (digest === undefined || sha256Hex(bytes) === digest)) return path;
  }
  return undefined;
}
