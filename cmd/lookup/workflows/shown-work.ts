// The subject of a question, as text: the output of a stage, or the changes of the saved work. Its digest
// must be the one that the question names, so that what is approved is what was shown.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { toText } from "../../../src/git/base/bytes.js";
import { runGit } from "../../../src/git/base/git.js";
import { openRepository, type Repository } from "../../../src/git/base/repository/repository.js";
import { findChangedFile, refusesShown } from "../../../src/loop/runs/output-files.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import { formatOutputBody } from "../../../src/prompts/output-document.js";
import { parseJson } from "../../../src/system/text/json.js";
import { sha256Hex } from "../../../src/system/text/sha256.js";
import { UserError } from "../../../src/system/errors.js";
import { quoteIfNeeded } from "../../../src/shell/quote.js";
import type { Task } from "../../../src/todo/model/task.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { diffLines } from "../../../src/ui/terminal/rescues.js";
import type { Output } from "../../../src/ui/output.js";
import { clean, showBlock, wrap } from "../../../src/ui/text.js";
import { isOutputName } from "../../../src/workflow/outputs/outputs.js";
import { copyOfOutput } from "../../../src/workflow/outputs/task-files.js";
import type { Question, StageOutput } from "../../../src/workflow/progress.js";
import { openQuestion } from "../../../src/workflow/question.js";
import type { CommandContext } from "../../context/command-context.js";
import { shownPath } from "../project.js";

export interface AskingPlace {
  context: CommandContext;
  project: Project;
  tasks: readonly Task[];
}

export interface AskedTask extends Omit<AskingPlace, "tasks"> {
  task: Task;
  question: Question;
}

/** `changed`: why it cannot be decided on. */
export type Shown = { text: readonly string[] } | { nothing: true } | { changed: string };

/** Reads it; lines are clean. `to`: where it is printed. */
export async function readShown(
  asked: AskedTask,
  to: Pick<Output, "colour"> = asked.context.err,
): Promise<Shown> {
  const { task, question } = asked;
  const { shows } = question;
  // A call is part of its question.
  if (shows === undefined || question.source === "tool") return { nothing: true };
  if (shows.what === "diff" || shows.what === "work") return readChanges(asked, to);
  const output = task.progress?.outputs?.[shows.what];
  if (output === undefined) return { nothing: true };
  const bytes = await readAsked(asked, output);
  if ("changed" in bytes) return bytes;
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const schema = isOutputName(shows.what) ? { schema: shows.what } : {};
  const text = formatOutputBody({ ...schema, output: parsed });
  return { text: showBlock(text.trim()) };
}

async function readAsked({ context, project, task, question }: AskedTask, output: StageOutput) {
  const bytes = await context.ports.files
    .read(path.join(project.paths.tasksDir, output.file))
    .catch(() => undefined);
  if (bytes !== undefined && sha256Hex(bytes) === question.shows?.sha256) return bytes;
  const missing = bytes === undefined;
  return { changed: await explainChanged({ context, project, task, question }, output, { missing }) };
}

/** Why an output cannot be decided on, and what to do. */
async function explainChanged(
  { context, project, task, question: { id, edits } }: AskedTask,
  output: StageOutput,
  { missing }: { missing: boolean },
): Promise<string> {
  const named = clean(shownPath(context, path.join(project.paths.tasksDir, output.file)));
  const restore = await describeRestore(context, project, copyOfOutput(output));
  if (missing) {
    // The copy may be gone too, as in a clone of the repository.
    const again = `looper todo ${quoteIfNeeded(task.id)} --restart --stage ${output.stage}`;
    const how = restore === NO_COPY ? `${restore}, or do the stage again: ${clean(again)}` : restore;
    return `${named} is missing: ${how}`;
  }
  const edit = `looper answer ${id.slice(0, id.lastIndexOf("."))} edit --edit ${quoteIfNeeded(named)}`;
  const take = edits === output.stage ? `, or take the change with \`${clean(edit)}\`` : "";
  return `${named} was changed after ${clean(id)} was asked: ${restore}${take}`;
}

/** How to restore a file: from its copy, if that is there. */
async function describeRestore(context: CommandContext, project: Project, copy: string): Promise<string> {
  const from = path.join(project.paths.tasksDir, copy);
  const isThere = (await context.ports.files.stat(from)) !== undefined;
  return isThere ? `restore it from ${clean(shownPath(context, from))}` : NO_COPY;
}

const NO_COPY = "restore the file";

/**
 * L24: refuses an answer about an output whose files are not what was asked about: the person may have read
 * something else. Refusals pass, and so does an answer that names a digest or brings a changed text.
 */
export async function mustBeAsShown(
  { context, project, tasks }: AskingPlace,
  id: string,
  word: string | undefined,
): Promise<void> {
  const task = tasks.find((one) => one.progress?.question?.id === id) ?? tasks.find((one) => one.id === id);
  const question = openQuestion(task?.progress);
  if (task === undefined || question === undefined || refusesShown(task, word)) return;
  const what = question.shows?.what ?? "";
  if (what === "diff" || what === "work") {
    const changes = await readChanges({ context, project, task, question }, context.err);
    if ("changed" in changes) throw new UserError("no", changes.changed);
  }
  const changed = await findChangedFile(context.ports.files, project.paths.tasksDir, task);
  const output = task.progress?.outputs?.[what];
  if (changed === undefined || output === undefined) return;
  if (changed.file === output.file)
    throw new UserError("no", await explainChanged({ context, project, task, question }, output, changed));
  const named = clean(shownPath(context, path.join(project.paths.tasksDir, changed.file)));
  const restore = await describeRestore(context, project, changed.copy);
  throw new UserError("no", `${named} was changed after ${clean(question.id)} was asked: ${restore}`);
}

/** The changes of all saved work, or of its last stage. */
async function readChanges(
  { context, project, task, question }: AskedTask,
  to: Pick<Output, "colour">,
): Promise<Shown> {
  const { ports, env } = context;
  const { work } = task.progress ?? {};
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (work === undefined || !opened.ok) return { nothing: true };
  const { shows } = question;
  if (work.commit !== shows?.sha256)
    return { changed: `the work was changed after ${clean(question.id)} was asked` };
  if (!(await isHere(opened.value, work.commit)))
    return {
      changed: `the work that ${clean(question.id)} shows, ${work.commit.slice(0, 12)}, is not in this repository: answer where the run was`,
    };
  const from = shows.what === "work" ? work.base : await beforeStage(opened.value, work);
  const range = [from, work.commit, "--", ":(top)", ...opened.value.excludes];
  const { out } = await runGit(opened.value, ["diff", "--no-color", "--no-ext-diff", ...range]);
  return { text: out === "" ? ["nothing was changed"] : diffLines(toText(out), coloursFor(to.colour)) };
}

/** Whether a commit is there: saved work is on no branch, so a clone does not have it. */
async function isHere(repo: Repository, commit: string): Promise<boolean> {
  const { code } = await runGit(repo, ["cat-file", "-e", `${commit}^{commit}`], { answers: [1, 128] });
  return code === 0;
}

/** The commit before the visits of the last stage: their messages begin with the same subject. */
async function beforeStage(repo: Repository, { base, commit }: { base: string; commit: string }) {
  const { out } = await runGit(repo, ["log", "--first-parent", "--format=%H %s", `${base}..${commit}`]);
  const visits = out.split("\n").filter((line) => line !== "");
  const subjectOf = (line = ""): string => line.slice(line.indexOf(" "));
  const before = visits.find((line) => subjectOf(line) !== subjectOf(visits[0]));
  return before === undefined ? base : before.slice(0, before.indexOf(" "));
}

/** Prints a text on a terminal. */
export async function showText({ err }: CommandContext, text: readonly string[]): Promise<void> {
  const lines = text.flatMap((line) => wrap(line, err.columns()));
  await err.write(`\n${lines.join("\n")}\n\n`);
}
