/** The kind of problem the user must fix. Only `cmd/looper.ts` turns a kind into an exit code. */
export type UserErrorKind = "no" | "usage" | "environment";

/**
 * A problem that the user must fix: `message` says what is wrong and where, `hint` what to do about it.
 * Caught only in `cmd/looper.ts`; any other exception is an internal error.
 */
export class UserError extends Error {
  constructor(
    readonly kind: UserErrorKind,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "UserError";
  }
}

/** A wrong command line, setting or file. */
export function usageError(message: string, hint?: string, options?: ErrorOptions): UserError {
  return new UserError("usage", message, hint, options);
}

/** The environment does not allow it: a missing program, a permission, another run. */
export function environmentError(message: string, hint?: string, options?: ErrorOptions): UserError {
  return new UserError("environment", message, hint, options);
}

/** The code of a system error (`ENOSPC`, `EACCES`, ...), or `undefined` when the value carries none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The result of `read`, or `undefined` when nothing exists at the path. */
export async function orNothing<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** One line that says what went wrong, for a value of any type that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error, Node's or git's in its own words, says that the disk is full or the quota is used up. */
export function isDiskFull(error: unknown): boolean {
  return /\b(?:ENOSPC|EDQUOT)\b|no space left on device|disk quota exceeded/i.test(
    `${errorCode(error) ?? ""} ${errorMessage(error)}`,
  );
}

/** Whether an error, Node's or git's in its own words, is the disk's: full, broken, or not to be written. */
export function isOfTheDisk(error: string): boolean {
  return /\b(?:ENOSPC|EDQUOT|EIO|EROFS)\b|no space left on device|disk quota exceeded|input\/output error|read-only file system/i.test(
    error,
  );
}
