// Reads the files below a folder, many at a time. A promise for each of 100,000 files would cost more than reading them.
// Leaves single files whose names are text to files.ts.
import * as fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { errorCode, orNothing } from "../errors.js";
import type { FileStat, Looked, Tree, Walked } from "../ports.js";

/** So many are looked at before anything else gets its turn. */
const AT_ONCE = 2000;

/** The real tree below a folder. */
export function nodeTree(top: string): Tree {
  const above = Buffer.from(top, "utf8").toString("latin1");
  const at = (path: string): Buffer => Buffer.from(`${above}/${path}`, "latin1");
  return {
    walk: (from, enter) => walk(at, from, enter),
    look: async (paths) => {
      const found: (Looked | undefined)[] = [];
      for (const path of paths) {
        if (found.length % AT_ONCE === AT_ONCE - 1) await setImmediate();
        found.push(look(at(path)));
      }
      return found;
    },
    setMode: async (path, mode) => {
      if (look(at(path))?.kind !== "symlink") await orNothing(() => fs.promises.chmod(at(path), mode));
    },
    remove: async (path) => {
      await orNothing(() => fs.promises.unlink(at(path)));
    },
  };
}

async function walk(
  at: (path: string) => Buffer,
  from: string,
  enter: (folder: string) => boolean,
): Promise<Walked[]> {
  const found: Walked[] = [];
  const folders = [from];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (found.length - looked > AT_ONCE) {
      looked = found.length;
      await setImmediate();
    }
    for (const entry of list(at(folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const kind = kindOf(entry);
      found.push({ path, kind });
      if (kind === "folder" && enter(path)) folders.push(path);
    }
  }
  return found;
}

/** A folder that went meanwhile, or may not be read, shows nothing. */
function list(folder: Buffer): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function look(path: Buffer): Looked | undefined {
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const { mode, size, ino: inode, dev: device, nlink: links } = stat;
    return { kind: kindOf(stat), mode: mode & 0o7777, size, inode, device, links };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

export function kindOf(entry: fs.Dirent | fs.Stats): FileStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
