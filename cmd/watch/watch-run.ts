// Opens a run, passes signals to it and displays it to its end. Leaves the request to the commands, and the
// display to run-display.ts.
import { openDiagnosticsFile } from "../../src/logging/diagnostics-file.js";
import { UserError } from "../../src/system/errors.js";
import { openRun, type OpenRun, type RunEnd } from "../../src/loop/start/open-run.js";
import type { RunRequest } from "../../src/loop/runs/run-request.js";
import type { View } from "../../src/ui/view/view.js";
import type { CommandContext, Signal } from "../context/command-context.js";
import { tasksFolder } from "../../src/config/project/tasks-folder.js";
import { RunDisplay, type Watching } from "./run-display.js";

/** A run request of a command; trust questions and display are added here. */
export type RunToWatch = Omit<RunRequest, "onEvent" | "confirm" | "askPerson" | "terminal" | "hangsUp">;

/** Opens the run and displays it to its end. */
export async function watchRun(
  context: CommandContext,
  asked: RunToWatch,
  watching: Watching,
): Promise<RunEnd & { view: View }> {
  const { project } = asked;
  const places = { todoFile: project.todoFile, tasksFolder: tasksFolder(project) };
  const display = new RunDisplay(context, places, watching);
  const signals = forwardSignals(context);
  try {
    await display.readTitles();
    const opened = await openRun({
      ...asked,
      terminal: context.stdin.isTerminal && context.out.isTerminal,
      hangsUp: context.hangsUp,
      confirm: (question, lines) => display.ask(question, lines),
      ...askingOf(context, watching, display),
      onEvent: (event) => {
        display.see(event);
        watching.onEvent?.(event);
      },
    });
    context.noteLog(opened.folder);
    watching.onOpen?.(opened);
    signals.to(opened);
    const end = await keepDiagnostics(context, opened, display);
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
  watching: Watching,
  display: RunDisplay,
): Pick<RunRequest, "askPerson"> {
  const { askPerson } = watching;
  if (askPerson === undefined || !mayAsk(context, watching)) return {};
  return {
    askPerson: (question, task) =>
      display.askHere(task.id, (ending) => askPerson({ question, task, ending })),
  };
}

function mayAsk({ stdin, out, err, log, env }: CommandContext, { manner }: Watching): boolean {
  const isSeen = stdin.isTerminal && out.isTerminal && err.isTerminal && env["TERM"] !== "dumb";
  return isSeen && manner === "progress" && log.format === "text";
}

/** Waits for the end, and keeps in the run's folder what it reports until then. */
async function keepDiagnostics(context: CommandContext, run: OpenRun, display: RunDisplay): Promise<RunEnd> {
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
  display.keepIn(file);
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
