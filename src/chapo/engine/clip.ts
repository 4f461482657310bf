// Cuts texts to a number of characters, never inside of one, and says how much is missing. Pure.

/** The beginning of a text; what is missing is said behind it. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = findBoundary(text, most);
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** Both ends of a text, two thirds of it the beginning; `where`: what is said of the middle, after how much is missing. */
export function clipMiddle(text: string, most: number, where = ""): string {
  if (text.length <= most) return text;
  const head = findBoundary(text, Math.floor((most * 2) / 3));
  const tail = findBoundary(text, text.length - (most - head));
  return `${text.slice(0, head)}\n[… ${tail - head} of ${text.length} characters are left out here${where} …]\n${text.slice(tail)}`;
}

/** The offset, or the one before it where it would part two halves of a character. */
function findBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
