// The folders of past runs as things on disk: which there are, how big, and taking one away so that nobody who is killed midway
// leaves half a run. No symlink is followed, nothing that is no run is touched. Leaves which ones go to the loop.
import { basename, join } from "node:path";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { listRuns } from "./read.js";
import { byStart, RUN_ID } from "./run-id.js";

type FilePorts = Pick<Ports, "files">;

/** What lies where runs are kept. */
export interface RunFolders {
  /** Ids, the oldest first. */
  runs: string[];
  /** Ids of runs that somebody began to remove. */
  going: string[];
  /** Names of what is no run. */
  others: string[];
}

/** No reader takes such a name for a run. */
const GOING = ".gone-";

/** Looks at every name, and into no log. Where the folder of all runs is a symlink nothing in it is listed. */
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

/** A run has a log, or nothing at all: it was killed before its first line. */
async function isRun({ files }: FilePorts, folder: string): Promise<boolean> {
  const [log] = await files.tree(folder).look([LOG]);
  return log === undefined ? (await files.list(folder)).length === 0 : log.kind === "file";
}

const LOG = "events.jsonl";

/** Bytes of all files below a folder. */
export async function sizeOf({ files }: FilePorts, folder: string): Promise<number> {
  const tree = files.tree(folder);
  const found = (await tree.walk("", () => true)).filter(({ kind }) => kind === "file");
  const looked = await tree.look(found.map(({ path }) => path));
  return looked.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

/** Takes a run from all its readers, in one step; no when somebody else did. */
export async function takeAway({ files }: FilePorts, logDir: string, run: string): Promise<boolean> {
  try {
    await files.rename(join(logDir, "runs", run), goingFolder(logDir, run));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes what is left of a run that was taken away. */
export function removeGoing({ files }: FilePorts, logDir: string, run: string): Promise<void> {
  return files.removeTree(goingFolder(logDir, run));
}

function goingFolder(logDir: string, run: string): string {
  return join(logDir, "runs", `${GOING}${run}`);
}

/** Where `last` names a run that is gone, it names the newest there is, or nothing. */
export async function mendLast({ files }: FilePorts, logDir: string): Promise<void> {
  const last = join(logDir, "last");
  if ((await files.stat(last, { link: true }))?.kind !== "symlink") return;
  const run = basename((await files.readLink(last)) ?? "");
  const runs = await listRuns({ files }, logDir);
  const newest = runs.at(-1);
  if (!RUN_ID.test(run) || runs.includes(run)) return;
  if (newest === undefined) await files.remove(last);
  else await files.symlink(join("runs", newest), last);
}
