// Opens a run, hands signals on to it, and lets it be watched to its end. Leaves what is asked for to the commands, and the
// watching to run-display.ts.
import { openRun, type OpenRun, type RunEnd } from "../../src/loop/start/open-run.js";
import type { RunRequest } from "../../src/loop/runs/run-request.js";
import type { View } from "../../src/ui/view/view.js";
import type { Shell, Signal } from "../context/command-context.js";
import { Spectator, type Watching } from "./run-display.js";

/** A run as the commands ask for it; being asked and being watched are added here. */
export type Asked = Omit<RunRequest, "onEvent" | "confirm" | "terminal" | "hangsUp">;

/** Opens the run and watches it to its end. */
export async function watchRun(
  shell: Shell,
  asked: Asked,
  watching: Watching,
): Promise<RunEnd & { view: View }> {
  const spectator = new Spectator(shell, asked.project.todoFile, watching);
  const signals = forwardSignals(shell);
  try {
    await spectator.readTitles();
    const opened = await openRun({
      ...asked,
      terminal: shell.stdin.isTerminal && shell.out.isTerminal,
      hangsUp: shell.hangsUp,
      confirm: (question, lines) => spectator.ask(question, lines),
      onEvent: (event) => {
        spectator.see(event);
      },
    });
    shell.noteLog(opened.folder);
    signals.to(opened);
    const end = await opened.ended;
    await spectator.conclude(opened.folder);
    return { ...end, view: spectator.view };
  } catch (error) {
    const [first] = signals.early;
    if (first === undefined) throw error;
    return { ending: "interrupted", signal: first, view: spectator.view };
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
