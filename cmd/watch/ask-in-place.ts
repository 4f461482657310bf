// Asks the person at the terminal of a run an open question: shows what it is about, reads the answer, and
// writes it as the editing commands do. Leaves reading what was typed to typed-answer.ts.
import type { Project } from "../../src/config/project/open-project.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { UserError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { never } from "../../src/system/never.js";
import { answerQuestion, type TypedAnswer } from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import type { Store } from "../../src/todo/store/store.js";
import { coloursFor } from "../../src/ui/colours.js";
import { promptText, readTyped, type TypedReply } from "../../src/ui/terminal/typed-answer.js";
import { clean, wrap } from "../../src/ui/text.js";
import { answeredMeanwhile, askedLines, listQuestions } from "../../src/ui/view/open-questions.js";
import type { Question } from "../../src/workflow/progress.js";
import { openQuestion } from "../../src/workflow/question.js";
import type { CommandContext } from "../context/command-context.js";
import { storeOf } from "../lookup/read-tasks.js";
import { editBeside, refusal } from "../lookup/edit.js";
import { nameOfUser } from "../lookup/caller.js";
import { printLines, shownPath } from "../lookup/project.js";
import { readShown, showText, type AskedTask, type Shown } from "../lookup/workflows/shown-work.js";

/** Whether the question has an answer now, from here or from elsewhere. */
type Asked = "answered" | "left";

interface Desk extends AskedTask {
  store: Store;
  /** Takes over answers from elsewhere, and pushes those of here. */
  share: () => Promise<void>;
  /** Aborted once no answer is wanted any more. */
  withdrawn: AbortSignal;
}

/** How often the task file is read for an answer from elsewhere. */
const LOOK_EVERY_MS = 1000;

/**
 * Until there is an answer or the person leaves it open. `ending`: aborted when the run is to end. `runEnds`: epoch ms at which its time
 * is over.
 */
export async function askInPlace(
  context: CommandContext,
  project: Project,
  {
    question,
    task,
    share,
    ending,
    runEnds,
  }: Pick<Desk, "question" | "task" | "share"> & { ending: AbortSignal; runEnds: number },
): Promise<Asked> {
  const store = await storeOf(context, project);
  const elsewhere = new AbortController();
  const until = Math.min(deadlineOf(question), runEnds);
  const look = context.ports.clock.every(LOOK_EVERY_MS, () => {
    void (async () => {
      if (context.ports.clock.now() >= until || !(await isOpen(store, task, question))) elsewhere.abort();
    })().catch(() => undefined);
  });
  const withdrawn = AbortSignal.any([ending, elsewhere.signal]);
  const desk: Desk = { context, project, store, share, task, question, withdrawn };
  try {
    const answered = await askUntil(desk);
    if (!elsewhere.signal.aborted) return answered;
    if (await isOpen(store, task, question)) return "left";
    await say(context, [await whoAnswered(store, desk)]);
    return "answered";
  } finally {
    look.cancel();
  }
}

function deadlineOf({ deadline }: Question): number {
  const until = Date.parse(deadline ?? "");
  return Number.isNaN(until) ? Infinity : until;
}

/** The task's progress as it is in the file; as `known` where that cannot be read. */
async function progressNow(store: Store, { id, progress: known }: Task): Promise<Task["progress"]> {
  const read = await store.read();
  return read.kind === "ok" ? read.backlog.tasks.find((one) => one.id === id)?.progress : known;
}

async function isOpen(store: Store, task: Task, question: Question): Promise<boolean> {
  return openQuestion(await progressNow(store, task))?.id === question.id;
}

async function whoAnswered(store: Store, { task, question }: Desk): Promise<string> {
  const now = await progressNow(store, task);
  const answer = now?.answer ?? now?.answers?.findLast((one) => one.question === question.id) ?? undefined;
  return answeredMeanwhile(question.id, answer);
}

async function say({ err }: CommandContext, lines: readonly string[]): Promise<void> {
  await printLines(
    err,
    lines.flatMap((line) => wrap(line, err.columns())),
  );
}

async function askUntil(desk: Desk): Promise<Asked> {
  const { context, question } = desk;
  const shown = await readShown(desk);
  await showQuestion(desk, shown);
  if ("changed" in shown) {
    await say(context, [shown.changed]);
    return "left";
  }
  const example = question.outcomes.length === 0 ? "" : "y";
  for (;;) {
    const line = await context.askLine(promptText(question), example, desk.withdrawn);
    if (typeof line === "string") {
      if (line === "closed") await say(context, [`${clean(question.id)} stays open`]);
      return "left";
    }
    const done = await take(desk, readTyped(line.line, question));
    if (done !== undefined) return done;
  }
}

/** Shows the question, and what is decided on. */
async function showQuestion(desk: Desk, shown: Shown): Promise<void> {
  const { context, project, task } = desk;
  const { err, ports } = context;
  const [open] = listQuestions([task], shownPath(context, project.paths.tasksDir));
  if (open === undefined) return;
  // A call is decided on as it is: nothing of it is cut.
  const whole = open.question.call !== undefined;
  const scene = { colours: coloursFor(err.colour), columns: err.columns(), now: ports.clock.now(), whole };
  await say(context, ["", ...askedLines(open, scene)]);
  if ("text" in shown) await showText(context, shown.text);
}

/** The consequence of a line; `undefined`: the person is asked again. */
async function take(desk: Desk, typed: TypedReply): Promise<Asked | undefined> {
  const { context } = desk;
  switch (typed.how) {
    case "again":
      await say(context, [typed.why]);
      return undefined;
    case "text":
      return write(desk, { word: typed.text });
    case "outcome":
      return write(desk, { word: typed.outcome, ...(typed.remark === "" ? {} : { message: typed.remark }) });
    default:
      return never(typed);
  }
}

/** Writes the answer; the first one counts, so a refusal says who was quicker. */
async function write(desk: Desk, typed: TypedAnswer): Promise<Asked | undefined> {
  const { context, project, store, share, question } = desk;
  const shown = question.shows?.sha256;
  const person = { by: nameOfUser(context.env), via: "terminal" as const };
  try {
    const decide = answerQuestion(question.id, { ...typed, ...given({ shown }) }, person);
    await share();
    const edited = await editBeside(context, { project, store }, decide);
    if (!edited.ok) throw await refusal(context, project.todoFile, edited.error);
    await share();
    return "answered";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await say(context, [clean(error.message)]);
    if (error.kind === "no") return "answered";
    // Without the run in this process there is nothing to wait for.
    return (await findLiveRun(context.ports, project)) === undefined ? "left" : undefined;
  }
}
