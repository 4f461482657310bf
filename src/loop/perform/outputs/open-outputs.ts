// The outputs of open tasks, as the commit at the end of a run holds them: so a clone can read what a question shows, and answer it.
import { join } from "node:path";
import type { Project } from "../../../config/project/open-project.js";
import type { TravellingOutputs } from "../../../git/commit/commit.js";
import type { Files } from "../../../system/ports.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import type { Task } from "../../../todo/model/task.js";
import { copyOfOutput, readableFile, taskFolderName } from "../../../workflow/outputs/task-files.js";
import type { StageOutput } from "../../../workflow/progress.js";
import { IGNORES_ALL } from "./stage-output.js";

/** The outputs that the row of an open task names, the one of an answer that no run has taken among them. */
function listOutputs({ status, progress }: Task): StageOutput[] {
  if (status === "done" || progress === undefined) return [];
  const edited = progress.answer?.edited;
  return [...Object.values(progress.outputs ?? {}), ...(edited === undefined ? [] : [edited])];
}

/** The outputs of these tasks that a commit is to hold; `undefined`: no task was in a stage here, or the folder's own `.gitignore` says that a person decides. */
export async function collectOutputs(
  { files }: { files: Files },
  { paths }: Pick<Project, "paths">,
  tasks: readonly Task[],
): Promise<TravellingOutputs | undefined> {
  const folder = paths.tasksDir;
  const ignored = await files.read(join(folder, ".gitignore"));
  const isByPerson = ignored !== undefined && Buffer.from(ignored).toString("utf8") !== IGNORES_ALL;
  if (isByPerson || (await files.stat(folder)) === undefined) return undefined;
  // Another task file in the same tree has tasks of its own.
  const owned = new Set(tasks.map(({ id }) => taskFolderName(id)));
  return { folder, owned, files: await findOutputs({ files }, { paths }, tasks) };
}

/** The outputs of open tasks by their place below the folder, and where their content is, as it was reported. */
export async function findOutputs(
  { files }: { files: Pick<Files, "read" | "stat"> },
  { paths: { tasksDir: folder } }: Pick<Project, "paths">,
  tasks: readonly Task[],
): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for (const output of tasks.flatMap(listOutputs)) {
    const { readable, copy } = readableFile(output.file);
    found.set(
      output.file,
      await findSource(files, folder, [copyOfOutput(output), output.file], output.sha256),
    );
    found.set(readable, await findSource(files, folder, [copy, readable]));
  }
  return found;
}

/** The first of these files that is there, with this digest. */
async function findSource(
  files: Pick<Files, "read" | "stat">,
  folder: string,
  names: readonly string[],
  digest?: string,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const bytes =
      (await files.stat(path, { link: true }))?.kind === "file" ? await files.read(path) : undefined;
    if (bytes !== undefined && (digest === undefined || sha256Hex(bytes) === digest)) return path;
  }
  return undefined;
}
