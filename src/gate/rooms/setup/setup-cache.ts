// Caches the output of `verify.setup` outside the project, by its lock files. Each room gets a copy of its own. Only entries
// that this run cached and that are unchanged are used: agents and code under test can write to the cache too, and could
// forge an index in it, so the index is kept in memory. setup.ts makes the keys and decides when to cache.
import { dirname, isAbsolute, join } from "node:path";
import { digest } from "../../../system/text/digest.js";
import { errorCode } from "../../../system/errors.js";
import type { Ports } from "../../../system/ports.js";
import { sha256Hex } from "../../../system/text/sha256.js";

const MOST_KEPT = 3;
const HALF = ".half";

/** The folder of a project's cached setups; `undefined` if the user does not have a cache folder. */
export function setupCacheFolder(
  env: Readonly<Record<string, string>>,
  projectTop: string,
): string | undefined {
  const { XDG_CACHE_HOME: named, HOME: home } = env;
  const cache =
    named !== undefined && isAbsolute(named)
      ? named
      : home !== undefined && isAbsolute(home)
        ? join(home, ".cache")
        : undefined;
  return cache === undefined ? undefined : join(cache, "looper", "cold", digest([projectTop]));
}

/** The cache of a run. */
export interface Kept {
  folder: string;
  /** The state of each entry when it was cached, as `stateOf` returns it, by key. */
  states: Map<string, string>;
}

/** Whether this run has cached an entry under the key that has not changed since. */
export async function isKept(ports: Pick<Ports, "files">, kept: Kept, key: string): Promise<boolean> {
  const state = kept.states.get(key);
  return state !== undefined && state === (await stateOf(ports, join(kept.folder, key)));
}

/** A hash of all file stamps below a folder, without contents: a program cannot write a file and reset its ctime. */
async function stateOf({ files }: Pick<Ports, "files">, folder: string): Promise<string> {
  const lines: unknown[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const inside = at;
    const names = await files.list(inside);
    const stats = await Promise.all(names.map((name) => files.stat(join(inside, name), { link: true })));
    for (const [index, name] of names.entries()) {
      const stat = stats[index];
      const { kind, size, mode, mtimeMs, ctimeMs, inode } = stat ?? {};
      lines.push([join(inside, name), kind, size, mode, mtimeMs, ctimeMs, inode]);
      if (kind === "folder") folders.push(join(inside, name));
    }
  }
  return sha256Hex(JSON.stringify(lines));
}

/** Copies an entry into a room; false if that failed. */
export async function copyKept(
  ports: Ports,
  { folder }: Kept,
  { key, top }: { key: string; top: string },
): Promise<boolean> {
  const from = join(folder, key);
  if (!(await copyTree(ports, `${from}/.`, top))) return false;
  await ports.files.touch(from);
  return true;
}

/**
 * Caches paths (relative to `top`) of a room in one step. Only the three entries used last are kept. Returns false if
 * caching failed.
 */
export async function keep(
  ports: Ports,
  kept: Kept,
  made: { key: string; top: string; paths: readonly string[] },
): Promise<boolean> {
  const { files } = ports;
  const half = join(kept.folder, `${made.key}${HALF}`);
  const whole = join(kept.folder, made.key);
  kept.states.delete(made.key);
  try {
    await files.removeTree(half);
    await files.makeFolder(half, 0o700);
    for (const path of made.paths) {
      const to = join(half, path.replace(/\/$/, ""));
      await files.makeFolder(dirname(to));
      if (!(await copyTree(ports, join(made.top, path.replace(/\/$/, "")), to))) return false;
    }
    await files.removeTree(whole);
    await files.rename(half, whole);
    kept.states.set(made.key, await stateOf(ports, whole));
    await prune(ports, kept.folder);
    return true;
  } catch (error) {
    // A full disk, or a folder of another user: the gate works without a cache.
    if (errorCode(error) === undefined) throw error;
    return false;
  } finally {
    await files.removeTree(half);
  }
}

async function prune({ files }: Ports, folder: string): Promise<void> {
  const all = [];
  for (const name of await files.list(folder)) {
    const stat = await files.stat(join(folder, name));
    if (stat !== undefined) all.push({ name, used: stat.mtimeMs });
  }
  const old = all.sort((a, b) => b.used - a.used).slice(MOST_KEPT);
  for (const { name } of old) await files.removeTree(join(folder, name));
}

/** Makes an independent copy; on a copy-on-write file system the copies may share blocks. */
async function copyTree({ processes }: Ports, from: string, to: string): Promise<boolean> {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const options of [["-a", "--reflink=auto"], ["-pPR"]]) {
    const { end } = await processes.run({ command: "cp", args: [...options, "--", from, to], cwd: "/", env });
    if (end.how === "exited" && end.code === 0) return true;
  }
  return false;
}
