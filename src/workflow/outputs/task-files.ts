// The names of a task's files below the setting `tasks_dir`: the outputs of its stages, and its document. Pure.

/** The folder of a task's files below `tasks_dir`: its id, in characters that every file system takes. */
export function taskFolderName(task: string): string {
  const safe = Array.from(task, (character) =>
    /^[A-Za-z0-9._-]$/u.test(character)
      ? character
      : Array.from(
          Buffer.from(character, "utf8"),
          (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
        ).join(""),
  ).join("");
  // A leading dot would hide the folder, or mean another one; a name of a file has at most 255 bytes.
  const visible = safe.replace(/^\./u, "%2E");
  return visible.length <= 200 ? visible : `${visible.slice(0, 160)}+${hash(task)}`;
}

/** The folder of the copies of outputs, each named by its digest, in the folder of a task. */
export const COPIES = ".kept";

/** The file of a stage's output, below `tasks_dir`. */
export function outputFile(task: string, at: { visit: number; stage: string }): string {
  return `${taskFolderName(task)}/${String(at.visit)}-${at.stage}.json`;
}

/** The readable file beside an output, and the copy of it that tells whether it was changed; below `tasks_dir`, as `file` is. */
export function readableFile(file: string): { readable: string; copy: string } {
  const readable = file.replace(/\.json$/u, ".md");
  return { readable, copy: inCopies(file, readable.slice(readable.lastIndexOf("/") + 1)) };
}

/** The copy of an output by its digest, below `tasks_dir`. */
export function copyOfOutput({ file, sha256 }: { file: string; sha256: string }): string {
  return inCopies(file, `${sha256}.json`);
}

function inCopies(file: string, name: string): string {
  return `${file.slice(0, file.lastIndexOf("/") + 1)}${COPIES}/${name}`;
}

/** The visit and the stage that a file's name is of; `undefined` for other files. */
export function parseOutputName(name: string): { visit: number; stage: string } | undefined {
  const [, visit, stage] = /^([1-9]\d{0,5})-([a-z][a-z0-9_-]{0,39})\.json$/u.exec(name) ?? [];
  return visit === undefined || stage === undefined ? undefined : { visit: Number(visit), stage };
}

/** A short digest, FNV-1a in 64 bits: only tells long ids apart. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, "utf8")) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, "0");
}
