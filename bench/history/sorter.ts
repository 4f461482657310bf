// The gate's sorting of commits, for run.mjs.
import { openColdPlaces } from "../../src/gate/rooms/cold-room.js";
import { studyChanges } from "../../src/gate/rooms/study.js";
import type { Sorted } from "../../src/gate/sort/sort.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { diffTrees } from "../../src/git/index/index-file.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";

/** Sorts the files that a commit changed since another, as if it were an attempt; `undefined` if they are more than `most`. */
export type SortCommit = (of: {
  base: string;
  commit: string;
  checks: readonly string[];
  most?: number;
}) => Promise<readonly Sorted[] | undefined>;

/** Opens the repository of a folder (absolute); throws if it is none. */
export async function openSorter(folder: string, env: Readonly<Record<string, string>>): Promise<SortCommit> {
  const place = { projectDir: folder, todoFile: `${folder}/to-do.json`, exclude: [], env };
  const opened = await openRepository(nodePorts(), place);
  if (!opened.ok) throw new Error(`${folder}: ${opened.error.message}`);
  const repo = opened.value;
  const where = { projectDir: folder, workDir: folder, env, redact: (text: string) => text };
  const rules = { protected: [], source: [], setup: [], setupTimeoutMs: 0 };
  const places = await openColdPlaces(repo, { ...where, ...rules });
  return async ({ base, commit, checks, most = Infinity }) => {
    const changes = await diffTrees(repo, commit, base);
    if (changes.length > most) return undefined;
    const order = { base, persons: [], changes };
    const { kinds } = await studyChanges(places, { ...order, commands: { project: checks, own: [] } });
    return [...kinds.values()];
  };
}
