// The tasks that a client may see, and the runs that its requests start.
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { isRecord } from "../../../src/system/text/json.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import { readTasks } from "../../lookup/read-tasks.js";
import type { ApiCall } from "../route.js";
import { startRun } from "../start-run.js";

const LOOK_AGAIN_MS = 200;

/**
 * The first of these tasks that is there, if the client may see it: the person at this machine sees all, everyone else those
 * that were made under that name; `open`: also those that were not made over HTTP.
 */
export async function findOwn(call: ApiCall, ids: readonly string[], open = false) {
  const { context, session, site } = call;
  const { tasks } = await readTasks(context, await site.project());
  const [found] = ids.flatMap((id) => tasks.find((task) => task.id === id) ?? []);
  const creator = isRecord(found?.meta) ? found.meta["creator"] : undefined;
  const seesAll = session.role === "admin" && session.name === nameOfUser(site.context.env);
  return seesAll || creator === session.name || (open && typeof creator !== "string") ? found : undefined;
}

/** Starts a run of the task once the one in progress has ended; a killed server leaves it to the next run. */
export async function startWhenFree({ site, context }: ApiCall, task: string): Promise<string> {
  const { ports } = context;
  const project = await site.project();
  while ((await findLiveRun(ports, project)) !== undefined) await ports.clock.sleep(LOOK_AGAIN_MS);
  return (await startRun(site, [`--task=${task}`])).run;
}
