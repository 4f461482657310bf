// The names of a task's files below the setting `tasks_dir`: the outputs of its stages, and its document. Pure.
import { sha256Hex } from "../../system/text/sha256.js";

/** The folder of a task's files below `tasks_dir`: its id, in characters that every file system takes. */
export function taskFolderName(task: string): string {
  const safe = encodeURIComponent(Buffer.from(task).toString()).replaceAll(
    /[!~*'()]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  // A leading dot would hide the folder, or mean another one; a name of a file has at most 255 bytes.
  const visible = safe.replace(/^\./u, "%2E");
  const digest = sha256Hex(task).slice(0, 16);
  return visible.length <= 200 ? visible : `${visible.slice(0, 160)}+${digest}`;
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
