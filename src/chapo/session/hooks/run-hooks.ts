// Runs a session's hooks: commands that get an event as JSON on stdin, and addresses that get it as a POST. All that match run in
// parallel, each with its own timeout.
// hooks/hook-answer.ts reads what they answer. A hook that fails is reported and does not block; PreToolUse is closed at a timeout.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Network } from "../../../system/network.js";
import { runProgram, type ProgramWorld } from "../../tools/program.js";
import {
  combineAnswers,
  matchesHook,
  readAnswer,
  type HookAnswer,
  type FireHooks,
  type HookEvent,
  type HookRun,
} from "../../hooks/hook-answer.js";

/** The hooks by event. */
export type HookLists = NonNullable<ChapoSettings["hooks"]>;
type Hook = NonNullable<HookLists[HookEvent]>[number];

/** The parts of a session that its hooks need. */
export interface HookWorld {
  program: ProgramWorld;
  network: Network;
  hooks: HookLists;
  /** The input that every hook gets. */
  common: () => Readonly<Record<string, unknown>>;
  onWarning: (text: string) => void;
  /** Aborted at the end of the session. */
  signal: AbortSignal;
}

const USUAL_TIMEOUT_S = 60;
const KEEP = { head: 256 * 1024, tail: 1024 };

/** Returns the port through which the engine runs hooks. */
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
      ? await postHook(place, { url: hook.url, timeoutMs, input })
      : await runCommand(place, { command: hook.command, timeoutMs, input });
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

async function runCommand(
  { program, signal }: HookWorld,
  { command, timeoutMs, input }: { command: string; timeoutMs: number; input: string },
): Promise<Ran> {
  const ran = await runProgram(
    program,
    { command: "/bin/sh", args: ["-c", command], timeoutMs, input, keep: KEEP, leavesNothing: true },
    signal,
  );
  if (ran.timedOut) return { timedOut: true };
  if (ran.end.how === "not-found") return { problem: ran.end.message };
  const code = ran.end.how === "exited" ? { code: ran.end.code } : {};
  return { ...code, stdout: ran.stdout, stderr: ran.stderr, isCut: ran.isCut };
}

/** Posts the event. The body of an answer is what a command prints. A redirect is not followed. */
async function postHook(
  { network, program, signal: ended }: HookWorld,
  { url, timeoutMs, input }: { url: string; timeoutMs: number; input: string },
): Promise<Ran> {
  const late = new AbortController();
  const timer = program.ports.clock.after(timeoutMs, () => {
    late.abort();
  });
  const answer = await network.request({
    url: new URL(url),
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "looper" },
    body: input,
    signal: AbortSignal.any([late.signal, ended]),
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
