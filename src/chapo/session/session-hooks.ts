// The hooks of a session: commands that get an event as JSON on stdin, and addresses that get it as a POST. All that match run in
// parallel, each with its own timeout. hooks/hook-answer.ts reads what they answer, and engine/fire.ts fires most events; those of the
// session itself are here. A hook that fails is reported and does not block; PreToolUse is closed at a timeout.
import path from "node:path";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { PermissionMode } from "../../config/settings/modes.js";
import type { Network } from "../../system/network.js";
import type { Conversation } from "../engine/conversation.js";
import type { SessionRequest } from "./session-request.js";
import type { OpenSession } from "./sessions.js";
import { createToolEnv } from "../tool-env.js";
import { runProgram, type ProgramWorld } from "../tools/program.js";
import {
  combineAnswers,
  matchesHook,
  readAnswer,
  type FireHooks,
  type HookAnswer,
  type HookEvent,
  type HookRun,
} from "../hooks/hook-answer.js";

/** The hooks by event. */
export type HookLists = NonNullable<ChapoSettings["hooks"]>;
type Hook = NonNullable<HookLists[HookEvent]>[number];

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

/** The open hooks. */
export interface SessionHooks {
  /** Runs the hooks of an event; absent if no hook is set. */
  fire?: FireHooks;
  /** For the tools. */
  env: Record<string, string>;
  /** Resolves when the hooks that nothing waits for have ended. */
  ended: () => Promise<void>;
}

/** Opens the hooks of a session. */
export function openHooks(
  { ports, network, root, settings: { hooks }, env, onWarning }: SessionRequest,
  session: Pick<OpenSession, "id" | "folder">,
  mode: () => PermissionMode,
): SessionHooks {
  if (hooks === undefined) return { env: {}, ended: () => Promise.resolve() };
  const file = path.join(session.folder, ENV_FILE);
  const own = { CLAUDE_PROJECT_DIR: root, CLAUDE_ENV_FILE: file, LOOPER_ENV_FILE: file };
  const run = createHooks({
    program: { ports, root, env: { ...createToolEnv(env), ...own } },
    ...{ network, hooks, onWarning },
    common: () => ({
      session_id: session.id,
      transcript_path: path.join(session.folder, "session.json"),
      cwd: root,
      permission_mode: SHOWN_TO_HOOKS[mode()] ?? mode(),
    }),
  });
  // The session does not wait for notifications, but its end does: their processes would be ended with it.
  const running = new Set<Promise<unknown>>();
  return {
    fire: (event, names, input) => {
      const answer = run(event, names, input);
      if (event !== "Notification") return answer;
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    // bash reads this file at the start of every shell.
    env: { BASH_ENV: file },
    ended: async () => {
      await Promise.allSettled(running);
    },
  };
}

/** The parts of a session that its hooks need. */
export interface HookWorld {
  program: ProgramWorld;
  network: Network;
  hooks: HookLists;
  /** The input that every hook gets. */
  common: () => Readonly<Record<string, unknown>>;
  onWarning: (text: string) => void;
}

const USUAL_TIMEOUT_S = 60;
const KEEP = { head: 256 * 1024, tail: 1024 };

/** Returns a function that runs the hooks of an event. */
export function createHooks(place: HookWorld): FireHooks {
  return async (event, names, input) => {
    const matching = (place.hooks[event] ?? []).filter(({ matcher }) => matchesHook(matcher, names));
    if (matching.length === 0) return {};
    const text = `${JSON.stringify({ ...place.common(), hook_event_name: event, ...input })}\n`;
    return combineAnswers(await Promise.all(matching.map((hook) => runHook(place, event, hook, text))));
  };
}

async function runHook(place: HookWorld, event: HookEvent, hook: Hook, input: string): Promise<HookAnswer> {
  const seconds = hook.timeout ?? USUAL_TIMEOUT_S;
  const timeoutMs = seconds * 1000;
  const ran =
    "url" in hook
      ? await postHook(place, hook.url, { timeoutMs, input })
      : await runCommand(place, hook.command, { timeoutMs, input });
  const warn = (problem: string): HookAnswer => {
    place.onWarning(`hook ${event} (${nameHook(hook)}): ${problem}`);
    return {};
  };
  if ("timedOut" in ran) {
    warn(`it did not end within ${seconds} s and was ended`);
    const isClosed = (event === "PreToolUse" || event === "PermissionRequest") && hook.on_timeout !== "allow";
    return isClosed ? { verdict: "deny", reason: `a hook did not answer within ${seconds} s` } : {};
  }
  const answer = "problem" in ran ? ran : readAnswer(event, ran);
  return "problem" in answer ? warn(answer.problem) : answer;
}

/** The hook as people see it. The path of an address is often a secret. */
export function nameHook(hook: Hook): string {
  if ("command" in hook) return hook.command.slice(0, 100);
  const { protocol, host } = new URL(hook.url);
  return `${protocol}//${host}/…`;
}

type Ran = HookRun | { problem: string } | { timedOut: true };
type Asked = Readonly<{ timeoutMs: number; input: string }>;

async function runCommand({ program }: HookWorld, command: string, asked: Asked): Promise<Ran> {
  const shell = { command: "/bin/sh", args: ["-c", command], ...asked, keep: KEEP, leavesNothing: true };
  const ran = await runProgram(program, shell, new AbortController().signal);
  if (ran.timedOut) return { timedOut: true };
  if (ran.end.how === "not-found") return { problem: ran.end.message };
  const { end, stdout, stderr, isCut } = ran;
  return { code: end.how === "exited" ? end.code : undefined, stdout, stderr, isCut };
}

/** Posts the event. The body of an answer is what a command prints. A redirect is not followed. */
async function postHook({ network, program }: HookWorld, url: string, asked: Asked): Promise<Ran> {
  const late = new AbortController();
  const timer = program.ports.clock.after(asked.timeoutMs, () => {
    late.abort();
  });
  const answer = await network.request({
    url: new URL(url),
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "looper" },
    body: asked.input,
    signal: late.signal,
    maxBytes: KEEP.head,
    // The address is the user's own, or approved by the user; it may well be in the local network.
    mayConnect: () => true,
  });
  timer.cancel();
  if (late.signal.aborted) return { timedOut: true };
  if ("failed" in answer) return { problem: answer.message };
  const { status, body, cut } = answer;
  if (status >= 300 && status < 400) return { problem: `it redirects (${status}), which is not followed` };
  if (status < 200 || status >= 300) return { problem: `it answered ${status}` };
  return { code: 0, stdout: new TextDecoder().decode(body), stderr: "", isCut: cut };
}

/** Why a session starts. After a compaction the engine fires the event. */
export type SessionStart = "startup" | "resume" | "clear";

/** Returns why a session starts. One that was cleared in an earlier process has turns, but no messages. */
export function findStart({ messages, turns }: Conversation, resume: string | undefined): SessionStart {
  if (resume === undefined) return "startup";
  return messages.length === 0 && Object.keys(turns).length > 0 ? "clear" : "resume";
}

/** The parts of a session that its own events need: `starts` is removed when SessionStart was fired. */
type Started = { hooks: SessionHooks; starts?: SessionStart };

/** SessionStart, once: returns what hooks add. */
export async function fireStart(parts: Started): Promise<string | undefined> {
  const { hooks, starts: source } = parts;
  delete parts.starts;
  return source && (await hooks.fire?.("SessionStart", [source], { source }))?.context;
}

/** UserPromptSubmit, and SessionStart before the first message: returns the prompt with their texts, or why it is refused. */
export async function fireMessage(
  parts: Started,
  prompt: string,
): Promise<{ prompt: string } | { refused: string }> {
  const start = await fireStart(parts);
  const { verdict, reason, context } = (await parts.hooks.fire?.("UserPromptSubmit", [], { prompt })) ?? {};
  if (verdict === "deny") return { refused: `a hook blocked the message: ${reason ?? "no reason given"}` };
  const texts = [start, context].filter((text) => text !== undefined);
  return { prompt: [prompt, ...texts.map((text) => `[a hook adds: ${text}]`)].join("\n\n") };
}
