// Codex: how it is called and stopped. What it prints is codex-stream.ts's.
//
// Known pitfall, not mended here: with CODEX_HOME under the temp folder codex cannot make its sandbox helper, every
// sandboxed command fails, and it still exits 0. Set TMPDIR elsewhere.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Permissions } from "../../workflow/words.js";
import type { AgentRequest } from "../agent.js";
import type { Client } from "../process/client.js";
import { codexReader } from "./codex-stream.js";
import { nativeCodex, onPath } from "../process/find.js";
import { readJsonLines } from "../limits/reader.js";
import { summarySchema, writeSchema } from "./summary-flag.js";

const findCodex = onPath(
  "codex",
  "install it with `npm i -g @openai/codex`, then run `codex` once and sign in",
);

export const codex: Client = {
  find: async (engine, place) => {
    const finding = await findCodex(engine, place);
    return "found" in finding ? { found: await nativeCodex(finding.found, engine.ports) } : finding;
  },
  call: async (request, command, { settings, ports }) => {
    const schema = summarySchema(request, { flag: "--output-schema", args: settings.args });
    const file = schema === undefined ? undefined : await writeSchema(schema, request, ports);
    return { command, args: codexArgs(settings, request, file), input: request.prompt };
  },
  // SIGTERM would leave its commands behind.
  cleanStop: { signal: "SIGINT", target: "process" },
  reader: ({ resume }) => readJsonLines(codexReader(resume)),
  client: { exitIsStatus: false },
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
    ...PERMIT[request.permissions],
    ...(request.permissions === "workspace" && settings.network
      ? ["-c", "sandbox_workspace_write.network_access=true"]
      : []),
    ...(settings.model === undefined ? [] : ["-m", settings.model]),
    ...(settings.reasoning === undefined ? [] : ["-c", `model_reasoning_effort=${settings.reasoning}`]),
    ...(schemaFile === undefined ? [] : ["--output-schema", schemaFile]),
    ...settings.args,
    ...(request.resume === undefined ? [] : ["resume", request.resume.id]),
    "-",
  ];
}

const PERMIT: Readonly<Record<Permissions, readonly string[]>> = {
  "read-only": ["-s", "read-only"],
  workspace: ["-s", "workspace-write"],
  full: ["--dangerously-bypass-approvals-and-sandbox"],
};
