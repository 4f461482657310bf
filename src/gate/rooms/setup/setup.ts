// Prepares a room with `verify.setup`: from the cache, or by running the commands. Only rooms of a base alone
// fill the cache, because no code of an attempt has run in them, and only folders of packages are kept: what
// is built from the source of a base is not that of an attempt. The cache is outside the project and has one
// entry, by manifests and lock files; each room gets a copy of its own. Only an entry that this run made and
// that is unchanged is used: agents and code under test can write to the cache too, and could forge an index
// in it, so the index is kept in memory.
import { dirname, isAbsolute, join, posix } from "node:path";
import { toText } from "../../../git/base/bytes.js";
import type { Version } from "../../../git/base/read/diff.js";
import { runGit, type GitPlace } from "../../../git/base/git.js";
import { closeRoom } from "../../../git/room/room.js";
import { errorCode } from "../../../system/errors.js";
import type { Ports } from "../../../system/ports.js";
import { digest } from "../../../system/text/digest.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { runOne, type Room } from "../../commands/run-commands.js";
import { endsWell } from "../../verdict/runs.js";
import type { Ran } from "../../verdict.js";

const LOCK_FILE =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pixi\.lock|[\w.-]*requirements[\w.-]*\.txt|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|gradle\.lockfile|packages\.lock\.json|flake\.lock)$/;
const MANIFEST =
  /^(?:package\.json|\.npmrc|pnpm-workspace\.yaml|deno\.jsonc?|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|Cargo\.toml|go\.mod|Gemfile|[\w.-]+\.gemspec|composer\.json|mix\.exs|pubspec\.yaml|Podfile)$/;
const NODES = /^(?:package\.json|\.npmrc|pnpm-workspace\.yaml|deno\.jsonc?)$/;

/** Folders that only hold installed packages, and what managers of packages note beside them. */
const PACKAGES =
  /(?:^|\/)(?:node_modules|bower_components|vendor|\.?venv|deps|Pods|__pycache__|\.(?:yarn|pnp\.[\w.]+|pnpm-store|husky|bundle|pixi|dart_tool)|[\w.-]+\.egg-info)\//;

/** The cache of a run. */
export interface SetupCache {
  folder: string;
  /** The key of the entry, and its state when it was cached, as `stateOf` returns it. */
  entry: { key: string; state: string } | undefined;
  /** The key of an output that cannot be cached. */
  refused?: string;
}

/** The folder of a project's cached setup; `undefined` if the user does not have a cache folder. */
export function setupCacheFolder(
  env: Readonly<Record<string, string>>,
  projectTop: string,
): string | undefined {
  const { XDG_CACHE_HOME: named = "", HOME: home = "" } = env;
  const cache = isAbsolute(named) ? named : isAbsolute(home) ? join(home, ".cache") : undefined;
  return cache === undefined ? undefined : join(cache, "looper", "cold", digest([projectTop]));
}

/** The commands that prepare a room, and their limits. */
export interface SetupRules {
  /** `verify.setup`: lines for `sh -c`. */
  setup: readonly string[];
  /** The time limit of one command of the setup, ms; 0 = unlimited. */
  setupTimeoutMs: number;
  /** The cached output of the setup in this run; `undefined` if the user does not have a cache folder. */
  cache: SetupCache | undefined;
  /** Is told how long the preparation of a room took; a copy is one of an earlier output. */
  noteSetup?: (facts: { how: "made" | "copied"; duration_ms: number }) => Promise<void>;
}

/** A hash of all that a setup of a run depends on; `undefined` without such files. */
export function setupKey(
  rules: SetupRules,
  files: ReadonlyMap<string, Version>,
  top: string,
): string | undefined {
  const decides = (name: string): boolean => LOCK_FILE.test(name) || MANIFEST.test(name);
  const named = [...files.keys()].filter((path) => decides(nameOf(path))).sort();
  if (rules.cache === undefined || rules.setup.length === 0 || named.length === 0) return undefined;
  // Without a lock file, other managers than Node's may install the project itself among its packages.
  const isPinned = named.some((path) => LOCK_FILE.test(nameOf(path)));
  if (!isPinned && !named.every((path) => NODES.test(nameOf(path)))) return undefined;
  // The path of the room is part of it, because some tools (python's virtual environments) write it into their output.
  return sha256Hex(JSON.stringify([named.map((path) => [path, files.get(path)?.oid]), top]));
}

function nameOf(path: string): string {
  return posix.basename(toText(path));
}

/** A room to prepare. `key`: from `setupKey`. `mayKeep`: the room has only a base. */
interface SetupOrder {
  place: GitPlace;
  room: Room;
  key: string | undefined;
  mayKeep: boolean;
}

/** Prepares a room; returns the run of a failed command, after which no other runs. */
export async function setUp(
  ports: Ports,
  rules: SetupRules,
  order: SetupOrder,
  stop: AbortSignal,
): Promise<"ready" | "interrupted" | Ran> {
  const { cache, setup } = rules;
  const { key = "", place } = order;
  if (setup.length === 0) return "ready";
  const began = ports.clock.monotonic();
  const isCopied =
    cache !== undefined &&
    (await isKept(ports, cache, key)) &&
    (await copyTree(ports, `${join(cache.folder, key)}/.`, place.cwd));
  const ready = isCopied ? "ready" : await make(ports, rules, order, stop);
  const duration_ms = Math.round(ports.clock.monotonic() - began);
  await rules.noteSetup?.({ how: isCopied ? "copied" : "made", duration_ms });
  return ready;
}

/** Runs the commands, and keeps what they made. */
async function make(
  ports: Ports,
  rules: SetupRules,
  { place, room, key, mayKeep }: SetupOrder,
  stop: AbortSignal,
): Promise<"ready" | "interrupted" | Ran> {
  const { cache } = rules;
  for (const command of rules.setup) {
    const order = { command, own: false, timeoutMs: rules.setupTimeoutMs, reports: "none" as const };
    const ran = await runOne(ports, room, order, stop);
    if (ran === "interrupted") return ran;
    if (!endsWell(ran.end)) return ran;
  }
  if (cache === undefined || key === undefined || !mayKeep) return "ready";
  const paths = await madePaths(place);
  // Without files in the room, the setup changed something elsewhere, which cannot be cached.
  const areKept = paths.every((path) => PACKAGES.test(`${path}/`) || LOCK_FILE.test(posix.basename(path)));
  if (paths.length > 0 && areKept) await keep(ports, cache, { key, top: place.cwd, paths });
  else cache.refused = key;
  return "ready";
}

/** Whether this run has cached an entry under the key that has not changed since. */
export async function isKept(
  { files }: Pick<Ports, "files">,
  { folder, entry }: SetupCache,
  key: string,
): Promise<boolean> {
  return entry?.key === key && entry.state === (await stateOf(files, join(folder, key)));
}

/** A hash of all stamps below a folder: a program cannot write a file and reset its ctime. */
async function stateOf(files: Ports["files"], top: string): Promise<string> {
  const lines: unknown[] = [];
  const folders = [top];
  for (let one = folders.pop(); one !== undefined; one = folders.pop()) {
    const folder = one;
    const paths = (await files.list(folder)).map((name) => join(folder, name));
    const stats = await Promise.all(paths.map((path) => files.stat(path, { link: true })));
    for (const [index, path] of paths.entries()) {
      const { kind, size, mode, mtimeMs, ctimeMs, inode } = stats[index] ?? {};
      lines.push([path, kind, size, mode, mtimeMs, ctimeMs, inode]);
      if (kind === "folder") folders.push(path);
    }
  }
  return sha256Hex(JSON.stringify(lines));
}

/** Removes the cache of a run that ends. */
export async function removeSetupCache(ports: Ports, { cache }: Pick<SetupRules, "cache">): Promise<void> {
  if (cache?.entry === undefined) return;
  cache.entry = undefined;
  await closeRoom(ports, cache.folder);
}

/** Caches paths (relative to `top`) of a room in place of what was cached before. */
async function keep(
  ports: Ports,
  cache: SetupCache,
  made: { key: string; top: string; paths: readonly string[] },
): Promise<void> {
  const { files } = ports;
  cache.entry = undefined;
  try {
    await files.removeTree(cache.folder);
    await files.makeFolder(cache.folder, 0o700);
    for (const path of made.paths.map((one) => one.replace(/\/$/, ""))) {
      const to = join(cache.folder, made.key, path);
      await files.makeFolder(dirname(to));
      if (!(await copyTree(ports, join(made.top, path), to))) return;
    }
    cache.entry = { key: made.key, state: await stateOf(files, join(cache.folder, made.key)) };
  } catch (error) {
    // A full disk, or a folder of another user: the gate works without a cache.
    if (errorCode(error) === undefined) throw error;
  }
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

/** The paths in the room that are not in its commit; whole folders if they have no committed files. */
async function madePaths(place: GitPlace): Promise<string[]> {
  const args = "status --porcelain -z --ignored=traditional --untracked-files=normal --no-renames".split(" ");
  const { out } = await runGit(place, args);
  return out
    .split("\0")
    .filter((line) => line.startsWith("?? ") || line.startsWith("!! "))
    .map((line) => toText(line.slice(3)));
}
