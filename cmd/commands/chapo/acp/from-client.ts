// Converts what a client of the Agent Client Protocol sends: prompts, and the servers it wants connected. Pure. serve.ts receives it.
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, McpServer } from "@agentclientprotocol/sdk";
import type { ChapoSettings } from "../../../../src/config/read/chapo-settings.js";

type Servers = ChapoSettings["mcp"]["servers"];

/** Joins the texts of a prompt. A file of the project is named as the tools name it; an image cannot be sent. */
export function toMessage(blocks: readonly ContentBlock[], root: string): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "resource_link":
          return nameFile(block.uri, root);
        case "resource": {
          const name = nameFile(block.resource.uri, root);
          return "text" in block.resource ? `${name}:\n${block.resource.text}` : name;
        }
        default:
          return `(${block.type}: not supported)`;
      }
    })
    .join("\n");
}

/** Spells the address of a file as its path, relative to the project if it is inside. Other addresses stay. */
function nameFile(uri: string, root: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    const file = fileURLToPath(uri);
    const inside = path.relative(root, file);
    return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? file : inside;
  } catch {
    return uri;
  }
}

/** Adds the client's servers of the Model Context Protocol. A server of the settings with the same name stays. */
export function addServers(
  own: Servers,
  wanted: readonly McpServer[],
): { servers: Servers; problems: string[] } {
  const servers: Servers = { ...own };
  const problems: string[] = [];
  for (const server of wanted) {
    // The names of its tools begin with it.
    const name = server.name.replaceAll(/[^\w-]+/g, "_");
    if ("type" in server && server.type === "sse")
      problems.push(`the MCP server ${server.name} is left out: its transport is sse`);
    else if (!Object.hasOwn(servers, name)) servers[name] = toServer(server);
  }
  return { servers, problems };
}

function toServer(server: McpServer): Servers[string] {
  if ("url" in server) return { url: server.url, headers: toVariables(server.headers) };
  return { command: server.command, args: server.args, env: toVariables(server.env) };
}

function toVariables(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
