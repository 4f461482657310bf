// Finds settings of an agent that have no effect for its kind, so that the user can be warned. Pure.
import { nearest } from "../../system/text/nearest.js";
import { kindOfName } from "./agent-settings.js";
import type { Source } from "./layers.js";
import { ROWS, type AgentKind, type Settings } from "../settings/settings.js";

/** The roles that are not those of stages. */
const ROLES = [...ROWS.keys()].flatMap((key) =>
  /^roles\.[a-z]+$/.test(key) ? [key.slice("roles.".length)] : [],
);

/** By key, the kinds that heed it; a key that is not here is heeded by all. */
const HEEDED_BY: Readonly<Record<string, readonly AgentKind[]>> = {
  network: ["codex"],
  reasoning: ["codex", "claude", "opencode", "acp", "chapo"],
  prompt_via: ["command"],
  output: ["command"],
  module: ["module"],
  script: ["scripted"],
  chapo: ["chapo"],
};

/** A warning for each such setting in a file. A flag or a variable is meant for every agent that can use it. */
export function findUnusedSettings(
  { agents }: Settings,
  values: ReadonlyMap<string, { source: Source }>,
): string[] {
  return [...values].flatMap(([key, { source }]) => {
    const [top, name = "", part = ""] = key.split(".");
    const meant = top === "roles" && !ROLES.includes(name) ? nearest(name, ROLES) : undefined;
    if (meant !== undefined)
      return [`${source.where}: ${key} is for stages that name this role; did you mean roles.${meant}?`];
    const kinds = top === "agents" ? HEEDED_BY[part] : undefined;
    const kind = agents[name]?.kind ?? kindOfName(name);
    const inFile = source.layer === "user" || source.layer === "project";
    if (kinds === undefined || kind === undefined || !inFile || kinds.includes(kind)) return [];
    const others = kinds.join(", ");
    return [`${source.where}: ${key} does nothing: ${name} is of kind ${kind}; it is for ${others}`];
  });
}
