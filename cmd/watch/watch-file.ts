// Renders something again whenever it changes: in place on a terminal, else one rendering after the other.
import { UserError } from "../../src/system/errors.js";
import { FullScreen } from "../../src/ui/terminal/screen.js";
import { clean, cut } from "../../src/ui/text.js";
import { printLines } from "../lookup/project.js";
import type { CommandContext } from "../context/command-context.js";

const LOOK_AGAIN_MS = 200;

interface Shown {
  /** May fail while a file is missing. */
  render: () => Promise<readonly string[]>;
  /** The lines are for a program. */
  json: boolean;
}

/** Renders a file until a signal. */
export function watchFile(context: CommandContext, file: string, shown: Shown): Promise<never> {
  return watchState(context, () => stateOf(context, file), shown);
}

/** Renders until a signal, whenever `state` says something else. */
export async function watchState(
  context: CommandContext,
  state: () => Promise<string>,
  { render, json }: Shown,
): Promise<never> {
  const { ports, out, env } = context;
  const screen = !json && out.isTerminal && env["TERM"] !== "dumb" ? new FullScreen(out) : undefined;
  context.onSignal(() => {
    screen?.leave();
    return false;
  });
  let [seen, shown] = ["", ""];
  for (;;) {
    const now = `${await state()} ${out.columns()} ${out.rows()}`;
    if (now !== seen) {
      seen = now;
      const lines = await render().catch((error: unknown) =>
        json ? tell(context, error) : [cut(wordsOf(error), out.columns())],
      );
      if (screen !== undefined) await screen.draw(lines);
      else if (lines.join("\n") !== shown) await printLines(out, lines);
      shown = lines.join("\n");
    }
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
}

export async function stateOf({ ports }: CommandContext, file: string): Promise<string> {
  const stat = await ports.files.stat(file);
  return JSON.stringify([stat?.mtimeMs, stat?.size, stat?.inode]);
}

async function tell(context: CommandContext, error: unknown): Promise<[]> {
  await context.report({ level: "error", lines: [`looper: ${wordsOf(error)}`] });
  return [];
}

function wordsOf(error: unknown): string {
  if (error instanceof UserError) return clean(error.message);
  throw error;
}
