// What a checkpoint knows of a working tree and no tree of git's can say. Leaves finding it out and putting it back to others.
import { z } from "zod";
import { parseBatch } from "../base/batch.js";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import type { ImportedFile } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import type { Repository } from "../base/repository.js";

/** Where it is kept in the tree of a checkpoint's second parent. */
const FILE = "unseen.json";

const Paths = z.array(z.string()).default([]);

/** Paths are bytes. */
const Unseen = z.object({
  /** The person told git not to look at these. */
  marked: Paths,
  /** Permission bits where they are not what most files and folders have; "" is the top. */
  modes: z.array(z.tuple([z.string(), z.int()])).default([]),
  /** Folders without a file. */
  empty: Paths,
  /** Pipes, sockets and the like. */
  special: Paths,
});
export type Unseen = z.infer<typeof Unseen>;

/** Nothing of it. */
export const NOTHING_UNSEEN: Unseen = Unseen.parse({});

/** The file to keep it in; none where there is nothing to keep. */
export function unseenFile(unseen: Unseen): ImportedFile[] {
  const isEmpty = Object.values(unseen).every((found) => found.length === 0);
  if (isEmpty) return [];
  return [{ path: FILE, mode: "100644", content: Buffer.from(JSON.stringify(unseen), "utf8") }];
}

/** What the commit beside a checkpoint keeps of it. One process. */
export async function readUnseen(repo: Repository, beside: string): Promise<Unseen> {
  const { out } = await runGit(repo, ["cat-file", "--batch"], { input: `${beside}:${FILE}\n` });
  return readFacts(Unseen, toText(parseBatch(out)[0]?.content ?? "")) ?? NOTHING_UNSEEN;
}
