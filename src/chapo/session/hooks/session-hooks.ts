// The hooks of a session: opens the port that the engine uses, and fires the events of the session itself.
// run-hooks.ts runs the commands.
import path from "node:path";
import type { FireHooks } from "../../hooks/hook-answer.js";
import { createHooks } from "./run-hooks.js";
import { createToolEnv } from "../../tool-env.js";
import type { SessionPermissions } from "../permissions/permissions.js";
import type { SessionRequest } from "../session-request.js";
import type { OpenSession } from "../sessions.js";

/** The file with environment variables that SessionStart hooks may write. */
const ENV_FILE = "hook-env.sh";

/** Returns the port; absent if no hook is set. */
export function openHooks(
  request: SessionRequest,
  session: Pick<OpenSession, "id" | "folder">,
  { mode }: SessionPermissions,
): { fire?: FireHooks; env: Record<string, string> } {
  const { ports, network, root, settings, env, onWarning } = request;
  if (settings.hooks === undefined) return { env: {} };
  const file = path.join(session.folder, ENV_FILE);
  const own = { CLAUDE_PROJECT_DIR: root, CLAUDE_ENV_FILE: file, LOOPER_ENV_FILE: file };
  const fire = createHooks({
    program: { ports, root, env: { ...createToolEnv(env), ...own } },
    network,
    hooks: settings.hooks,
    common: () => ({
      session_id: session.id,
      transcript_path: path.join(session.folder, "session.json"),
      cwd: root,
      permission_mode: mode(),
    }),
    onWarning,
    signal: new AbortController().signal,
  });
  // bash reads this file at the start of every shell.
  return { fire, env: { BASH_ENV: file } };
}

/** UserPromptSubmit, and SessionStart before the first message: returns the prompt with their texts, or why it is blocked. */
export async function fireMessage(
  fire: FireHooks | undefined,
  { prompt, source }: { prompt: string; source: "startup" | "resume" | undefined },
): Promise<{ prompt: string } | { blocked: string }> {
  if (fire === undefined) return { prompt };
  const start = source === undefined ? {} : await fire("SessionStart", [source], { source });
  const { verdict, reason, context } = await fire("UserPromptSubmit", [], { prompt });
  if (verdict === "deny") return { blocked: `a hook blocked the message: ${reason ?? "no reason given"}` };
  const texts = [start.context, context].filter((text) => text !== undefined);
  return { prompt: [prompt, ...texts.map((text) => `[a hook adds: ${text}]`)].join("\n\n") };
}
