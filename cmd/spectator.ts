// Watches a run: live line, plain lines or JSON lines while it works, then what it came to. Leaves opening it to
// watch-run.ts, and the look of it to ui/.
import type { Sealed } from "../src/logging/events.js";
import { checkBacklog } from "../src/todo/check.js";
import { isWanted, type Note } from "../src/ui/diagnostics.js";
import { coloursFor, type Colours } from "../src/ui/terminal/colours.js";
import { eventLine } from "../src/ui/terminal/event-line.js";
import { liveLine } from "../src/ui/terminal/live-line.js";
import { progressNotes } from "../src/ui/terminal/progress.js";
import { resultLines } from "../src/ui/terminal/result.js";
import { Screen } from "../src/ui/terminal/screen.js";
import { clean, hang } from "../src/ui/terminal/text.js";
import { fold, NOTHING, type View } from "../src/ui/view.js";
import { printLines, shownPath } from "./project.js";
import type { Shell } from "./shell.js";

/** How it is shown: `json` prints the events, `quiet` only what the run came to. */
export type Manner = "progress" | "quiet" | "json";

export class Spectator {
  readonly #shell: Shell;
  readonly #todoFile: string;
  readonly #manner: Manner;
  readonly #colours: Colours;
  readonly #screen: Screen | undefined;
  #titles: ReadonlyMap<string, string> = new Map();
  #reading = false;
  #view: View = NOTHING;

  constructor(shell: Shell, todoFile: string, manner: Manner) {
    const { err, env, log, ports } = shell;
    this.#shell = shell;
    this.#todoFile = todoFile;
    this.#manner = manner;
    this.#colours = coloursFor(err.colour);
    const told = manner === "progress" && log.format === "text" && isWanted("info", log.level);
    const live = told && err.isTerminal && env["TERM"] !== "dumb";
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
    const live = this.#screen !== undefined;
    const room = live ? { columns: this.#shell.err.columns() } : {};
    const look = { titles: this.#titles, colours: this.#colours, live, ...room };
    const notes = progressNotes({ before, event, after: this.#view }, look);
    this.#tell(event, isWanted("debug", this.#shell.log.level) ? [this.#asTailed(event), ...notes] : notes);
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
    const { out, log } = this.#shell;
    if (this.#manner === "progress" && isWanted("info", log.level)) await this.#shell.err.write("\n");
    await this.readTitles();
    const { answer, errors } = resultLines(this.#view, ended, {
      titles: this.#titles,
      colours: coloursFor(out.colour),
      log: shownPath(this.#shell, folder),
      todoFile: shownPath(this.#shell, this.#todoFile),
      ...(out.isTerminal ? { columns: out.columns() } : {}),
    });
    if (this.#manner !== "json") await printLines(out, answer);
    if (errors.length > 0)
      await this.#shell.say({ level: "error", lines: errors, facts: { ending: ended.ending } });
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

  /** An event as `looper tail` shows it. */
  #asTailed(event: Sealed): Note {
    const { err } = this.#shell;
    const look = { colours: this.#colours, ...(err.isTerminal ? { columns: err.columns() } : {}) };
    return { level: "debug", lines: [eventLine(asLogged(event), look)] };
  }

  #tell(event: Sealed, notes: readonly Note[]): void {
    const { type, seq } = event;
    const task = "task_id" in event && event.task_id !== null ? event.task_id : undefined;
    for (const note of notes) {
      if (!isWanted(note.level, this.#shell.log.level)) continue;
      if (this.#screen === undefined)
        void this.#shell.say({ ...note, facts: { type, seq, task_id: task, ...note.facts } });
      else this.#screen.print(note.lines.flatMap((line) => hang(line, this.#shell.err.columns())));
    }
  }
}

/** The rows of a backlog lie beside the log, and are not printed either. */
function asLogged(event: Sealed): Record<string, unknown> {
  if (event.type !== "backlog_read" || event.index === undefined) return { ...event };
  const { rows: _beside, ...rest } = event;
  return rest;
}
