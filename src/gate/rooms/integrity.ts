// Checks that the commands did not change protected files, because code under test could weaken tests while they run.
// tamper.ts decides what is harmful; additions to a test, for instance by snapshot tools, are not.
import { join } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, NOTHING } from "../../git/base/diff.js";
import { readBlobs } from "../../git/base/objects.js";
import { findChangedInRoom, type GitRoom } from "../../git/room/room.js";
import { filesIn, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import type { Study } from "./cold-study.js";
import { findTampering, type ChangedFile } from "../influence/tamper.js";
import type { Tampering } from "../verdict.js";

const MOST_BYTES = 1024 * 1024;

/** The changes that the commands made to a room's files. */
export interface Traces {
  harm: readonly Tampering[];
  /** Paths (text) of the work that differ from the commit. */
  strays: readonly string[];
}

/** Finds the changes in a room since it was opened. Contract: all its processes have ended. Throws a `GitError`. */
export async function changedFiles(
  { places, study, content }: { places: ColdPlaces; study: Pick<Study, "protection">; content: RoomOrder },
  room: GitRoom,
): Promise<Traces> {
  const { rooms } = places;
  const changed = await findChangedInRoom(rooms, room);
  if (changed === undefined)
    return { harm: [{ what: "deleted", detail: "the checks removed all files" }], strays: [] };
  const { protection } = study;
  const paths = changed.filter((path) => protection.kindOf(toText(path)) !== "free");
  const strays = changed.map(toText).filter((path) => protection.kindOf(path) === "free");
  if (paths.length === 0) return { harm: [], strays };
  const files = filesIn(content);
  const before = paths.map((path) => files.get(path) ?? NOTHING);
  const blobs = await readBlobs(
    rooms.repo,
    before.filter(exists).map(({ oid }) => oid),
    MOST_BYTES,
  );
  const harm: Tampering[] = [];
  for (const [at, bytes] of paths.entries()) {
    const from = before[at] ?? NOTHING;
    const path = toText(bytes);
    const now = await lookAt(room, path);
    const file: ChangedFile = { path, from, ...now, before: blobs.get(from.oid) };
    const found =
      protection.kindOf(path) === "test" ? findTampering([file], protection, () => false)[0] : undefined;
    if (found !== undefined) harm.push({ ...found, detail: `while the checks ran: ${found.detail}` });
    else if (protection.kindOf(path) !== "test")
      harm.push({ path, what: "settings", detail: "changed while the checks ran" });
  }
  return { harm, strays };
}

async function lookAt(
  { ports: { files }, cwd }: GitRoom,
  path: string,
): Promise<Pick<ChangedFile, "to" | "after">> {
  const at = join(cwd, path);
  const stat = await files.stat(at, { link: true });
  if (stat === undefined || stat.kind === "folder") return { to: NOTHING, after: undefined };
  // An id that no blob has: the caller knows already that the file has changed.
  const oid = "changed";
  if (stat.kind !== "file") return { to: { mode: "120000", oid }, after: (await files.readLink(at)) ?? "" };
  const mode = (stat.mode & 0o100) === 0 ? "100644" : "100755";
  if (stat.size > MOST_BYTES) return { to: { mode, oid }, after: undefined };
  const content = await files.read(at);
  return { to: { mode, oid }, after: Buffer.from(content ?? new Uint8Array()).toString("latin1") };
}
