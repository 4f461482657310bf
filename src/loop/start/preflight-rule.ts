import type { Rules } from "../../logging/rules.js";
import type { RunRequest } from "../runs/run-request.js";
import type { FoundHiddenChecks } from "./before/find-hidden-checks.js";

/** Whether the checks run before the run starts work (contract §5, *A check that cannot run*). */
export function makePreflightRule(
  { project }: Pick<RunRequest, "project">,
  hidden: FoundHiddenChecks,
): Pick<Rules, "preflight" | "rooms"> {
  const { verify } = project.resolved.settings;
  if (verify.commands.length + hidden.checks.length === 0) return {};
  return {
    preflight: verify.strict ? "refuse" : "warn",
    ...(verify.cold === true ? { rooms: "required" } : {}),
  };
}
