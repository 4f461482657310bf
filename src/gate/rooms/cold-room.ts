// A room with all that commands need: the files, the environment as it looks from there, and what the setup makes.
// Leaves which files these are to protected-room.ts, and what is run in it to cold-gate.ts.
import { join, relative, sep } from "node:path";
import { exists, type DiffEntry, type Version } from "../../git/base/diff.js";
import {
  closeRoom,
  isInside,
  openRoom,
  prepareRooms,
  usualTop,
  type GitRoom,
  type RoomContent,
  type Rooms,
} from "../../git/room/room.js";
import { filesOf } from "../../git/base/objects.js";
import type { Repository } from "../../git/base/repository.js";
import type { Room } from "../commands/run-commands.js";
import { setUp, setupKey, type SetupRules } from "./setup.js";
import { isKept, setupCacheFolder, type Kept } from "./setup-cache.js";
import type { Ran } from "../verdict.js";

/** Where a cold gate works, the same for a whole run. */
export interface ColdPlaces {
  rooms: Rooms;
  /** Absolute, symlinks resolved: the project's folder, and the one agents and the gate work in. */
  projectDir: string;
  workDir: string;
  /** The gate's environment outside a room. */
  env: Readonly<Record<string, string>>;
  redact(text: string): string;
  /** `verify.setup`. */
  setup: readonly string[];
  /** The longest one command of the setup may take, ms; 0 = none. */
  setupTimeoutMs: number;
  /** What the setup made in this run; `undefined`: the user has no cache folder. */
  cache: Kept | undefined;
}

/** Finds out how this project's rooms are to be made: once for a run, before any agent works. One git process. */
export async function openColdPlaces(
  repo: Repository,
  places: Omit<ColdPlaces, "rooms" | "cache">,
): Promise<ColdPlaces> {
  const { files } = repo.ports;
  const rooms = await prepareRooms(repo);
  const projectDir = (await files.realPath(places.projectDir)) ?? places.projectDir;
  const workDir = (await files.realPath(places.workDir)) ?? places.workDir;
  const folder = setupCacheFolder(places.env, rooms.repo.cwd);
  const cache = folder === undefined ? undefined : { folder, states: new Map<string, string>() };
  return { ...places, rooms, projectDir, workDir, cache };
}

/** What a room is to hold. */
export interface RoomOrder {
  /** The base: a commit, with what a person did to it since. */
  base: string;
  persons: readonly DiffEntry[];
  baseFiles: ReadonlyMap<string, Version>;
  entries: readonly DiffEntry[];
  texts: readonly { path: string; mode: string; text: string }[];
}

/** What came of a room: what was done in it, or why it was not done. */
export type InRoom<T> = { how: "done"; value: T } | { how: "interrupted" } | { how: "unprepared"; ran: Ran };

/** The files (by path in bytes) of a commit with what a person did to it. */
export async function baseFilesOf(
  { rooms }: ColdPlaces,
  { base, persons }: Pick<RoomOrder, "base" | "persons">,
): Promise<ReadonlyMap<string, Version>> {
  return withEntries(await filesOf(rooms.repo, base), persons);
}

/** Opens a room, prepares it, acts in it and removes it. Throws a `GitError`. */
export async function inRoom<T>(
  places: ColdPlaces,
  order: RoomOrder,
  act: (room: Room, open: GitRoom) => Promise<T>,
  stop: AbortSignal,
): Promise<InRoom<T>> {
  const { ports } = places.rooms.repo;
  const rules = setupRules(places);
  const inBase = await fillCache(places, order, rules, stop);
  if (inBase === "interrupted" || stop.aborted) return { how: "interrupted" };
  const open = await openRoom(places.rooms, contentOf(order));
  try {
    const ready = await prepare(places, { open, order, rules }, stop);
    if (ready === "interrupted") return { how: "interrupted" };
    if (ready !== "ready") return { how: "unprepared", ran: ready };
    return { how: "done", value: await act(roomOf(places, open), open) };
  } finally {
    await closeRoom(ports, open.folder);
  }
}

/** A setup that a base and an attempt share is made in a room of the base, where it may be kept. */
async function fillCache(
  places: ColdPlaces,
  order: RoomOrder,
  rules: SetupRules,
  stop: AbortSignal,
): Promise<"interrupted" | undefined> {
  if (isBase(order) || rules.commands.length === 0 || rules.cache === undefined) return undefined;
  const { ports } = places.rooms.repo;
  const asBase = { ...order, entries: [], texts: [] };
  const top = usualTop(places.rooms);
  const env = envIn(places, top);
  const key = await setupKey(ports, rules, { files: filesIn(asBase), top, env });
  if (key === undefined || (await isKept(ports, rules.cache, key))) return undefined;
  if (key !== (await setupKey(ports, rules, { files: filesIn(order), top, env }))) return undefined;
  const open = await openRoom(places.rooms, contentOf(asBase));
  try {
    // One that fails here fails, or does not, in the attempt's own room: that is what counts.
    const ready = await prepare(places, { open, order: asBase, rules }, stop);
    return ready === "interrupted" ? ready : undefined;
  } finally {
    await closeRoom(ports, open.folder);
  }
}

async function prepare(
  places: ColdPlaces,
  { open, order, rules }: { open: GitRoom; order: RoomOrder; rules: SetupRules },
  stop: AbortSignal,
): Promise<"ready" | "interrupted" | Ran> {
  const { ports } = places.rooms.repo;
  const room = roomOf(places, open);
  const key = await setupKey(ports, rules, { files: filesIn(order), top: open.cwd, env: room.env });
  return setUp(ports, rules, { place: open, room, key, mayKeep: isBase(order) }, stop);
}

function contentOf({ base, persons, entries, texts }: RoomOrder): RoomContent {
  const changed = new Set(entries.map(({ path }) => path));
  const kept = persons.filter(({ path }) => !changed.has(path));
  return { commit: base, entries: [...kept, ...entries], texts };
}

function isBase({ entries, texts }: RoomOrder): boolean {
  return entries.length === 0 && texts.length === 0;
}

function setupRules({ setup, setupTimeoutMs, cache }: ColdPlaces): SetupRules {
  return { commands: setup, timeoutMs: setupTimeoutMs, cache };
}

/** The files of a room by path (bytes), as far as the project's blobs tell. */
export function filesIn({ baseFiles, entries }: RoomOrder): ReadonlyMap<string, Version> {
  return withEntries(baseFiles, entries);
}

function withEntries(
  before: ReadonlyMap<string, Version>,
  entries: readonly DiffEntry[],
): ReadonlyMap<string, Version> {
  const files = new Map(before);
  for (const { path, to } of entries) {
    if (exists(to)) files.set(path, to);
    else files.delete(path);
  }
  return files;
}

function roomOf(places: ColdPlaces, { cwd: top }: GitRoom): Room {
  return {
    cwd: join(top, pathFromTop(places.rooms, places.workDir)),
    env: envIn(places, top),
    redact: (text) => places.redact(text),
  };
}

/** A folder of the project from the top of the repository; "" is the top. Contract: absolute, no symlinks. */
export function pathFromTop({ repo }: Rooms, folder: string): string {
  const path = relative(repo.cwd, folder).split(sep).join("/");
  return path === ".." || path.startsWith("../") ? "" : path;
}

/**
 * The environment as it looks from a room: what names a place in the project names the same place in the room, and
 * nothing in it is about the project's git folder or an agent's run.
 */
function envIn({ rooms, env }: ColdPlaces, top: string): Record<string, string> {
  const project = rooms.repo.cwd;
  const moved = (part: string): string =>
    part.startsWith("/") && isInside(project, part) ? join(top, relative(project, part)) : part;
  const kept = Object.entries(env).filter(
    ([name]) => !/^(?:LOOPER_|GIT_(?!AUTHOR_|COMMITTER_|CONFIG_))/.test(name) && name !== "OLDPWD",
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value.split(":").map(moved).join(":")]));
}
