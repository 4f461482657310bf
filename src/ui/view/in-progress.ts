import type { RunEvent } from "../../logging/events/events.js";

/** The current action of an agent or the runner; `undefined` when the event does not change it. Neither cleaned nor truncated. */
export function doingOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "checkpoint":
      return "checkpoint made";
    case "decided":
      return event.effects.map(({ kind }) => CHECKS[kind]).find((text) => text !== undefined);
    case "agent_started":
      return "started";
    case "message":
      return event.role === "assistant" && event.content.trim() !== "" ? event.content : undefined;
    case "tool_use":
      return [event.name, targetOf(event.input)].filter((part) => part !== "").join(" ");
    case "command":
      return event.exit_code === undefined && event.duration_ms === undefined
        ? `runs ${event.command}`
        : undefined;
    case "error":
      return event.error;
    default:
      return undefined;
  }
}

/** The names of the runner's own longer actions. */
const CHECKS: Readonly<Record<string, string>> = {
  preflight: "checking what passes before the work",
  "run-baseline": "checking what passes before the work",
  "run-gate": "checking the work",
  "save-work": "saving the work",
  restore: "putting the tree back",
};

/** The arguments of tools that describe a call best, the best first. */
const TARGETS = ["file_path", "path", "command", "pattern", "query", "url", "description", "prompt"];

function targetOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  for (const key of TARGETS) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}
