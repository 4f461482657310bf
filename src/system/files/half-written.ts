const TOKEN = /^[0-9a-f]{12}$/;

/** The name a file is written under before it takes its place: beside it, so that one rename does it. `token`: 12 hex digits. */
export function nameHalfWritten(name: string, token: string): string {
  return `.${name}.${token}.tmp`;
}

/** Whether this is what a writer of `name` leaves behind when it is killed. */
export function isHalfWritten(candidate: string, name: string): boolean {
  const [before, after] = [`.${name}.`, ".tmp"];
  if (!candidate.startsWith(before) || !candidate.endsWith(after)) return false;
  return TOKEN.test(candidate.slice(before.length, -after.length));
}
