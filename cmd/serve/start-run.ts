// Starts a run as a process of its own, which outlives the server. Leaves what is asked of it to the routes.
import { findStateFolder } from "../../src/config/read/places.js";
import { isTrusted } from "../../src/config/trust/trust-store.js";
import { readTrust } from "../../src/config/trust/trust.js";
import { listRuns } from "../../src/logging/read.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { findWorkflowsInUse } from "../../src/loop/start/find-workflows-in-use.js";
import { startProgram } from "../../src/system/processes/child.js";
import { runPlaceOf } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";
import { ApiError } from "./api-error.js";
import type { ApiCall, Site } from "./route.js";

/** How long a run may take to say which it is. */
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 50;
const FREE_AGAIN_MS = 200;
/** Letters of what it printed that are told when it could not start. */
const MOST_TOLD = 4_000;

/** Starts `looper run` with these words; resolves once the run names itself in the lock. */
export async function startRun(site: Site, words: readonly string[]): Promise<{ run: string; pid: number }> {
  const { context } = site;
  const { ports, self, env, home } = context;
  const project = await site.project();
  const live = await findLiveRun(ports, project);
  if (live !== undefined) throw runningAlready(live.run);
  const isDrafted = words.some((word) => word.startsWith("--prompt="));
  const { tasks } = isDrafted ? { tasks: [] } : await readTasks(context, project);
  const open = tasks.filter(({ status }) => status !== "done");
  const inUse = await findWorkflowsInUse(runPlaceOf(context, project), open);
  const place = { files: ports.files, project: inUse.project, env, home };
  const lines = await readTrust(place, open, inUse.own);
  if (!(await isTrusted(ports.files, findStateFolder(env, home), { project: project.folder, lines })))
    throw new ApiError(409, "untrusted", "the project names commands that are not approved", {
      lines: lines.map(({ what, value }) => ({ what, value })),
      hint: "approve them at a terminal, where looper run asks",
    });
  const before = new Set(await listRuns(ports, project.logDir));
  const child = startProgram(self.command, [...self.args, "run", "--quiet", ...words], {
    cwd: project.folder,
    env,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  // A run whose reader is gone continues without it.
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString("utf8")).slice(-MOST_TOLD)));
  const ended = { code: undefined as number | null | undefined };
  void child.exited.then(
    ({ code }) => (ended.code = code),
    () => (ended.code = null),
  );
  const pid = child.pid ?? 0;
  for (const until = ports.clock.now() + PATIENCE_MS; ports.clock.now() < until;) {
    const isOver = ended.code !== undefined;
    const found = await findLiveRun(ports, project);
    if (found?.pid === pid) return { run: found.run, pid };
    if (isOver) {
      // A short run has come and gone.
      const run = (await listRuns(ports, project.logDir)).findLast((one) => !before.has(one));
      if (found !== undefined) throw runningAlready(found.run);
      if (run !== undefined) return { run, pid };
      throw new ApiError(422, "start", "the run did not start", { exit_code: ended.code, stderr });
    }
    await ports.clock.sleep(LOOK_AGAIN_MS);
  }
  throw new ApiError(504, "start", "the run has not begun yet", { pid });
}

function runningAlready(run: string): ApiError {
  return new ApiError(409, "running", `run ${run} is in progress`, { run });
}

/** Starts a run of the task once the one in progress has ended, if it is still wanted; a killed server leaves it to the next run. */
export async function startWhenFree(
  { site }: ApiCall,
  task: string,
  isWanted = () => true,
): Promise<unknown> {
  const { ports } = site.context;
  const project = await site.project();
  while ((await findLiveRun(ports, project)) !== undefined) await ports.clock.sleep(FREE_AGAIN_MS);
  return isWanted() ? (await startRun(site, [`--task=${task}`])).run : undefined;
}
