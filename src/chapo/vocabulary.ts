import type { OfferedTool } from "./model.js";
import type { Tool } from "./tool.js";
export function offerAs(_v: string, tools: readonly Tool[], agents: readonly string[]): OfferedTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters:
      agents.length === 0
        ? parameters
        : { ...parameters, properties: { ...(parameters["properties"] as object), agent: { enum: agents } } },
  }));
}
export function canonicalCall(_v: string, name: string, args: unknown): { name: string; args: unknown } {
  return { name: name.replaceAll(".", "_"), args };
}
