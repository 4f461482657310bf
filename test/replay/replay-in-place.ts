// Replays a run of a project with its tree, for stories, the torture and `make replays`.
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  findRealTodoFile,
  lockFolder,
  openProject,
  type Project,
} from "../../src/config/project/open-project.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { readLines } from "../../src/logging/read.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import type { Ports } from "../../src/system/ports.js";
import { replayTree, type TreeReplayed } from "./replay-tree.js";

/** The result of a replay; `same`: nothing differs, and all of it was replayed. */
export interface ReplayedRun extends Omit<TreeReplayed, "replayed"> {
  same: boolean;
  run: string;
  /** How many decisions are the same; absent where something differs. */
  decisions?: number;
  /** The first line of the log that differs, and what differs. */
  seq?: number;
  difference?: string;
}

/** Replays the newest run, or the named one. `gate`: the checks run again too. Throws if there is no repository. */
export async function replayInPlace(
  place: { project: string; env: Readonly<Record<string, string>> },
  { run, gate = false }: { run?: string; gate?: boolean } = {},
): Promise<ReplayedRun> {
  const ports = nodePorts();
  const runs = path.join(place.project, "looper-logs/runs");
  const name = run ?? readdirSync(runs).sort().at(-1) ?? "";
  const folder = path.join(runs, name);
  const { env } = place;
  const home = env["HOME"] ?? "";
  const today = await openProject(ports.files, { cwd: place.project, env, home, flags: {} });
  const project = await ofRun(ports, today, folder);
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok) throw new Error(`there is no tree to replay: ${opened.error.message}`);
  const promptsFolder = fileURLToPath(new URL("../../prompts", import.meta.url));
  const source = { ports, project, repo: opened.value, env, promptsFolder };
  const { replayed, ...rest } = await replayTree(
    source,
    folder,
    gate ? () => Promise.resolve("all") : undefined,
  );
  return { same: "decisions" in replayed && rest.stopped === undefined, run: name, ...replayed, ...rest };
}

/** The project with the task file of the run, which its command line may have named. */
async function ofRun({ files }: Ports, project: Project, folder: string): Promise<Project> {
  for await (const { value } of readLines({ files }, folder)) {
    const { project: then, todo_file: file } = value;
    if (typeof then !== "string" || typeof file !== "string") return project;
    const todoFile = path.resolve(project.folder, path.relative(then, file));
    const realTodoFile = await findRealTodoFile(files, todoFile);
    return { ...project, todoFile, realTodoFile, lockDir: lockFolder(realTodoFile) };
  }
  return project;
}
