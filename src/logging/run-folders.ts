// Lists, measures and removes the folders of past runs. A removal that is killed halfway never leaves half a run.
// Symlinks are not followed, and only runs are touched. The loop selects the runs to remove.
import { basename, join } from "node:path";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { listRuns } from "./read.js";
import { byStart, RUN_ID } from "./run-id.js";

type FilePorts = Pick<Ports, "files">;

/** The contents of the folder of runs. */
export interface RunFolders {
  /** Ids, the oldest first. */
  runs: string[];
  /** Ids of runs whose removal has begun. */
  going: string[];
  /** Names of entries that are not runs. */
  others: string[];
}

/** The prefix of a run that is being removed; readers ignore such names. */
const GOING = ".gone-";

/** Lists the folders without reading a log. If the folder of runs is a symlink, nothing in it is listed. */
export async function listRunFolders({ files }: FilePorts, logDir: string): Promise<RunFolders> {
  const found: RunFolders = { runs: [], going: [], others: [] };
  const top = join(logDir, "runs");
  if ((await files.stat(top, { link: true }))?.kind !== "folder") return found;
  const names = await files.list(top);
  const looked = await files
    .tree(top)
    .look(names.map((name) => Buffer.from(name, "utf8").toString("latin1")));
  for (const [at, name] of names.entries()) {
    const run = name.startsWith(GOING) ? name.slice(GOING.length) : name;
    const known = looked[at]?.kind === "folder" && RUN_ID.test(run);
    if (known && run !== name) found.going.push(run);
    else if (known && (await isRun({ files }, join(top, name)))) found.runs.push(name);
    else found.others.push(name);
  }
  found.runs.sort(byStart);
  return found;
}

/** A run's folder has a log, or is empty because the run was killed before its first line. */
async function isRun({ files }: FilePorts, folder: string): Promise<boolean> {
  const [log] = await files.tree(folder).look([LOG]);
  return log === undefined ? (await files.list(folder)).length === 0 : log.kind === "file";
}

const LOG = "events.jsonl";

/** Sums the sizes of all files below a folder. */
export async function measureFolder({ files }: FilePorts, folder: string): Promise<number> {
  const tree = files.tree(folder);
  const found = (await tree.walk("", () => true)).filter(({ kind }) => kind === "file");
  const looked = await tree.look(found.map(({ path }) => path));
  return looked.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

/** Renames a run so that readers no longer see it, in one step; false if another process did it first. */
export async function takeAway({ files }: FilePorts, logDir: string, run: string): Promise<boolean> {
  try {
    await files.rename(join(logDir, "runs", run), goingFolder(logDir, run));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes the folder of a run that was renamed by `takeAway`. */
export function removeGoing({ files }: FilePorts, logDir: string, run: string): Promise<void> {
  return files.removeTree(goingFolder(logDir, run));
}

function goingFolder(logDir: string, run: string): string {
  return join(logDir, "runs", `${GOING}${run}`);
}

/** If `last` links to a removed run, links it to the newest one, or removes it without runs. */
export async function repairLastLink({ files }: FilePorts, logDir: string): Promise<void> {
  const last = join(logDir, "last");
  if ((await files.stat(last, { link: true }))?.kind !== "symlink") return;
  const run = basename((await files.readLink(last)) ?? "");
  const runs = await listRuns({ files }, logDir);
  const newest = runs.at(-1);
  if (!RUN_ID.test(run) || runs.includes(run)) return;
  if (newest === undefined) await files.remove(last);
  else await files.symlink(join("runs", newest), last);
}
