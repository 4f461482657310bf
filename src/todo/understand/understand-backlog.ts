// A broken task file that plainly means a valid backlog. Pure. Leaves what a text means to understand.ts, and what is valid to
// check.ts.
import { checkBacklog, type CheckOptions, type CheckResult } from "../check/check.js";
import { understandFile, type UnderstoodFile } from "./understand.js";

/** A valid file, and what was corrected to make it one. */
export interface UnderstoodBacklog extends UnderstoodFile {
  checked: Extract<CheckResult, { kind: "ok" }>;
}

/** The valid backlog that the bytes of a file which is not valid plainly mean; `undefined` where it takes more to mend them. */
export function understandBacklog(
  bytes: Uint8Array,
  options: CheckOptions = {},
): UnderstoodBacklog | undefined {
  const understood = understandFile(bytes);
  if (understood === undefined) return undefined;
  const checked = checkBacklog(understood.bytes, options);
  return checked.kind === "ok" ? { ...understood, checked } : undefined;
}

/** Checks the bytes, or, where they are not a valid backlog, the backlog they clearly mean. */
export function checkUnderstood(bytes: Uint8Array, options: CheckOptions = {}): CheckResult {
  const checked = checkBacklog(bytes, options);
  return checked.kind === "invalid" ? (understandBacklog(bytes, options)?.checked ?? checked) : checked;
}
