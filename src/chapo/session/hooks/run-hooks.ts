// Runs a session's hooks: commands that get an event as JSON on stdin. All that match run in parallel, each with its own timeout.
// hooks/hook-answer.ts reads what they answer. A hook that fails is reported and does not block; PreToolUse is closed at a timeout.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import { runProgram, type ProgramWorld } from "../../tools/program.js";
import {
  combineAnswers,
  matchesHook,
  readAnswer,
  type HookAnswer,
  type FireHooks,
  type HookEvent,
} from "../../hooks/hook-answer.js";

/** The hooks by event. */
export type HookLists = NonNullable<ChapoSettings["hooks"]>;
type Hook = NonNullable<HookLists[HookEvent]>[number];

/** The parts of a session that its hooks need. */
export interface HookPlace {
  program: ProgramWorld;
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
export function createHooks(place: HookPlace): FireHooks {
  return async (event, names, input) => {
    const matching = (place.hooks[event] ?? []).filter(({ matcher }) => matchesHook(matcher, names));
    if (matching.length === 0) return {};
    const text = `${JSON.stringify({ ...place.common(), hook_event_name: event, ...input })}\n`;
    return combineAnswers(await Promise.all(matching.map((hook) => runHook(place, event, hook, text))));
  };
}

async function runHook(place: HookPlace, event: HookEvent, hook: Hook, input: string): Promise<HookAnswer> {
  const seconds = hook.timeout ?? USUAL_TIMEOUT_S;
  const program = {
    ...{ command: "/bin/sh", args: ["-c", hook.command], timeoutMs: seconds * 1000 },
    ...{ input, keep: KEEP, leavesNothing: true },
  };
  const ran = await runProgram(place.program, program, place.signal);
  const warn = (problem: string): HookAnswer => {
    place.onWarning(`hook ${event} (${hook.command.slice(0, 100)}): ${problem}`);
    return {};
  };
  if (ran.timedOut) {
    warn(`it did not end within ${seconds} s and was ended`);
    const isClosed = (event === "PreToolUse" || event === "PermissionRequest") && hook.on_timeout !== "allow";
    return isClosed ? { verdict: "deny", reason: `a hook did not answer within ${seconds} s` } : {};
  }
  if (ran.end.how === "not-found") return warn(ran.end.message);
  const code = ran.end.how === "exited" ? { code: ran.end.code } : {};
  const answer = readAnswer(event, { ...code, stdout: ran.stdout, stderr: ran.stderr });
  return "problem" in answer ? warn(answer.problem) : answer;
}
