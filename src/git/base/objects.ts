// Reads the content of commits: the files of a tree, and the bytes of blobs.
import { parseBatch } from "./batch.js";
import type { Version } from "./read/diff.js";
import { runGit, type GitPlace } from "./git.js";

/** Every file of a commit: path (bytes) → version. Starts one process. */
export async function filesOf(place: GitPlace, commit: string): Promise<ReadonlyMap<string, Version>> {
  const { out } = await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  const files = new Map<string, Version>();
  for (const line of out.split("\0")) {
    const [, mode, oid, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (mode !== undefined && oid !== undefined && path !== undefined) files.set(path, { mode, oid });
  }
  return files;
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
  const check = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const sizes = (await runGit(place, check, { input: wanted.join("\n") + "\n" })).out.split("\n");
  const small = sizes.flatMap((line) => {
    const [, oid, size] = /^([0-9a-f]+) (\d+)$/.exec(line) ?? [];
    return oid !== undefined && Number(size) <= most ? [oid] : [];
  });
  if (small.length === 0) return blobs;
  const { out } = await runGit(place, ["cat-file", "--batch"], { input: small.join("\n") + "\n" });
  for (const blob of parseBatch(out)) if (blob !== undefined) blobs.set(blob.oid, blob.content);
  return blobs;
}
