// The metadata that a checkpoint keeps because git's trees cannot contain it. survey.ts collects it and
// restore-metadata.ts restores it.
import { z } from "zod";
import { parseBatch } from "../base/batch.js";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import type { ImportedFile } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

/** The path of the metadata in the tree of a checkpoint's second parent. */
const FILE = "unseen.json";

const Paths = z.array(z.string()).default([]);

/** Paths are bytes. */
const Unseen = z.object({
  /** Paths that the person told git not to look at. */
  marked: Paths,
  /** Permission bits that differ from those of most files and folders; "" is the top. */
  modes: z.array(z.tuple([z.string(), z.int()])).default([]),
  /** Folders without files. */
  empty: Paths,
  /** Pipes, sockets and the like. */
  special: Paths,
});
export type Unseen = z.infer<typeof Unseen>;

/** No metadata. */
export const NOTHING_UNSEEN: Unseen = Unseen.parse({});

/** The file with the metadata; none if there is nothing to keep. */
export function unseenFile(unseen: Unseen): ImportedFile[] {
  const isEmpty = Object.values(unseen).every((found) => found.length === 0);
  if (isEmpty) return [];
  return [{ path: FILE, mode: "100644", content: Buffer.from(JSON.stringify(unseen), "utf8") }];
}

/** Reads the metadata from the commit beside a checkpoint. Starts one process. */
export async function readUnseen(repo: Repository, beside: string): Promise<Unseen> {
  const { out } = await runGit(repo, ["cat-file", "--batch"], { input: `${beside}:${FILE}\n` });
  return readFacts(Unseen, toText(parseBatch(out)[0]?.content ?? "")) ?? NOTHING_UNSEEN;
}
