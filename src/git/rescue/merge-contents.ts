import { join } from "node:path";
import { parseBatch } from "../base/batch.js";
import type { Version } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

/** Three versions of one file: the current one, the common base, and the one to merge. */
export interface Versions {
  now: Version;
  from: Version;
  to: Version;
}

/** The file with both changes; `undefined` if they overlap, or if the file is binary. */
export async function mergeContents(
  repo: Repository,
  { now, from, to }: Versions,
): Promise<Version | undefined> {
  const mode = now.mode === from.mode ? to.mode : now.mode;
  if (now.oid === to.oid || from.oid === to.oid) return { mode, oid: now.oid };
  if (now.oid === from.oid) return { mode, oid: to.oid };
  const input = [now, from, to].map(({ oid }) => `${oid}\n`).join("");
  const contents = parseBatch((await runGit(repo, ["cat-file", "--batch"], { input })).out);
  const merged = await mergeFiles(
    repo,
    contents.map((object) => object?.content ?? ""),
  );
  if (merged === undefined) return undefined;
  const made = await runGit(repo, ["hash-object", "-w", "--stdin"], { input: merged });
  return { mode, oid: made.out.trimEnd() };
}

/** Bytes, one character each. Git's merge command reads files. */
async function mergeFiles(repo: Repository, contents: readonly string[]): Promise<string | undefined> {
  const { files } = repo.ports;
  const folder = await files.makeTempFolder("looper-merge-");
  try {
    const paths: string[] = [];
    for (const [at, content] of contents.entries()) {
      const path = join(folder, String(at));
      await files.writeNew(path, Buffer.from(content, "latin1"));
      paths.push(path);
    }
    // Exit codes above 127 are errors; those below count the conflicts.
    const conflicts = Array.from({ length: 255 }, (_, at) => at + 1);
    const { code, out } = await runGit(repo, ["merge-file", "-p", ...paths], { answers: conflicts });
    return code === 0 ? out : undefined;
  } finally {
    await files.removeTree(folder);
  }
}
