// The names of this program's refs. Git accepts them, they never collide, and the ids in them can be read back.
// checkpoint.ts, commit.ts, rescue.ts and run-refs.ts define the content of the refs.

/** The longest part of a ref's name: a loose ref is a file, and git appends ".lock" to its name. */
const PIECE = 200;

/**
 * Encodes an id as a part of a ref's name: percent-encoded outside `[A-Za-z0-9_-]`, so no two ids share a name. A
 * long id is split over folders whose names end in "+", which is used nowhere else. Contract: `id` is not empty.
 */
export function encodeId(id: string): string {
  const encoded = Array.from(id, encodeCharacter).join("");
  const pieces: string[] = [];
  for (let at = 0; at < encoded.length; at += PIECE) pieces.push(encoded.slice(at, at + PIECE));
  return pieces.join("+/");
}

function encodeCharacter(character: string): string {
  if (/^[A-Za-z0-9_-]$/.test(character)) return character;
  // A lone surrogate has no UTF-8: it would become U+FFFD and collide with every other one.
  if (/^[\uD800-\uDFFF]$/.test(character)) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return Array.from(Buffer.from(character, "utf8"), percent).join("");
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Decodes the result of `encodeId`. */
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

/** The checkpoint of a task (or of another `id`) in one working tree. */
export function checkpointRef(tree: string, id: string): string {
  return `${checkpointFolder(tree)}/${encodeId(id)}`;
}

/** The folder of the commits that keep what a person's refs name reachable while a run works. */
export const KEPT = "refs/looper/kept";

/** Such a commit of one working tree. `state`: a name of the refs' state; without it the folder. */
export function keptRef(tree: string, state?: string): string {
  return state === undefined ? `${KEPT}/${tree}` : `${KEPT}/${tree}/${state}`;
}

/** The checkpoint beside a task's own, to undo what a stage that only reads changes; the white space keeps it apart from task ids. */
export function asideId(task: string): string {
  return `${task} (aside)`;
}

/**
 * The folder of the saved work of all tasks in a workflow. A linked working tree has a task file of its own, perhaps with the same
 * ids, and so a folder of its own.
 */
export function workFolder(tree: string): string {
  return tree === "main" ? "refs/looper/work" : `refs/looper/work-${tree}`;
}

/** The saved work of a task in a workflow. */
export function workRef(tree: string, task: string): string {
  return `${workFolder(tree)}/${encodeId(task)}`;
}

/** The open questions that clones share. */
export const OPEN = "refs/looper/open";

/** The question of a task, as the remote has it. */
export function openRef(task: string): string {
  return `${OPEN}/${encodeId(task)}`;
}

/** Exists while the tree is being reset to the task's checkpoint: its work is saved, and not all of it is in the tree any more. */
export function shelvingRef(tree: string, task: string): string {
  return `refs/looper/shelving/${tree}/${encodeId(task)}`;
}

/** The part of the tree that the reset replaces, until it is compared with the saved work. */
export function shelvedRef(tree: string, task: string): string {
  return `refs/looper/shelved/${tree}/${encodeId(task)}`;
}

/** The checkpoint before an agent drafts or repairs the backlog; the white space keeps it apart from task ids. */
export const THE_DRAFT = "the draft";

/** The folder of all pending commits. */
export const PENDING = "refs/looper/pending";

/** The pending commit of a working tree. */
export function pendingRef(tree: string): string {
  return `${PENDING}/${tree}`;
}

/** The trees that a session of Chapo keeps: one before and one after each message. */
export function sessionTreesFolder(tree: string, session: string): string {
  return `refs/looper/chapo/${tree}/${encodeId(session)}`;
}

/** The folder of all rescues. */
export const RESCUES = "refs/looper/rescue";

/** A rescue of a run. */
export function rescueRef(run: string, label: string): string {
  return `${RESCUES}/${encodeId(run)}/${encodeId(label)}`;
}

/** The folder of the records of all runs. */
export const ATTEMPTS = "refs/looper/attempts";

/** The folder of a run's records: deleting its refs forgets the run. */
export function attemptsFolder(run: string): string {
  return `${ATTEMPTS}/${encodeId(run)}`;
}

/** The record of one attempt. The number comes last, so no two attempts share a name. */
export function attemptRef(run: string, task: string, attempt: number): string {
  return `${attemptsFolder(run)}/${encodeId(`${task}-${String(attempt)}`)}`;
}

/** The task and the number of the record of an attempt; no number for the start. */
export function attemptOf(run: string, ref: string): { task: string; number: number | undefined } {
  const name = decodeId(ref.slice(attemptsFolder(run).length + 1));
  const number = /-(\d+)$/.exec(name)?.[1];
  return { task: name.replace(/-\d+$/, ""), number: number === undefined ? undefined : Number(number) };
}

/**
 * The tree and the backlog before the run's first attempt; without a number, so it differs from the names of
 * attempts.
 */
export function startRef(run: string): string {
  return `${attemptsFolder(run)}/start`;
}
