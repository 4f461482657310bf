// Opens a run and lets a person, or a program, watch it: live line, plain lines or JSON lines while it works, then what it
// came to. Hands signals on to it. Leaves what is asked for to the commands, and the look of it to ui/.
import type { Sealed } from "../src/logging/events.js";
import { openRun, type OpenRun, type RunEnd } from "../src/loop/open-run.js";
import type { RunRequest } from "../src/loop/run-request.js";
import { checkBacklog } from "../src/todo/check.js";
import { coloursFor, wantsColour, type Colours } from "../src/ui/terminal/colours.js";
import { liveLine } from "../src/ui/terminal/live-line.js";
import { progressLines } from "../src/ui/terminal/progress.js";
import { resultLines } from "../src/ui/terminal/result.js";
import { Screen } from "../src/ui/terminal/screen.js";
import { clean } from "../src/ui/terminal/text.js";
import { fold, NOTHING, type View } from "../src/ui/view.js";
import { printLines, shownPath } from "./project.js";
import type { Shell, Signal } from "./shell.js";

/** How it is shown: `json` prints the events, `quiet` only what the run came to. */
export type Manner = "progress" | "quiet" | "json";

/** A run as the commands ask for it; being asked and being watched are added here. */
export type Asked = Omit<RunRequest, "onEvent" | "confirm" | "terminal" | "hangsUp">;

/** Opens the run and watches it to its end. */
export async function watchRun(shell: Shell, asked: Asked, manner: Manner): Promise<RunEnd> {
  const spectator = new Spectator(shell, asked.project.todoFile, manner);
  const signals = forwardSignals(shell);
  try {
    await spectator.readTitles();
    const opened = await openRun({
      ...asked,
      terminal: shell.stdin.isTerminal && shell.out.isTerminal,
      hangsUp: shell.out.isTerminal,
      confirm: (question, lines) => spectator.ask(question, lines),
      onEvent: (event) => {
        spectator.see(event);
      },
    });
    shell.noteLog(opened.folder);
    signals.to(opened);
    const end = await opened.ended;
    await spectator.conclude(opened.folder);
    return end;
  } catch (error) {
    const [first] = signals.early;
    if (first === undefined) throw error;
    return { ending: "interrupted", signal: first };
  } finally {
    spectator.stop();
  }
}

/** Signals that come before there is a run wait for it; the third one does not. */
function forwardSignals(shell: Shell): { early: readonly Signal[]; to(run: OpenRun): void } {
  const early: Signal[] = [];
  let run: OpenRun | undefined;
  shell.onSignal((signal) => {
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

class Spectator {
  readonly #shell: Shell;
  readonly #todoFile: string;
  readonly #manner: Manner;
  readonly #colours: Colours;
  readonly #screen: Screen | undefined;
  #titles: ReadonlyMap<string, string> = new Map();
  #reading = false;
  #view: View = NOTHING;

  constructor(shell: Shell, todoFile: string, manner: Manner) {
    const { err, env, ports } = shell;
    this.#shell = shell;
    this.#todoFile = todoFile;
    this.#manner = manner;
    this.#colours = coloursFor(manner !== "json" && wantsColour(env, err.isTerminal));
    const live = manner === "progress" && err.isTerminal && env["TERM"] !== "dumb";
    this.#screen = live ? new Screen(err, ports.clock, (columns) => this.#live(columns)) : undefined;
  }

  /** Titles lie in the backlog, not in the log: a task that is new is looked up there. */
  async readTitles(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const bytes = await this.#shell.ports.files.read(this.#todoFile).catch(() => undefined);
    this.#reading = false;
    if (bytes === undefined) return;
    const checked = checkBacklog(bytes);
    const tasks =
      checked.kind === "ok" ? checked.backlog.tasks : checked.kind === "invalid" ? checked.readable : [];
    this.#titles = new Map([...this.#titles, ...tasks.map(({ id, title }) => [id, title] as const)]);
  }

  see(event: Sealed): void {
    const before = this.#view;
    this.#view = fold(before, event);
    if (this.#manner === "json") void this.#shell.out.write(`${JSON.stringify(asLogged(event))}\n`);
    const task = this.#view.current?.taskId;
    if (task !== undefined && task !== before.current?.taskId && !this.#titles.has(task))
      void this.readTitles();
    if (this.#manner !== "progress") return;
    const look = { titles: this.#titles, colours: this.#colours, live: this.#screen !== undefined };
    this.#print(progressLines({ before, event, after: this.#view }, look));
  }

  ask(question: string, lines: readonly string[]): Promise<boolean> {
    const asking = (): Promise<boolean> => this.#shell.confirm(question, lines.map(clean));
    return this.#screen === undefined ? asking() : this.#screen.without(asking);
  }

  /** What the run came to: the answer on stdout, what kept it from its work on stderr. */
  async conclude(folder: string): Promise<void> {
    this.stop();
    const { ended } = this.#view;
    if (ended === undefined) return;
    if (this.#manner === "progress") await this.#shell.err.write("\n");
    await this.readTitles();
    const { out, err, env } = this.#shell;
    const { answer, errors } = resultLines(this.#view, ended, {
      titles: this.#titles,
      colours: coloursFor(wantsColour(env, out.isTerminal)),
      log: shownPath(this.#shell, folder),
      todoFile: shownPath(this.#shell, this.#todoFile),
      ...(out.isTerminal ? { columns: out.columns() } : {}),
    });
    if (this.#manner !== "json") await printLines(out, answer);
    await printLines(err, errors);
  }

  stop(): void {
    this.#screen?.stop();
  }

  #live(columns: number): string {
    const { clock } = this.#shell.ports;
    const scene = {
      view: this.#view,
      titles: this.#titles,
      now: clock.now(),
      columns,
      colours: this.#colours,
    };
    return liveLine(scene);
  }

  #print(lines: readonly string[]): void {
    if (this.#screen !== undefined) this.#screen.print(lines);
    else if (lines.length > 0) void this.#shell.err.write(`${lines.join("\n")}\n`);
  }
}

/** The rows of a backlog lie beside the log, and are not printed either. */
function asLogged(event: Sealed): Record<string, unknown> {
  if (event.type !== "backlog_read" || event.index === undefined) return { ...event };
  const { rows: _beside, ...rest } = event;
  return rest;
}
