// Checks that the commands did not change the checks, because code under test could weaken tests while they run. A file of
// expected results that only grew is harmless: snapshot tools add to theirs.
import { toText } from "../../git/base/bytes.js";
import { findChangedInRoom, type GitRoom } from "../../git/room/room.js";
import { familyOf } from "../sort/languages.js";
import type { ColdPlaces } from "./cold-room.js";
import type { Study } from "./study.js";
import type { Tampering } from "../verdict.js";

/** The changes that the commands made to a room's files. */
export interface Traces {
  harm: readonly Tampering[];
  /** Paths (text) of the program that differ from the commit. */
  strays: readonly string[];
}

/** The tracked files that were seen to differ from the checkout. */
export interface Seen {
  /** Paths (bytes) at any look so far, with whether they had lost lines, and at the last look. */
  ever: Map<string, boolean>;
  last: ReadonlySet<string>;
  /** The whole tree was removed. */
  isGone: boolean;
}

/** Looks at a room after its setup, and after each command: the next command could use a file that is put back later. */
export async function lookAround({ rooms }: ColdPlaces, room: GitRoom, seen: Seen): Promise<void> {
  const changed = await findChangedInRoom(rooms, room);
  seen.isGone ||= changed === undefined;
  seen.last = new Set(changed?.keys());
  for (const [path, losesLines] of changed ?? [])
    seen.ever.set(path, losesLines || seen.ever.get(path) === true);
}

/** Judges the changes that were seen in a room. */
export function judgeTraces({ sorter }: Pick<Study, "sorter">, seen: Seen): Traces {
  if (seen.isGone) return { harm: [{ what: "deleted", detail: "the checks removed all files" }], strays: [] };
  const all = [...seen.ever].map(([bytes, losesLines]) => ({
    path: toText(bytes),
    onlyGrew: !losesLines && seen.last.has(bytes) && familyOf(toText(bytes)) === undefined,
  }));
  const harmed = all.filter(({ path, onlyGrew }) => sorter.isCheck(path) && !onlyGrew);
  return {
    harm: harmed.map(({ path }) => ({ path, what: "settings", detail: "changed while the checks ran" })),
    strays: all.map(({ path }) => path).filter((path) => !sorter.isCheck(path)),
  };
}
