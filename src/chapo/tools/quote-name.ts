// Shows the names of files where a line holds one name. Pure.

/** Quotes a name that would not fit on one line. */
export function quoteName(name: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;
}
