// Decodes the bytes of a file that must be UTF-8, and finds the first place that is not. Pure.
import { err, ok, type Result } from "../result.js";

/** The first character that is not UTF-8: the text before it, and what is there instead. */
export interface NotUtf8 {
  before: string;
  found: string;
}

/** The text with its byte order mark. */
export function decodeUtf8(bytes: Uint8Array): Result<string, NotUtf8> {
  const text = decodedOrNothing(bytes);
  if (text !== undefined) return ok(text);
  const bad = firstBadByte(bytes);
  // The decoder drops a byte order mark.
  const before = new TextDecoder().decode(bytes.subarray(0, bad));
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const byte = (bytes[bad] ?? 0).toString(16);
  return err({ before, found: wide ? "it begins as UTF-16 does" : `unexpected byte 0x${byte}` });
}

function decodedOrNothing(bytes: Uint8Array, partly = false): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: partly });
  } catch {
    return undefined;
  }
}

/** The offset of the first character that is not UTF-8, by binary search for the longest beginning that decodes. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodedOrNothing(bytes.subarray(0, middle), true) === undefined) bad = middle;
    else good = middle;
  }
  while (decodedOrNothing(bytes.subarray(0, good)) === undefined) good--;
  return good;
}
