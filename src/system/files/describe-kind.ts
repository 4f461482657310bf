// Names the kind of file that is at a path, for people.
import type { FileStat, Files } from "../ports.js";

const WORDS: Readonly<Record<FileStat["kind"], string>> = {
  file: "a file",
  folder: "a folder",
  symlink: "a symlink",
  other: "a device or pipe",
};

export function describeKind(kind: FileStat["kind"]): string {
  return WORDS[kind];
}

/** Says why a path does not name a folder; `undefined` if it does. */
export async function explainNoFolder(files: Pick<Files, "stat">, at: string): Promise<string | undefined> {
  const kind = (await files.stat(at))?.kind;
  if (kind === "folder") return undefined;
  return kind === undefined ? `cannot find the folder ${at}` : `${at} is ${describeKind(kind)}, not a folder`;
}
