// The one place that starts a run: locks, recovery, agents, rules, log; then `drive`. Every command that runs one uses it.
// step.ts decides, and the perform files perform the effects.
import { tryRemoveNewLocks } from "../../git/base/locks.js";
import { type Head, headOf, useBranch } from "../../git/base/repository/head.js";
import { UserError } from "../../system/errors.js";
import { redactorFor } from "../../system/text/secrets/redactor.js";
import { openControl } from "../../logging/control.js";
import { markOf } from "../../system/processes/mark.js";
import { createRunLog, formatStamp, type RunLog } from "../../logging/run-log.js";
import type { Sealed, StepEvent } from "../../logging/events/events.js";
import { openStore } from "../../todo/store/store.js";
import { drive, type Perform, Inbox } from "../step/drive.js";
import { makeBaseEnvironment } from "../perform/environment.js";
import { foldersOf, signLocks, takeRunLocks, type RunLocks } from "../runs/locks.js";
import { perform } from "../perform/perform.js";
import { listenToOthers, TaskFileWatch } from "./listen.js";
import { assemble, findPicker, type Assembly, warnOfHead } from "./assemble.js";
import { placeHidden } from "./before/find-hidden-checks.js";
import { readToldPauses } from "../../logging/earlier-pauses.js";
import { readEarlierResults } from "../runs/earlier-results.js";
import { recoverRun } from "../runs/recover.js";
import { warnOfEdits } from "../runs/edited-while-dead.js";
import type { RunRequest } from "../runs/run-request.js";
import { openNotifier } from "../perform/notify.js";
import { openSharing, shareAndTell } from "../perform/outputs/share-questions.js";
import { createMemory, type Notifier, type RunEnding, type World } from "../perform/world.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { asResult } from "../../git/base/git.js";

/** A run in progress. */
export interface OpenRun extends Pick<RunLog, "run" | "folder" | "redact"> {
  interrupt(signal: "SIGINT" | "SIGTERM" | "SIGHUP"): void;
  /** Rejects with a `UserError` if the log cannot be written, or with an internal error; in both cases nothing is left running. */
  ended: Promise<RunEnd>;
}

export type RunEnd = Pick<RunEnding, "ending" | "signal" | "message">;

/** Starts a run; throws a `UserError` if it cannot start. */
export async function openRun(request: RunRequest): Promise<OpenRun> {
  const { ports, project } = request;
  const assembly = await assemble(request);
  const locks = await takeRunLocks(ports, project, assembly.repo);
  try {
    return await startRun(request, assembly, locks);
  } catch (error) {
    await locks.release();
    throw error;
  }
}

async function startRun(request: RunRequest, assembly: Assembly, locks: RunLocks): Promise<OpenRun> {
  const { ports, project } = request;
  // The processes of a dead run are ended before anything is read.
  const dead = foldersOf(locks.dead);
  const swept = await recoverRun(ports, locks, assembly.repo);
  const edited = await warnOfEdits({ ports, project }, { dead, committed: swept.pending?.task_id });
  // L17: a limit belongs to an agent and its model, so a backoff does not apply once the agent has another model.
  const pauses = (await readToldPauses(ports, project.logDir, ports.clock.now())).filter(
    ({ agent, model }) => assembly.configuredAgents.get(agent)?.settings.model === model,
  );
  const results = await readEarlierResults({ ports, project }, assembly.rules);
  const orNone = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list);
  const recovered = { ...swept, pauses: orNone(pauses), results: orNone(results) };
  // One time for both: the branch of a run has the run's id in its name.
  const startedAt = ports.clock.now();
  const head = assembly.repo === undefined ? undefined : await goToBranch(request, assembly.repo, startedAt);
  const watch = new TaskFileWatch(ports, project.realTodoFile);
  const onEvent = (line: Sealed): void => {
    request.onEvent?.(line);
    watch.see(line);
  };
  const world = await openWorld({ ...request, onEvent }, assembly, { locks, startedAt, head });
  const { log } = world;
  const shared = (await world.share?.({ tells: false })) ?? [];
  const inbox = new Inbox();
  const warnings = [...assembly.warnings, ...edited, ...shared];
  inbox.put(makeRunStarted(request, { ...assembly, head, warnings }, log.run));
  inbox.put(recovered);
  return {
    run: log.run,
    folder: log.folder,
    redact: log.redact,
    interrupt: (signal) => {
      inbox.put({ type: "run_interrupted", signal, terminal: request.hangsUp });
    },
    ended: closeRun(world, locks, () => runToEnd(world, inbox, watch)),
  };
}

/** Opens the log, the store and everything else that effects use. Contract: the locks are held, and dead runs are swept. */
export async function openWorld(
  request: RunRequest,
  assembly: Assembly,
  opening: { locks: RunLocks; startedAt?: number; head?: Head } & Pick<World, "release">,
): Promise<World> {
  const { ports, project } = request;
  const { locks, startedAt, head, release } = opening;
  const env = makeBaseEnvironment(request.env, assembly.envFile);
  const redact = await redactorFor(ports, { ...env, ...assembly.agentEnv });
  const seeing: { notifier?: Notifier } = {};
  const log = await createRunLog(ports, project.logDir, {
    redact,
    startedAt,
    onLine: (line) => {
      request.onEvent?.(line);
      seeing.notifier?.see(line);
    },
  });
  await signLocks(ports, locks, { run: log.run, folder: log.folder });
  const readControl = openControl(ports, log.folder);
  const store = openStore(ports, project.todoFile, {
    lockFolder: project.lockDir,
    run: log.run,
    check: assembly.check,
    heard: async () => (await readControl()).filter((line) => line.type === "edit"),
  });
  // Waits for editing commands that saw no run to report to, and removes the temporary files of killed ones.
  await store.tidy();
  const { check, repo, configuredAgents, trusted } = assembly;
  const { promptsFolder, idea, askPerson, confirm } = request;
  const world: World = {
    ...{ ports, project, log, store, env, check, repo, configuredAgents, trusted, release },
    ...{ promptsFolder, idea, askPerson, head: head?.commit },
    workflows: assembly.rules.workflows,
    ...placeHidden(request, assembly.hidden),
    picker: findPicker(request),
    began: { at: ports.clock.now(), monotonic: ports.clock.monotonic() },
    confirm: confirm && ((question) => confirm(question, [])),
    memory: createMemory(),
  };
  // The network is loaded only by a run that posts.
  seeing.notifier = openNotifier(world, async () => (await import("../../system/network.js")).nodeNetwork());
  return Object.assign(world, { notifier: seeing.notifier, share: openSharing(world) });
}

/** The first line of a run's log. */
export function makeRunStarted(
  request: RunRequest,
  assembly: Assembly & { head: Head | undefined },
  run: string,
): StepEvent {
  const { head, repo } = assembly;
  return {
    type: "run_started",
    run,
    version: request.version,
    project: request.project.folder,
    todo_file: request.project.todoFile,
    rules: assembly.rules,
    agents: assembly.agents,
    git: repo !== undefined,
    head: head?.commit,
    branch: head?.branch,
    warnings: [
      ...request.project.warnings,
      ...assembly.warnings,
      ...(head === undefined || assembly.agents.length === 0 ? [] : warnOfHead(head)),
    ],
  };
}

async function runToEnd(world: World, inbox: Inbox, watch: TaskFileWatch): Promise<RunEnd> {
  const { log, ports } = world;
  const share = world.share && ((): Promise<void> => shareAndTell(world));
  const stopListening = listenToOthers(ports, { folder: log.folder, watch, share }, (event) => {
    inbox.put(event);
  });
  try {
    const doAt: Perform = (effect, at) => perform(setWorldTime(world, at), effect);
    const end = await drive({ log, clock: ports.clock, perform: doAt }, inbox);
    // Stopped attempts have no snapshot, and their git processes may have been killed.
    for (const { checkpoint } of world.memory.jobs.values())
      if (world.repo && checkpoint) await tryRemoveNewLocks(world.repo, checkpoint.locks);
    return { ending: end.ending, signal: end.signal, message: end.message };
  } finally {
    stopListening();
  }
}

/** Waits for the end of a run, then closes its log and releases its locks. */
export async function closeRun<End>(world: World, locks: RunLocks, toEnd: () => Promise<End>): Promise<End> {
  const { log, ports } = world;
  try {
    return await toEnd();
  } catch (error) {
    // The run cannot be logged any more, so all its processes must end.
    for (const running of world.memory.stops.values()) running.abort("kill");
    await ports.processes.sweep(markOf(log.folder));
    if (error instanceof UserError) throw error;
    throw new Error(`run ${log.run} failed; its log is ${log.folder}`, { cause: error });
  } finally {
    await log.close();
    await locks.release();
  }
}

/**
 * The world for an effect decided at `at` (epoch ms): its writes to the backlog and its commits carry that time instead of the
 * current one, so that a replay writes the same bytes.
 */
export function setWorldTime(world: World, at: number): World {
  const { store, repo } = world;
  return {
    ...world,
    store: { ...store, change: (changes, how) => store.change(changes, { ...how, now: at }) },
    // Waits and measurements still use the real clock.
    repo: repo && {
      ...repo,
      ports: { ...repo.ports, clock: { ...repo.ports.clock, now: () => at } },
    },
  };
}

/**
 * Switches to the branch of the settings; returns HEAD. `startedAt`: when the run starts, epoch ms. Contract: the run holds its locks,
 * since another run may work here.
 */
async function goToBranch(
  request: RunRequest,
  repo: Repository,
  startedAt: number,
): Promise<Head | undefined> {
  const { branch } = request.project.resolved.settings.git;
  if (branch !== "current") {
    const name = branch.replaceAll("{run}", formatStamp(startedAt));
    const used = await asResult(() => useBranch(repo, name));
    if (!used.ok) {
      const isMisnamed = used.error.command === "git check-ref-format";
      const hint = isMisnamed
        ? "correct the setting"
        : "commit or stash your changes, or choose another branch";
      throw new UserError(isMisnamed ? "usage" : "environment", `git.branch: ${used.error.message}`, hint);
    }
  }
  const head = await asResult(() => headOf(repo));
  return head.ok ? head.value : undefined;
}
