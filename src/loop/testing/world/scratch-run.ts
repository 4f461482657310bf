// For tests of effects on the task file: a run in a scratch repository, and people who edit the file beside it.
import path from "node:path";
import { resolveSettings } from "../../../config/read/resolve.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import type { Scratch } from "../../../git/testing/scratch.js";
import type { PersonChange, TimedChanges } from "../../../todo/model/changes/person-change.js";
import type { Task } from "../../../todo/model/task.js";
import { openStore } from "../../../todo/store/store.js";
import { backlog } from "../../../todo/testing/testing.js";
import { createMemory, type World } from "../../perform/world.js";

/** A run that has read the task file. It hears the edits in `told`. */
export interface ScratchRun {
  world: World;
  repo: Repository;
  told: TimedChanges[];
}

const todoFileOf = ({ top }: Scratch): string => path.join(top, "to-do.json");
const lockFolderOf = ({ top }: Scratch): string => path.join(top, ".git", "lock");

/** Saves the file as an editor does. */
export async function saveTodo(scratch: Scratch, ...tasks: Task[]): Promise<void> {
  await scratch.ports.files.writeAtomic(todoFileOf(scratch), JSON.stringify(backlog(...tasks)));
}

/** The parts of a run that effects on the task file need. */
export async function beginRun(scratch: Scratch): Promise<ScratchRun> {
  const { ports } = scratch;
  const told: TimedChanges[] = [];
  const heard = (): Promise<TimedChanges[]> => Promise.resolve(told.splice(0));
  const store = openStore(ports, todoFileOf(scratch), { lockFolder: lockFolderOf(scratch), heard });
  const memory = createMemory();
  const read = await store.read();
  if (read.kind === "ok") memory.backlog = read.backlog;
  const repo = await scratch.open();
  const log = { run: "run-1", sync: () => Promise.resolve() };
  const project = {
    todoFile: todoFileOf(scratch),
    paths: { tasksDir: path.join(scratch.top, "tasks") },
    resolved: resolveSettings({ env: {}, flags: {} }),
  };
  const world: Partial<Record<keyof World, unknown>> = { ports, store, memory, repo, log, project };
  return { world: world as World, repo, told };
}

/** Edits the file as a command does beside the run: announced to it, then written. */
export async function editBeside(
  scratch: Scratch,
  { told }: Pick<ScratchRun, "told">,
  { at, changes }: { at: string; changes: readonly PersonChange[] },
): Promise<void> {
  const clock = { ...scratch.ports.clock, now: () => Date.parse(at) };
  const lockFolder = lockFolderOf(scratch);
  await openStore({ ...scratch.ports, clock }, todoFileOf(scratch), { lockFolder }).edit(
    () => changes,
    (line) => Promise.resolve(void told.push(line)),
  );
}
