// Finds an earlier version of the backlog if the task file has no tasks: a copy, a commit, or the log of an earlier run.
import { asResult } from "../../git/base/git.js";
import type { Project } from "../../config/project/open-project.js";
import { findTasksInHistory } from "../../git/base/read/history.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { listRuns, readLines } from "../../logging/read.js";
import { quoteIfNeeded } from "../../shell/quote.js";
import type { Ports } from "../../system/ports.js";
import { listBackups } from "../../todo/store/backlog-file.js";
import { join } from "node:path";
import { isOfTaskFile } from "../../logging/is-of-task-file.js";

/** Where to look. `run`: the current run, which is skipped. */
export interface VersionPlace {
  ports: Pick<Ports, "files">;
  project: Project;
  repo?: Repository;
  run?: string;
}

/** Describes an earlier version with tasks, and the command that restores it (contract §4, *Bootstrap*). */
export async function findKnownVersion(place: VersionPlace): Promise<string | undefined> {
  const { ports, repo, project } = place;
  const copy = (await listBackups(ports.files, project.todoFile))[0]?.path;
  if (copy !== undefined)
    return `${project.todoFile} has no tasks, but ${copy} has: cp ${quoteIfNeeded(copy)} ${quoteIfNeeded(project.todoFile)}`;
  const history = repo === undefined ? undefined : await asResult(() => findTasksInHistory(repo));
  const found = history?.ok === true ? history.value : undefined;
  if (found === "emptied") return undefined;
  const file = quoteIfNeeded(project.todoFile);
  if (found !== undefined) {
    const commit = found.commit.slice(0, 12);
    const anew = `to start anew, commit a task file without tasks: looper init && git add ${file} && git commit -m "Start anew"`;
    return `${project.todoFile} has no tasks, but commit ${commit} has: git checkout ${commit} -- ${file} (${anew})`;
  }
  const seen = await findRunWithTasks(place);
  if (seen === undefined) return undefined;
  return `${project.todoFile} has no tasks, but run ${seen} worked on some: restore the file, or move ${quoteIfNeeded(project.logDir)} away to start anew`;
}

/** How many of the newest runs are read. */
const ASKED = 3;
/** The line `backlog_read` comes within this many lines. */
const MOST_LINES = 50;

/** The last other run that read tasks from this file. */
async function findRunWithTasks({ ports, project, run }: VersionPlace): Promise<string | undefined> {
  const runs = (await listRuns(ports, project.logDir)).filter((one) => one !== run);
  for (const one of runs.slice(-ASKED).reverse()) if (await hasSeenTasks(ports, project, one)) return one;
  return undefined;
}

async function hasSeenTasks(
  ports: VersionPlace["ports"],
  { folder, logDir, todoFile }: Project,
  run: string,
): Promise<boolean> {
  const place = { folder, logDir, todoFile };
  let same = false;
  for await (const line of readLines(ports, join(logDir, "runs", run))) {
    if (line.type === "run_started") same = isOfTaskFile(line.value, place);
    if (line.type === "backlog_read") return same && Number(line.value["tasks"]) > 0;
    if (line.seq > MOST_LINES) return false;
  }
  return false;
}
