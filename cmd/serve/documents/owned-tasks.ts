// The tasks that a client may see, and the runs that its requests start.
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { isRecord } from "../../../src/system/text/json.js";
import type { Task } from "../../../src/todo/model/task.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import type { ApiCall } from "../route.js";
import { startRun } from "../start-run.js";

const LOOK_AGAIN_MS = 200;

/** The name of the person who made the task over HTTP. */
export function creatorOf({ meta }: Task): string | undefined {
  const creator = isRecord(meta) ? meta["creator"] : undefined;
  return typeof creator === "string" ? creator : undefined;
}

/** Whether the person is the one at this machine, who sees every task. */
export function seesAll({ session, site }: Pick<ApiCall, "session" | "site">): boolean {
  return session.role === "admin" && session.name === nameOfUser(site.context.env);
}

/** Starts a run of the task once the one in progress has ended, and names it. A server that is killed meanwhile leaves the row to the next run. */
export async function startWhenFree({ site, context }: ApiCall, task: string): Promise<string> {
  const { ports } = context;
  const project = await site.project();
  while ((await findLiveRun(ports, project)) !== undefined) await ports.clock.sleep(LOOK_AGAIN_MS);
  return (await startRun(site, [`--task=${task}`])).run;
}
