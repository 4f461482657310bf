// Makes the world of a replay: a temporary repository that only reads the project's objects, the run's first backlog, and a log
// that discards its lines. replay-tree.ts performs the effects in it.
import { basename, dirname, join, relative } from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import type { Records } from "../../src/git/commit/run-refs.js";
import { setHead, checkOutTree } from "./checkout-tree.js";
import { openRepository, type Repository } from "../../src/git/base/repository/repository.js";
import { cloneShared } from "./shared-clone.js";
import { given } from "../../src/system/given.js";
import { markOf } from "../../src/system/processes/mark.js";
import type { RunLog } from "../../src/logging/run-log.js";
import type { Rules } from "../../src/logging/rules.js";
import type { Ports } from "../../src/system/ports.js";
import { openStore } from "../../src/todo/store/store.js";
import type { TimedChanges } from "../../src/todo/model/changes/person-change.js";
import type { Task } from "../../src/todo/model/task.js";
import type { Trusted } from "../../src/loop/perform/ask-trust.js";
import { findOutputs, openTasksFolder } from "../../src/loop/perform/outputs/stage-output.js";
import { createMemory, type World } from "../../src/loop/perform/world.js";

/** Asks, before the gate runs again, which commands of these tasks may run. Throws if none may. */
export type AskTrust = (tasks: readonly Task[]) => Promise<Trusted>;

/** The sources of a replay. */
export interface ReplaySource {
  ports: Ports;
  project: Project;
  /** The project's repository; only read. */
  repo: Repository;
  env: Readonly<Record<string, string>>;
  promptsFolder: string;
}

export interface ReplayWorld {
  world: World;
  repo: Repository;
  /** Edits the task file as an editing command did then, and reports the edit to the store. */
  applyEdits(edits: readonly TimedChanges[]): Promise<void>;
  close(): Promise<void>;
}

/** Makes the world as it was at the run's first checkpoint. Throws a `GitError` if git fails. */
export async function openReplayWorld(
  source: ReplaySource,
  run: { run: string; rules: Rules; head: string | undefined; start: Records["start"] },
  gate: AskTrust | undefined,
): Promise<ReplayWorld> {
  const { ports } = source;
  const made = await ports.files.makeTempFolder("looper-replay-");
  const folder = (await ports.files.realPath(made)) ?? made;
  // Processes that the gate's commands leave running are found by this mark.
  if (gate !== undefined) ports.processes.mark(markOf(folder));
  const close = async (): Promise<void> => {
    // In this process a sweep would also end what a test started beside the replay.
    if (gate !== undefined) await ports.processes.sweep(markOf(folder));
    await ports.files.removeTree(folder);
  };
  try {
    const { world, repo, applyEdits } = await makeWorld(source, { ...run, folder, gate });
    return { world, repo, applyEdits, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface WorldOrder {
  folder: string;
  run: string;
  rules: Rules;
  head: string | undefined;
  start: Records["start"];
  gate: AskTrust | undefined;
}

async function makeWorld(source: ReplaySource, filling: WorldOrder): Promise<Omit<ReplayWorld, "close">> {
  const { ports } = source;
  const { folder, start, head } = filling;
  const [top, home, logDir] = ["tree", "home", "log"].map((name) => join(folder, name));
  if (top === undefined || home === undefined || logDir === undefined) throw new Error("three were made");
  for (const one of [home, logDir]) await ports.files.makeFolder(one, 0o700);
  const own = await cloneShared(source.repo, { folder: top, home });
  const env = { ...source.env, ...own };
  const project = await moveProject(source, filling, { top, folder });
  await ports.files.makeFolder(project.folder, 0o700);
  const exclude = [project.logDir, project.lockDir, project.paths.tasksDir];
  const places = { projectDir: project.folder, todoFile: project.todoFile, exclude, env: own };
  const opened = await openRepository(ports, places);
  if (!opened.ok) throw new Error(`the clone cannot be opened: ${opened.error.message}`);
  // The log has no committer, so the project's is used to get the same commit ids.
  const repo: Repository = { ...opened.value, identity: source.repo.identity };
  await setHead(repo, { head, base: start.base });
  await checkOutTree(repo, { base: start.base, changes: [] });
  await ports.files.makeFolder(dirname(project.todoFile), 0o700);
  await ports.files.writeNew(project.todoFile, start.backlog);
  const lockFolder = join(folder, "lock");
  const unread: TimedChanges[] = [];
  const world: World = {
    ports,
    project,
    log: makeSilentLog(filling.run, logDir),
    check: {},
    store: openStore(ports, project.todoFile, { lockFolder, heard: () => Promise.resolve(unread.splice(0)) }),
    repo,
    configuredAgents: new Map(),
    env,
    promptsFolder: source.promptsFolder,
    began: { at: ports.clock.now(), monotonic: ports.clock.monotonic() },
    trusted: new Set(),
    ...given({ workflows: filling.rules.workflows }),
    memory: createMemory(),
  };
  const read = await world.store.read();
  if (read.kind === "ok") {
    world.memory.backlog = read.backlog;
    await bringOutputs(source, project, read.backlog.tasks);
  }
  // The start was recorded already, with this backlog.
  world.memory.start = { backlog: start.backlog, kept: true };
  const trusted = await filling.gate?.(world.memory.backlog?.tasks ?? []);
  const applyEdits = async (edits: readonly TimedChanges[]): Promise<void> => {
    for (const { at, changes } of edits) {
      const clock = { ...ports.clock, now: () => Date.parse(at) };
      // A refused edit came before the first claim, so the run's first backlog has it already.
      await openStore({ ...ports, clock }, project.todoFile, { lockFolder }).edit(
        () => changes,
        (line) => Promise.resolve(void unread.push(line)),
      );
    }
  };
  return { world: trusted === undefined ? world : { ...world, trusted }, repo, applyEdits };
}

/** Copies the outputs that earlier runs left of these tasks and that are still there, by the digests in their rows. */
async function bringOutputs({ ports, project }: ReplaySource, to: Project, tasks: readonly Task[]) {
  // Where it is, a commit also takes out the outputs of tasks that began again.
  if ((await ports.files.stat(project.paths.tasksDir)) !== undefined)
    await openTasksFolder(ports.files, to.paths.tasksDir);
  for (const [name, from] of await findOutputs(ports, project, tasks)) {
    const bytes = from === undefined ? undefined : await ports.files.read(from);
    if (bytes === undefined) continue;
    const path = join(to.paths.tasksDir, name);
    await ports.files.makeFolder(dirname(path), 0o700);
    await ports.files.writeNew(path, bytes);
  }
}

/** The project with its paths in the clone, and the run's rules in place of today's settings. */
async function moveProject(
  { ports, project, repo }: ReplaySource,
  { rules }: WorldOrder,
  at: { top: string; folder: string },
): Promise<Project> {
  const place = async (file: string, otherwise: string): Promise<string> => {
    const inside = relative(repo.cwd, (await ports.files.realPath(file)) ?? file);
    return inside === ".." || inside.startsWith("../") ? otherwise : join(at.top, inside);
  };
  const { settings } = project.resolved;
  const todoFile = repo.todo?.file ?? project.todoFile;
  const movedFile = await place(todoFile, join(at.folder, "outside", basename(todoFile)));
  return {
    ...project,
    folder: await place(project.folder, at.top),
    todoFile: movedFile,
    realTodoFile: movedFile,
    logDir: await place(project.logDir, join(at.folder, "log")),
    paths: {
      ...project.paths,
      tasksDir: await place(project.paths.tasksDir, join(at.folder, "tasks")),
    },
    lockDir: await place(project.lockDir, join(at.folder, "lock")),
    resolved: {
      ...project.resolved,
      settings: { ...settings, git: { ...settings.git, commit: rules.commit } },
    },
  };
}

function makeSilentLog(run: string, folder: string): RunLog {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    run,
    folder,
    redact: (text) => text,
    seal: (event) => ({ seq: 1, timestamp: new Date(0).toISOString(), ...event }),
    append: nothing,
    tell: nothing,
    tellClean: nothing,
    sync: nothing,
    close: nothing,
  };
}
