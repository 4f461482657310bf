// Writes a text as a part of a regular expression.

/** Escapes what has a meaning in a regular expression. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
