// Cuts texts and lists that are too long to show, never inside of a character. Pure.
// Leaves the width of text on a terminal to src/ui/text.ts.

/** At most `most` characters of a text, the last one `…` where there was more. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${keepStart(text, most - 1)}…`;
}

/** The first `most` characters; one less where the cut would part the halves of a character. */
export function keepStart(text: string, most: number): string {
  return text.slice(0, Math.max(0, most)).replace(/[\uD800-\uDBFF]$/, "");
}

/** The last `most` characters; one less where the cut would part the halves of a character. */
export function keepEnd(text: string, most: number): string {
  return text.slice(Math.max(0, text.length - most)).replace(/^[\uDC00-\uDFFF]/, "");
}

/** The first names of a list: `a, b, c and 4 more`. */
export function listSome(names: readonly string[], most = 5): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

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
