// Gemini CLI: how it is called and stopped. What it prints is gemini-stream.ts's.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { AgentRequest } from "../agent.js";
import type { Client } from "../process/client.js";
import { onPath } from "../process/find.js";
import { geminiReader } from "./gemini-stream.js";
import { readJsonLines } from "../limits/reader.js";

/** It reads no more of its prompt, and works on the beginning of it as if that were all. */
const MAX_PROMPT_BYTES = 8 * 1024 * 1024;

export const gemini: Client = {
  find: onPath("gemini", "install it with `npm i -g @google/gemini-cli`, then run `gemini` once and sign in"),
  call: (request, command, { settings }) => {
    if (Buffer.byteLength(request.prompt) > MAX_PROMPT_BYTES)
      return { refused: `the prompt is longer than the ${MAX_PROMPT_BYTES} bytes gemini reads` };
    // It would start itself again, and the first of the two be deaf to signals.
    const env = { GEMINI_CLI_NO_RELAUNCH: "true" };
    return { command, args: geminiArgs(settings, request), env, input: request.prompt };
  },
  cleanStop: { signal: "SIGTERM", target: "group" },
  reader: () => readJsonLines(geminiReader),
  client: { exitIsStatus: true },
  exceeds: ({ permissions }) =>
    permissions === "read-only" ? undefined : "it may do anything: it has no level between",
  reports: () => "tokens",
  about: { version: ["--version"] },
};

/** The arguments; the prompt comes on stdin. Without `--skip-trust` it does not work in a folder that is not trusted. */
export function geminiArgs(
  settings: AgentSettings,
  request: Pick<AgentRequest, "permissions" | "resume">,
): string[] {
  return [
    ...["--output-format", "stream-json", "--skip-trust"],
    // It has no level in between: without a terminal it refuses what it would ask about, and offers no shell and no edits.
    ...(request.permissions === "read-only" ? ["--approval-mode", "default"] : ["--yolo"]),
    ...(settings.model === undefined ? [] : ["-m", settings.model]),
    ...(request.resume === undefined ? [] : ["--resume", request.resume.id]),
    ...settings.args,
  ];
}
