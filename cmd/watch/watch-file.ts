// Renders a file again whenever it changes: in place on a terminal, else one rendering after the other.
// Leaves noticing changes to change-watch.ts.
import path from "node:path";
import { ChangeWatch, type WatchedPlace } from "../../src/system/files/change-watch.js";
import type { Files } from "../../src/system/ports.js";
import { UserError } from "../../src/system/errors.js";
import { FullScreen } from "../../src/ui/terminal/full-screen.js";
import { clean, cut } from "../../src/ui/text.js";
import { printLines } from "../lookup/project.js";
import type { CommandContext } from "../context/command-context.js";

/** How often the size of the terminal is compared: this asks nothing of the system. */
const SIZE_EVERY_MS = 200;

/** Runs until a signal. `render` may fail while the file is missing. `json`: the lines are for a program. */
export async function watchFile(
  context: CommandContext,
  file: string,
  { render, json }: { render: () => Promise<readonly string[]>; json: boolean },
): Promise<never> {
  const { ports, out, env } = context;
  const screen = !json && out.isTerminal && env["TERM"] !== "dumb" ? new FullScreen(out) : undefined;
  context.onSignal(() => {
    screen?.leave();
    return false;
  });
  const changes = new ChangeWatch(ports, () => placesOf(ports.files, file));
  let [state, seen, shown] = ["", "", ""];
  for (;;) {
    if (await changes.changed()) state = await stateOf(context, file);
    const now = `${state} ${out.columns()} ${out.rows()}`;
    if (now !== seen) {
      seen = now;
      const lines = await render().catch((error: unknown) =>
        json ? tell(context, error) : [cut(wordsOf(error), out.columns())],
      );
      if (screen !== undefined) await screen.draw(lines);
      else if (lines.join("\n") !== shown) await printLines(out, lines);
      shown = lines.join("\n");
    }
    await changes.wait(SIZE_EVERY_MS);
  }
}

async function stateOf({ ports }: CommandContext, file: string): Promise<string> {
  const stat = await ports.files.stat(file);
  return JSON.stringify([stat?.mtimeMs, stat?.size, stat?.inode]);
}

/** Its folder, where editors replace it, and for a symlink also the folder of the file it leads to. */
async function placesOf(files: Files, file: string): Promise<WatchedPlace[]> {
  const folder = await files.realPath(path.dirname(file));
  if (folder === undefined) return [];
  const own = { folder, entry: path.basename(file) };
  const real = (await files.realPath(file)) ?? file;
  const target = { folder: path.dirname(real), entry: path.basename(real) };
  return path.join(own.folder, own.entry) === real || real === file ? [own] : [own, target];
}

async function tell(context: CommandContext, error: unknown): Promise<[]> {
  await context.report({ level: "error", lines: [`looper: ${wordsOf(error)}`] });
  return [];
}

function wordsOf(error: unknown): string {
  if (error instanceof UserError) return clean(error.message);
  throw error;
}
