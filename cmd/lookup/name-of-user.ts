/** The login name that an edit is recorded under. */
export function nameOfUser(env: Readonly<Record<string, string>>): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? "unknown";
}
