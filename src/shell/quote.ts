// Quotes words for a POSIX shell. Pure.

/** A text as one word, in single quotes. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text as one word, in quotes only where the shell needs them. */
export function quoteIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteWord(text);
}
