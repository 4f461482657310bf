// Shares open questions with one remote (`git.share`): takes over answers and tasks that went further elsewhere, then pushes what
// is newer here. The row in the task file is the truth in each clone; who was first at the remote is first.
import { z } from "zod";
import type { Project } from "../../../config/project/open-project.js";
import { asResult, failureText, type GitFailure } from "../../../git/base/git.js";
import { openRef } from "../../../git/base/names.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import {
  fetchOpen,
  hasRemote,
  pushOpen,
  readOpenFiles,
  type OpenRef,
  type OpenUpdate,
} from "../../../git/saved-work/open-refs.js";
import { errorCode, errorMessage, UserError } from "../../../system/errors.js";
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { parseJson } from "../../../system/text/json.js";
import type { Redact } from "../../../system/text/secrets/redact.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import type { Ports } from "../../../system/ports.js";
import type { PersonEdit } from "../../../todo/change/person-edits.js";
import { taskOfChange, type PersonChange } from "../../../todo/model/changes/person-change.js";
import { Status, type Task } from "../../../todo/model/task.js";
import { openStore, type Store } from "../../../todo/store/store.js";
import { tellRun } from "../../../logging/control.js";
import type { World } from "../world.js";
import { findOutputs, openTasksFolder } from "./stage-output.js";
import { writeOutputFiles } from "../../runs/output-files.js";
import { outputFile, readableFile } from "../../../workflow/outputs/task-files.js";
import { Progress, type StageOutput } from "../../../workflow/progress.js";
import { describeAnswer, describeBy, isAnswered } from "../../../workflow/question.js";
import { DEFAULT_WORKFLOW } from "../../../workflow/words.js";

/** Everything that sharing reaches. `edit`: makes a person's edit of the task file, as the commands do. */
export interface ShareSite {
  ports: Pick<Ports, "files">;
  project: Pick<Project, "paths" | "resolved">;
  repo: Repository;
  store: Pick<Store, "read">;
  redact: Redact;
  edit: (decide: PersonEdit) => Promise<unknown>;
  /** Of a run: whether it can take the task further. */
  knows?: (progress: Progress) => boolean;
}

/** `of`: see `identify`. */
const SharedRow = z.object({ id: z.string(), of: z.string().optional(), status: Status, progress: Progress });

/** A question as the remote has it, read. */
export type Shared = OpenRef & Omit<z.infer<typeof SharedRow>, "id">;

/** The consequences of the rows here and at the remote. */
interface SharePlan {
  changes: PersonChange[];
  /** Their outputs are taken over. */
  take: Shared[];
  set: { task: Task; before: string | undefined }[];
  drop: OpenRef[];
  /** Answers given here that others had given before. */
  late: string[];
  /** The questions that are left alone, and why; made with the name of the remote. */
  notes: ((remote: string) => string)[];
}

/** The result; `late`: answers given here that others had given before. */
export interface SharedQuestions {
  warnings: readonly string[];
  late: readonly string[];
}

/** In characters. */
const MOST_REASON = 160;

const NOTHING: SharedQuestions = { warnings: [], late: [] };

/** Shares once. Nothing happens without the setting. */
export async function shareQuestions(site: ShareSite): Promise<SharedQuestions> {
  const remote = site.project.resolved.settings.git.share;
  if (remote === "none") return NOTHING;
  const failed = `open questions are not shared with ${remote} now`;
  try {
    const shared = await asResult(() => shareWith(site, remote));
    return shared.ok ? shared.value : warn(`${failed}: ${describe(shared.error)}`);
  } catch (error) {
    // A folder in the way, or a task file that others hold: the run continues without.
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    return warn(`${failed}: ${shorten(errorMessage(error), MOST_REASON)}`);
  }
}

/** Git says much on a remote, and the first of it is the reason. */
function describe(failure: GitFailure): string {
  return shorten(failureText(failure), MOST_REASON);
}

function warn(...warnings: string[]): SharedQuestions {
  return { ...NOTHING, warnings };
}

async function shareWith(site: ShareSite, remote: string): Promise<SharedQuestions> {
  const { repo, store } = site;
  if (!(await hasRemote(repo, remote)))
    return warn(`git.share: there is no remote ${remote}, so open questions are not shared`);
  const late: string[] = [];
  for (let round = 0; ; round++) {
    const found = (await fetchOpen(repo, remote)).flatMap(readShared);
    const read = await store.read();
    if (read.kind !== "ok") return { ...NOTHING, late };
    const makePlan = (tasks: readonly Task[]): SharePlan =>
      planShare(tasks, found, { file: repo.todo?.path ?? "", knows: site.knows });
    let plan = makePlan(read.backlog.tasks);
    for (const shared of plan.take) await takeOver(site, shared);
    const taken = new Set(plan.take.map(({ task }) => task));
    if (plan.changes.length > 0)
      // Others may have saved since: under the lock the newest rows decide.
      await site.edit(({ tasks }) => {
        plan = makePlan(tasks);
        return plan.changes.filter((change) => taken.has(taskOfChange(change)));
      });
    late.push(...plan.late);
    const told = plan.notes.map((note) => note(remote));
    const set: OpenUpdate[] = [];
    for (const { task, before } of plan.set) set.push(await makeUpdate(site, task, before));
    const pushed = await asResult(() => pushOpen(repo, remote, { set, drop: plan.drop }));
    if (pushed.ok) return { warnings: told, late };
    // Someone else was quicker: their answer is taken over first, once.
    const failed = `open questions were not pushed to ${remote}: ${describe(pushed.error)}`;
    if (round > 0) return { warnings: [...told, failed], late };
  }
}

/** Tells a task from another of the same id: by its task file (from the top), and by when it was made; by its title where a person wrote the row. */
function identify(file: string, { created_at, title }: Pick<Task, "created_at" | "title">): string {
  return sha256Hex(`${file}\0${created_at ?? title}`);
}

/** Reads a row. Permissions for calls of tools are left out: a person who can push must not be able to run commands here. */
export function readShared(open: OpenRef): Shared[] {
  const read = SharedRow.safeParse(parseJson(open.row));
  if (!read.success || read.data.id !== open.task || !mayTravel(read.data.progress)) return [];
  const { of, status, progress: whole } = read.data;
  const { grants, complete: _complete, notes: _notes, ...rest } = whole;
  const stages = grants?.filter(({ what }) => typeof what === "string");
  const progress = { ...rest, ...given({ grants: stages }) };
  if (status === "done") return [];
  const isInPlace = outputsOf(progress).every((output) => output.file === outputFile(open.task, output));
  return isInPlace ? [{ ...open, ...given({ of }), status, progress }] : [];
}

/**
 * Questions about a text travel, such as a plan. One about a call does not, nor one after work was saved: the commit of the work holds
 * the whole tree of this machine, and its verdict is believed.
 */
function mayTravel({ question, work }: Progress): boolean {
  return question !== undefined && question.source !== "tool" && work === undefined;
}

/** Decides who is further: by the number of the last question, then by the answer. `file`: the task file from the top. Pure. */
export function planShare(
  tasks: readonly Task[],
  found: readonly Shared[],
  { file, knows = () => true }: { file: string } & Pick<ShareSite, "knows">,
): SharePlan {
  const plan: SharePlan = { changes: [], take: [], set: [], drop: [], late: [], notes: [] };
  for (const task of tasks) {
    const { id, progress } = task;
    const there = found.find((one) => one.task === id);
    if (there?.of !== undefined && there.of !== identify(file, task)) {
      // The ref is another task's: nothing of it is taken, changed or removed.
      if (progress !== undefined && mayTravel(progress)) plan.notes.push(describeOther(id));
    } else if (there !== undefined && !knows(there.progress) && numberOf(there.progress) > numberOf(progress))
      plan.notes.push(() => describeUnknown(id, there.progress));
    else if (task.status === "done") {
      if (there !== undefined) plan.drop.push(there);
    } else if (task.status !== "doing") planTask(plan, task, there);
    else if (there !== undefined && numberOf(there.progress) < numberOf(task.progress)) plan.drop.push(there);
  }
  return plan;
}

function describeOther(id: string): (remote: string) => string {
  return (remote) =>
    `${id} is a question of another task at ${remote}, so that of ${id} here is not shared: give the task another id, or remove that one with git push ${remote} :${openRef(id)}`;
}

/** A run that took the row over would give the task up. */
function describeUnknown(id: string, { workflow }: Progress): string {
  return `${id} is in the workflow ${workflow} elsewhere, which this run did not load: \`looper questions\` takes it over for the next run`;
}

function planTask(plan: SharePlan, task: Task, there: Shared | undefined): void {
  const here = task.progress;
  const ahead = numberOf(there?.progress) - numberOf(here);
  if (there !== undefined && ahead > 0) {
    adopt(plan, task, there);
    return;
  }
  const isAsked = here !== undefined && mayTravel(here);
  const isOlder = there === undefined || ahead < 0;
  if (isOlder) {
    if (isAsked) plan.set.push({ task, before: there?.commit });
    else if (there !== undefined) plan.drop.push(there);
    return;
  }
  if (here === undefined || !isAsked || here.question?.id !== there.progress.question?.id) return;
  const isAnsweredThere = isAnswered(there.progress);
  if (isAnswered(here)) {
    if (!isAnsweredThere) plan.set.push({ task, before: there.commit });
    else if (!isSameAnswer(here, there.progress)) {
      const { question, answer } = there.progress;
      const by = answer === undefined ? "" : `${describeAnswer(answer)}, by ${describeBy(answer)}`;
      plan.late.push(`${question?.id ?? ""} was answered elsewhere first: ${by}; that answer counts`);
      adopt(plan, task, there);
    }
  } else if (isAnsweredThere) adopt(plan, task, there);
}

/** Takes the answer to the question that is open here too, or all of the progress. */
function adopt(plan: SharePlan, { id, progress: here }: Task, there: Shared): void {
  const isSame = here?.question !== undefined && here.question.id === there.progress.question?.id;
  const { answer } = there.progress;
  const progress = isSame && answer !== undefined ? { ...here, answer } : there.progress;
  plan.take.push(there);
  plan.changes.push({ op: "adopt", id, status: there.status === "doing" ? "todo" : there.status, progress });
}

function isSameAnswer({ answer: one }: Progress, { answer: other }: Progress): boolean {
  const keyOf = (answer: Progress["answer"]): string =>
    JSON.stringify([answer?.by, answer?.via, answer?.at, answer?.outcome, answer?.text, answer?.comment]);
  return keyOf(one) === keyOf(other);
}

/** How far a task is: the number of its question, were it asked now. */
function numberOf(progress: Progress | undefined): number {
  return progress === undefined ? -1 : progress.visit + (progress.first ?? 0);
}

function outputsOf({ outputs, answer }: Progress): StageOutput[] {
  return [...Object.values(outputs ?? {}), ...(answer?.edited === undefined ? [] : [answer.edited])];
}

/** Writes the outputs of a question that was taken over; one that is not what its row says is left out. */
async function takeOver({ ports: { files }, project, repo }: ShareSite, shared: Shared): Promise<void> {
  const top = project.paths.tasksDir;
  await openTasksFolder(files, top);
  const outputs = outputsOf(shared.progress);
  const names = outputs.flatMap(({ file }) => [file, readableFile(file).readable]);
  const found = await readOpenFiles(repo, shared.commit, names);
  for (const [at, { file, sha256 }] of outputs.entries()) {
    const [json, text] = [found[2 * at], found[2 * at + 1]];
    if (json !== undefined && sha256Hex(json) === sha256)
      await writeOutputFiles(files, top, { file, sha256, json, text });
  }
}

/** The row and its outputs, without secrets like everything that is written. */
async function makeUpdate(
  { ports: { files }, project, repo, redact }: ShareSite,
  task: Task,
  before: string | undefined,
): Promise<OpenUpdate> {
  const { id, status, progress } = task;
  const found = new Map<string, Uint8Array>();
  for (const [name, source] of await findOutputs({ files }, project, [task])) {
    const bytes = source === undefined ? undefined : await files.read(source);
    if (bytes !== undefined) found.set(name, bytes);
  }
  const of = identify(repo.todo?.path ?? "", task);
  const row = redact(JSON.stringify({ id, of, status, progress }, undefined, 2));
  return { task: id, row, files: found, before };
}

/** Shares from within a run: `tells` whether the run has begun and has to hear of its own process's edits. New warnings only. */
export function openSharing(world: Omit<World, "share">): NonNullable<World["share"]> | undefined {
  const { ports, project, repo, log, check } = world;
  if (repo === undefined || project.resolved.settings.git.share === "none") return undefined;
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir, check });
  return inTurn(async (tells) => {
    const edit: ShareSite["edit"] = (decide) =>
      store.edit(decide, async ({ at, changes }) => {
        if (tells) await tellRun(ports, log.folder, { type: "edit", at, changes: [...changes] });
      });
    const { warnings, late } = await shareQuestions({
      ports,
      project,
      repo,
      store,
      redact: log.redact,
      edit,
      knows: ({ workflow, digest }) =>
        digest === "" || workflow === DEFAULT_WORKFLOW || world.workflows?.[workflow] !== undefined,
    });
    return [...warnings, ...late];
  });
}

/** One call after another, each time what is new. The end of a run ends its git processes: a call that it overtakes has nothing to say. */
export function inTurn(share: (tells: boolean) => Promise<string[]>): NonNullable<World["share"]> {
  let before = "";
  let turn: Promise<unknown> = Promise.resolve();
  let isOver = false;
  return async ({ tells, ends }) => {
    if (isOver || ends === "now") {
      isOver = true;
      return [];
    }
    isOver = ends !== undefined;
    const shared = turn.then(() => share(tells));
    turn = shared.catch(() => undefined);
    const all = await shared;
    const isTold = all.join("\n") === before || (isOver && ends === undefined);
    if (!isTold) before = all.join("\n");
    return isTold ? [] : all;
  };
}

/** Shares, and logs what a person should know. */
export async function shareAndTell(
  { share, log }: Pick<World, "share" | "log">,
  ends?: "with-this" | "now",
): Promise<void> {
  for (const message of (await share?.({ tells: true, ...given({ ends }) })) ?? [])
    await log.tell({ type: "warning", message });
}
