// Cuts texts and lists that are too long to show, never inside of a character. Pure.
// Leaves bytes to utf8.ts, and the width of text on a terminal to src/ui/text.ts.

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
export function listSome(names: readonly string[], most = 5, between = ", "): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(between)}${more > 0 ? ` and ${more.toLocaleString("en-US")} more` : ""}`;
}
