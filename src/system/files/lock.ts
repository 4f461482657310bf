// A lock is a file that names its owner. It is made by link(2), so it appears whole or not at all; one whose owner is gone
// (pid, start time and boot checked) is taken over: its file is set aside (lock-file.ts), and stays until the new owner has
// cleaned up after the dead one. A process that is killed in between leaves the next one all it must know.
import { basename, dirname, join } from "node:path";
import { isHalfWritten } from "./half-written.js";
import { isGone, abandonedLocks, readOwner, type LockOwner } from "./lock-owner.js";
import { isAside, isClaim, placeLock, takeAway, tidyAway } from "./lock-file.js";
import type { Ports, Timer } from "../ports.js";

/** A lock that is held. */
export interface HeldLock {
  /** Those it was taken over from, by this holder or by one that was killed before it said `forgetDead`. */
  dead: readonly LockOwner[];
  /** Nothing of the dead is left: the next holder need not know of them. */
  forgetDead(): Promise<void>;
  /** Says more of the holder: its run and that run's folder. */
  describe(facts: { run: string; folder: string }): Promise<void>;
  release(): Promise<void>;
}

export type LockResult = { held: HeldLock } | { heldBy: LockOwner };

type LockPorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

const HEARTBEAT_MS = 15_000;

/**
 * Takes the lock at `path`, waiting for as long as it goes from hand to hand, and up to `waitMs` for one living owner. Throws
 * the system's error where the folder cannot be written.
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
  const seen: Seen = { token: "", since: clock.monotonic(), hands: 0 };
  for (let free = true; ;) {
    if (free && (await placeLock(ports, path, mine))) {
      const dead = await listDead(ports, path).catch((error: unknown) => {
        abandonedLocks.add(mine.token);
        throw error;
      });
      return { held: hold(ports, path, mine, dead) };
    }
    free = true;
    const owner = await readOwner(ports, path);
    if (owner === undefined) continue;
    note(seen, owner, clock.monotonic());
    const gone = await isGone(ports, path, owner);
    const other = gone ? await takeAway(ports, path, owner, mine) : owner;
    if (other === undefined) continue;
    if (clock.monotonic() >= seen.since + options.waitMs) return { heldBy: other };
    free = await becomesFree(ports, path, seen, options.waitMs);
  }
}

/** The last owner, since when (monotonic), and how many owners there were meanwhile. */
interface Seen {
  token: string;
  since: number;
  hands: number;
}

function note(seen: Seen, { token }: LockOwner, now: number): void {
  if (token === seen.token) return;
  seen.token = token;
  seen.since = now;
  seen.hands++;
}

const FIRST_WAIT_MS = 5;
const SHORT_WAIT_MS = 40;
const LONGEST_WAIT_MS = 320;
/** Held by one owner for so long, it is worth asking whether that one still lives. */
const QUESTIONED_MS = 500;

/**
 * Waits until the lock is free, one owner has held it for `waitMs`, or an owner must be checked. An attempt writes a file, and
 * a check reads several. So waiting processes only look, and less often the more of them there are, to leave the machine to
 * the owner.
 */
async function becomesFree(ports: LockPorts, path: string, seen: Seen, waitMs: number): Promise<boolean> {
  const { clock } = ports;
  const asked = clock.monotonic();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, SHORT_WAIT_MS * seen.hands, LONGEST_WAIT_MS)) {
    await clock.sleep(wait);
    const owner = await readOwner(ports, path);
    if (owner === undefined) return true;
    const now = clock.monotonic();
    note(seen, owner, now);
    if (now >= Math.min(seen.since + waitMs, Math.max(seen.since, asked) + QUESTIONED_MS)) return false;
  }
}

/** Finds the owner of the lock at `path`, and whether it is running; `undefined` when the lock is free. Changes nothing. */
export async function inspectLock(
  ports: LockPorts,
  path: string,
): Promise<{ owner: LockOwner; gone: boolean } | undefined> {
  const owner = await readOwner(ports, path);
  return owner === undefined ? undefined : { owner, gone: await isGone(ports, path, owner) };
}

interface Dead {
  file: string;
  owner: LockOwner;
}

/**
 * Lists the locks set aside. Removes files that were to become this lock, and claims on locks of dead owners:
 * only the holder of the lock can still need such a file.
 */
async function listDead({ files }: LockPorts, path: string): Promise<Dead[]> {
  const dead: Dead[] = [];
  for (const name of await files.list(dirname(path))) {
    const file = join(dirname(path), name);
    if (isHalfWritten(name, basename(path)) || isClaim(name, basename(path))) await tidyAway(files, file);
    const owner = isAside(name, basename(path)) ? await readOwner({ files }, file) : undefined;
    if (owner !== undefined) dead.push({ file, owner });
  }
  return dead;
}

function hold(ports: LockPorts, path: string, mine: LockOwner, dead: readonly Dead[]): HeldLock {
  const heartbeat: Timer = ports.clock.every(HEARTBEAT_MS, () => void ports.files.touch(path));
  return {
    dead: dead.map(({ owner }) => owner),
    forgetDead: async () => {
      for (const { file } of dead) await ports.files.remove(file);
    },
    describe: async (facts) => {
      await ports.files.writeAtomic(path, JSON.stringify({ ...mine, ...facts }) + "\n");
    },
    release: async () => {
      heartbeat.cancel();
      try {
        if ((await readOwner(ports, path))?.token === mine.token) await ports.files.remove(path);
      } catch (error) {
        abandonedLocks.add(mine.token);
        throw error;
      }
    },
  };
}
