// The refs that only the runner moves: the checkpoints and the saved work of one working tree. An attempt that moved, removed or made
// one would change what a later commit holds, so they are put back. refs.ts names branches and tags, which stay as they are.
import { runGit } from "../base/git.js";
import {
  asideId,
  checkpointFolder,
  checkpointRef,
  shelvedRef,
  shelvingRef,
  workFolder,
  workRef,
} from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { freeRescueRef } from "../rescue/rescue.js";

/** Full name → object. */
type OwnRefs = ReadonlyMap<string, string>;

/** The folders of the refs that only the runner moves in this tree. */
export function ownFolders({ tree }: Repository): string[] {
  const beside = [shelvingRef(tree, "x"), shelvedRef(tree, "x")].map((ref) => ref.slice(0, -2));
  return [checkpointFolder(tree), workFolder(tree), ...beside];
}

/** Those of some refs that only the runner moves. Pure. */
export function pickOwnRefs(repo: Repository, refs: OwnRefs): Map<string, string> {
  const folders = ownFolders(repo).map((folder) => `${folder}/`);
  return new Map([...refs].filter(([name]) => folders.some((folder) => name.startsWith(folder))));
}

/** The names of the refs of one task. */
export function ownRefsOf({ tree }: Repository, task: string): string[] {
  return [
    checkpointRef(tree, task),
    checkpointRef(tree, asideId(task)),
    workRef(tree, task),
    shelvingRef(tree, task),
    shelvedRef(tree, task),
  ];
}

/**
 * Puts the refs back as they were before an attempt, and returns a warning for each. A commit that the attempt put in their place is
 * kept as a rescue. Starts no process if nothing has changed.
 */
export async function putOwnRefsBack(
  repo: Repository,
  { before, now }: { before: OwnRefs; now: OwnRefs },
  { run, label }: { run: string; label: string },
): Promise<string[]> {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  const changed = names.filter((name) => before.get(name) !== now.get(name));
  if (changed.length === 0) return [];
  const warnings: string[] = [];
  for (const name of changed) {
    const [was, is] = [before.get(name), now.get(name)];
    const kept = is === undefined ? undefined : await keepForeign(repo, is, { run, label: `${label}-ref` });
    const how = is === undefined ? "removed" : was === undefined ? "made" : "moved";
    const done = was === undefined ? "was removed" : "was put back";
    const where = kept === undefined ? "" : `; what it named is kept: ${kept}`;
    warnings.push(`${name}, which only looper writes, was ${how} during the attempt, and ${done}${where}`);
  }
  const put = changed.flatMap((name) => {
    const was = before.get(name);
    return was === undefined ? [] : [`update ${name} ${was}\n`];
  });
  // A made ref may be in the place of the folder of a removed one, or the other way round: first all of them go.
  const gone = changed.filter((name) => now.has(name)).map((name) => `delete ${name}\n`);
  for (const input of [gone, put])
    if (input.length > 0)
      await runGit(repo, ["update-ref", "--no-deref", "--stdin"], { input: input.join("") });
  return warnings;
}

/** Keeps a commit that another program put in the place of the runner's own; returns the rescue, `undefined` if it is not a commit. */
export async function keepForeign(
  repo: Repository,
  object: string,
  { run, label }: { run: string; label: string },
): Promise<string | undefined> {
  const { out } = await runGit(repo, ["cat-file", "-t", object], { answers: [128] });
  if (out.trimEnd() !== "commit") return undefined;
  const ref = await freeRescueRef(repo, run, label);
  await runGit(repo, ["update-ref", ref, object]);
  return ref;
}
