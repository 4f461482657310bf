import { userInfo } from "node:os";

/** The login name of the account that runs this process; `undefined` if the list of accounts does not have its user id. */
export function readAccountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** The operating system and processor this program runs on: "linux x64". */
export function getSystemName(): string {
  return `${process.platform} ${process.arch}`;
}
