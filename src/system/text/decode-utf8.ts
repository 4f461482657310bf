// Decodes the bytes of a file that must be UTF-8, and finds the first place that is not. Pure.
import { isUtf8 } from "node:buffer";
import { err, ok, type Result } from "../result.js";

/** The first character that is not UTF-8: the text before it, and what is there instead. */
export interface NotUtf8 {
  before: string;
  found: string;
}

/** The text with its byte order mark. */
export function decodeUtf8(bytes: Uint8Array): Result<string, NotUtf8> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (isUtf8(bytes)) return ok(text);
  // The decoder replaces each byte that it cannot decode.
  let bad = Buffer.from(text, "utf8").findIndex((byte, at) => byte !== bytes[at]);
  while (!isUtf8(bytes.subarray(0, bad))) bad--;
  // The decoder drops a byte order mark.
  const before = new TextDecoder().decode(bytes.subarray(0, bad));
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const byte = (bytes[bad] ?? 0).toString(16);
  return err({ before, found: wide ? "it begins as UTF-16 does" : `unexpected byte 0x${byte}` });
}
