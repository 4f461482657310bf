// The agents of a workflow as a layer of settings, above the user's and below the project's. Pure.
import type { SettingsFile } from "../read/settings-text.js";
import { readFileLayer } from "../read/layers.js";
import { keyOf } from "../settings/setting-row.js";
import type { LoadedWorkflow } from "./load-workflow.js";

/** A layer of agents. */
export interface AgentsLayer {
  file: SettingsFile;
  layer: "user" | "project";
}

/** The layer of a workflow's agents; `undefined` if it has none. A project's is trusted as its settings are. */
export function layerOfAgents({ shown, origin, reading }: LoadedWorkflow): AgentsLayer | undefined {
  const { agents } = reading.workflow;
  if (agents === undefined) return undefined;
  const lineOf = (path: readonly string[]): number => reading.source.placeOf(path).line;
  return {
    file: { name: shown, value: { agents }, lineOf },
    layer: origin === "project" ? "project" : "user",
  };
}

/** A sentence if two workflows set one key of an agent to different values: a run has one set of agents. */
export function findAgentConflict(layers: readonly AgentsLayer[]): string | undefined {
  const seen = new Map<string, { value: string; where: string }>();
  for (const { file, layer } of layers) {
    for (const { path, value, source } of readFileLayer(file, layer).entries) {
      const [key, spelled] = [keyOf(path), JSON.stringify(value)];
      const other = seen.get(key);
      if (other !== undefined && other.value !== spelled)
        return `${source.where}: ${key} is ${spelled}, but ${other.value} in ${other.where}`;
      seen.set(key, { value: spelled, where: source.where });
    }
  }
  return undefined;
}
