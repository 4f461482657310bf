// Keeps what `verify.setup` made, outside the project and by its lock files. Each room gets a copy of its own. What was kept
// is what this run kept, and as it was then: agents and code under test can write here too, and would write a list of what is
// here as well, so that is only remembered. Leaves when to keep and what a key stands for to setup.ts.
import { dirname, isAbsolute, join } from "node:path";
import { digest } from "../../system/text/digest.js";
import { errorCode } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { sha256Hex } from "../../system/text/sha256.js";

const MOST_KEPT = 3;
const HALF = ".half";

/** The folder in which the setups of a project are kept; `undefined` where the user has no cache folder. */
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

/** What a run has kept. */
export interface Kept {
  folder: string;
  /** By key what lay there then, as `stateOf` tells it. */
  states: Map<string, string>;
}

/** Whether this run has kept something under the key, and nobody has touched it since. */
export async function isKept(ports: Pick<Ports, "files">, kept: Kept, key: string): Promise<boolean> {
  const state = kept.states.get(key);
  return state !== undefined && state === (await stateOf(ports, join(kept.folder, key)));
}

/** Everything below a folder but its contents: no program of a user's can write a file and set its ctime back. */
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

/** Copies what is kept into a room. `false`: it could not be. */
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
 * Keeps paths (relative to `top`) of a room; seen by others whole or not at all. Of all that is kept the three used last
 * stay. `false`: it could not be kept.
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
    // A full disk, a folder that is not ours: the gate works without.
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

/** A copy that shares nothing that can be written: blocks at most, where the file system copies on write. */
async function copyTree({ processes }: Ports, from: string, to: string): Promise<boolean> {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const options of [["-a", "--reflink=auto"], ["-pPR"]]) {
    const { end } = await processes.run({ command: "cp", args: [...options, "--", from, to], cwd: "/", env });
    if (end.how === "exited" && end.code === 0) return true;
  }
  return false;
}
