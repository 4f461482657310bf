// Gemini CLI: how it is called and stopped. What it prints is gemini-stream.ts's.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Permissions } from "../../workflow/words.js";
import { never } from "../../system/never.js";
import type { Ports } from "../../system/ports.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { Client } from "../client.js";
import { findProgram } from "../process/find.js";
import { geminiReader } from "./gemini-stream.js";
import { processAgent } from "../process/process-agent.js";
import { readJsonLines } from "../limits/reader.js";

const INSTALL = "install it with `npm i -g @google/gemini-cli`, then run `gemini` once and sign in";

/** It reads no more of its prompt, and works on the beginning of it as if that were all. */
const MAX_PROMPT_BYTES = 8 * 1024 * 1024;

export const gemini: Client = {
  create: (settings, { ports }) => geminiAgent(settings, ports),
  exceeds: ({ permissions }) =>
    permissions === "read-only" ? undefined : "it may do anything: it has no level between",
  reports: () => "tokens",
  about: { version: ["--version"] },
};

/** The agent of kind `gemini`. */
function geminiAgent(settings: AgentSettings, ports: Ports): Agent {
  return processAgent(
    settings,
    {
      find: (env, cwd) =>
        findProgram({ settings, ports }, { name: "gemini", install: INSTALL }, { env, cwd }),
      call: (request, binary) => {
        if (Buffer.byteLength(request.prompt) > MAX_PROMPT_BYTES)
          return { refused: `the prompt is longer than the ${MAX_PROMPT_BYTES} bytes gemini reads` };
        return {
          command: binary,
          args: geminiArgs(settings, request),
          // It would start itself again, and the first of the two be deaf to signals.
          env: { GEMINI_CLI_NO_RELAUNCH: "true" },
          input: request.prompt,
        };
      },
      cleanStop: { signal: "SIGTERM", target: "group" },
      reader: () => readJsonLines(geminiReader),
      client: { exitIsStatus: true },
    },
    ports,
  );
}

/** The arguments; the prompt comes on stdin. Without `--skip-trust` it does not work in a folder that is not trusted. */
export function geminiArgs(
  settings: AgentSettings,
  request: Pick<AgentRequest, "permissions" | "resume">,
): string[] {
  return [
    ...["--output-format", "stream-json", "--skip-trust"],
    ...permit(request.permissions),
    ...(settings.model === undefined ? [] : ["-m", settings.model]),
    ...(request.resume === undefined ? [] : ["--resume", request.resume.id]),
    ...settings.args,
  ];
}

/** It has no level in between: without a terminal it refuses what it would ask about, and offers no shell and no edits. */
function permit(permissions: Permissions): string[] {
  switch (permissions) {
    case "read-only":
      return ["--approval-mode", "default"];
    case "workspace":
    case "full":
      return ["--yolo"];
    default:
      return never(permissions);
  }
}
