// Opens a run, passes signals to it and displays it to its end. Leaves the request to the commands, and the
// display to run-display.ts.
import { openRun, type OpenRun, type RunEnd } from "../../src/loop/start/open-run.js";
import type { RunRequest } from "../../src/loop/runs/run-request.js";
import type { View } from "../../src/ui/view/view.js";
import type { CommandContext, Signal } from "../context/command-context.js";
import { RunDisplay, type Watching } from "./run-display.js";

/** A run request of a command; trust questions and display are added here. */
export type Asked = Omit<RunRequest, "onEvent" | "confirm" | "terminal" | "hangsUp">;

/** Opens the run and displays it to its end. */
export async function watchRun(
  context: CommandContext,
  asked: Asked,
  watching: Watching,
): Promise<RunEnd & { view: View }> {
  const display = new RunDisplay(context, asked.project.todoFile, watching);
  const signals = forwardSignals(context);
  try {
    await display.readTitles();
    const opened = await openRun({
      ...asked,
      terminal: context.stdin.isTerminal && context.out.isTerminal,
      hangsUp: context.hangsUp,
      confirm: (question, lines) => display.ask(question, lines),
      onEvent: (event) => {
        display.see(event);
      },
    });
    context.noteLog(opened.folder);
    signals.to(opened);
    const end = await opened.ended;
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
