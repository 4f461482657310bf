// A lock is a file that names its owner. It is made by link(2), so it appears whole or not at all; one whose owner is gone
// (pid, start time and boot checked) is taken over: its file is set aside, and stays until whoever took over says that what
// the dead owner left behind is gone. One killed in between leaves the next one all it must know.
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { errorCode } from "./errors.js";
import { halfWrittenName, isHalfWritten } from "./half-written.js";
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
  for (let free = true; ;) {
    if (free && (await place(ports, path, mine))) {
      const dead = await listDead(ports, path).catch((error: unknown) => {
        letGo.add(mine.token);
        throw error;
      });
      return { held: hold(ports, path, mine, dead) };
    }
    const owner = await readOwner(ports, path);
    const gone = owner !== undefined && (await isGone(ports, path, owner));
    if (gone) await takeAway(ports, path, owner, mine);
    free = true;
    if (owner === undefined || gone) continue;
    if (clock.monotonic() >= deadline) return { heldBy: owner };
    free = await becomesFree(ports, path, { owner, deadline });
  }
}

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 40;
/** Held by one owner for so long, it is worth asking whether that one still lives. */
const QUESTIONED_MS = 500;

/**
 * Waits until nobody holds the lock, the deadline is reached, or the owner is to be questioned. A try writes a file, and a
 * question reads several: those who wait only look, or they would keep the machine from the one who works.
 */
async function becomesFree(
  ports: LockPorts,
  path: string,
  { owner, deadline }: { owner: LockOwner; deadline: number },
): Promise<boolean> {
  const { clock } = ports;
  let { token } = owner;
  let since = clock.monotonic();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    await clock.sleep(wait);
    const now = await readOwner(ports, path);
    if (now === undefined) return true;
    if (now.token !== token) since = clock.monotonic();
    token = now.token;
    if (clock.monotonic() >= Math.min(deadline, since + QUESTIONED_MS)) return false;
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
  const beside = join(dirname(path), halfWrittenName(basename(path), mine.token.slice(0, 12)));
  const text = JSON.stringify(mine) + "\n";
  try {
    await files.writeNew(beside, text, { mode: 0o644 });
    return await linkTo(files, beside, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS")
      return await placeWithoutLink(files, path, text);
    throw error;
  } finally {
    await tidyAway(files, beside);
  }
}

/** What cannot be removed stays for whoever holds the lock next: no reason to fail for one who has it. */
async function tidyAway(files: LockPorts["files"], path: string): Promise<void> {
  await files.remove(path).catch(() => undefined);
}

/** `false` also when whoever got the lock meanwhile has tidied up what was to become it. */
async function linkTo(files: LockPorts["files"], beside: string, path: string): Promise<boolean> {
  try {
    await files.link(beside, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
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

async function readOwner({ files }: Pick<LockPorts, "files">, path: string): Promise<LockOwner | undefined> {
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
  if (fate === "alive") return letGo.has(owner.token);
  if (fate === "gone") return true;
  const stat = await files.stat(path);
  return stat !== undefined && clock.now() - stat.mtimeMs > SILENT_MS;
}

/** Of this process, and held by nobody in it: on a disk that fails it could not be removed, or not all be done to hold it. */
const letGo = new Set<string>();

const ASIDE = ".stale-";

/** Moves a dead owner's lock aside; puts it back when, in between, it turned out to be somebody else's. */
async function takeAway({ files }: LockPorts, path: string, dead: LockOwner, mine: LockOwner): Promise<void> {
  const aside = `${path}${ASIDE}${dead.token}-${mine.token}`;
  try {
    await files.rename(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  if ((await readOwner({ files }, aside))?.token === dead.token) return;
  await putBack(files, aside, path);
  await files.remove(aside);
}

interface Dead {
  file: string;
  owner: LockOwner;
}

/**
 * The locks set aside; one that is only on its way back to a living owner is left out. What was written to become this lock
 * and never did is removed: whoever holds the lock is the only one who can still need such a file.
 */
async function listDead({ files, processes }: LockPorts, path: string): Promise<Dead[]> {
  const dead: Dead[] = [];
  for (const name of await files.list(dirname(path))) {
    if (isHalfWritten(name, basename(path))) await tidyAway(files, join(dirname(path), name));
    if (!name.startsWith(`${basename(path)}${ASIDE}`)) continue;
    const file = join(dirname(path), name);
    const owner = await readOwner({ files }, file);
    if (owner === undefined) continue;
    if (letGo.has(owner.token) || (await processes.fate(owner)) !== "alive") dead.push({ file, owner });
  }
  return dead;
}

async function putBack(files: LockPorts["files"], aside: string, path: string): Promise<void> {
  try {
    await files.link(aside, path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function hold(ports: LockPorts, path: string, mine: LockOwner, dead: readonly Dead[]): HeldLock {
  const heartbeat: Timer = ports.clock.every(HEARTBEAT_MS, () => void ports.files.touch(path));
  return {
    dead: dead.map(({ owner }) => owner),
    forgetDead: async () => {
      for (const { file } of dead) await ports.files.remove(file);
    },
    describe: (facts) => ports.files.writeAtomic(path, JSON.stringify({ ...mine, ...facts }) + "\n"),
    release: async () => {
      heartbeat.cancel();
      try {
        if ((await readOwner(ports, path))?.token === mine.token) await ports.files.remove(path);
      } catch (error) {
        letGo.add(mine.token);
        throw error;
      }
    },
  };
}
