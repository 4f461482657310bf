import { userInfo } from "node:os";

/** The login name that an edit is recorded under. */
export function nameOfUser(env: Readonly<Record<string, string>>): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? readAccount() ?? "unknown";
}

/** The name of the account, which services and containers often leave out of the environment. */
function readAccount(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user id has no entry in the list of accounts.
    return undefined;
  }
}
