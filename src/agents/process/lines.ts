// Turns chunks of bytes into lines. Knows nothing of what is in them.
import { characterEnd } from "../../system/text/utf8.js";

/** Bytes of a line that are kept; the rest of it is dropped, and a mark at its end says how much. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 10;
const RETURN = 13;

export interface LineSplitter {
  /** The lines that end in this chunk, without their ends (LF or CRLF). The chunk may be reused afterwards. */
  push(chunk: Uint8Array): string[];
  /** The last line, where the stream did not end in a newline. */
  end(): string[];
}

/** Contract: memory stays at the longest line (at most about 1.5 × `maxBytes` while it grows) plus the chunk at hand. */
export function splitLines(maxBytes = MAX_LINE_BYTES): LineSplitter {
  let held = Buffer.alloc(0);
  let used = 0;
  let dropped = 0;

  const hold = (piece: Buffer): void => {
    const taken = Math.min(piece.length, maxBytes - used);
    if (used + taken > held.length) {
      const bigger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(used + taken, held.length * 2, 4096)));
      held.copy(bigger, 0, 0, used);
      held = bigger;
    }
    piece.copy(held, used, 0, taken);
    used += taken;
    dropped += piece.length - taken;
  };
  const release = (): string => {
    const line = dropped === 0 ? decode(held, 0, used) : decodeCut(held, used, dropped);
    if (held.length > 1024 * 1024) held = Buffer.alloc(0);
    used = 0;
    dropped = 0;
    return line;
  };

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: string[] = [];
      let start = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
        if (used === 0 && at - start <= maxBytes) {
          lines.push(decode(bytes, start, at));
        } else {
          hold(bytes.subarray(start, at));
          lines.push(release());
        }
        start = at + 1;
      }
      if (start < bytes.length) hold(bytes.subarray(start));
      return lines;
    },
    end: () => (used > 0 ? [release()] : []),
  };
}

function decode(bytes: Buffer, start: number, end: number): string {
  const last = end > start && bytes[end - 1] === RETURN ? end - 1 : end;
  return bytes.toString("utf8", start, last);
}

function decodeCut(bytes: Buffer, used: number, dropped: number): string {
  const end = characterEnd(bytes, used);
  return `${bytes.toString("utf8", 0, end)} [… ${dropped + used - end} more bytes of this line were dropped]`;
}
