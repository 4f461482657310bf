// opencode: how it is called and stopped, and what is put into its settings. What it prints is opencode-stream.ts's.
import { parse, type ParseError } from "jsonc-parser";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Permissions } from "../../workflow/words.js";
import type { AgentRequest } from "../agent.js";
import type { Client } from "../process/client.js";
import { onPath } from "../process/find.js";
import { opencodeReader } from "./opencode-stream.js";
import { readJsonLines } from "../limits/reader.js";
import { isRecord } from "../../system/text/json.js";

/** Settings of its own, as JSON; they win over its files. */
const CONTENT = "OPENCODE_CONFIG_CONTENT";

/** It gets the prompt on stdin: of an argument with spaces it makes a quoted text. */
export const opencode: Client = {
  find: onPath("opencode", "install it with `npm i -g opencode-ai`, then run `opencode auth login` once"),
  call: (request, command, { settings }) => {
    const content = opencodeConfig(request.env[CONTENT], request.permissions);
    if (content === undefined) return { refused: `${CONTENT} in its environment is not a JSON object` };
    const env = { OPENCODE_DISABLE_AUTOUPDATE: "1", [CONTENT]: content };
    return { command, args: opencodeArgs(settings, request), env, input: request.prompt };
  },
  cleanStop: { signal: "SIGTERM", target: "group" },
  reader: () => readJsonLines(opencodeReader),
  client: { exitIsStatus: false },
  exceeds: ({ permissions }) =>
    permissions === "read-only" ? undefined : "its shell reaches outside the project",
  reports: () => "cost",
  about: { version: ["--version"] },
};

/** The arguments; the prompt comes on stdin. */
export function opencodeArgs(
  settings: AgentSettings,
  request: Pick<AgentRequest, "permissions" | "resume">,
): string[] {
  return [
    // Of a request that failed it tells in its log alone, as long as it asks again.
    ...["run", "--format", "json", "--print-logs", "--log-level", "WARN"],
    ...(settings.model === undefined ? [] : ["--model", settings.model]),
    ...(settings.reasoning === undefined ? [] : ["--variant", settings.reasoning]),
    ...(request.permissions === "full" ? ["--auto"] : []),
    ...(request.resume === undefined ? [] : ["--session", request.resume.id]),
    ...settings.args,
  ];
}

type Config = Readonly<Record<string, unknown>>;

/** Makes it refuse what it would ask about and continue. Otherwise the first refusal ends the work with exit code 0. */
const OURS: Config = { experimental: { continue_loop_on_deny: true } };
const READ_ONLY: Config = { edit: "deny", bash: "deny" };

/** The user's own settings in this form, if any, win over ours, save for permissions that only read; `undefined`: no JSON object. */
export function opencodeConfig(users: string | undefined, permissions: Permissions): string | undefined {
  const errors: ParseError[] = [];
  const read: unknown =
    users === undefined || users.trim() === "" ? {} : parse(users, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(read)) return undefined;
  const merged = merge(OURS, read);
  if (permissions !== "read-only") return JSON.stringify(merged);
  const own = merged["permission"];
  const before: Config = isRecord(own) ? own : own === undefined ? {} : { "*": own };
  return JSON.stringify({ ...merged, permission: { ...before, ...READ_ONLY } });
}

function merge(below: Config, above: Config): Config {
  const merged = Object.entries(above).map(([key, value]) => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    return [key, isRecord(under) && isRecord(value) ? merge(under, value) : value] as const;
  });
  return { ...below, ...Object.fromEntries(merged) };
}
