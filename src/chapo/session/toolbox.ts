// Every tool of a session, put together from their groups, and closed together. Leaves which of them a call may reach to the
// gate, and those that reach into the conversation itself (commands, sub-agents) to open-session.ts.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Permissions } from "../../config/table/settings.js";
import type { Network } from "../../system/network.js";
import type { Ports } from "../../system/ports.js";
import type { Redact } from "../../system/text/redact.js";
import type { Memory } from "../memory/memory.js";
import type { Message } from "../engine/conversation.js";
import { openServers } from "../mcp/servers.js";
import { memoryTools } from "../memory/tools.js";
import type { Tool } from "../tool.js";
import { isPrivateAddress } from "../tools/web/addresses.js";
import { documentTools } from "../tools/notes/documents.js";
import { findTools } from "../tools/files/files-find.js";
import { moveTools } from "../tools/files/files-move.js";
import { readTools } from "../tools/files/files-read.js";
import { writeTools } from "../tools/files/files-write.js";
import { gitTools } from "../tools/git/git.js";
import { hostTools } from "../tools/hosts/hosts.js";
import { notebookTools } from "../tools/files/notebook.js";
import { openShell } from "../tools/shell/shell.js";
import { todoTools, type TodoStore } from "../tools/notes/todos.js";
import { toolEnv } from "../tool-env.js";
import { webTools } from "../tools/web/web.js";

/** What tools are made from. */
export interface ToolboxRequest {
  ports: Ports;
  network: Network;
  /** Absolute; where they work. */
  root: string;
  /** With the keys of models and of searching. */
  env: Readonly<Record<string, string>>;
  settings: ChapoSettings;
  permissions: Permissions;
  memory: Memory;
  /** For what is printed, absolute. */
  outputs: string;
  redact: Redact;
  onWarning: (text: string) => void;
  /** Aborted to give up opening them. */
  signal: AbortSignal;
  todos: TodoStore;
  /** A task of a backlog: nobody is there. */
  unattended: boolean;
  /** All that was said so far, also in conversations of sub-agents. */
  said: () => readonly Message[];
}

/** The tools, until they are closed. */
export interface Toolbox {
  tools: readonly Tool[];
  /** Nothing they started is left. */
  close(): Promise<void>;
}

/** Opens them. A server that cannot be started is a warning, and its tools are missing. */
export async function openToolbox(request: ToolboxRequest): Promise<Toolbox> {
  const { ports, network, root, settings, permissions, memory } = request;
  const env = toolEnv(request.env);
  const place = { files: ports.files, root };
  const shell = openShell({ ...{ ports, root, env }, folder: request.outputs, redact: request.redact });
  const servers = await openServers(settings.mcp.servers, {
    ...{ ports, root, env, onWarning: request.onWarning, signal: request.signal },
  });
  const tools = [
    ...readTools(place),
    ...writeTools(place),
    ...moveTools(place),
    ...findTools({ ...place, clock: ports.clock, processes: ports.processes, env, ripgrep: true }),
    ...shell.tools,
    ...gitTools({ ports, root, env, allowMain: settings.git.allowPushMain }),
    ...hostTools({
      ...{ ports, root, env, network },
      sshHosts: settings.ssh.hosts,
      stagingLog: settings.logs.staging,
    }),
    ...webTools({
      ...{ network, settings, env: request.env, unattended: request.unattended, said: request.said },
      mayConnect: (address) => !isPrivateAddress(address),
    }),
    ...todoTools(request.todos),
    ...notebookTools({ ...place, random: ports.random }),
    ...documentTools({ ...place, documents: settings.documents }),
    ...memoryTools(memory),
    ...servers.tools,
  ];
  return {
    tools: permissions === "read-only" ? tools.filter(({ changes }) => !changes) : tools,
    close: async () => {
      await Promise.all([shell.close(), servers.close()]);
    },
  };
}
