// The hooks of a session: opens the port that the engine uses, and fires the events of the session itself.
// run-hooks.ts runs the commands.
import type { PermissionMode } from "../../../config/settings/modes.js";
import path from "node:path";
import type { Conversation } from "../../engine/conversation.js";
import type { FireHooks } from "../../hooks/hook-answer.js";
import { createHooks } from "./run-hooks.js";
import { createToolEnv } from "../../tool-env.js";
import type { SessionPermissions } from "../permissions/guard.js";
import type { SessionRequest } from "../session-request.js";
import type { OpenSession } from "../sessions.js";

/** A hook that is written for Claude Code knows its modes only. */
const SHOWN_TO_HOOKS: Readonly<Partial<Record<PermissionMode, PermissionMode>>> = {
  trusted: "bypassPermissions",
  dangerous: "bypassPermissions",
  staged: "acceptEdits",
  claude: "default",
  anvil: "default",
};

/** The file with environment variables that SessionStart hooks may write. */
const ENV_FILE = "hook-env.sh";

/** Returns the port; absent if no hook is set. */
export function openHooks(
  request: SessionRequest,
  session: Pick<OpenSession, "id" | "folder">,
  { mode }: SessionPermissions,
): { fire?: FireHooks; env: Record<string, string>; ended: () => Promise<void> } {
  const { ports, network, root, settings, env, onWarning } = request;
  if (settings.hooks === undefined) return { env: {}, ended: () => Promise.resolve() };
  const file = path.join(session.folder, ENV_FILE);
  const own = { CLAUDE_PROJECT_DIR: root, CLAUDE_ENV_FILE: file, LOOPER_ENV_FILE: file };
  const run = createHooks({
    program: { ports, root, env: { ...createToolEnv(env), ...own } },
    network,
    hooks: settings.hooks,
    common: () => ({
      session_id: session.id,
      transcript_path: path.join(session.folder, "session.json"),
      cwd: root,
      permission_mode: SHOWN_TO_HOOKS[mode()] ?? mode(),
    }),
    onWarning,
    signal: new AbortController().signal,
  });
  // The session does not wait for notifications, but its end does: their processes would be ended with it.
  const running = new Set<Promise<unknown>>();
  const fire: FireHooks = (event, names, input) => {
    const answer = run(event, names, input);
    if (event !== "Notification") return answer;
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };
  // bash reads this file at the start of every shell.
  return {
    fire,
    env: { BASH_ENV: file },
    ended: async () => {
      await Promise.allSettled(running);
    },
  };
}

/** Why a session starts. After a compaction the engine fires the event. */
export type SessionStart = "startup" | "resume" | "clear";

/** Returns why a session starts. One that was cleared in an earlier process has turns, but no messages. */
export function findStart(
  { messages, turns }: Conversation,
  { resume }: Pick<SessionRequest, "resume">,
): SessionStart {
  if (resume === undefined) return "startup";
  return messages.length === 0 && Object.keys(turns).length > 0 ? "clear" : "resume";
}

/** SessionStart: returns what hooks add. */
export async function fireStart(
  fire: FireHooks | undefined,
  source: SessionStart | undefined,
): Promise<string | undefined> {
  if (fire === undefined || source === undefined) return undefined;
  return (await fire("SessionStart", [source], { source })).context;
}

/** UserPromptSubmit, and SessionStart before the first message: returns the prompt with their texts, or why it is blocked. */
export async function fireMessage(
  fire: FireHooks | undefined,
  { prompt, source }: { prompt: string; source: SessionStart | undefined },
): Promise<{ prompt: string } | { blocked: string }> {
  if (fire === undefined) return { prompt };
  const start = await fireStart(fire, source);
  const { verdict, reason, context } = await fire("UserPromptSubmit", [], { prompt });
  if (verdict === "deny") return { blocked: `a hook blocked the message: ${reason ?? "no reason given"}` };
  const texts = [start, context].filter((text) => text !== undefined);
  return { prompt: [prompt, ...texts.map((text) => `[a hook adds: ${text}]`)].join("\n\n") };
}
