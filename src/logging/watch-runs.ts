// Lists runs for a command that follows them and asks many times a second: the folder is read only after a change.
import { join } from "node:path";
import { ChangeWatch } from "../system/files/change-watch.js";
import type { Ports } from "../system/ports.js";
import { listRuns } from "./read.js";
import { byStart } from "./run-id.js";

/** Changes of a folder that are this close together may have the same timestamp. */
const GRAIN_MS = 2000;

export interface WatchedRuns {
  /** The newest run's id; `undefined` without runs. */
  newest(): Promise<string | undefined>;
  /** The first run that began after this one, even if this one was removed. */
  after(run: string): Promise<string | undefined>;
}

/** Watches the runs in a log folder; `filter` selects those that count. */
export function watchRuns(
  ports: Pick<Ports, "clock" | "files">,
  logDir: string,
  filter: (runs: readonly string[]) => Promise<readonly string[]> = (all) => Promise.resolve(all),
): WatchedRuns {
  const folder = join(logDir, "runs");
  const changes = new ChangeWatch(ports, async () => {
    const real = await ports.files.realPath(folder);
    return real === undefined ? [] : [{ folder: real }];
  });
  let seen: number | undefined;
  let runs: readonly string[] = [];
  const list = async (): Promise<readonly string[]> => {
    if (!(await changes.changed())) return runs;
    const changed = (await ports.files.stat(folder))?.mtimeMs;
    if (changed === undefined || changed !== seen) runs = await filter(await listRuns(ports, logDir));
    seen = changed === undefined || ports.clock.now() - changed < GRAIN_MS ? undefined : changed;
    return runs;
  };
  return {
    newest: async () => (await list()).at(-1),
    after: async (run) => (await list()).find((one) => byStart(run, one) < 0),
  };
}
