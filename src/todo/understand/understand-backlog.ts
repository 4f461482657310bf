// Reads a broken task file that clearly means a valid backlog. Pure. understand.ts corrects the text, and check.ts checks
// the result.
import { checkBacklog, type CheckOptions, type CheckResult } from "../check/check.js";
import { understandFile, type UnderstoodFile } from "./understand.js";

/** A valid file, and the corrections that made it valid. */
export interface UnderstoodBacklog extends UnderstoodFile {
  checked: Extract<CheckResult, { kind: "ok" }>;
}

/** The valid backlog that invalid bytes clearly mean; `undefined` if the correction is not clear. */
export function understandBacklog(
  bytes: Uint8Array,
  options: CheckOptions = {},
): UnderstoodBacklog | undefined {
  const understood = understandFile(bytes);
  if (understood === undefined) return undefined;
  const checked = checkBacklog(understood.bytes, options);
  return checked.kind === "ok" ? { ...understood, checked } : undefined;
}

/** Checks the bytes, or, if they are not a valid backlog, the backlog that they clearly mean. */
export function checkUnderstood(bytes: Uint8Array, options: CheckOptions = {}): CheckResult {
  const checked = checkBacklog(bytes, options);
  return checked.kind === "invalid" ? (understandBacklog(bytes, options)?.checked ?? checked) : checked;
}
