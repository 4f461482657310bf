// Claude Code: how it is called and stopped. What it prints is claude-stream.ts's.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Permissions } from "../../workflow/words.js";
import { parseJson } from "../../system/text/json.js";
import { field } from "../fields.js";
import type { AgentRequest } from "../agent.js";
import type { Client } from "../process/client.js";
import { claudeReader } from "./claude-stream.js";
import { onPath } from "../process/find.js";
import { readJsonLines } from "../limits/reader.js";
import { summarySchema } from "./summary-flag.js";

/** It does not replace itself by a newer version in the midst of a run. */
export const claude: Client = {
  find: onPath(
    "claude",
    "install it with `npm i -g @anthropic-ai/claude-code`, then run `claude` once and sign in",
  ),
  call: (request, command, { settings }) => ({
    command,
    args: claudeArgs(settings, request),
    env: { DISABLE_AUTOUPDATER: "1" },
    input: request.prompt,
  }),
  // SIGINT would make it exit 0.
  cleanStop: { signal: "SIGTERM", target: "process" },
  reader: ({ resume }) => readJsonLines(claudeReader(resume)),
  client: { exitIsStatus: false },
  exceeds: ({ permissions }) =>
    permissions === "read-only" ? undefined : "its shell reaches outside the project",
  reports: () => "cost",
  about: {
    version: ["--version"],
    signedIn: {
      args: ["auth", "status"],
      read: (stdout) => {
        const loggedIn = field(parseJson(stdout), "loggedIn");
        return typeof loggedIn === "boolean" ? loggedIn : undefined;
      },
      how: "claude auth login, or set ANTHROPIC_API_KEY",
    },
  },
};

/** The arguments; the prompt comes on stdin. `--allowedTools` takes all words up to the next flag, so one follows. */
export function claudeArgs(
  settings: AgentSettings,
  request: Pick<AgentRequest, "phase" | "stage" | "permissions" | "resume">,
): string[] {
  const schema = summarySchema(request, { flag: "--json-schema", args: settings.args });
  return [
    "-p",
    ...PERMIT[request.permissions],
    "--output-format",
    "stream-json",
    "--verbose",
    ...(settings.model === undefined ? [] : ["--model", settings.model]),
    ...(settings.reasoning === undefined ? [] : ["--effort", settings.reasoning]),
    ...(settings.maxTurns === 0 ? [] : ["--max-turns", String(settings.maxTurns)]),
    ...(schema === undefined ? [] : ["--json-schema", schema]),
    ...(request.resume === undefined ? [] : ["--resume", request.resume.id]),
    ...settings.args,
  ];
}

/** The tools of `looper mcp`, where a server of that name is set up: they leave requests to the runner and change nothing. */
const REQUESTS = "mcp__looper";

/** Never IS_SANDBOX: that they are in a sandbox is for users to state. */
const PERMIT: Readonly<Record<Permissions, readonly string[]>> = {
  "read-only": ["--permission-mode", "plan", "--allowedTools", REQUESTS],
  workspace: ["--permission-mode", "acceptEdits", "--allowedTools", `Bash Edit Write Read ${REQUESTS}`],
  full: ["--dangerously-skip-permissions"],
};
