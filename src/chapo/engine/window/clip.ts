// Truncates texts to a number of characters, never inside a surrogate pair, and states how much is missing. Pure.

/** Keeps the beginning of a text, followed by the number of characters left out. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = findBoundary(text, most);
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** Keeps both ends of a text, two thirds of it from the beginning. `where` is added to the note in the middle. */
export function clipMiddle(text: string, most: number, where = ""): string {
  if (text.length <= most) return text;
  const head = findBoundary(text, Math.floor((most * 2) / 3));
  const tail = findBoundary(text, text.length - (most - head));
  return `${text.slice(0, head)}\n[… ${tail - head} of ${text.length} characters are left out here${where} …]\n${text.slice(tail)}`;
}

/** Returns the offset, or the one before it if the offset is inside a surrogate pair. */
function findBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
