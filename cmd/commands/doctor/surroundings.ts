// Checks the environment of a run: node, git, a folder for logs, a system that lists its processes. Finds
// locks and processes of dead runs and sessions; with `fix` both are removed.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { findSandbox } from "../../../src/system/sandbox/bubblewrap.js";
import type { Files } from "../../../src/system/ports.js";
import type { CommandContext } from "../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../src/ui/answers/project/project.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import { readLocks, removeStaleLocks } from "../../../src/git/base/locks.js";
import { openRepository, type Repository } from "../../../src/git/base/repository/repository.js";
import { endKilledSessions, findKilledSessions } from "../../../src/chapo/session/stored-sessions.js";
import { markOf } from "../../../src/system/processes/mark.js";
import { listRuns } from "../../../src/logging/read.js";
import { makeLockPaths } from "../../../src/loop/runs/locks.js";
import { acquireLock, inspectLock } from "../../../src/system/files/lock.js";
import type { LockOwner } from "../../../src/system/files/lock-owner.js";
import { plural } from "../../../src/ui/view/words/amounts.js";

const LEAST_NODE = [20, 19] as const;

export function checkNode({ nodeVersion }: CommandContext): Check {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const old = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  if (!old) return fine("node", nodeVersion);
  return bad("node", `${nodeVersion} is too old`, `install Node ${LEAST_NODE.join(".")} or later`);
}

const GIT_LIMIT_MS = 10_000;

export async function checkGit({ ports, env, cwd }: CommandContext): Promise<Check> {
  const git = await ports.processes.which("git", env["PATH"] ?? "", cwd);
  const without = "without it nothing is committed, and a review cannot be put back";
  if (git === undefined) return warning("git", `not on PATH: ${without}`, "install git");
  const { end, stdout } = await ports.processes.run(
    { command: git, args: ["--version"], cwd, env },
    { timeoutMs: GIT_LIMIT_MS },
  );
  if (end.how !== "exited" || end.code !== 0)
    return bad("git", `${git} does not answer`, "mend the installation of git");
  return fine(
    "git",
    Buffer.from(stdout)
      .toString("utf8")
      .trim()
      .replace(/^git version /, ""),
  );
}

export async function checkLogFolder(
  { ports: { files } }: CommandContext,
  { logDir }: Project,
): Promise<Check> {
  const there = await nearestFolder(files, logDir);
  if (await files.writable(there)) return fine("log folder", logDir);
  return bad(
    "log folder",
    `${there} cannot be written`,
    "make it writable, or set log_dir to another folder",
  );
}

export async function checkContainment({ ports }: CommandContext): Promise<Check> {
  const containment = await ports.processes.containment();
  if (containment.by === "namespace")
    return fine("containment", "nothing outlives an agent: each has a PID namespace of its own");
  if ((await ports.processes.identity()).started !== "")
    return fine(
      "containment",
      `what an agent leaves behind is found by its parents and its mark; what hides both is not (no PID namespace: ${containment.why})`,
    );
  return warning(
    "containment",
    "this system does not tell of its processes (no /proc): what an agent leaves behind in a session of its own is not found",
    "look for such processes yourself after a run was killed",
  );
}

/** Whether the shell of Chapo can be put into a sandbox: an error if not, where the settings want it. */
export async function checkSandbox({ ports, env }: CommandContext, project?: Project): Promise<Check> {
  const agents = Object.entries(project?.resolved.settings.agents ?? {});
  const wanting = agents.flatMap(([name, { chapo }]) =>
    chapo.sandbox ? [`agents.${name}.chapo.sandbox`] : [],
  );
  const sandbox = await findSandbox(ports.processes, env);
  if ("found" in sandbox)
    return fine(
      "sandbox",
      `works here (${sandbox.found}): agents.<name>.chapo.sandbox puts Chapo's shell into it`,
    );
  if (wanting.length === 0) return fine("sandbox", `not available, and no agent uses it: ${sandbox.missing}`);
  return bad("sandbox", `${wanting.join(", ")} is true, but ${sandbox.missing}`, sandbox.hint);
}

/** The folder, or the nearest one above it that is there. */
async function nearestFolder(files: Files, folder: string): Promise<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await files.stat(at)) !== undefined || at === path.dirname(at)) return at;
  }
}

/** Older runs than these had later ones after them, which swept. */
const LATEST_RUNS = 20;

interface FoundLock {
  file: string;
  owner: LockOwner;
  gone: boolean;
}

/** Looks at locks and leftover processes; mends what can be mended when `fix` is set. */
export async function checkLeftovers(
  context: CommandContext,
  project: Project,
  fix: boolean,
): Promise<Check[]> {
  const opened = await openRepository(context.ports, makeRepositoryPlaces({ project, env: context.env }));
  const repo = opened.ok ? opened.value : undefined;
  const locks = await findLocks(context, project, repo);
  // Processes first: a lock that is gone lets the next run begin.
  const processes = await checkProcesses(context, project, locks, fix);
  const own = locks.length === 0 ? [fine("lock", "no run in progress")] : [];
  for (const lock of locks) own.push(await checkLock(context, lock, repo, fix));
  const isRunning = locks.some(({ gone }) => !gone);
  // A run does without a repository, but not with one that git refuses.
  const refused = opened.ok || opened.error.why !== "unusable" ? [] : [opened.error.message];
  const broken = refused.map((message) => bad("repository", message, "fix the repository, then run again"));
  const git = repo === undefined || isRunning ? broken : [await checkGitLocks(repo)];
  return [...own, ...git, processes];
}

async function findLocks({ ports }: CommandContext, project: Project, repo: Repository | undefined) {
  const { lockDir } = project;
  const own = makeLockPaths(project, repo?.gitDir);
  const names = (await ports.files.list(lockDir)).filter((name) => !name.startsWith("."));
  const found: FoundLock[] = [];
  for (const file of new Set([...own, ...names.map((name) => path.join(lockDir, name))])) {
    const held = await inspectLock(ports, file);
    if (held !== undefined) found.push({ file, ...held });
  }
  return found;
}

async function checkLock(
  { ports }: CommandContext,
  { file, owner, gone }: FoundLock,
  repo: Repository | undefined,
  fix: boolean,
): Promise<Check> {
  const who =
    owner.token === "" ? "an unknown process" : `pid ${owner.pid} on ${owner.host}, since ${owner.since}`;
  const run = owner.run === undefined ? "" : ` (run ${owner.run})`;
  const which = nameOf(file);
  if (!gone) return fine("lock", `${which}: held by ${who}${run}`);
  const what = `${which}: ${file} is left of ${who}${run}, which is gone`;
  if (!fix) return warning("lock", what, "looper doctor --fix removes it; so does the next run");
  // Taking the lock over cannot remove a lock that another process has just taken.
  const taken = await acquireLock(ports, file, {}, { waitMs: 0 });
  if ("heldBy" in taken)
    return fine("lock", `${which}: held by pid ${taken.heldBy.pid} since ${taken.heldBy.since}`);
  const since = Date.parse(owner.since);
  const removed = repo === undefined || Number.isNaN(since) ? [] : await removeStaleLocks(repo, { since });
  await taken.held.forgetDead();
  await taken.held.release();
  const git = removed.length === 0 ? "" : `, with dead git locks: ${removed.join(", ")}`;
  return fine("lock", `${which}: removed ${file}, left of ${who}${run}${git}`);
}

/** Those of a dead run are gone by now where they were to be mended. */
async function checkGitLocks(repo: Repository): Promise<Check> {
  const paths = [...(await readLocks(repo)).keys()];
  if (paths.length === 0) return fine("git locks", "none");
  return warning(
    "git locks",
    `a git is at work here, or one that was killed left ${paths.join(", ")}`,
    "once no git runs here, remove them; the next run removes those of a run that was killed",
  );
}

/** A run holds two: one on its task file, one on the tree it works in. */
function nameOf(file: string): string {
  const name = path.basename(file);
  return name === "tree.run" || name === "looper-run.lock.json"
    ? "tree"
    : `backlog ${name.replace(/\.run$/, "")}`;
}

async function checkProcesses(
  { ports }: CommandContext,
  project: Project,
  locks: readonly FoundLock[],
  fix: boolean,
): Promise<Check> {
  const foldersOf = (gone: boolean): string[] =>
    locks.flatMap((lock) =>
      lock.gone !== gone || lock.owner.folder === undefined ? [] : [lock.owner.folder],
    );
  const alive = new Set(foldersOf(false));
  const logged = (await listRuns(ports, project.logDir))
    .slice(-LATEST_RUNS)
    .map((run) => path.join(project.logDir, "runs", run));
  const dead = [...new Set([...foldersOf(true), ...logged])].filter((folder) => !alive.has(folder));
  const left: { folder: string; pids: number[] }[] = [];
  for (const folder of dead) {
    const pids = await ports.processes.marked(markOf(folder));
    if (pids.length > 0) left.push({ folder, pids });
  }
  const named = (pids: readonly number[], of: string): string =>
    `${plural(pids.length, "process", "processes")} of ${of} (${pids.join(", ")})`;
  const shown = left.map(({ folder, pids }) => named(pids, `run ${path.basename(folder)}`));
  const sessions = { ports, folder: path.join(project.folder, ".looper", "sessions") };
  for (const { id, pids } of await findKilledSessions(sessions))
    shown.push(named(pids, `the Chapo session ${id}`));
  if (shown.length === 0) return fine("leftovers", "no process of a dead run is found");
  if (!fix) return bad("leftovers", `still running: ${shown.join("; ")}`, "looper doctor --fix ends them");
  const stubborn = await endKilledSessions(sessions);
  for (const { folder } of left) stubborn.push(...(await ports.processes.sweep(markOf(folder))).left);
  if (stubborn.length === 0) return fine("leftovers", `ended ${shown.join("; ")}`);
  return bad("leftovers", `could not be ended: ${stubborn.join(", ")}`, "end them yourself");
}
