// Opens a run, passes signals to it and displays it to its end. Leaves the request to the commands, the lines
// to src/ui, and asking a person to ask-in-place.ts.
import { openDiagnosticsFile } from "../../src/logging/diagnostics-file.js";
import { environmentError, errorCode, errorMessage, usageError, UserError } from "../../src/system/errors.js";
import { openRelease, type Released } from "../../src/loop/release/release.js";
import { openRun, type OpenRun, type RunEnd } from "../../src/loop/start/open-run.js";
import type { RunRequest } from "../../src/loop/runs/run-request.js";
import { type View, fold, NOTHING, type Ended } from "../../src/ui/view/view.js";
import type { CommandContext, Signal } from "../context/command-context.js";
import path from "node:path";
import type { Sealed } from "../../src/logging/events/events.js";
import { given } from "../../src/system/given.js";
import { closure, rowOf } from "../../src/todo/model/select.js";
import type { Task } from "../../src/todo/model/task.js";
import { isWanted, type StderrNote } from "../../src/ui/terminal/diagnostics.js";
import { jsonText } from "../../src/ui/json-text.js";
import { junitXml } from "../../src/ui/view/junit.js";
import { coloursFor, type Colours } from "../../src/ui/colours.js";
import { eventLine } from "../../src/ui/terminal/lines/event-line.js";
import { liveLine } from "../../src/ui/view/words/live-line.js";
import { progressNotes, type LineStyle, type ShownEvent } from "../../src/ui/terminal/progress.js";
import { resultLines } from "../../src/ui/terminal/result.js";
import { Screen } from "../../src/ui/terminal/screen.js";
import { clean, hang } from "../../src/ui/text.js";
import { narrate, NOTHING_SAID, type Spoken } from "../../src/ui/github-actions/narrate.js";
import { listQuestions, type OpenQuestion } from "../../src/ui/view/open-questions.js";
import { withReasons } from "../../src/ui/view/rows.js";
import { appendTo, lookOf, printLines, runPlaceOf, shownPath, warn } from "../lookup/project.js";
import { tasksIn } from "../lookup/read-tasks.js";
import { jobSummary, MOST_BYTES, type SummaryLook } from "../../src/ui/github-actions/summary.js";
import type { Project } from "../../src/config/project/open-project.js";
import { Option } from "commander";
import { agentNameIn } from "../../src/config/settings/setting-row.js";
import type { Flags } from "../../src/config/read/resolve.js";
import { ROWS } from "../../src/config/settings/settings.js";

export type RunToWatch = Omit<RunRequest, "onEvent" | "confirm" | "askPerson" | "terminal" | "hangsUp">;

export async function watchRun(
  context: CommandContext,
  asked: RunToWatch,
  watching: Watching,
): Promise<RunEnd & { view: View; released?: Released }> {
  const { project } = asked;
  const display = new RunDisplay(context, project, watching);
  const signals = forwardSignals(context);
  try {
    await display.readTitles();
    const open = asked.release === undefined ? openRun : openRelease;
    const opened = await open({
      ...asked,
      terminal: context.stdin.isTerminal && context.out.isTerminal,
      hangsUp: context.hangsUp,
      confirm: (question, lines) => display.ask(question, lines),
      ...askingOf(context, project, watching, display),
      onEvent: (event) => {
        display.see(event);
        watching.onEvent?.(event);
      },
    });
    context.noteLog(opened.folder);
    watching.onOpen?.(opened);
    signals.to(opened);
    const end = await keepDiagnostics(context, opened);
    await display.conclude(opened.folder);
    return { ...end, view: display.view };
  } catch (error) {
    const [first] = signals.early;
    if (first === undefined) throw error;
    return { ending: "interrupted", signal: first, view: display.view };
  } finally {
    display.stop();
  }
}

/** Asks in place of the live line, where a person sees the question and can answer it. */
function askingOf(
  context: CommandContext,
  project: Project,
  { asksHere, manner }: Watching,
  display: RunDisplay,
): Pick<RunRequest, "askPerson"> {
  const { stdin, out, err, log, env } = context;
  const isSeen = stdin.isTerminal && out.isTerminal && err.isTerminal && env["TERM"] !== "dumb";
  if (asksHere !== true || !isSeen || manner !== "progress" || log.format !== "text") return {};
  const { max_duration: longest = 0 } = project.resolved.settings.loop;
  const runEnds = longest === 0 ? Infinity : context.ports.clock.now() + longest;
  return {
    askPerson: async (question, task, share) => {
      const { askInPlace } = await import("./ask-in-place.js");
      const asked = { question, task, share, runEnds };
      return display.askHere(task.id, (ending) => askInPlace(context, project, { ...asked, ending }));
    },
  };
}

/**
 * Waits for the end. The diagnostics file in the run's folder has what events.jsonl cannot tell: the versions,
 * and the stack of an error that ended the program.
 */
async function keepDiagnostics(
  context: CommandContext,
  run: Omit<OpenRun, "ended"> & { ended: Promise<RunEnd & { released?: Released }> },
): Promise<RunEnd & { released?: Released }> {
  const { log, ports, version, nodeVersion, platform } = context;
  // An end in a moment, before the file is open, is still waited for below.
  run.ended.catch(() => undefined);
  const order = { level: log.level, redact: run.redact };
  const file = await openDiagnosticsFile(ports, run.folder, order).catch(() => undefined);
  file?.write({
    level: "info",
    message: `run ${run.run}`,
    facts: { version, node: nodeVersion, platform },
  });
  try {
    const end = await run.ended;
    file?.write({ level: "info", message: `ended: ${end.ending}`, facts: { ...end } });
    return end;
  } catch (error) {
    file?.write({ level: "error", message: stackOf(error) });
    throw error;
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** With the causes of an error, for a report of it. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error instanceof UserError ? error.message : (error.stack ?? error.message);
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}

/** Signals that come before the run is open wait for it; the third ends the program. */
function forwardSignals(context: CommandContext): { early: readonly Signal[]; to(run: OpenRun): void } {
  const early: Signal[] = [];
  let run: OpenRun | undefined;
  context.onSignal((signal) => {
    if (run === undefined) early.push(signal);
    else run.interrupt(signal);
    return run !== undefined || early.length < 3;
  });
  return {
    early,
    to: (opened) => {
      run = opened;
      for (const signal of early.splice(0)) opened.interrupt(signal);
    },
  };
}

/** `json` prints the events, `quiet` only the result, `silent` nothing on stdout. */
type Manner = "progress" | "quiet" | "json" | "silent";

interface Watching {
  manner: Manner;
  /** Absolute path of the JUnit report. */
  junit?: string;
  /** Asks the person at the terminal the open questions. */
  asksHere?: true;
  /** Called with each line of the log when it is written. */
  onEvent?: (event: Sealed) => void;
  /** Called when the run has begun. `folder`: its log, absolute. */
  onOpen?: (run: { run: string; folder: string }) => void;
}

class RunDisplay {
  /** Inside a GitHub workflow: adds its commands to the log. */
  readonly #inWorkflow: boolean;
  readonly #colours: Colours;
  readonly #screen: Screen | undefined;
  #titles: ReadonlyMap<string, string> = new Map();
  #tasks: readonly Task[] = [];
  #narration = NOTHING_SAID;
  #reading = false;
  #view: View = NOTHING;
  readonly #ending = new AbortController();
  /** The task that the person was last asked about. */
  #askedHere: string | undefined;

  constructor(
    private readonly context: CommandContext,
    private readonly project: Project,
    private readonly watching: Watching,
  ) {
    const { err, env, log, ports } = context;
    const { manner } = watching;
    this.#inWorkflow = manner !== "json" && log.format === "text" && env["GITHUB_ACTIONS"] === "true";
    this.#colours = coloursFor(err.colour);
    const told = manner === "progress" && log.format === "text" && isWanted("info", log.level);
    const live = told && err.isTerminal && env["TERM"] !== "dumb";
    this.#screen = live ? new Screen(err, ports.clock, (columns) => this.#live(columns)) : undefined;
  }

  get view(): View {
    return this.#view;
  }

  /** The log has no titles, so the title of a new task is read from the task file. */
  async readTitles(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const bytes = await this.context.ports.files.read(this.project.todoFile).catch(() => undefined);
    this.#reading = false;
    if (bytes === undefined) return;
    this.#tasks = tasksIn(bytes);
    this.#titles = new Map([...this.#titles, ...this.#tasks.map(({ id, title }) => [id, title] as const)]);
  }

  see(event: Sealed): void {
    const before = this.#view;
    this.#view = fold(before, event);
    if (event.type === "run_interrupted") this.#ending.abort();
    if (this.watching.manner === "json") void this.context.out.write(`${jsonText(asLogged(event))}\n`);
    const task = this.#view.current?.taskId;
    if (task !== undefined && task !== before.current?.taskId && !this.#titles.has(task))
      void this.readTitles();
    if (this.watching.manner === "json" || this.#isAnsweredHere(event)) return;
    const step = { before, event, after: this.#view };
    this.#tell(event, [
      ...(isWanted("debug", this.context.log.level) ? [this.#asTailed(event)] : []),
      ...(this.#inWorkflow ? this.#narrate(step) : progressNotes(step, this.#look())),
    ]);
  }

  /** The edit that an answer from this terminal was: nothing that the person has to be told. */
  #isAnsweredHere(event: Sealed): boolean {
    if (event.type !== "backlog_edited") return false;
    const { added, changed, removed = [], put_back: putBack } = event;
    const isOne = changed.length === 1 && changed[0] === this.#askedHere;
    return isOne && added.length + removed.length + putBack.length === 0;
  }

  #look(): LineStyle {
    const live = this.#screen !== undefined;
    const room = live ? { columns: this.context.err.columns() } : {};
    return { titles: this.#titles, colours: this.#colours, live, ...room };
  }

  #narrate(step: ShownEvent): Spoken[] {
    const root = this.context.env["GITHUB_WORKSPACE"] ?? this.context.cwd;
    const todoFile = path.relative(root, this.project.todoFile);
    const { narration, spoken } = narrate(this.#narration, step, { ...this.#look(), todoFile });
    this.#narration = narration;
    return spoken;
  }

  ask(question: string, lines: readonly string[]): Promise<boolean> {
    const asking = (): Promise<boolean> => this.context.confirm(question, lines.map(clean));
    return this.#screen === undefined ? asking() : this.#screen.without(asking);
  }

  /** Lets a person answer in place of the live line, until the run is to end. */
  askHere<T>(task: string, asking: (ending: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#ending;
    this.#askedHere = task;
    return this.#screen === undefined ? asking(signal) : this.#screen.without(() => asking(signal));
  }

  /** Prints the result on stdout, and the errors that stopped the run on stderr. */
  async conclude(folder: string): Promise<void> {
    this.stop();
    const { ended } = this.#view;
    if (ended === undefined) return;
    const { out, log } = this.context;
    if (this.watching.manner === "progress" && isWanted("info", log.level))
      await this.context.err.write("\n");
    await this.readTitles();
    this.#view = withReasons(this.#view, this.#tasks);
    const look = { titles: this.#titles, todoFile: shownPath(this.context, this.project.todoFile) };
    const questions = this.#questions();
    // A release is printed by its command.
    if (this.#view.release !== undefined) return;
    const { answer, errors } = resultLines(this.#view, ended, {
      ...look,
      questions,
      now: this.context.ports.clock.now(),
      ...lookOf(out),
      log: shownPath(this.context, folder),
    });
    if (this.watching.manner === "progress" || this.watching.manner === "quiet")
      await printLines(out, answer);
    if (errors.length > 0)
      await this.context.report({ level: "error", lines: errors, facts: { ending: ended.ending } });
    const summary = { ...look, questions };
    if (this.watching.manner !== "json") await addStepSummary(this.context, this.#view, ended, summary);
    const { junit } = this.watching;
    if (junit === undefined) return;
    await writeReport(this.context, junit, junitXml(this.#view, ended, { ...look, ...this.#scope() }));
  }

  /** The open questions of the tasks that the run was about. */
  #questions(): readonly OpenQuestion[] {
    const { scope } = this.#scope();
    const tasks = scope === undefined ? this.#tasks : this.#tasks.filter(({ id }) => scope.has(id));
    return listQuestions(tasks, shownPath(this.context, this.project.paths.tasksDir));
  }

  /** The tasks of a run with `--task`; `undefined`: all tasks. */
  #scope(): { scope?: ReadonlySet<string> } {
    const { only } = this.#view;
    const id = this.#tasks.find((task) => task.id === only)?.id;
    const scope = id === undefined ? undefined : closure(id, this.#tasks.map(rowOf));
    return scope === undefined ? {} : { scope };
  }

  stop(): void {
    this.#screen?.stop();
  }

  #live(columns: number): string {
    const now = this.context.ports.clock.now();
    return liveLine({ view: this.#view, titles: this.#titles, now, columns, colours: this.#colours });
  }

  /** An event as `looper tail` shows it. */
  #asTailed(event: Sealed): StderrNote {
    return { level: "debug", lines: [eventLine(asLogged(event), lookOf(this.context.err))] };
  }

  #tell(event: Sealed, notes: readonly Spoken[]): void {
    const { log } = this.context;
    const { type, seq } = event;
    const task = taskOf(event);
    for (const note of notes) {
      const { command = false, level, lines } = note;
      if (!isWanted(level, log.level)) continue;
      if (this.watching.manner === "quiet" && !(command && level === "error")) continue;
      if (command && log.format === "text") void this.context.writeWorkflowCommands(lines);
      else if (this.#screen !== undefined)
        this.#screen.print(lines.flatMap((line) => hang(line, this.context.err.columns())));
      else void this.context.report({ level, lines, facts: { type, seq, task_id: task } });
    }
  }
}

function taskOf(event: Sealed): string | undefined {
  return "task_id" in event && event.task_id !== null ? event.task_id : undefined;
}

/** The rows of a backlog are stored beside the log and are not printed. */
function asLogged(event: Sealed): Record<string, unknown> {
  if (event.type !== "backlog_read" || event.index === undefined) return { ...event };
  const { rows: _beside, ...rest } = event;
  return rest;
}

const NOT_WRITTEN = "the job summary could not be written";

/** Nothing happens outside a workflow. */
async function addStepSummary(context: CommandContext, view: View, ended: Ended, look: SummaryLook) {
  const { env } = context;
  const file = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (env["GITHUB_ACTIONS"] !== "true" || file === "") return;
  try {
    await append(context, file, jobSummary(view, ended, look));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    await warn(context, `${NOT_WRITTEN}: ${errorMessage(error)}`);
  }
}

async function append(context: CommandContext, file: string, text: string): Promise<void> {
  const { files } = context.ports;
  const stat = await files.stat(file);
  if (stat !== undefined && stat.kind !== "file")
    return warn(context, `${NOT_WRITTEN}: ${file} is not a file`);
  if ((stat?.size ?? 0) + Buffer.byteLength(text) > MOST_BYTES)
    return warn(context, `${NOT_WRITTEN}: ${file} is full`);
  return appendTo(files, file, text);
}

/** The options of both a run and a release; `pickSettingFlags` reads those that set a setting. */
export interface StartLine {
  words: readonly string[];
  agent?: string;
  skip?: readonly string[];
  autoApprove?: readonly string[];
  trust?: true;
  y?: true;
  dryRun?: true;
  json?: true;
}

/** The flags that set settings; paths are relative to the current folder. */
export function pickSettingFlags({ cwd }: CommandContext, request: object): Flags {
  const values: Readonly<Record<string, unknown>> = { ...request };
  const flags = [...ROWS.values()].flatMap(({ flag }) => {
    if (flag === undefined) return [];
    const option = new Option(flag.name);
    const value = values[option.attributeName()];
    if (value === undefined) return [];
    if (flag.name === "--prompt-file" && typeof value === "string")
      return [[flag.name, path.resolve(cwd, value)]];
    return [[flag.name, option.negate ? value === false : value]];
  });
  return Object.fromEntries(flags) as Flags;
}

/** The request without a task, an idea or a release. */
export function makeRunRequest(context: CommandContext, request: StartLine, project: Project): RunToWatch {
  return {
    ...runPlaceOf(context, project),
    ...given({ agent: request.agent && agentNameIn(request.agent) }),
    skip: request.skip ?? [],
    autoApprove: request.autoApprove ?? [],
    trust: request.trust === true || context.env["CI"] === "true",
    yes: request.y === true,
  };
}

/** The absolute path of the report; makes its folder, and throws where it could not be written. */
export async function openReport(context: CommandContext, named: string, todoFile: string): Promise<string> {
  const { files } = context.ports;
  if (named === "") throw usageError("--junit is empty", "name a file: --junit report.xml");
  const file = path.resolve(context.cwd, named);
  const folder = path.dirname(file);
  try {
    const stat = await files.stat(file);
    if (stat !== undefined && stat.kind !== "file")
      throw usageError(`--junit: ${file} is not a file`, "name a file: --junit report.xml");
    if (stat !== undefined && (await files.realPath(file)) === (await files.realPath(todoFile)))
      throw usageError(`--junit: ${file} is the task file`, "name another: --junit report.xml");
    await files.makeFolder(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotWrite(file, errorMessage(error));
  }
  for (const place of [folder, file])
    if ((await files.stat(place)) !== undefined && !(await files.writable(place)))
      throw cannotWrite(file, `no permission to write ${place}`);
  return file;
}

async function writeReport({ ports }: CommandContext, file: string, xml: string): Promise<void> {
  try {
    await ports.files.writeAtomic(file, xml);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotWrite(file, errorMessage(error));
  }
}

function cannotWrite(file: string, why: string): UserError {
  return environmentError(`--junit: ${file} cannot be written: ${why}`, "name a file that can be written");
}
