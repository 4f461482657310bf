// Makes a room with everything that commands need: the files, an environment for that place, and the output
// of the setup. room-orders.ts decides on the files, and cold-pass.ts runs the commands.
import { join, relative, sep, basename } from "node:path";
import type { DiffEntry, Version } from "../../git/base/read/diff.js";
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
import { withChanges } from "../../git/bring-back/bring-back.js";
import { filesOf } from "../../git/base/objects.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { given } from "../../system/given.js";
import type { Room } from "../commands/run-commands.js";
import { isKept, setUp, setupCacheFolder, setupKey, type SetupRules } from "./setup/setup.js";
import type { Ran } from "../verdict.js";
import type { Files } from "../../system/ports.js";

/** The places of a cold gate, the same for a whole run. */
export interface ColdPlaces extends SetupRules {
  rooms: Rooms;
  /** Absolute, symlinks resolved: the project's folder, and the working directory of agents and the gate. */
  projectDir: string;
  workDir: string;
  /** The gate's environment outside a room. */
  env: Readonly<Record<string, string>>;
  redact(text: string): string;
  /** `verify.protected`, `verify.source`. */
  protected: readonly string[];
  source: readonly string[];
  /** `verify.home`: whose home folder the checks have; those of the setup have the user's. */
  home?: "user" | "room";
  /** Absolute paths that commands in a room must not see. */
  hide?: readonly string[];
  /** The time that the run has spent so far on finding what a pass depends on, ms. */
  spent: { attributionMs: number };
  /** Whether the search for what a pass depends on has no limit of time, and diffs are shown whole. */
  thorough?: true;
}

/** Prepares the making of rooms, once for a run and before any agent works. Starts one git process. */
export async function openColdPlaces(
  repo: Repository,
  places: Omit<ColdPlaces, "rooms" | "cache" | "spent">,
): Promise<ColdPlaces> {
  const { files } = repo.ports;
  const rooms = await prepareRooms(repo);
  const projectDir = (await files.realPath(places.projectDir)) ?? places.projectDir;
  const workDir = (await files.realPath(places.workDir)) ?? places.workDir;
  const folder = setupCacheFolder(places.env, rooms.repo.cwd);
  const cache = folder === undefined ? undefined : { folder, entry: undefined };
  return { ...places, rooms, projectDir, workDir, cache, spent: { attributionMs: 0 } };
}

/** The tree that changes are made to: a commit, with the changes that a person made since. */
export interface BaseTree {
  commit: string;
  persons: readonly DiffEntry[];
  /** By path in bytes. */
  files: ReadonlyMap<string, Version>;
}

/** The content of a room: a base with changes, and texts in place of their versions. */
export interface RoomOrder extends Pick<RoomContent, "entries" | "texts"> {
  base: BaseTree;
}

/** The result of the work in a room, or the reason why it was not done. */
export type InRoom<T> = { how: "done"; value: T } | { how: "interrupted" } | { how: "unprepared"; ran: Ran };

/** Reads the files of a base. Throws a `GitError`. */
export async function readBase(
  { rooms }: ColdPlaces,
  commit: string,
  persons: readonly DiffEntry[] = [],
): Promise<BaseTree> {
  return { commit, persons, files: withChanges(await filesOf(rooms.repo, commit), persons) };
}

/** Opens a room, prepares it, acts in it and removes it. Throws a `GitError`. */
export async function workInRoom<T>(
  places: ColdPlaces,
  order: RoomOrder,
  stop: AbortSignal,
  act: (room: Room, open: GitRoom) => Promise<T | "interrupted">,
): Promise<InRoom<T>> {
  const { ports } = places.rooms.repo;
  if (await sharesSetup(places, order)) {
    // A failure here does not count: the setup runs again in the attempt's own room.
    const asBase = { ...order, entries: [], texts: [] };
    await workInRoom(places, asBase, stop, () => Promise.resolve(undefined));
  }
  if (stop.aborted) return { how: "interrupted" };
  const open = await openRoom(places.rooms, contentOf(order));
  try {
    const room = roomOf(places, open);
    const key = setupKey(places, withChanges(order.base.files, order.entries), open.cwd);
    const ready = await setUp(ports, places, { place: open, room, key, mayKeep: isBase(order) }, stop);
    if (ready === "interrupted") return { how: "interrupted" };
    if (ready !== "ready") return { how: "unprepared", ran: ready };
    const own = places.home === "room" ? await withOwnHome(ports.files, room, open) : room;
    const value = await act(own, open);
    return value === "interrupted" ? { how: "interrupted" } : { how: "done", value };
  } finally {
    await closeRoom(ports, open.folder);
  }
}

/** Whether the base and an attempt share a setup that is not cached yet: a room of the base does that. */
async function sharesSetup(places: ColdPlaces, order: RoomOrder): Promise<boolean> {
  if (isBase(order) || places.cache === undefined) return false;
  const top = usualTop(places.rooms);
  const { files } = order.base;
  const key = setupKey(places, files, top);
  const isSame = key === setupKey(places, withChanges(files, order.entries), top);
  if (key === undefined || key === places.cache.refused || !isSame) return false;
  return !(await isKept(places.rooms.repo.ports, places.cache, key));
}

function contentOf({ base: { commit, persons }, entries, texts }: RoomOrder): RoomContent {
  const changed = new Set(entries.map(({ path }) => path));
  return { commit, entries: [...persons.filter(({ path }) => !changed.has(path)), ...entries], texts };
}

function isBase({ entries, texts }: RoomOrder): boolean {
  return entries.length === 0 && texts.length === 0;
}

function roomOf(places: ColdPlaces, { cwd: top }: GitRoom): Room {
  return {
    cwd: join(top, pathFromTop(places.rooms, places.workDir)),
    env: envIn(places, top),
    temporary: places.rooms.prefix,
    redact: (text) => places.redact(text),
    ...given({ hide: places.hide }),
  };
}

/** The path of a folder from the top of the repository (""). Contract: absolute, without symlinks. */
export function pathFromTop({ repo }: Rooms, folder: string): string {
  const path = relative(repo.cwd, folder).split(sep).join("/");
  return path === ".." || path.startsWith("../") ? "" : path;
}

/**
 * The environment in a room: paths in the project become the same paths in the room, and variables about the
 * project's git folder or an agent's run are removed.
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

/** The same room, with an empty home folder and an empty temp folder, which are removed with it: for `verify.home: room`. */
async function withOwnHome(files: Files, room: Room, { folder, cwd: top }: GitRoom): Promise<Room> {
  // Beside the working tree, under names that it cannot have.
  const HOME = join(folder, `${basename(top)}-home`);
  const TMPDIR = join(folder, `${basename(top)}-tmp`);
  for (const made of [HOME, TMPDIR]) await files.makeFolder(made, 0o700);
  const { XDG_RUNTIME_DIR: _run, TMP: _tmp, TEMP: _temp, ...env } = room.env;
  const folders = {
    XDG_CONFIG_HOME: join(HOME, ".config"),
    XDG_CACHE_HOME: join(HOME, ".cache"),
    XDG_DATA_HOME: join(HOME, ".local/share"),
    XDG_STATE_HOME: join(HOME, ".local/state"),
  };
  return { ...room, env: { ...env, HOME, TMPDIR, ...folders } };
}
