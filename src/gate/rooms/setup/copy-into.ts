// Copies files into a room. Symlinks of the attempt in the room are replaced and never followed: one could lead back into the
// project, where an agent would find a copy.
import { basename, dirname, join } from "node:path";
import { UserError } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";

export interface CopyOrder {
  /** Absolute: a file, or a folder whose content is copied. Its symlinks are followed. */
  from: string;
  /** Absolute: the top of the room, a real folder. */
  room: string;
  /** The folder to copy into, relative to the top. */
  into: string;
}

/** Copies; what is at the same path makes way. */
export async function copyInto(files: Files, { from, room, into }: CopyOrder): Promise<void> {
  const kind = (await files.stat(from))?.kind;
  if (kind === undefined)
    throw new UserError(
      "environment",
      "the files of a hidden check were removed while the run was in progress",
    );
  const folder = await makeReal(files, room, into);
  if (kind === "folder") await copyFolder(files, from, folder);
  else await copyFile(files, from, join(folder, basename(from)));
}

/** Makes a folder below the room, without following a symlink. */
async function makeReal(files: Files, room: string, into: string): Promise<string> {
  let folder = room;
  for (const part of into.split("/").filter((one) => one !== "" && one !== ".")) {
    folder = join(folder, part);
    await makeWay(files, folder, "folder");
    await files.makeFolder(folder);
  }
  return folder;
}

async function copyFolder(files: Files, from: string, to: string): Promise<void> {
  for (const name of await files.list(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const kind = (await files.stat(source))?.kind;
    if (kind === "folder") {
      await makeWay(files, target, "folder");
      await files.makeFolder(target);
      await copyFolder(files, source, target);
    } else if (kind === "file") await copyFile(files, source, target);
  }
}

async function copyFile(files: Files, from: string, to: string): Promise<void> {
  await makeWay(files, to, undefined);
  await files.makeFolder(dirname(to));
  await files.copy(from, to);
}

/** Removes what is at a path, unless it is of the wanted kind. */
async function makeWay(files: Files, path: string, wanted: "folder" | undefined): Promise<void> {
  const kind = (await files.stat(path, { link: true }))?.kind;
  if (kind === undefined || kind === wanted) return;
  if (kind === "folder") await files.removeTree(path);
  else await files.remove(path);
}
