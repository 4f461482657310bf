// Opens and closes all tools of a session. The gate decides which of them a call may use. session-world.ts adds the tools
// that change the conversation (commands and sub-agents).
import path from "node:path";
import { type ProjectMemory, createMemoryTools } from "../memory/memory.js";
import type { Message } from "../engine/conversation.js";
import { openServers } from "../mcp/servers.js";
import type { SessionPart, Tool } from "../tool.js";
import { isPrivateAddress } from "../../system/private-address.js";
import { createDocumentTools } from "../tools/notes/documents.js";
import { createFindTools } from "../tools/files/files-find.js";
import { createMoveTools } from "../tools/files/files-move.js";
import type { KnownFiles } from "../tools/files/known-files.js";
import { createReadTools } from "../tools/files/files-read.js";
import { createWriteTools } from "../tools/files/files-write.js";
import { createGitTools } from "../tools/git/git.js";
import { createHostTools } from "../tools/hosts/hosts.js";
import { createNotebookTools } from "../tools/files/notebook.js";
import type { Sandbox } from "../tools/sandbox.js";
import { openShell, type ShellTools } from "../tools/shell/shell.js";
import { createTodoTools } from "../tools/notes/todos.js";
import type { Hidden } from "../paths.js";
import { createWebTools } from "../tools/web/web.js";
import type { SessionRequest } from "./session-request.js";

/** The parts tools are created from. */
export interface ToolboxRequest extends Pick<
  SessionRequest,
  "ports" | "network" | "root" | "env" | "settings" | "permissions" | "redact" | "onWarning" | "signal"
> {
  memory: ProjectMemory;
  /** The folder for outputs, absolute. */
  outputs: string;
  /** Encloses the shell and npm. */
  sandbox?: Sandbox;
  /** Paths that lists and searches leave out. */
  hidden?: Hidden;
  /** Whether `web_fetch` reports a redirect to another host instead of following it. */
  staysOnHost?: () => boolean;
  todos: SessionPart;
  /** The files as the session knows them; absent for a listing. */
  known?: KnownFiles;
  /** Whether the session runs a task of a backlog, so that no person can answer. */
  unattended: boolean;
  /** Returns all messages so far, also of sub-agents' conversations. */
  said: () => readonly Message[];
}

/** The open tools. */
export interface Toolbox {
  /** Without those of MCP servers that have not started yet. */
  readonly tools: readonly Tool[];
  /** Resolves when each MCP server has started or failed. */
  ready(): Promise<void>;
  /** Opens a shell for a sub-agent, so that folders and variables of others do not change under it. */
  openShell(child: string): ShellTools;
  /** Ends everything the tools started. */
  close(): Promise<void>;
}

/** Opens the tools. A server that cannot be started is a warning, and its tools are missing. */
export function openToolbox(request: ToolboxRequest): Toolbox {
  const { ports, root, settings, permissions, hidden, sandbox, outputs: folder } = request;
  const place = { files: ports.files, root, hidden };
  const shell = openShell({ ...request, folder });
  const servers = openServers(settings.mcp.servers, request);
  const tools = [
    ...createReadTools(place, request.known),
    ...createWriteTools(place, request.known),
    ...createMoveTools(place),
    ...createFindTools({ ...place, clock: ports.clock }),
    ...shell.tools,
    ...createGitTools({ ...request, allowMain: settings.git.allowPushMain }),
    ...createHostTools({ ...request, sshHosts: settings.ssh.hosts, stagingLog: settings.logs.staging }),
    ...createWebTools({ ...request, mayConnect: (address) => !isPrivateAddress(address) }),
    ...createTodoTools(request.todos),
    ...createNotebookTools(place),
    ...createDocumentTools({ ...place, documents: settings.documents }),
    ...createMemoryTools(request.memory),
  ];
  return {
    get tools() {
      const all = [...tools, ...servers.tools];
      return permissions === "read-only" ? all.filter(({ changes }) => !changes) : all;
    },
    ready: () => servers.ready(),
    openShell: (child) => openShell({ ...request, folder: path.join(folder, child.slice(-6)) }),
    close: async () => {
      await Promise.all([shell.close(), servers.close()]);
      await sandbox?.close();
    },
  };
}
