// For tests of restoring: the visible state of a working tree and its index, to compare before and after.
import { join } from "node:path";
import type { Files, FileStat } from "../../system/ports.js";
import type { Scratch } from "./scratch.js";

/** All that a restore brings back: each file with its kind, exec bit and bytes; the index with its bits; git's status. */
export interface State {
  files: readonly string[];
  index: string;
  bits: string;
  status: string;
}

/** Reads the state of a scratch repository, or of a folder in it, without changing anything. */
export async function stateOf(scratch: Scratch, git = scratch.git, top = scratch.top): Promise<State> {
  return {
    files: await filesOf(scratch.ports.files, top),
    index: await git("ls-files", "-s", "-z"),
    bits: await git("ls-files", "-v", "-z"),
    status: await git("status", "--porcelain=v2", "-z"),
  };
}

async function filesOf(files: Files, top: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await files.list(join(top, folder))) {
      const path = join(folder, name);
      const stat = await files.stat(join(top, path), { link: true });
      if (name === ".git" || stat === undefined) continue;
      if (stat.kind === "folder") folders.push(path);
      else found.push(await describe(files, { top, path, stat }));
    }
  }
  return found.sort();
}

async function describe(
  files: Files,
  { top, path, stat }: { top: string; path: string; stat: FileStat },
): Promise<string> {
  const runs = (stat.mode & 0o100) !== 0 && stat.kind === "file" ? "program " : "";
  return `${path} ${runs}${await contentOf(files, join(top, path), stat.kind)}`;
}

async function contentOf(files: Files, path: string, kind: string): Promise<string> {
  if (kind === "symlink") return `-> ${(await files.readLink(path)) ?? ""}`;
  if (kind !== "file") return kind;
  return Buffer.from((await files.read(path)) ?? []).toString("latin1");
}
