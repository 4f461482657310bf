// The files of tasks below `tasks_dir` while an agent works: outputs of stages and the task's document belong to the runner, and people
// read them before they answer. Changes by an agent are put back and reported. Leaves the row and its digests to the store.
import { basename, dirname, join, relative } from "node:path";
import { errorCode, errorMessage, isOfTheDisk } from "../../../system/errors.js";
import type { FileStat } from "../../../system/ports.js";
import { listSome } from "../../../system/text/cut.js";
import {
  COPIES,
  parseOutputName,
  readableFile,
  taskFolderName,
} from "../../../workflow/outputs/task-files.js";
import type { JobFacts } from "../../step/effects.js";
import type { World } from "../world.js";
import { LARGEST_OUTPUT } from "./stage-output.js";

type FilesWorld = Pick<World, "ports" | "project" | "memory" | "workflows">;

/** The files as they were before an agent began, by absolute path. */
export interface KeptTaskFiles {
  /** The folder of the job's own task, if it is in a workflow. */
  own: string | undefined;
  files: ReadonlyMap<string, Uint8Array>;
  /** The other entries in the folder of the own task, which a person put there: which file each is, and when it was changed. */
  others: ReadonlyMap<string, string>;
}

/**
 * Reads the files that no agent may change: everything in the folder of the job's own task, and the outputs that the rows of other
 * tasks name. A person may change those of other tasks meanwhile only by new files.
 */
export async function keepTaskFiles(world: FilesWorld, job: JobFacts): Promise<KeptTaskFiles | undefined> {
  const { ports, project, memory, workflows } = world;
  if (workflows === undefined) return undefined;
  const top = project.paths.tasksDir;
  const own = job.stage === undefined ? undefined : join(top, taskFolderName(job.task_id ?? ""));
  const others = (memory.backlog?.tasks ?? [])
    .filter(({ id }) => id !== job.task_id || own === undefined)
    .flatMap(({ progress }) => Object.values(progress?.outputs ?? {}))
    .flatMap(({ file }) => [file, ...Object.values(readableFile(file))])
    .map((file) => join(top, file));
  const names = own === undefined ? [] : await listFolder(world, own);
  const kept = { own, files: new Map<string, Uint8Array>(), others: new Map<string, string>() };
  for (const path of [...names, ...others]) {
    const stat = await ports.files.stat(path, { link: true }).catch(orUnreadable);
    const bytes = isSmallFile(stat) ? await ports.files.read(path).catch(orUnreadable) : undefined;
    if (bytes !== undefined) kept.files.set(path, bytes);
    else if (stat !== undefined) kept.others.set(path, identify(stat));
  }
  return kept;
}

/** A file of one task that cannot be read does not keep others from being done. */
function orUnreadable(error: unknown): undefined {
  if (errorCode(error) === undefined || isOfTheDisk(errorMessage(error))) throw error;
}

/** The paths in a task's folder and in its folder of copies. */
async function listFolder({ ports: { files } }: FilesWorld, folder: string): Promise<string[]> {
  const names = await files.list(folder);
  const copies = await files.list(join(folder, COPIES));
  return [
    ...names.filter((name) => name !== COPIES).map((name) => join(folder, name)),
    ...copies.map((name) => join(folder, COPIES, name)),
  ];
}

/** Puts them back as they were, and warns of what had changed. An agent's own notes beside them stay. */
export async function putTaskFilesBack(
  world: FilesWorld & Pick<World, "log">,
  job: JobFacts,
  kept: KeptTaskFiles | undefined,
): Promise<void> {
  if (kept === undefined) return;
  const { ports, project, log } = world;
  const { files } = ports;
  const changed: string[] = [];
  if (kept.own !== undefined) changed.push(...(await removeForeign(world, kept.own, kept)));
  for (const [path, bytes] of kept.files) {
    const stat = await files.stat(path, { link: true });
    const isSame = isSmallFile(stat) && stat?.size === bytes.length;
    if (isSame && Buffer.compare((await files.read(path)) ?? new Uint8Array(), bytes) === 0) continue;
    if (stat !== undefined && stat.kind !== "file") await files.removeTree(path);
    await files.makeFolder(dirname(path), 0o700);
    await files.writeAtomic(path, bytes, { mode: 0o600 });
    changed.push(path);
  }
  if (changed.length === 0) return;
  const top = project.folder;
  const names = [...new Set(changed)].map((path) => relative(top, path)).sort();
  const who = job.stage === undefined ? "the agent" : `the agent of the stage ${job.stage}`;
  // A person may have changed them as well: nothing tells who it was.
  const message = `files that the runner alone writes were changed while ${who} worked, and were put back: ${listSome(names)}`;
  await log.tell({ type: "warning", ...job, message });
}

/** Removes what is in the way of the runner's next files: outputs that an agent wrote, and links, which would lead a write elsewhere. */
async function removeForeign(
  { ports: { files } }: FilesWorld,
  own: string,
  { files: kept, others }: KeptTaskFiles,
): Promise<string[]> {
  const removed: string[] = [];
  const remove = async (path: string): Promise<void> => {
    await files.removeTree(path);
    removed.push(path);
  };
  for (const folder of [own, join(own, COPIES)]) {
    const kind = (await files.stat(folder, { link: true }))?.kind;
    if (kind !== undefined && kind !== "folder") await remove(folder);
  }
  for (const name of await files.list(own)) {
    const path = join(own, name);
    if (name === COPIES || kept.has(path)) continue;
    const stat = await files.stat(path, { link: true });
    if (stat === undefined || others.get(path) === identify(stat)) continue;
    const isOutput = parseOutputName(basename(name).replace(/\.md$/u, ".json")) !== undefined;
    if (isOutput || (stat.kind !== "file" && stat.kind !== "folder")) await remove(path);
  }
  return removed;
}

function identify({ kind, inode, ctimeMs }: FileStat): string {
  return `${kind} ${String(inode)} ${String(ctimeMs)}`;
}

function isSmallFile(stat: FileStat | undefined): boolean {
  return stat?.kind === "file" && stat.size <= LARGEST_OUTPUT;
}
