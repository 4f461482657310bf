// Writes every byte, or reports why not. On a disk that fills up, write(2) first writes fewer bytes than asked, and only
// then fails with ENOSPC: a caller that ignores the count leaves half a line.
import { constants } from "node:fs";
import { open, type OpenFile } from "./disk.js";
import type { AppendFile } from "../ports.js";

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;

/** Writes all of `bytes` at `position` (null: where the file stands); throws the system's error when it takes less. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number | null): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    const bytesWritten = await file.write(bytes, done, bytes.length - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error("the file system took no bytes"), { code: "EIO" });
    done += bytesWritten;
  }
}

/** Opens a file to append to, made with `mode` when it is missing. */
export async function openAppend(path: string, mode: number): Promise<AppendFile> {
  // Opening a pipe without a reader fails with O_NONBLOCK; without the flag it blocks, and no signal ends the wait.
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode);
  let size = (await file.stat()).size;
  let last: Promise<void> = Promise.resolve();
  // One write at a time: two interleaved short writes would tear both lines.
  const queue = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    append: (content) =>
      queue(async () => {
        const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
        await writeAll(file, bytes, null);
        size += bytes.length;
      }),
    sync: () => queue(() => file.datasync()),
    close: () => queue(() => file.close()),
    size: () => size,
  };
}
