// A lock is a file that names its owner. It is made by link(2), so it appears whole or not at all; one whose owner is gone
// (pid, start time and boot checked) is taken over. Leaves what a dead owner left behind to whoever took over.
import { dirname } from "node:path";
import { z } from "zod";
import { errorCode } from "./errors.js";
import type { Ports, Timer } from "./ports.js";

const LockOwner = z.object({
  token: z.string(),
  pid: z.int(),
  started: z.string(),
  boot: z.string(),
  host: z.string(),
  namespace: z.string(),
  /** RFC 3339. */
  since: z.string(),
  run: z.string().optional(),
  /** Absolute path of the run's folder. */
  folder: z.string().optional(),
});

/** Who holds a lock: enough to tell whether it still lives, and what it was doing. */
export type LockOwner = z.infer<typeof LockOwner>;

/** A lock that is held. `tookOver`: the dead owner it was taken from. */
export interface HeldLock {
  tookOver?: LockOwner;
  /** Says more of the holder: its run and that run's folder. */
  describe(facts: { run: string; folder: string }): Promise<void>;
  release(): Promise<void>;
}

export type LockResult = { held: HeldLock } | { heldBy: LockOwner };

type LockPorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

/** An owner that cannot be looked at (another host or pid namespace) counts as gone once it has been silent this long. */
const SILENT_MS = 60_000;
const HEARTBEAT_MS = 15_000;

/**
 * Takes the lock at `path`, waiting up to `waitMs` for a living owner. Throws the system's error where the folder
 * cannot be written.
 */
export async function acquireLock(
  ports: LockPorts,
  path: string,
  facts: { run?: string; folder?: string },
  options: { waitMs: number },
): Promise<LockResult> {
  const { clock, files, random } = ports;
  const mine: LockOwner = {
    token: random.hex(8),
    ...(await ports.processes.identity()),
    since: new Date(clock.now()).toISOString(),
    ...facts,
  };
  await files.makeFolder(dirname(path), 0o755);
  const deadline = clock.monotonic() + options.waitMs;
  let tookOver: LockOwner | undefined;
  for (;;) {
    if (await place(ports, path, mine)) return { held: hold(ports, path, mine, tookOver) };
    const owner = await readOwner(ports, path);
    if (owner === undefined) continue;
    if (await isGone(ports, path, owner)) {
      if (await takeAway(ports, path, owner, mine)) tookOver = owner;
      continue;
    }
    if (clock.monotonic() >= deadline) return { heldBy: owner };
    await clock.sleep(5);
  }
}

/** Who holds the lock at `path`, and whether that owner still lives; `undefined` when nobody does. Takes nothing. */
export async function inspectLock(
  ports: LockPorts,
  path: string,
): Promise<{ owner: LockOwner; gone: boolean } | undefined> {
  const owner = await readOwner(ports, path);
  return owner === undefined ? undefined : { owner, gone: await isGone(ports, path, owner) };
}

async function place({ files }: LockPorts, path: string, mine: LockOwner): Promise<boolean> {
  const beside = `${path}.${mine.token}`;
  const text = JSON.stringify(mine) + "\n";
  try {
    await files.writeNew(beside, text, { mode: 0o644 });
    await files.link(beside, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS")
      return await placeWithoutLink(files, path, text);
    throw error;
  } finally {
    await files.remove(beside);
  }
}

/** For file systems without link(2): whoever creates the file holds it; a reader may see it half written for a moment. */
async function placeWithoutLink(files: LockPorts["files"], path: string, text: string): Promise<boolean> {
  try {
    await files.writeNew(path, text, { mode: 0o644 });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function readOwner({ files }: LockPorts, path: string): Promise<LockOwner | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const parsed = LockOwner.safeParse(parseJson(Buffer.from(bytes).toString("utf8")));
  // Not ours to read: named by its path, gone once it has been silent for a minute.
  return parsed.success
    ? parsed.data
    : { token: "", pid: 0, started: "", boot: "", host: "?", namespace: "", since: "" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function isGone(
  { clock, files, processes }: LockPorts,
  path: string,
  owner: LockOwner,
): Promise<boolean> {
  const fate = owner.token === "" ? "unknown" : await processes.fate(owner);
  if (fate !== "unknown") return fate === "gone";
  const stat = await files.stat(path);
  return stat !== undefined && clock.now() - stat.mtimeMs > SILENT_MS;
}

/** Moves a dead owner's lock away; puts it back when, in between, it turned out to be somebody else's. */
async function takeAway(
  { files }: LockPorts,
  path: string,
  dead: LockOwner,
  mine: LockOwner,
): Promise<boolean> {
  const aside = `${path}.stale-${mine.token}`;
  try {
    await files.rename(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  const bytes = await files.read(aside);
  const moved = LockOwner.safeParse(parseJson(Buffer.from(bytes ?? []).toString("utf8")));
  const wasTheDead = (moved.success ? moved.data.token : "") === dead.token;
  if (!wasTheDead) await putBack(files, aside, path);
  await files.remove(aside);
  return wasTheDead;
}

async function putBack(files: LockPorts["files"], aside: string, path: string): Promise<void> {
  try {
    await files.link(aside, path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function hold(ports: LockPorts, path: string, mine: LockOwner, tookOver: LockOwner | undefined): HeldLock {
  const heartbeat: Timer = ports.clock.every(HEARTBEAT_MS, () => void ports.files.touch(path));
  return {
    ...(tookOver === undefined ? {} : { tookOver }),
    describe: (facts) => ports.files.writeAtomic(path, JSON.stringify({ ...mine, ...facts }) + "\n"),
    release: async () => {
      heartbeat.cancel();
      if ((await readOwner(ports, path))?.token === mine.token) await ports.files.remove(path);
    },
  };
}
