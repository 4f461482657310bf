// Open questions: which tasks wait for a person, and how a question is shown. One rendering for `looper questions`, `looper
// show`, the prompt in a run, and the end of a run. Pure.
import { quoteIfNeeded } from "../../shell/quote.js";
import type { Task } from "../../todo/model/task.js";
import type { GivenAnswer, Progress, Question } from "../../workflow/progress.js";
import {
  answerCommand,
  describeAnswer,
  describeBy,
  noOf,
  openQuestion,
  whyNotValid,
  yesOf,
} from "../../workflow/question.js";
import type { Colours } from "../colours.js";
import { clean, cut, showBlock, wrap, withoutSteering } from "../text.js";
import { plural, showDuration, showMoment } from "./words/amounts.js";
import { shorten } from "../../system/text/cut.js";

/** An open question, with what a person must know to answer it. */
export interface OpenQuestion {
  task: string;
  title: string;
  stage: string;
  visit: number;
  question: Question;
  /** Where to read what is decided on: a file below `tasks_dir`, or a command of git's; absent if nothing is shown. */
  place?: string | undefined;
  /** No job starts on its task, whatever the answer. */
  paused?: true | undefined;
  /** Why the answer in the file does not count. */
  wrong?: string | undefined;
  /** The gate's verdict on the work so far; absent: there is no work yet, or the question is not one of a stage. */
  verdict?: NonNullable<Progress["work"]>["verdict"] | undefined;
}

/** The open questions, the oldest first. `tasksDir`: as it is shown. */
export function listQuestions(tasks: Iterable<Task>, tasksDir: string): OpenQuestion[] {
  const open: OpenQuestion[] = [];
  for (const { id, title, progress } of tasks) {
    const question = openQuestion(progress);
    if (progress === undefined || question === undefined) continue;
    const { stage, visit, paused, answer, work } = progress;
    const verdict = question.source === "stage" ? work?.verdict : undefined;
    const wrong = answer === undefined ? undefined : whyNotValid(question, answer);
    open.push({
      ...{ task: id, title, stage, visit, question },
      place: placeOf(question, progress, tasksDir),
      paused: paused && (true as const),
      wrong,
      verdict,
    });
  }
  return open.sort((a, b) => a.question.asked_at.localeCompare(b.question.asked_at));
}

/** Where a person reads what the question is about. */
function placeOf(
  { id, shows, call }: Question,
  { outputs, work }: Progress,
  tasksDir: string,
): string | undefined {
  if (shows === undefined || call !== undefined) return undefined;
  const output = outputs?.[shows.what];
  if (output !== undefined) return `${tasksDir}/${output.file.replace(/\.json$/u, ".md")}`;
  if (work === undefined) return undefined;
  // From the base on, git would show the task file as deleted.
  return shows.what === "diff"
    ? `git show ${work.commit.slice(0, 12)}`
    : `looper questions ${quoteIfNeeded(clean(id))}`;
}

export interface QuestionScene {
  colours: Colours;
  /** Epoch ms. */
  now: number;
  /** Long lines are wrapped at this width; absent: nothing is. */
  columns?: number;
  /** Nothing is cut. */
  whole?: boolean;
}

const INDENT = "  ";

/** A question with its task, what it is about, how long it waits, and the commands that answer it. */
export function questionLines(open: OpenQuestion, scene: QuestionScene): string[] {
  const { task, question } = open;
  return [
    ...askedLines(open, scene),
    `${INDENT}answer it with`,
    ...waysToAnswer(task, question).map((line) => INDENT + INDENT + line),
  ];
}

/** The same without the commands: at a prompt. */
export function askedLines(open: OpenQuestion, scene: QuestionScene): string[] {
  const { colours, columns, whole } = scene;
  const { task, question } = open;
  const rest = `looper questions ${quoteIfNeeded(clean(task))}`;
  const body = bodyLines(question, columns);
  const fit = (text: string): string[] => indented(clean(text), columns);
  return [
    ...wrap(headOf(open), columns).map(colours.bold),
    ...(whole === true ? body : cutLines(body, rest)),
    ...aboutLines(open).flatMap(fit),
    ...(open.verdict === undefined
      ? []
      : fit(VERDICTS[open.verdict]).map(verdictLook(open.verdict, colours))),
    ...fit(waitText(question, scene.now)).map(colours.dim),
    ...(open.wrong === undefined
      ? []
      : fit(`the answer in the task file does not count: ${open.wrong}`).map(colours.yellow)),
    ...(open.paused === true ? fit(`paused: looper resume ${quoteIfNeeded(clean(task))}`) : []),
  ];
}

/** A person who is asked to commit must not have to look up what the checks said. */
const VERDICTS = {
  passed: "the work is verified: its checks pass",
  unbroken: "the work is unbroken: its checks pass, and none shows that it does what the task asks",
  unverified: "the work is unverified: no check shows that it does what the task asks",
  failed: "the work failed its checks",
} as const;

function verdictLook(verdict: keyof typeof VERDICTS, colours: Colours): (text: string) => string {
  return verdict === "passed" ? colours.dim : colours.yellow;
}

/** `T3.3 was answered meanwhile: approve, by ada (cli), …` */
export function answeredMeanwhile(id: string, answer: GivenAnswer | undefined): string {
  if (answer === undefined) return clean(`${id} is not open any more`);
  return clean(`${id} was answered meanwhile: ${describeAnswer(answer)}, by ${describeBy(answer)}`);
}

function headOf({ task, title, stage, question }: OpenQuestion): string {
  const asks = question.source === "tool" ? ` ${ofSource(question)}` : "";
  return `${clean(task)} ${clean(title)} · ${clean(stage)}${asks} · ${clean(question.id)}`;
}

function indented(line: string, columns?: number): string[] {
  const room = columns === undefined ? undefined : Math.max(1, columns - INDENT.length);
  return wrap(line, room).map((part) => INDENT + part);
}

/** A longer question is cut: an agent may write any amount. */
const MOST_LINES = 40;
const MOST_LETTERS = 4000;

/** The first lines of a question, and how to see the rest. */
function cutLines(lines: readonly string[], rest: string): readonly string[] {
  const kept: string[] = [];
  let room = MOST_LETTERS;
  for (const line of lines.slice(0, MOST_LINES)) {
    if (room > 0) kept.push(cut(line, room));
    room -= line.length;
  }
  const left = countLetters(lines) - countLetters(kept);
  return left === 0 ? lines : [...kept, `${INDENT}… ${plural(left, "more character")}: ${rest}`];
}

function countLetters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** The question in its own lines: an agent may ask several. */
function bodyLines({ text, call }: Question, columns?: number): string[] {
  const asked = showBlock(text.trim()).flatMap((line) => indented(line, columns));
  if (call === undefined) return asked;
  const command = text.includes(call.command) ? [] : indented(withoutSteering(call.command), columns);
  return [...asked, ...command, ...callLines(call).flatMap((line) => indented(line, columns))];
}

/** The tool, its exact arguments and what the call would do. */
export function callLines({
  tool,
  arguments: args,
  preview,
  command,
}: NonNullable<Question["call"]>): string[] {
  const values = Object.values(args ?? {});
  const isCommand = values.length === 1 && values[0] === command;
  const shown = args === undefined || isCommand ? [] : showBlock(JSON.stringify(args, null, 2));
  const does = preview === undefined || preview === command ? [] : showBlock(preview.trimEnd());
  return [`tool ${clean(tool)}`, ...shown, ...does];
}

/** The subject of the decision and where to read it; and of a call that it is outside the approved plan. */
function aboutLines({ question: { shows, call }, place }: OpenQuestion): string[] {
  const about =
    shows === undefined || place === undefined ? [] : [`${ABOUT[shows.what] ?? shows.what}: ${place}`];
  return call?.planned === false ? [...about, "not in the approved plan"] : about;
}

const ABOUT: Readonly<Record<string, string>> = { diff: "the changes", work: "all of its work" };

/** `asks` of a stage or an agent; `asks to run` of a tool's call. */
export function ofSource({ source }: Pick<Question, "source">): string {
  return source === "tool" ? "asks to run" : source === "agent" ? "its agent asks" : "asks";
}

/** `asked 12m05s ago; without an answer by 18:02:11, the answer is reject` */
export function waitText(
  { asked_at: asked, deadline, on_timeout: otherwise }: Question,
  now: number,
): string {
  const age = now - Date.parse(asked);
  const since = Number.isNaN(age) ? "" : `asked ${showDuration(Math.max(0, age))} ago`;
  const until = Date.parse(deadline ?? "");
  if (Number.isNaN(until)) return since;
  const then = otherwise === undefined ? "it times out" : `the answer is ${otherwise}`;
  return `${since}; without an answer by ${showMoment(until, now)}, ${then}`;
}

/** The commands that answer a question, the one that agrees first. */
export function waysToAnswer(task: string, question: Question): string[] {
  const id = quoteIfNeeded(clean(task));
  const [yes, no] = [yesOf(question), noOf(question)];
  if (yes === undefined) return [`looper answer ${id} -m "your answer"`];
  const others = question.outcomes.filter((one) => one !== yes && one !== no);
  return [
    `looper approve ${id}`,
    ...others.map((one) => `looper answer ${id} ${one}${one === "edit" ? "" : ' -m "what to change"'}`),
    ...(no === undefined ? [] : [`looper reject ${id} -m "why"`]),
  ];
}

const MOST_IN_A_LINE = 500;

/** One line: the task, the question, and the command that answers it. */
export function questionLine({ task, question }: OpenQuestion, columns?: number): string {
  const id = quoteIfNeeded(clean(task));
  const { outcomes } = question;
  const command = answerCommand({ id, outcomes });
  const head = `${clean(task)} `;
  const asked = clean(question.text);
  if (columns === undefined) return `${head}${cut(asked, MOST_IN_A_LINE)}  ${command}`;
  return `${head}${cut(asked, Math.max(20, columns - head.length - command.length - 2))}  ${command}`;
}

/** `paused by ada`; a person who wrote it into the file may have left out the name. */
export function pausedText({ by }: Pick<NonNullable<Progress["paused"]>, "by">): string {
  return by === undefined ? "paused" : `paused by ${by}`;
}

/** `1 question is open: looper questions`; empty without any. */
export function openLine(open: number): string {
  if (open === 0) return "";
  return `${plural(open, "question")} ${open === 1 ? "is" : "are"} open: looper questions`;
}

/** Of a question, which an agent may make as long as it likes; `looper questions ID` shows all of it. */
const MOST_ASKED = 500;

export interface Help {
  /** To be read after the task's id: `waits for an answer to T1.2: Carry out this plan?` */
  because: string;
  /** To be read before the command: `answer it with`. */
  how: string;
  command: string;
}

/** `undefined`: the task waits for no one. An open question comes before a pause, as it is what a person decides first. */
export function helpOf({ id, progress }: Pick<Task, "id" | "progress">): Help | undefined {
  const question = progress?.complete === undefined ? openQuestion(progress) : undefined;
  if (question !== undefined)
    return {
      because: `waits for an answer to ${question.id}: ${shorten(question.text, MOST_ASKED)}`,
      how: "answer it with",
      command: answerCommand(question),
    };
  const paused = progress?.paused;
  if (paused === undefined) return undefined;
  const why = paused.why === undefined ? "" : `: ${paused.why}`;
  return {
    because: `is paused, by ${describeBy(paused)}${why}`,
    how: "lift the pause with",
    command: `looper resume ${id}`,
  };
}
