// Names the kind of file that is at a path, for people. Pure.
import type { FileStat } from "../ports.js";

const WORDS: Readonly<Record<FileStat["kind"], string>> = {
  file: "a file",
  folder: "a folder",
  symlink: "a symlink",
  other: "a device or pipe",
};

export function describeKind(kind: FileStat["kind"]): string {
  return WORDS[kind];
}
