// Reads the content of commits: the files of a tree, and the bytes of blobs.
import type { Version } from "./read/diff.js";
import { runGit, type GitPlace } from "./git.js";

/** The files of a commit, all or those at these paths (text): path (bytes) → version. Starts one process. */
export async function filesOf(
  place: GitPlace,
  commit: string,
  ...paths: readonly string[]
): Promise<ReadonlyMap<string, Version>> {
  const { out } = await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths]);
  const files = new Map<string, Version>();
  for (const line of out.split("\0")) {
    const [, mode, oid, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (mode !== undefined && oid !== undefined && path !== undefined) files.set(path, { mode, oid });
  }
  return files;
}

/** Whether the repository has an object of this name. Starts one process. */
export async function hasObject(place: GitPlace, name: string): Promise<boolean> {
  return (await runGit(place, ["cat-file", "-e", name], { answers: [1, 128] })).code === 0;
}

/** The id of what a name means; `undefined` if it means nothing here. Starts one process. */
export async function idOf(place: GitPlace, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "-q", "--verify", "--end-of-options", name];
  const { code, out } = await runGit(place, args, { answers: [1, 128] });
  return code === 0 ? out.trimEnd() : undefined;
}

/** The objects of these names (ids, or others that git resolves), in their order; `undefined` for a missing one. One process. */
export async function readObjects(
  place: GitPlace,
  names: readonly string[],
): Promise<(BatchObject | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join("");
  return parseBatch((await runGit(place, ["cat-file", "--batch", "--buffer"], { input })).out);
}

/**
 * The contents (bytes, one character each) of blobs of at most `most` bytes, without larger and missing ones. Starts
 * two processes, or none if no blob is requested.
 */
export async function readBlobs(
  place: GitPlace,
  oids: Iterable<string>,
  most: number,
): Promise<ReadonlyMap<string, string>> {
  const blobs = new Map<string, string>();
  const wanted = [...new Set(oids)];
  if (wanted.length === 0) return blobs;
  const check = ["cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"];
  const sizes = (await runGit(place, check, { input: wanted.join("\n") + "\n" })).out.split("\n");
  const small = sizes.flatMap((line) => {
    const [, oid, size] = /^([0-9a-f]+) (\d+)$/.exec(line) ?? [];
    return oid !== undefined && Number(size) <= most ? [oid] : [];
  });
  if (small.length === 0) return blobs;
  for (const blob of await readObjects(place, small))
    if (blob !== undefined) blobs.set(blob.oid, blob.content);
  return blobs;
}

/** An object from the output of `git cat-file --batch`. */
export interface BatchObject {
  oid: string;
  /** Bytes, one character each. */
  content: string;
}

/** Parses the output of `git cat-file --batch`, in the order of the requests; a missing object is `undefined`. */
export function parseBatch(out: string): (BatchObject | undefined)[] {
  const objects: (BatchObject | undefined)[] = [];
  let at = 0;
  while (at < out.length) {
    const end = out.indexOf("\n", at);
    const found = /^([0-9a-f]+) \w+ (\d+)$/.exec(out.slice(at, end));
    at = end + 1;
    if (found === null) {
      objects.push(undefined);
      continue;
    }
    const size = Number(found[2]);
    objects.push({ oid: found[1] ?? "", content: out.slice(at, at + size) });
    at += size + 1;
  }
  return objects;
}

/**
 * The paths (bytes) of files of a commit that hold one of these words literally; a word is bytes without a line break. Files of every
 * kind are searched, since attributes in the tree could name any file binary. One process, none for no words.
 */
export async function pathsWith(
  place: GitPlace,
  commit: string,
  words: readonly string[],
): Promise<ReadonlySet<string>> {
  const patterns = words.filter((word) => word !== "" && !/[\n\r]/.test(word));
  if (patterns.length === 0) return new Set();
  const flags = ["-l", "-z", "-a", "-F", "--full-name", "--no-recurse-submodules", "-f", "-"];
  const input = `${patterns.join("\n")}\n`;
  const { out } = await runGit(place, ["grep", ...flags, commit], { input, answers: [1] });
  return new Set(out.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(commit.length + 1)])));
}
