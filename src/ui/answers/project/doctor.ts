// The answer of `looper doctor --json`, from its checks. Pure. Leaves each check to cmd/commands/doctor.
import type { DoctorAnswer } from "../../shapes/project.js";

/** One check. `remedy`: what to do about it. */
export type Check = DoctorAnswer["checks"][number];

/** All checks; a run can start unless one is an error. */
export function doctorAnswer(checks: readonly Check[]): DoctorAnswer {
  return { ok: checks.every(({ status }) => status !== "error"), checks: [...checks] };
}

/** A check that passes. */
export function fine(name: string, message: string): Check {
  return { name, status: "ok", message };
}

/** A check that does not keep a run from starting. */
export function warning(name: string, message: string, remedy: string): Check {
  return { name, status: "warning", message, remedy };
}

/** A check that keeps a run from starting. */
export function bad(name: string, message: string, remedy: string): Check {
  return { name, status: "error", message, remedy };
}
