// Where this program keeps its refs: names that git takes, that never collide, and that can be read back.
// Leaves what the refs hold to checkpoint.ts, pending.ts, rescue.ts and attempts.ts.

/** The longest piece of a ref's name: as a loose ref it is a file name, and ".lock" is put behind it. */
const PIECE = 200;

/**
 * An id as a part of a ref's name: percent-encoded outside `[A-Za-z0-9_-]`, so no two ids share a name. A long one is
 * spread over folders whose names end in "+", which no other name does. Contract: `id` is not empty.
 */
export function encodeId(id: string): string {
  const encoded = Array.from(id, encodeCharacter).join("");
  const pieces: string[] = [];
  for (let at = 0; at < encoded.length; at += PIECE) pieces.push(encoded.slice(at, at + PIECE));
  return pieces.join("+/");
}

function encodeCharacter(character: string): string {
  if (/^[A-Za-z0-9_-]$/.test(character)) return character;
  // A lone surrogate has no UTF-8: it would become U+FFFD and collide with every other.
  if (/^[\uD800-\uDFFF]$/.test(character)) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return Array.from(Buffer.from(character, "utf8"), percent).join("");
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The id that `encodeId` made this of. */
export function decodeId(encoded: string): string {
  return encoded
    .replaceAll("+/", "")
    .replace(
      /%u([0-9A-F]{4})|((?:%[0-9A-F]{2})+)/g,
      (_, lone: string | undefined, bytes: string | undefined) =>
        lone === undefined
          ? Buffer.from((bytes ?? "").replaceAll("%", ""), "hex").toString("utf8")
          : String.fromCharCode(parseInt(lone, 16)),
    );
}

/** The folder of all checkpoints. */
export const CHECKPOINTS = "refs/looper/checkpoint";

/** The folder of the checkpoints of one working tree. */
export function checkpointFolder(tree: string): string {
  return `${CHECKPOINTS}/${tree}`;
}

/** The checkpoint of a task (or of whatever else `id` names) in one working tree. */
export function checkpointRef(tree: string, id: string): string {
  return `${checkpointFolder(tree)}/${encodeId(id)}`;
}

/** The checkpoint from before an agent drafts or mends the backlog; no task has such an id: white space is in it. */
export const THE_DRAFT = "the draft";

/** The folder of all commits that are built but not finished. */
export const PENDING = "refs/looper/pending";

/** The commit that is built but not finished, one for each working tree. */
export function pendingRef(tree: string): string {
  return `${PENDING}/${tree}`;
}

/** The folder of all work put aside. */
export const RESCUES = "refs/looper/rescue";

/** Work put aside in a run. */
export function rescueRef(run: string, label: string): string {
  return `${RESCUES}/${encodeId(run)}/${encodeId(label)}`;
}

/** The folder of what is kept of all runs' attempts. */
export const ATTEMPTS = "refs/looper/attempts";

/** Everything that is kept of a run's attempts lies below this name: a run is forgotten by deleting what is there. */
export function attemptsFolder(run: string): string {
  return `${ATTEMPTS}/${encodeId(run)}`;
}

/** What one attempt left. The number stands last, so no two share a name. */
export function attemptRef(run: string, task: string, attempt: number): string {
  return `${attemptsFolder(run)}/${encodeId(`${task}-${String(attempt)}`)}`;
}

/** The tree and the backlog as a run found them before its first attempt; no attempt has this name, having no number. */
export function startRef(run: string): string {
  return `${attemptsFolder(run)}/start`;
}
