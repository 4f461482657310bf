// The person's branches, tags, notes and stashes after an attempt: one that was removed is put back, and what one that was moved
// elsewhere left behind is kept. settle-head.ts moves back the branch of HEAD, own-refs.ts puts back the runner's own refs.
import { join } from "node:path";
import { GitError, runGit } from "../base/git.js";
import { toText } from "../base/bytes.js";
import { isAncestor, type HeadState } from "../base/repository/head.js";
import type { Repository } from "../base/repository/repository.js";
import { freeRescueRef } from "../rescue/rescue.js";

const KINDS = [
  { folder: "refs/heads/", kind: "branch", put: "git branch -f NAME", remove: "git branch -D NAME" },
  { folder: "refs/tags/", kind: "tag", put: "git tag -f NAME", remove: "git tag -d NAME" },
  {
    folder: "refs/notes/",
    kind: "note",
    put: "git update-ref refs/notes/NAME",
    remove: "git update-ref -d refs/notes/NAME",
  },
] as const;

/** An entry of the stash. */
export interface Stash {
  commit: string;
  /** In bytes. */
  message: string;
}

interface ChangedRef {
  ref: string;
  /** For a person, for instance `the branch a/b`. */
  name: string;
  was: string | undefined;
  is: string | undefined;
  /** The command that makes it what it was. */
  put: string;
  remove: string;
}

/** The refs of a person that differ; not the branch of HEAD, and no remote-tracking ones. Pure. */
export function listChangedRefs(
  before: Pick<HeadState, "branch" | "refs">,
  now: Pick<HeadState, "refs">,
): ChangedRef[] {
  const names = [...new Set([...before.refs.keys(), ...now.refs.keys()])].sort();
  return KINDS.flatMap(({ kind, folder, put, remove }) =>
    names.flatMap((ref) => {
      const [was, is] = [before.refs.get(ref), now.refs.get(ref)];
      if (was === is || ref === before.branch || !ref.startsWith(folder)) return [];
      const short = toText(ref.slice(folder.length));
      const [back, off] = [put, remove].map((command) => command.replace("NAME", () => short));
      return [{ ref, name: `the ${kind} ${short}`, was, is, put: `${back} ${was ?? ""}`, remove: off ?? "" }];
    }),
  );
}

/** Warns of refs that were made or moved on by an agent that was to change nothing. They stay. Pure. */
export function warnOfRefs(
  before: Pick<HeadState, "branch" | "refs">,
  now: Pick<HeadState, "refs">,
): string[] {
  return listChangedRefs(before, now).flatMap(({ name, was, is, put, remove }) => {
    if (was === undefined) return [`${name} was made during the attempt, and stays; to remove it: ${remove}`];
    return is === undefined ? [] : [`${name} was moved during the attempt; to put it back: ${put}`];
  });
}

/** Puts removed refs back, keeps what moved ones left behind, and returns a warning for each. Starts no process if none is. */
export async function keepRefs(
  repo: Repository,
  before: HeadState,
  now: HeadState,
  keep: { run: string; label: string },
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { ref, name, was, is, put } of listChangedRefs(before, now)) {
    if (was === undefined) continue;
    if (is === undefined) {
      const isBack = await setRef(repo, `create ${ref} ${was}\n`);
      const how = isBack
        ? "is back"
        : `is kept as ${await keepObject(repo, was, keep)}; to put it back: ${put}`;
      warnings.push(`${name} was removed during the attempt, and ${how}`);
    } else if (!(await isAncestor(repo, was, is)) && !(await isElsewhere(repo, ref))) {
      const kept = await keepObject(repo, was, keep);
      warnings.push(
        `${name} was moved during the attempt; what it was is kept as ${kept}; to put it back: ${put}`,
      );
    }
  }
  return warnings;
}

async function keepObject(
  repo: Repository,
  object: string,
  { run, label }: { run: string; label: string },
): Promise<string> {
  const free = await freeRescueRef(repo, run, `${label}-ref`);
  await setRef(repo, `create ${free} ${object}\n`);
  return free;
}

/** Whether the ref could be changed: another one may be in the place of its folder. */
async function setRef(repo: Repository, input: string): Promise<boolean> {
  try {
    await runGit(repo, ["update-ref", "--stdin"], { input });
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

/** Whether a branch is checked out in another working tree, where a person may work. */
async function isElsewhere(repo: Repository, ref: string): Promise<boolean> {
  const { out } = await runGit(repo, ["worktree", "list", "--porcelain"]);
  return out.split("\n").includes(`branch ${ref}`);
}

/** The entries of the stash, newest first. Starts no process. */
export async function readStash(repo: Repository): Promise<Stash[]> {
  const log = await repo.ports.files.read(join(repo.commonDir, "logs", "refs", "stash"));
  if (log === undefined) return [];
  const lines = Buffer.from(log).toString("latin1").split("\n").reverse();
  return lines.flatMap((line) => {
    const [, commit, message = ""] = /^[0-9a-f]+ ([0-9a-f]+) [^\t]*(?:\t(.*))?$/.exec(line) ?? [];
    return commit === undefined ? [] : [{ commit, message }];
  });
}

/** Puts entries of the stash back that the attempt dropped, on top of those there are; returns a warning. */
export async function keepStash(repo: Repository, before: readonly Stash[]): Promise<string[]> {
  if (before.length === 0) return [];
  const now = new Set((await readStash(repo)).map(({ commit }) => commit));
  const gone = before.filter(({ commit }) => !now.has(commit));
  for (const { commit, message } of gone.toReversed())
    await runGit(repo, ["stash", "store", "--quiet", `--message=${toText(message)}`, commit]);
  return gone.map(
    ({ message }) => `the stash "${toText(message)}" was dropped during the attempt, and is back`,
  );
}
