// `looper tail [run]`: prints a run's log, readable or raw, and follows it.
import path from "node:path";
import { EVENT_TYPES } from "../../../src/logging/events/events.js";
import { hasEnded, readLastLines } from "../../../src/logging/last-lines.js";
import { readLines, type RawLine } from "../../../src/logging/read.js";
import { watchRuns, type WatchedRuns } from "../../../src/logging/watch-runs.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { UserError } from "../../../src/system/errors.js";
import { spellOut } from "../../../src/ui/json-text.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { eventLine } from "../../../src/ui/terminal/lines/event-line.js";
import { folderOfRun } from "../../lookup/find-run.js";
import { mustKnowTask } from "../../lookup/must-know-task.js";
import { runFilter } from "../../lookup/own-runs.js";
import { projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** A log that is followed is looked at this often; it is read only where it grew. */
const LOOK_AGAIN_MS = 50;

interface Wish {
  /** As typed; absent: the newest run. */
  run: string | undefined;
  follow: boolean;
  /** Only the last events, this many. */
  last: number | undefined;
  /** Only events of this task. */
  task: string | undefined;
  wanted: (line: RawLine) => boolean;
  show: (line: RawLine) => string;
}

/** Shows the events of a run; with `-f` it waits for more, and for the next run. */
export async function tail(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const wish = readWish(context, typed);
  const project = await projectOf(context);
  const { logDir, todoFile } = project;
  const filter = runFilter(context, project, typed);
  const runs = watchRuns(context.ports, logDir, filter);
  const waits = wish.follow && wish.run === undefined;
  const folder =
    waits && (await runs.newest()) === undefined
      ? undefined
      : await folderOfRun(context, project, wish.run, filter);
  // With -f the task may be added later.
  if (wish.task !== undefined && folder !== undefined && !wish.follow)
    await mustKnowTask(context, wish.task, { folder, todoFile });
  const read = folder === undefined ? 0 : await printWhole(context, folder, wish);
  if (waits) await followAll(context, { logDir, runs }, wish, { folder, read });
  else if (wish.follow && folder !== undefined) await followOne(context, folder, wish, read);
  return "ok";
}

function readWish(context: CommandContext, typed: Typed): Wish {
  const { out } = context;
  const raw = hasFlag(typed, "--raw") || hasFlag(typed, "--json");
  const task = textFlag(typed, "--task");
  // Decisions are shown on request only.
  const decisions = raw || hasFlag(typed, "--decisions");
  const type = toType(textFlag(typed, "--type"));
  const colours = coloursFor(out.colour);
  return {
    run: typed.operands[0],
    follow: hasFlag(typed, "--follow"),
    last: toCount(textFlag(typed, "-n")),
    task,
    wanted: (line) =>
      (task === undefined || line.value["task_id"] === task) &&
      (type === undefined ? decisions || line.type !== "decided" : line.type === type),
    show: (line) => {
      if (raw) return out.isTerminal ? spellOut(line.text) : line.text;
      return eventLine(line.value, { colours, ...(out.isTerminal ? { columns: out.columns() } : {}) });
    },
  };
}

/** Refuses an unknown type, which would wait for ever. */
function toType(given: string | undefined): string | undefined {
  if (given === undefined || EVENT_TYPES.includes(given)) return given;
  const near = nearest(given, EVENT_TYPES);
  const hint = near === undefined ? `known: ${EVENT_TYPES.join(", ")}` : `did you mean ${near}?`;
  throw new UserError("usage", `no event is of the type ${given}`, hint);
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

/** Prints the lines so far; returns how many bytes were read. */
async function printWhole(context: CommandContext, folder: string, wish: Wish): Promise<number> {
  const { last: most, wanted } = wish;
  const last = most === undefined ? undefined : await readLastLines(context.ports, folder, { most, wanted });
  if (last === undefined) return printFrom(context, folder, wish, 0);
  for (const line of last.lines) await context.out.write(`${wish.show(line)}\n`);
  return last.end;
}

/** The folder of a run exists a moment before its log, and may be removed at any time. */
async function printFrom(context: CommandContext, folder: string, wish: Wish, from: number): Promise<number> {
  let read = from;
  for await (const line of readLines(context.ports, folder, from)) {
    read = line.end;
    if (wish.wanted(line)) await context.out.write(`${wish.show(line)}\n`);
  }
  return read;
}

/** Bytes of a run's log; `undefined` where there is none: not yet, or no longer. */
async function sizeOfLog({ ports }: CommandContext, folder: string): Promise<number | undefined> {
  return (await ports.files.stat(path.join(folder, "events.jsonl")))?.size;
}

/** Follows a named run to its end, or until it is removed. */
async function followOne(context: CommandContext, folder: string, wish: Wish, from: number): Promise<void> {
  const { ports, report } = context;
  let read = from;
  for (let seen = -1; ;) {
    // Looked at before the lines are read: all that was written until then is shown.
    const size = await sizeOfLog(context, folder);
    if (size === undefined || size !== seen) {
      const over = await hasEnded(ports, folder);
      const there = (await ports.files.stat(folder)) !== undefined;
      read = await printFrom(context, folder, wish, read);
      if (over) return;
      if (!there)
        return report({
          level: "warn",
          lines: [`looper: the log of run ${path.basename(folder)} was removed`],
        });
      seen = size ?? -1;
    }
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
}

/** Follows the newest run and every later one, until a signal. */
async function followAll(
  context: CommandContext,
  { logDir, runs }: { logDir: string; runs: WatchedRuns },
  wish: Wish,
  place: { folder: string | undefined; read: number },
): Promise<never> {
  const { ports } = context;
  let { folder, read } = place;
  for (let seen = -1; ;) {
    // Look for the next run before reading the rest, so that no line is missed.
    const next = folder === undefined ? await runs.newest() : await runs.after(path.basename(folder));
    const size = folder === undefined ? undefined : await sizeOfLog(context, folder);
    if (folder !== undefined && size !== undefined && size !== seen)
      read = await printFrom(context, folder, wish, read);
    seen = size ?? -1;
    if (next !== undefined) {
      folder = path.join(logDir, "runs", next);
      [read, seen] = [0, -1];
      continue;
    }
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
}
