// Reads the output of a command, truncated for a model. shell-command.ts runs the command.
import { characterEnd, characterStart } from "../../../system/text/utf8.js";
import type { Files } from "../../../system/ports.js";

/** The most bytes of output in a result. The gate truncates at 30,000 characters, and the result has some more lines. */
const ROOM = 28_000;

/** The output of a command that has ended. */
export interface CommandOutput {
  /** Has a heading for each stream that is not empty. */
  text: string;
  /** Whether a part was left out; then the files hold all of it. */
  isCut: boolean;
}

/** Reads both streams. Shows the beginning and the end of a long stream, the size of the rest and the path of its file. */
export async function readOutput(files: Files, stdout: string, stderr: string): Promise<CommandOutput> {
  const [outSize, errSize] = [await readSize(files, stdout), await readSize(files, stderr)];
  const errRoom = Math.max(ROOM / 3, ROOM - outSize);
  const outRoom = ROOM - Math.min(errSize, errRoom);
  const parts = [
    await formatStream(files, "stdout", { path: stdout, size: outSize, room: outRoom }),
    await formatStream(files, "stderr", { path: stderr, size: errSize, room: errRoom }),
  ];
  const text = parts.filter((part) => part !== "").join("\n");
  return { text: text === "" ? "(no output)" : text, isCut: outSize > outRoom || errSize > errRoom };
}

interface Stream {
  path: string;
  size: number;
  /** The bytes it may take in the result. */
  room: number;
}

async function formatStream(files: Files, name: string, stream: Stream): Promise<string> {
  const { path, size, room } = stream;
  if (size === 0) return "";
  if (size <= room) return `${name}:\n${decode(await files.readRange(path, 0, size))}`;
  const half = Math.floor(room / 2);
  const head = await files.readRange(path, 0, half);
  const tail = await files.readRange(path, size - half, half);
  const headEnd = characterEnd(head, head.length);
  const tailStart = characterStart(tail, 0);
  const cut = size - headEnd - (tail.length - tailStart);
  return [
    `${name} (truncated: beginning and end):`,
    decode(head.subarray(0, headEnd)),
    `[… ${cut} of ${size} bytes were cut here; all of them are in ${path} …]`,
    decode(tail.subarray(tailStart)),
  ].join("\n");
}

/** The text added to a file since it was last read. */
export interface NewText {
  text: string;
  /** The offset of the next read, in bytes. */
  next: number;
  /** The number of bytes that did not fit. */
  left: number;
}

/**
 * Reads at most `room` bytes from offset `from`. `isWhole`: the file will not grow any more. Splits no character, and with
 * `byLine` no line.
 */
export async function readNewOutput(
  files: Files,
  path: string,
  from: number,
  how: { room: number; isWhole: boolean; byLine: boolean },
): Promise<NewText> {
  const size = await readSize(files, path);
  if (size <= from) return { text: "", next: from, left: 0 };
  const bytes = await files.readRange(path, from, Math.min(how.room, size - from));
  const isEnd = how.isWhole && from + bytes.length >= size;
  let end = isEnd ? bytes.length : characterEnd(bytes, bytes.length);
  if (how.byLine && !isEnd) {
    const line = bytes.lastIndexOf(10) + 1;
    // A line that is longer than the room is shown in pieces.
    if (line > 0 || bytes.length < how.room) end = line;
  }
  return { text: decode(bytes.subarray(0, end)), next: from + end, left: size - from - bytes.length };
}

async function readSize(files: Files, path: string): Promise<number> {
  return (await files.stat(path))?.size ?? 0;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\n$/, "");
}
