// Reads what hooks answer, and combines the answers of all that ran for one event: deny beats ask, and ask beats allow. Pure.
// session/session-hooks.ts runs them; the engine carries the answer out.
import { field, textField } from "../../agents/fields.js";

/** The events, with the names of Claude Code. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "SessionStart",
  "SessionEnd",
  "Notification",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export type HookVerdict = "allow" | "ask" | "deny";

/** The answer of one hook, or of all hooks of an event. */
export interface HookAnswer {
  /** `deny` also stands for a block. */
  verdict?: HookVerdict;
  /** Why: for the model, and for the person. */
  reason?: string;
  /** Text that the model gets. */
  context?: string;
  /** The arguments that replace those of the call. */
  input?: unknown;
}

/** Runs the hooks of an event. `names`: what matchers are compared with. Never rejects. */
export type FireHooks = (
  event: HookEvent,
  names: readonly string[],
  input: Readonly<Record<string, unknown>>,
) => Promise<HookAnswer>;

/** How a hook ended. */
export interface HookRun {
  /** The exit code; absent: it did not exit by itself. */
  code?: number | undefined;
  stdout: string;
  stderr: string;
  /** Whether stdout was too long to keep whole. */
  isCut?: boolean;
}

const LONGEST_CONTEXT = 10_000;

/** Events whose plain output the model gets. */
const TAKES_TEXT: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "SessionStart"]);
/** Events whose hooks only watch. */
const ONLY_TOLD: ReadonlySet<HookEvent> = new Set(["SessionEnd", "Notification", "SessionStart"]);

/** Reads the answer of a hook that ran, or returns the problem to report. A problem does not block. */
export function readAnswer(
  event: HookEvent,
  { code, stdout, stderr, isCut = false }: HookRun,
): HookAnswer | { problem: string } {
  const said = stderr.trim().slice(0, LONGEST_CONTEXT);
  if (code === 2) {
    if (ONLY_TOLD.has(event)) return { problem: said || "exit code 2" };
    if (event === "PostToolUse") return { context: said };
    return { verdict: "deny", reason: said || "a hook refused it without a reason" };
  }
  if (code !== 0)
    return {
      problem: `${code === undefined ? "it was ended by a signal" : `exit code ${code}`}${said === "" ? "" : `: ${said}`}`,
    };
  const text = stdout.trim();
  if (!text.startsWith("{")) return TAKES_TEXT.has(event) && text !== "" ? { context: clip(text) } : {};
  if (isCut) return refuseUnread(event);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "its output begins with { and is not valid JSON" };
  }
  const answer = readJson(event, value);
  return ONLY_TOLD.has(event) && answer.context === undefined ? {} : answer;
}

/** Events that an answer can refuse. */
const REFUSABLE: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PermissionRequest", "UserPromptSubmit"]);

/** An answer that is too large to read may be a refusal. */
function refuseUnread(event: HookEvent): HookAnswer | { problem: string } {
  const why = "its answer is larger than 256 KiB and was not read";
  return REFUSABLE.has(event) ? { verdict: "deny", reason: why } : { problem: why };
}

const VERDICTS: Readonly<Record<string, HookVerdict>> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  deny: "deny",
  block: "deny",
};

function readJson(event: HookEvent, value: unknown): HookAnswer {
  const own = field(value, "hookSpecificOutput");
  const request = field(own, "decision");
  const word =
    textField(own, "permissionDecision") ??
    textField(request, "behavior") ??
    textField(value, "decision") ??
    "";
  const stops = field(value, "continue") === false;
  const verdict = stops ? "deny" : Object.hasOwn(VERDICTS, word) ? VERDICTS[word] : undefined;
  const reason =
    textField(own, "permissionDecisionReason") ??
    textField(request, "message") ??
    textField(value, "reason") ??
    textField(value, "stopReason");
  const context = textField(own, "additionalContext");
  const input = field(own, "updatedInput") ?? field(request, "updatedInput");
  // A block by a hook after a tool ran is feedback on its result.
  const isFeedback = event === "PostToolUse" && verdict === "deny";
  const texts = [context, ...(isFeedback ? [reason] : [])].filter((one) => one !== undefined);
  return {
    verdict: isFeedback ? undefined : verdict,
    reason: reason === undefined ? undefined : clip(reason),
    context: texts.length === 0 ? undefined : clip(texts.join("\n")),
    input,
  };
}

function clip(text: string): string {
  return text.slice(0, LONGEST_CONTEXT);
}

const RANK: readonly HookVerdict[] = ["deny", "ask", "allow"];

/** Combines the answers: the most restrictive verdict with its reasons, all contexts, the last changed arguments. */
export function combineAnswers(answers: readonly HookAnswer[]): HookAnswer {
  const verdict = RANK.find((one) => answers.some((answer) => answer.verdict === one));
  const reasons = answers.filter((one) => one.verdict === verdict).flatMap(({ reason }) => reason ?? []);
  const contexts = answers.flatMap(({ context }) =>
    context === undefined || context === "" ? [] : [context],
  );
  const input = answers.findLast((one) => one.input !== undefined)?.input;
  return {
    verdict,
    reason: reasons.length === 0 ? undefined : reasons.join("\n"),
    context: contexts.length === 0 ? undefined : contexts.join("\n"),
    input,
  };
}

/**
 * Returns whether a matcher matches one of the names. Letters, digits, `_`, `-` and `|` are exact names; anything else is a regular
 * expression. An invalid one matches nothing.
 */
export function matchesHook(matcher: string | undefined, names: readonly string[]): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*" || names.length === 0) return true;
  // Claude Code calls a server's tool mcp__server__tool.
  if (matcher.includes("mcp__") && matchesHook(matcher.replaceAll("__", "_"), names)) return true;
  if (/^[\w|-]+$/.test(matcher)) return matcher.split("|").some((one) => names.includes(one));
  try {
    const pattern = new RegExp(matcher);
    return names.some((name) => pattern.test(name));
  } catch {
    return false;
  }
}
