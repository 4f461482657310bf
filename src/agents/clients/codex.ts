// Codex: how it is called and stopped. What it prints is codex-stream.ts's.
//
// Known pitfall, not mended here: with CODEX_HOME under the temp folder codex cannot make its sandbox helper, every
// sandboxed command fails, and it still exits 0. Set TMPDIR elsewhere.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Permissions } from "../../workflow/words.js";
import { never } from "../../system/never.js";
import type { Ports } from "../../system/ports.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { Client } from "../client.js";
import { codexReader } from "./codex-stream.js";
import { findProgram, nativeCodex } from "../process/find.js";
import { processAgent } from "../process/process-agent.js";
import { readJsonLines } from "../limits/reader.js";
import { summarySchema, writeSchema } from "./summary-flag.js";

const INSTALL = "install it with `npm i -g @openai/codex`, then run `codex` once and sign in";

export const codex: Client = {
  create: (settings, { ports }) => codexAgent(settings, ports),
  exceeds: () => undefined,
  reports: () => "tokens",
  about: {
    version: ["--version"],
    signedIn: {
      args: ["login", "status"],
      read: (_stdout, exitCode) => exitCode === 0,
      how: "codex login, or set CODEX_API_KEY",
    },
  },
};

/** The agent of kind `codex`. */
function codexAgent(settings: AgentSettings, ports: Ports): Agent {
  return processAgent(
    settings,
    {
      find: async (env, cwd) => {
        const finding = await findProgram(
          { settings, ports },
          { name: "codex", install: INSTALL },
          { env, cwd },
        );
        return "found" in finding ? { found: await nativeCodex(finding.found, ports) } : finding;
      },
      call: async (request, binary) => {
        const schema = summarySchema(request, { flag: "--output-schema", args: settings.args });
        const file = schema === undefined ? undefined : await writeSchema(schema, request, ports);
        return { command: binary, args: codexArgs(settings, request, file), input: request.prompt };
      },
      // SIGTERM would leave its commands behind.
      cleanStop: { signal: "SIGINT", target: "process" },
      reader: ({ resume }) => readJsonLines(codexReader(resume)),
      client: { exitIsStatus: false },
    },
    ports,
  );
}

/** The arguments; `-`, the prompt on stdin, stands last. `resume` is a command of `exec`, after all flags of it. */
export function codexArgs(
  settings: AgentSettings,
  request: Pick<AgentRequest, "permissions" | "resume">,
  schemaFile?: string,
): string[] {
  return [
    "exec",
    "--json",
    "--skip-git-repo-check",
    ...permit(request.permissions, settings.network),
    ...(settings.model === undefined ? [] : ["-m", settings.model]),
    ...(settings.reasoning === undefined ? [] : ["-c", `model_reasoning_effort=${settings.reasoning}`]),
    ...(schemaFile === undefined ? [] : ["--output-schema", schemaFile]),
    ...settings.args,
    ...(request.resume === undefined ? [] : ["resume", request.resume.id]),
    "-",
  ];
}

function permit(permissions: Permissions, network: boolean): string[] {
  switch (permissions) {
    case "read-only":
      return ["-s", "read-only"];
    case "workspace":
      return [
        ...["-s", "workspace-write"],
        ...(network ? ["-c", "sandbox_workspace_write.network_access=true"] : []),
      ];
    case "full":
      return ["--dangerously-bypass-approvals-and-sandbox"];
    default:
      return never(permissions);
  }
}
