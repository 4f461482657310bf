// Ranges of bytes: what a client asks for, and what of it may be sent. Pure.
import type { Redact } from "../../src/system/text/secrets/redact.js";

interface Range {
  from: number;
  /** The first byte that is not in it. */
  to: number;
}

/** The range that the header names, at most `most` bytes; `undefined` without one, and where it is empty. */
export function rangeOf(
  header: string | undefined,
  { size, most }: { size: number; most: number },
): Range | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = Math.min(size, from + most, first !== "" && last !== "" ? Number(last) + 1 : size);
  return from < to ? { from, to } : undefined;
}

/**
 * The bytes of a range without secrets. `around` holds them with a margin on both sides, so that a secret which the range cuts in
 * two is found: then the answer is shorter or longer than the range.
 */
export function cleanRange(around: Buffer, { from, to }: Range, redact: Redact): Uint8Array<ArrayBuffer> {
  const text = around.toString("utf8");
  const clean = redact(text);
  if (clean === text) return new Uint8Array(around.subarray(from, to));
  // A margin is cut off up to where a secret leads out of it.
  const start = sameLength(clean, redact(around.toString("utf8", 0, from)));
  const end = sameLength(reversed(clean), reversed(redact(around.toString("utf8", to))));
  return new Uint8Array(Buffer.from(clean.slice(start, Math.max(start, clean.length - end))));
}

/** How long the beginnings are that two texts share. */
function sameLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}
