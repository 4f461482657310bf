import type { AgentSettings } from "../../config/read/agent-settings.js";
import { never } from "../../system/never.js";

/**
 * Where an agent cannot be held to the permissions its settings ask for: what it may do all the same, as the kinds were
 * measured. `undefined` where the level holds.
 */
export function describeContainment({
  kind,
  permissions,
  chapo,
}: Pick<AgentSettings, "kind" | "permissions" | "chapo">): string | undefined {
  if (permissions === "full") return undefined;
  switch (kind) {
    case "codex":
      return undefined;
    case "claude":
    case "opencode":
      return permissions === "read-only" ? undefined : "its shell reaches outside the project";
    case "gemini":
      return permissions === "read-only" ? undefined : "it may do anything: it has no level between";
    case "acp":
      return "does as it says itself: only what it asks for can be refused";
    case "command":
      return "may do whatever its command does";
    case "chapo":
      return permissions === "read-only" || chapo?.sandbox !== undefined
        ? undefined
        : "its shell reaches outside the project";
    case "module":
    case "scripted":
      return "runs with your own rights";
    default:
      return never(kind);
  }
}
