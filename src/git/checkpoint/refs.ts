// The person's branches, tags, notes and stashes. Before an attempt their content is kept reachable; after it one that was removed is
// put back, and what one that was moved elsewhere left behind is kept. settle-head.ts moves back the branch of HEAD, snapshot.ts puts
// back the runner's own refs.
import path from "node:path";
import { z } from "zod";
import { sha256Hex } from "../../system/text/sha256.js";
import { readMessage, deleteRefs, listChanged, listRefs } from "../base/list-refs.js";
import { importCommit, OWN_IDENT } from "../base/fast-import.js";
import { runGit, asResult } from "../base/git.js";
import { encodeId, keptRef } from "../base/names.js";
import { toText } from "../base/bytes.js";
import { isAncestor, type HeadState } from "../base/repository/head.js";
import type { Repository } from "../base/repository/repository.js";
import { keepObject } from "../rescue/rescue.js";
import { hasObject, idOf } from "../base/objects.js";

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
  const changed = listChanged(before.refs, now.refs);
  return KINDS.flatMap(({ kind, folder, put, remove }) =>
    changed.flatMap(({ name: ref, was, is }) => {
      if (ref === before.branch || !ref.startsWith(folder)) return [];
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
    const rest = await findRest(repo, was);
    const keepIt = async (command = put): Promise<string> => {
      if (rest === undefined) return "is lost, since git has removed its content";
      return `is kept as ${await keepObject(repo, rest, { run: keep.run, label: `${keep.label}-ref` })}; to put it back: ${command.replace(was, () => rest)}`;
    };
    if (is === undefined) {
      // Another ref may be in the place of its folder, or below its name.
      const create = async () =>
        runGit(repo, ["update-ref", "--stdin"], { input: `create ${ref} ${rest ?? ""}\n` });
      // A symbolic ref that names it may have brought it back.
      const isThere = async (): Promise<boolean> => (await idOf(repo, ref)) === rest;
      const isBack = rest !== undefined && ((await asResult(create)).ok || (await isThere()));
      // Its own name is taken then.
      const short = toText(ref).split("/").slice(2);
      const other = put.replace(`${short.join("/")} ${was}`, () => `${short.join("-")}-before ${was}`);
      const back = rest === was ? "is back" : "is back without its message, which git has removed";
      warnings.push(`${name} was removed during the attempt, and ${isBack ? back : await keepIt(other)}`);
    } else if (
      rest === undefined ||
      (!(await isAncestor(repo, rest, is)) && !(await isElsewhere(repo, ref)))
    ) {
      warnings.push(`${name} was moved during the attempt; what it was ${await keepIt()}`);
    }
  }
  return warnings;
}

/** The object, or the commit of an annotated tag whose object an agent had git prune; `undefined` if nothing is left. */
async function findRest(repo: Repository, object: string): Promise<string | undefined> {
  if (await hasObject(repo, object)) return object;
  const [[contents = ""] = []] = await listRefs(repo, ["contents"], [keptRef(repo.tree)]);
  return new Map(readMessage(Peeled, contents)?.tags).get(object);
}

/** Whether a branch is checked out in another working tree, where a person may work. */
async function isElsewhere(repo: Repository, ref: string): Promise<boolean> {
  const { out } = await runGit(repo, ["worktree", "list", "--porcelain"]);
  return out.split("\n").includes(`branch ${ref}`);
}

const Peeled = z.object({ tags: z.array(z.tuple([z.string(), z.string()])) });

/**
 * Makes one commit whose parents are all that the person's branches, tags, notes and stashes name, so that an agent that removes
 * one and has git prune cannot take the content too. Does nothing while they are what they were. Starts up to three processes, and
 * two more after a killed run. Returns warnings about what is gone since that run.
 */
export async function keepReachable(
  repo: Repository,
  before: HeadState,
  { run, id, stash }: { run: string; id: string; stash: readonly Stash[] },
): Promise<string[]> {
  const named = [...before.refs].filter(([ref]) => KINDS.some(({ folder }) => ref.startsWith(folder)));
  const tips = new Set([...named.map(([, oid]) => oid), ...stash.map(({ commit }) => commit)]);
  tips.delete(before.commit ?? "");
  const ref = keptRef(repo.tree, `${encodeId(run)}/${sha256Hex([...tips].sort().join(" ")).slice(0, 16)}`);
  const old = [...before.refs.keys()].filter((name) => name.startsWith(`${keptRef(repo.tree)}/`));
  if (before.refs.has(ref) || (tips.size === 0 && old.length === 0)) return [];
  if (!(await joinRefs(repo, ref, stash))) return [];
  const warnings: string[] = [];
  for (const dead of old.filter((name) => !name.startsWith(`${path.posix.dirname(ref)}/`))) {
    const gone = await runGit(repo, ["rev-list", "--max-count=1", `${dead}^@`, "--not", ref, "HEAD"], {
      answers: [128],
    });
    if (gone.out === "") continue;
    const kept = await keepObject(repo, dead, { run, label: `${id}-ref` });
    warnings.push(
      `branches, tags or stashes were removed or moved since a run was killed, by its agent or by a person; what they named is kept as the parents of ${kept}`,
    );
  }
  await deleteRefs(repo, old);
  return warnings;
}

/** Makes the ref a commit with all of them as parents; returns whether it could: one of them may be broken. */
async function joinRefs(repo: Repository, ref: string, stash: readonly Stash[]): Promise<boolean> {
  const fields = ["objectname", "objecttype", "*objectname", "*objecttype"];
  const folders = KINDS.map(({ folder }) => folder);
  const made = await asResult(async () => {
    const found = await listRefs(repo, fields, folders);
    const commits = found.flatMap(([oid = "", type]) => (type === "commit" ? [oid] : []));
    const tags = found.flatMap(([oid = "", , to = "", toType]) => (toType === "commit" ? [[oid, to]] : []));
    const all = [...commits, ...tags.flatMap(([, to = ""]) => [to]), ...stash.map(({ commit }) => commit)];
    const message = `looper: keeps refs reachable\n\n${JSON.stringify({ tags })}\n`;
    const merged = [...new Set(all)];
    await importCommit(repo, { ref, parent: undefined, merged, ident: OWN_IDENT, message, entries: [] });
  });
  return made.ok;
}

/** The entries of the stash, newest first. Starts no process. */
export async function readStash(repo: Repository): Promise<Stash[]> {
  const log = await repo.ports.files.read(path.join(repo.commonDir, "logs", "refs", "stash"));
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
  const warnings: string[] = [];
  for (const { commit, message } of gone.toReversed()) {
    const store = ["stash", "store", "--quiet", `--message=${toText(message)}`, commit];
    const { code } = await runGit(repo, store, { answers: [1, 128] });
    const how = code === 0 ? "is back" : `could not be put back: git stash store ${commit}`;
    warnings.unshift(`the stash "${toText(message)}" was dropped during the attempt, and ${how}`);
  }
  return warnings;
}
