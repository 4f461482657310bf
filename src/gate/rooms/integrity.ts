// Checks that the commands did not change the checks, because code under test could weaken tests while they run. A file of
// expected results that only grew is harmless: snapshot tools add to theirs.
import { join } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, NOTHING, type Version } from "../../git/base/read/diff.js";
import { readBlobs } from "../../git/base/objects.js";
import { findChangedInRoom, type GitRoom } from "../../git/room/room.js";
import { familyOf } from "../sort/languages.js";
import { filesIn, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import type { Study } from "./cold-study.js";
import type { Tampering } from "../verdict.js";

const MOST_BYTES = 1024 * 1024;

/** The changes that the commands made to a room's files. */
export interface Traces {
  harm: readonly Tampering[];
  /** Paths (text) of the program that differ from the commit. */
  strays: readonly string[];
}

/** The tracked files that were seen to differ from the checkout. */
export interface Seen {
  /** Paths (bytes) at any look so far, and at the last one. */
  ever: Set<string>;
  last: ReadonlySet<string>;
  /** The whole tree was removed. */
  isGone: boolean;
}

/** Looks at a room after its setup, and after each command: the next command could use a file that is put back later. */
export async function lookAround({ rooms }: ColdPlaces, room: GitRoom, seen: Seen): Promise<void> {
  const changed = await findChangedInRoom(rooms, room);
  seen.isGone ||= changed === undefined;
  seen.last = new Set(changed);
  for (const path of seen.last) seen.ever.add(path);
}

/** Judges the changes that were seen in a room. Throws a `GitError`. */
export async function changedFiles(
  { places, study, content }: { places: ColdPlaces; study: Pick<Study, "sorter">; content: RoomOrder },
  room: GitRoom,
  seen: Seen,
): Promise<Traces> {
  const { rooms } = places;
  const changed = [...seen.ever];
  if (seen.isGone) return { harm: [{ what: "deleted", detail: "the checks removed all files" }], strays: [] };
  const held = changed.filter((path) => study.sorter.isCheck(toText(path)));
  const strays = changed.map(toText).filter((path) => !study.sorter.isCheck(path));
  if (held.length === 0) return { harm: [], strays };
  const files = filesIn(content);
  const before = held.map((path) => files.get(path) ?? NOTHING);
  const oids = before.filter(exists).map(({ oid }) => oid);
  const blobs = await readBlobs(rooms.repo, oids, MOST_BYTES);
  const harm: Tampering[] = [];
  for (const [at, bytes] of held.entries()) {
    const path = toText(bytes);
    const from = before[at] ?? NOTHING;
    const now = await textIn(room, path);
    const isCode = familyOf(path) !== undefined;
    const isPutBack = !seen.last.has(bytes);
    if (!isCode && !isPutBack && now !== undefined && onlyGrew(from, blobs.get(from.oid), now)) continue;
    harm.push({ path, what: "settings", detail: "changed while the checks ran" });
  }
  return { harm, strays };
}

/** Whether every line that a file had is still in it, in this order. */
function onlyGrew({ mode }: Version, before: string | undefined, now: string): boolean {
  if (before === undefined || !mode.startsWith("100")) return false;
  const lines = now.split("\n");
  let at = 0;
  for (const line of before.split("\n")) {
    const found = lines.indexOf(line, at);
    if (found === -1) return false;
    at = found + 1;
  }
  return true;
}

/** The bytes of a small regular file in a room. */
async function textIn({ ports: { files }, cwd }: GitRoom, path: string): Promise<string | undefined> {
  const at = join(cwd, path);
  const stat = await files.stat(at, { link: true });
  if (stat?.kind !== "file" || stat.size > MOST_BYTES) return undefined;
  return Buffer.from((await files.read(at)) ?? new Uint8Array()).toString("latin1");
}
