// Rescues: work put aside under refs/looper/rescue, where no later rescue overwrites it. A rescue is a commit on top
// of the kept state, with the work as its changes; content that existed only in the index is the tree of its second
// parent. Other rescues point at commits of an agent, or at a checkpoint. bring-back.ts lists them for a person.
import { z } from "zod";
import { toText, foldersAbove } from "../base/bytes.js";
import { readMessage, listRefs } from "../base/list-refs.js";
import { decodeId, RESCUES, rescueRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { exists, sameVersion, type DiffEntry, type Version, NOTHING } from "../base/read/diff.js";
import { importAll, importCommit } from "../base/fast-import.js";
import { diffTrees } from "../index/index-file.js";
import { runGit } from "../base/git.js";

/** The facts in the message of a rescue that this program made. */
const RescueFacts = z.object({
  run: z.string(),
  label: z.string(),
  task: z.string().optional(),
  why: z.enum(["given-up", "dropped", "review", "draft", "put-back"]),
  /** The checkpoint's commit. */
  base: z.string(),
});
export type RescueFacts = z.infer<typeof RescueFacts>;

/** A rescue ref and its commit. */
export interface FoundRescue {
  ref: string;
  run: string;
  label: string;
  commit: string;
  parents: readonly string[];
  /** Seconds since the epoch. */
  seconds: number;
  subject: string;
  /** `undefined` if the commit was not made as a rescue. */
  facts: RescueFacts | undefined;
}

/** A rescue ref of this run that is not in use: the label itself, or with "-2", "-3" … Starts one process. */
export async function freeRescueRef(repo: Repository, run: string, label: string): Promise<string> {
  const folder = rescueRef(run, label).split("/").slice(0, 4).join("/");
  const taken = new Set((await listRefs(repo, ["refname"], [folder])).flat());
  for (let count = 1; ; count++) {
    const ref = rescueRef(run, count === 1 ? label : `${label}-${String(count)}`);
    if (!taken.has(ref)) return ref;
  }
}

/** Keeps an object as a rescue; returns its ref. */
export async function keepObject(
  repo: Repository,
  object: string,
  { run, label }: { run: string; label: string },
): Promise<string> {
  const ref = await freeRescueRef(repo, run, label);
  await runGit(repo, ["update-ref", ref, object]);
  return ref;
}

/** Keeps changes to a commit, the `base` of the facts, as a rescue; returns its ref. */
export async function keepChanges(
  repo: Repository,
  facts: RescueFacts,
  entries: readonly DiffEntry[],
): Promise<string> {
  const ref = await freeRescueRef(repo, facts.run, facts.label);
  const ident = await repo.identity();
  await importCommit(repo, { ref, parent: facts.base, ident, message: rescueMessage(facts), entries });
  return ref;
}

/** The message of a rescue's commit. */
export function rescueMessage(facts: RescueFacts): string {
  return `${SUBJECT}${facts.label}\n\n${JSON.stringify(facts)}\n`;
}

const SUBJECT = "looper: rescue of ";

const FIELDS = ["refname", "objectname", "parent", "committerdate:unix", "contents"];

/** Every rescue, oldest first. Starts one process. */
export async function findRescues(repo: Repository): Promise<FoundRescue[]> {
  const found = await listRefs(repo, FIELDS, [`${RESCUES}/`], "--sort=committerdate");
  return found.map(([ref = "", commit = "", parents = "", seconds, contents = ""]) => {
    const [run = "", ...label] = ref.slice(RESCUES.length + 1).split(/(?<!\+)\//);
    const [subject = ""] = toText(contents).split("\n", 1);
    return {
      ref,
      run: decodeId(run),
      label: decodeId(label.join("/")),
      commit,
      parents: parents === "" ? [] : parents.split(" "),
      seconds: Number(seconds),
      subject,
      facts: subject.startsWith(SUBJECT) ? readMessage(RescueFacts, contents) : undefined,
    };
  });
}

// The work of an abandoned task is kept under one rescue ref. If a kill splits it over several calls, a later call adds its part
// to the earlier rescue.

/** Work that is kept. The keys of its maps are paths (bytes), the values their versions. */
export interface KeptWork {
  ref: string;
  /** The commit of the ref, and its parent: the tree with the work, and without it. */
  commit: string;
  before: string;
  changes: ReadonlyMap<string, Version>;
  /** Content that existed only in the index. */
  staged: ReadonlyMap<string, Version>;
}

export interface WorkToKeep {
  facts: RescueFacts;
  /** The changes committed since the base was made. */
  since: readonly DiffEntry[];
  /** The content about to be removed from the working tree, and from the index alone: the `to` sides. */
  back: readonly DiffEntry[];
  lost: readonly DiffEntry[];
}

/** The work kept on top of this checkpoint; `undefined` if there was none. Starts one process if there was none. */
export async function readKeptWork(repo: Repository, base: string): Promise<KeptWork | undefined> {
  const found = (await findRescues(repo)).find(
    ({ facts }) => facts?.base === base && facts.why !== "put-back",
  );
  return found === undefined ? undefined : readKept(repo, found);
}

/** The work kept under a ref that is not a rescue; `undefined` if there is none. Starts one process if there was none. */
export async function readKeptAt(repo: Repository, ref: string): Promise<KeptWork | undefined> {
  const [[commit = "", parents = ""] = []] = await listRefs(repo, ["objectname", "parent"], [ref]);
  return readKept(repo, { ref, commit, parents: parents.split(" ") });
}

async function readKept(
  repo: Repository,
  { ref, commit, parents }: Pick<FoundRescue, "ref" | "commit" | "parents">,
): Promise<KeptWork | undefined> {
  const [before = "", index] = parents;
  if (before === "") return undefined;
  const changes = toMap(await diffTrees(repo, commit, before));
  const staged = index === undefined ? [] : await diffTrees(repo, index, before);
  return { ref, commit, before, changes, staged: toMap(staged) };
}

/**
 * Adds the work to the ref of `earlier`, unless the two differ in a path; otherwise keeps it under a ref of its own.
 */
export async function keepWork(
  repo: Repository,
  work: WorkToKeep,
  earlier: KeptWork | undefined,
  shelf?: string,
): Promise<KeptWork> {
  const back = toMap(work.back);
  // Content that an earlier call removed from the files is only in the index now, and is kept already.
  const lost = toMap(
    work.lost.filter(({ path, to }) => !sameVersion(earlier?.changes.get(path) ?? NOTHING, to)),
  );
  const goesOn = earlier !== undefined && agree(earlier.changes, back) && agree(earlier.staged, lost);
  const changes = goesOn ? new Map([...earlier.changes, ...back]) : back;
  const staged = goesOn ? new Map([...earlier.staged, ...lost]) : lost;
  const ref = goesOn ? earlier.ref : (shelf ?? (await freeRescueRef(repo, work.facts.run, work.facts.label)));
  const ident = await repo.identity();
  const message = rescueMessage(work.facts);
  const before = { ref, parent: work.facts.base, ident, message, entries: work.since };
  const index = { ref, parent: "previous", ident, message, entries: toEntries(staged) };
  const made = await importAll(
    repo,
    staged.size === 0
      ? [before, { ref, parent: "previous", ident, message, entries: toEntries(changes) }]
      : [before, index, { ref, parent: 0, merged: [1], ident, message, entries: toEntries(changes) }],
  );
  return { ref, commit: made.at(-1) ?? "", before: made[0], changes, staged };
}

/**
 * Whether one tree can hold both: no path with two versions, and no path that is a file in one and a folder in the
 * other.
 */
function agree(one: ReadonlyMap<string, Version>, other: ReadonlyMap<string, Version>): boolean {
  const same = [...other].every(([path, version]) => {
    const kept = one.get(path);
    return kept === undefined || sameVersion(kept, version);
  });
  return same && !isBelow(one, other) && !isBelow(other, one);
}

/** Whether a path of `inner` is below a file of `outer`. */
function isBelow(inner: ReadonlyMap<string, Version>, outer: ReadonlyMap<string, Version>): boolean {
  return [...inner].some(([path, version]) => {
    if (!exists(version)) return false;
    return [...foldersAbove([path])].some((folder) => exists(outer.get(folder) ?? NOTHING));
  });
}

/** The `to` side of each path. */
export function toMap(entries: readonly DiffEntry[]): Map<string, Version> {
  return new Map(entries.map(({ path, to }) => [path, to]));
}

function toEntries(versions: ReadonlyMap<string, Version>): DiffEntry[] {
  return [...versions].map(([path, to]) => ({ path, from: to, to }));
}
