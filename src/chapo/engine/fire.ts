// The engine's ports for hooks: one function for each event that concerns a running conversation. Without hooks there is no answer.
// session/session-hooks.ts runs the commands.
import { sha256Hex } from "../../system/text/sha256.js";
import type { FireHooks, HookAnswer } from "../hooks/hook-answer.js";
import { listHookNames, toCanonicalCall, toHookCall } from "../vocabulary.js";
import { appendMessages } from "./conversation.js";
import type { PermitQuestion } from "./calls/pending.js";
import type { EngineWorld, GateCall, LiveConversation, Permit } from "./world.js";

async function fire({ hooks }: EngineWorld, ...asked: Parameters<FireHooks>): Promise<HookAnswer> {
  return hooks === undefined ? {} : hooks(...asked);
}

/** PreToolUse: before the rules. `input`: the changed arguments, in the tool's own words. */
export async function fireBefore(world: EngineWorld, call: GateCall): Promise<HookAnswer> {
  return toOwnWords(call, await fire(world, "PreToolUse", listHookNames(call.tool.name), describeCall(call)));
}

function toOwnWords({ tool }: GateCall, answer: HookAnswer): HookAnswer {
  if (answer.input === undefined) return answer;
  const { args } = toCanonicalCall("claude", toHookCall(tool.name, {}).name, answer.input);
  return { ...answer, input: args };
}

function describeCall({ tool, args, id, agent }: GateCall): Record<string, unknown> {
  const { name, args: input } = toHookCall(tool.name, args);
  const own = { looper_tool: tool.name, looper_agent: agent };
  return { tool_name: name, tool_input: input, tool_use_id: id, ...own };
}

/**
 * Applies PreToolUse's verdict: ask turns a permission into a question, and adds its reason to one; allow answers a question that
 * no rule asks.
 */
export async function applyVerdict(call: GateCall, verdict: Permit, hook: HookAnswer): Promise<Permit> {
  if (hook.verdict === "deny") return { refused: `a hook refused it: ${hook.reason ?? "no reason given"}` };
  if (hook.verdict === "allow" && "asks" in verdict && mayAnswer(verdict.asks)) return { allowed: true };
  if (hook.verdict !== "ask" || "refused" in verdict) return verdict;
  const because = `a hook asks: ${hook.reason ?? "no reason given"}`;
  if ("asks" in verdict) return { asks: addReason(verdict.asks, because) };
  const preview = await call.prepared.preview().catch(() => `${call.tool.name} ${JSON.stringify(call.args)}`);
  return { asks: { because, preview, digest: sha256Hex(preview), may_remember: false } };
}

/** The hook asks each time, so `always` is not offered. */
function addReason(
  { edits: _file, host: _host, ...question }: PermitQuestion,
  because: string,
): PermitQuestion {
  return { ...question, because: `${question.because}; ${because}`, may_remember: false };
}

/** A hook never answers an ask rule, nor a dangerous call. */
function mayAnswer({ rule, may_remember: mayRemember }: PermitQuestion): boolean {
  return rule === undefined && mayRemember;
}

/** PermissionRequest: answers for the person, where one would be asked. `changed`: it allows the call with these arguments. */
export async function fireRequest(
  world: EngineWorld,
  call: GateCall,
  permit: Permit,
): Promise<Permit | { changed: unknown }> {
  if (!("asks" in permit)) return permit;
  const { because, preview } = permit.asks;
  const input = { ...describeCall(call), message: because, preview };
  const names = listHookNames(call.tool.name);
  const answer = toOwnWords(call, await fire(world, "PermissionRequest", names, input));
  if (answer.verdict === "deny")
    return { refused: `a hook refused it: ${answer.reason ?? "no reason given"}` };
  if (answer.verdict === "allow" && mayAnswer(permit.asks))
    return answer.input === undefined ? { allowed: true } : { changed: answer.input };
  // It cannot delay the question.
  void fire(world, "Notification", ["permission_prompt"], {
    notification_type: "permission_prompt",
    message: `${call.agent} wants to use ${call.tool.name} (${because})`,
  });
  return permit;
}

/** PostToolUse: returns the feedback on a successful call, for the model. */
export async function fireAfter(world: EngineWorld, call: GateCall, output: string): Promise<string> {
  const input = { ...describeCall(call), tool_response: { success: true, output } };
  const { context } = await fire(world, "PostToolUse", listHookNames(call.tool.name), input);
  return context === undefined ? "" : `\n\n[a hook said: ${context}]`;
}

/** How often in a row hooks may ask for another turn. */
const MOST_STOPS = 8;

/** Stop and SubagentStop: returns whether the conversation continues, with the hook's reason as its next message. */
export async function fireStop(live: LiveConversation, stops: number): Promise<boolean> {
  const { world } = live;
  const event = world.limits === undefined ? "Stop" : "SubagentStop";
  const input = { stop_hook_active: stops > 0, looper_agent: world.who };
  const { verdict, reason } = await fire(world, event, [], input);
  if (verdict !== "deny" || stops >= MOST_STOPS) return false;
  const text = `A hook asks you to continue: ${reason ?? "no reason given"}`;
  live.conversation = appendMessages(live.conversation, { role: "user", text, own: true });
  return true;
}

/** Notification: the conversation ended with a question to the user. It cannot delay the question. */
export function fireQuestion(world: EngineWorld, question: string): void {
  const type = "idle_prompt";
  if (world.limits === undefined)
    void fire(world, "Notification", [type], { notification_type: type, message: question });
}

/** SessionStart after older turns were replaced: returns what hooks add to the conversation. */
export async function fireCompacted(world: EngineWorld): Promise<string | undefined> {
  if (world.limits !== undefined) return undefined;
  return (await fire(world, "SessionStart", ["compact"], { source: "compact" })).context;
}

/** PreCompact: returns why older turns may not be replaced; `undefined` if they may. */
export async function fireCompact(
  world: EngineWorld,
  trigger: "manual" | "auto",
): Promise<string | undefined> {
  const { verdict, reason = "no reason given" } = await fire(world, "PreCompact", [trigger], { trigger });
  return verdict === "deny" ? reason : undefined;
}
