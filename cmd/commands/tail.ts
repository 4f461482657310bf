// `looper tail [run]`: prints a run's log, readable or raw, and follows it.
import path from "node:path";
import { Option } from "commander";
import { EVENT_TYPES } from "../../src/logging/events/events.js";
import { hasEnded, readLastLines } from "../../src/logging/last-lines.js";
import { readLines, type RawLine } from "../../src/logging/read.js";
import { watchRuns, type WatchedRuns } from "../../src/logging/watch-runs.js";
import { filterOwnRuns } from "../../src/loop/runs/own-runs.js";
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { hintOnTask } from "../../src/todo/change/person-edits.js";
import { spellOut } from "../../src/ui/json-text.js";
import { eventLine } from "../../src/ui/terminal/lines/event-line.js";
import { RUN, type WorkingCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readCount } from "../context/words.js";
import { folderOfRun } from "../lookup/find-run.js";
import { lookOf, projectOf, warn } from "../lookup/project.js";
import { tasksIn } from "../lookup/read-tasks.js";

/** A log that is followed is looked at this often; it is read only where it grew. */
const LOOK_AGAIN_MS = 50;

interface Request {
  run?: string;
  follow?: true;
  n?: string;
  task?: string;
  type?: string;
  decisions?: true;
  raw?: true;
  json?: true;
}

/** Shows the events of a run; with `-f` it waits for more, and for the next run. */
export const command: WorkingCommand<Request> = {
  arguments: [RUN],
  options: [
    new Option("-f, --follow", "wait for more events, also of the next run"),
    new Option("-n <n>", "only the last n events"),
    new Option("--task <id>", "only events of this task"),
    new Option("--type <type>", "only events of this type"),
    new Option("--decisions", "also show each decision and its reason"),
    new Option("--raw", "print the JSON lines of the log"),
    new Option("--json", "the same as --raw"),
  ],
  examples: [
    ["looper tail -n 20 --task T3", "show the last 20 events of T3"],
    [
      "looper tail --raw --type usage | jq -s 'map(.output_tokens) | add'",
      "sum the output tokens of the run",
    ],
  ],
  work: async (context, request) => {
    const wish = readWish(context, request);
    const project = await projectOf(context);
    const { logDir, todoFile } = project;
    const { ports } = context;
    const runs = watchRuns(ports, logDir, (all) => filterOwnRuns({ ports, project }, all));
    const waits = wish.follow && wish.run === undefined;
    const folder =
      waits && (await runs.newest()) === undefined
        ? undefined
        : await folderOfRun(context, project, wish.run);
    // With -f the task may be added later.
    if (wish.task !== undefined && folder !== undefined && !wish.follow)
      await mustKnowTask(context, wish.task, { folder, todoFile });
    const read = folder === undefined ? 0 : await printWhole(context, folder, wish);
    if (wish.follow) await followRuns(context, { logDir, runs }, wish, { folder, read });
    return "ok";
  },
};

type Wish = ReturnType<typeof readWish>;

/** `run`: as typed; absent: the newest. `last`: only so many of the last events. */
function readWish({ out }: CommandContext, request: Request) {
  const { run, follow = false, task, type } = request;
  const raw = request.raw === true || request.json === true;
  // Decisions are shown on request only.
  const decisions = raw || request.decisions === true;
  // An unknown type would wait for ever.
  if (type !== undefined && !EVENT_TYPES.includes(type)) {
    const hint = hintOn(type, EVENT_TYPES, `known: ${EVENT_TYPES.join(", ")}`);
    throw usageError(`no event is of the type ${type}`, hint);
  }
  return {
    run,
    follow,
    last: readCount("-n", request.n, "looper tail -n 20"),
    task,
    wanted: (line: RawLine): boolean =>
      (task === undefined || line.value["task_id"] === task) &&
      (type === undefined ? decisions || line.type !== "decided" : line.type === type),
    show: (line: RawLine): string => {
      if (raw) return out.isTerminal ? spellOut(line.text) : line.text;
      return eventLine(line.value, lookOf(out));
    },
  };
}

/** A task that is neither in the task file nor in the run, which may be older, is a `usage` error. */
async function mustKnowTask(
  { ports }: CommandContext,
  id: string,
  { folder, todoFile }: { folder: string; todoFile: string },
): Promise<void> {
  // A task file that cannot be read says nothing for or against it.
  const tasks = tasksIn(await ports.files.read(todoFile).catch(() => undefined));
  if (tasks.some((task) => task.id === id)) return;
  for await (const line of readLines(ports, folder)) if (line.value["task_id"] === id) return;
  throw usageError(`there is no task ${id}, now or in this run`, hintOnTask(tasks, id));
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

/** Follows a named run until it ends or is removed; else the newest and every later one, until a signal. */
async function followRuns(
  context: CommandContext,
  { logDir, runs }: { logDir: string; runs: WatchedRuns },
  wish: Wish,
  place: { folder: string | undefined; read: number },
): Promise<void> {
  const { ports } = context;
  const isNamed = wish.run !== undefined;
  let { folder, read } = place;
  for (let seen = -1; ;) {
    // Looked at before the lines are read: all that was written until then is shown.
    const after = folder === undefined ? await runs.newest() : await runs.after(path.basename(folder));
    const next = isNamed ? undefined : after;
    // The log is not there yet, or no longer.
    const log = folder === undefined ? undefined : await ports.files.stat(path.join(folder, "events.jsonl"));
    const size = log?.size;
    if (folder !== undefined && size !== seen) {
      const over = isNamed && (await hasEnded(ports, folder));
      const there = (await ports.files.stat(folder)) !== undefined;
      read = await printFrom(context, folder, wish, read);
      if (over) return;
      if (isNamed && !there) return warn(context, `the log of run ${path.basename(folder)} was removed`);
    }
    seen = size ?? -1;
    if (next === undefined) await ports.clock.sleep(LOOK_AGAIN_MS);
    else [folder, read, seen] = [path.join(logDir, "runs", next), 0, -1];
  }
}
