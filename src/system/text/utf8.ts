// Finds offsets in UTF-8 bytes that do not cut a character in two. Pure.

/** Whether the UTF-8 byte at an offset continues a character that begins before it. */
function continuesCharacter(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}

/** The first offset from `start` on that does not cut a UTF-8 character in two. */
export function characterStart(bytes: Uint8Array, start: number): number {
  let at = start;
  while (continuesCharacter(bytes, at)) at += 1;
  return at;
}

/** The greatest offset up to `end` that does not cut a UTF-8 character in two. */
export function characterEnd(bytes: Uint8Array, end: number): number {
  for (let lead = end - 1; lead >= Math.max(0, end - 4); lead -= 1) {
    const byte = bytes[lead] ?? 0;
    if (continuesCharacter(bytes, lead)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return lead + length > end ? lead : end;
  }
  return end;
}
