import type { DoctorAnswer } from "../../../../src/ui/shapes/project.js";

/** One thing that was looked at. `remedy`: what to do about it. */
export type Check = DoctorAnswer["checks"][number];

export function fine(name: string, message: string): Check {
  return { name, status: "ok", message };
}

export function warning(name: string, message: string, remedy: string): Check {
  return { name, status: "warning", message, remedy };
}

export function bad(name: string, message: string, remedy: string): Check {
  return { name, status: "error", message, remedy };
}
