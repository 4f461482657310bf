// `looper tail [run]`: a run's log, readable or raw, and what is added to it.
import path from "node:path";
import { findRun, readLines, type RawLine } from "../../src/logging/read.js";
import { UserError } from "../../src/system/errors.js";
import { coloursFor } from "../../src/ui/terminal/colours.js";
import { eventLine } from "../../src/ui/terminal/event-line.js";
import { folderOfRun } from "../find-run.js";
import { projectOf } from "../project.js";
import { hasFlag, textFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

const LOOK_AGAIN_MS = 100;

interface Wish {
  /** As typed; the newest run without it. */
  run: string | undefined;
  follow: boolean;
  /** Only the last so many. */
  last: number | undefined;
  wanted: (line: RawLine) => boolean;
  show: (line: RawLine) => string;
}

/** Shows the events of a run; with `-f` it waits for more, and for the next run. */
export async function tail(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const wish = readWish(shell, typed);
  const { logDir } = await projectOf(shell);
  const begun = wish.follow
    ? await findRun(shell.ports, logDir, wish.run)
    : await folderOfRun(shell, logDir, wish.run);
  const folder = begun ?? (wish.run === undefined ? undefined : await folderOfRun(shell, logDir, wish.run));
  const read = folder === undefined ? 0 : await printWhole(shell, folder, wish);
  if (wish.follow) await follow(shell, logDir, wish, { folder, read });
  return "ok";
}

function readWish(shell: Shell, typed: Typed): Wish {
  const { out } = shell;
  const raw = hasFlag(typed, "--raw") || hasFlag(typed, "--json");
  const task = textFlag(typed, "--task");
  const type = textFlag(typed, "--type");
  const colours = coloursFor(out.colour);
  return {
    run: typed.operands[0],
    follow: hasFlag(typed, "-f"),
    last: toCount(textFlag(typed, "-n")),
    wanted: (line) =>
      (task === undefined || line.value["task_id"] === task) && (type === undefined || line.type === type),
    show: (line) => {
      if (raw) return line.text;
      return eventLine(line.value, { colours, ...(out.isTerminal ? { columns: out.columns() } : {}) });
    },
  };
}

function toCount(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UserError(
    "usage",
    `-n is ${given}; allowed: a whole number, at least 0`,
    "e.g. looper tail -n 20",
  );
}

/** Prints what is there; answers how many bytes were read. */
async function printWhole(shell: Shell, folder: string, wish: Wish): Promise<number> {
  const { last } = wish;
  if (last === undefined || (await shell.ports.files.stat(logOf(folder))) === undefined)
    return printFrom(shell, folder, wish, 0);
  let read = 0;
  const kept: RawLine[] = [];
  for await (const line of readLines(shell.ports, folder)) {
    read = line.end;
    if (!wish.wanted(line)) continue;
    kept.push(line);
    if (kept.length > 2 * last + 100) kept.splice(0, kept.length - last);
  }
  for (const line of last === 0 ? [] : kept.slice(-last)) await shell.out.write(`${wish.show(line)}\n`);
  return read;
}

async function printFrom(shell: Shell, folder: string, wish: Wish, from: number): Promise<number> {
  let read = from;
  // The folder of a run is there a moment before its log is.
  if ((await shell.ports.files.stat(logOf(folder))) === undefined) return read;
  for await (const line of readLines(shell.ports, folder, from)) {
    read = line.end;
    if (wish.wanted(line)) await shell.out.write(`${wish.show(line)}\n`);
  }
  return read;
}

/** A run that was named is followed to its end; else the newest one is, whichever that is. Only a signal ends that. */
async function follow(
  shell: Shell,
  logDir: string,
  wish: Wish,
  place: { folder: string | undefined; read: number },
): Promise<void> {
  const { ports } = shell;
  let { folder, read } = place;
  for (;;) {
    // Looked at before the lines are read: what was written until then is shown in any case.
    const newest = wish.run === undefined ? await findRun(ports, logDir) : folder;
    const over = folder !== undefined && wish.run !== undefined && (await hasEnded(shell, folder));
    if (folder !== undefined) read = await printFrom(shell, folder, wish, read);
    if (over) return;
    if (newest !== folder) {
      folder = newest;
      read = 0;
      continue;
    }
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
}

function logOf(folder: string): string {
  return path.join(folder, "events.jsonl");
}

const LAST_LINE = 4096;

async function hasEnded({ ports: { files } }: Shell, folder: string): Promise<boolean> {
  const file = logOf(folder);
  const size = (await files.stat(file))?.size;
  if (size === undefined) return false;
  const bytes = await files.readRange(file, Math.max(0, size - LAST_LINE), LAST_LINE);
  return Buffer.from(bytes).toString("utf8").includes('"type":"run_ended"');
}
