// The gate that every tool call passes. It checks the name, the arguments, the agent, the budget, the paths and the permission.
// It then runs the call with a timeout, and again where that can help, truncates the output and writes the audit record. Every
// failure becomes a result.
import { addCounts } from "../../model.js";
import { isDeepStrictEqual } from "node:util";
import { askPermission, getPending, toPermission, type Permission } from "./ask-permission.js";
import { clipMiddle } from "../window/clip.js";
import { getCount } from "../conversation.js";
import { findTask } from "../children/open-tasks.js";
import { applyVerdict, fireAfter, fireBefore, fireRequest } from "../fire.js";
import type { HookAnswer } from "../../hooks/hook-answer.js";
import type { FailureCode } from "../events.js";
import type { CallContext, ToolResult } from "../../tool.js";
import { AGENT_TASK, matchesTool } from "../children/sub-agents.js";
import {
  keep,
  type Approval,
  type AuditRecord,
  type ConversationOutcome,
  type LiveConversation,
  type EngineWorld,
  type GateCall,
  type ReadCall,
} from "../world.js";
import { errorCode } from "../../../system/errors.js";
import { pause } from "../../../system/pause.js";
import type { Clock } from "../../../system/ports.js";

/** The result of a call, as the model sees it. */
export interface ToolCallOutcome {
  success: boolean;
  output: string;
  /** The change of an edit, for a person. */
  diff?: string;
  code?: FailureCode;
  /** How often the call was run; 0 if it was refused. */
  tries: number;
}

interface Refusal {
  code: FailureCode;
  error: string;
}

/** A call that waits for a person, or whose sub-agent does, or before which another question comes. */
type StoppedCall = { paused: ConversationOutcome };

/** Runs a call, refuses it, or lets it wait for a person. Only a call that was run is counted in the conversation. */
export async function callTool(
  live: LiveConversation,
  read: ReadCall,
): Promise<ToolCallOutcome | StoppedCall> {
  const { world } = live;
  if (read.tool?.changes === true) await world.keepFiles?.();
  const passed = await catchErrors(() => passGate(live, read));
  if ("paused" in passed) return passed;
  const started = world.clock.monotonic();
  const made = "error" in passed ? toOutcome(passed) : await makeCall(live, passed);
  if ("paused" in made) return made;
  const { whole, ...outcome } = made;
  const { agent, args } = "error" in passed ? read : passed;
  await world.gate.audit({
    at: new Date(world.clock.now()).toISOString(),
    ...{ session: live.conversation.id, call_id: read.id, agent, tool: read.name, args },
    ...{ success: outcome.success, code: outcome.code, tries: outcome.tries },
    via: "error" in passed ? undefined : findVia(live, passed),
    duration_ms: Math.round(world.clock.monotonic() - started),
    output_chars: whole.length,
  });
  return outcome;
}

function toOutcome({ code, error }: Refusal): ToolCallOutcome & { whole: string } {
  return { success: false, output: clipMiddle(error, LONGEST_REFUSAL), code, tries: 0, whole: error };
}

/** Runs a call that passed the gate. `whole`: its result before it was cut. */
async function makeCall(
  live: LiveConversation,
  passed: GateCall,
): Promise<(ToolCallOutcome & { whole: string }) | StoppedCall> {
  const { world } = live;
  await markBegun(live, passed);
  const { result, tries, code } = await runCall(live, passed);
  const paused = live.paused?.get(passed.id);
  if (paused !== undefined) return { paused };
  const { conversation } = live;
  const counted = { [passed.tool.name]: 1 };
  live.conversation = { ...conversation, calls: addCounts(conversation.calls, counted) };
  world.spent.calls = addCounts(world.spent.calls, counted);
  const { success } = result;
  const whole = await world.gate.screen(passed.tool.name, success ? result.output : result.error);
  const said = success ? await fireAfter(world, passed, whole) : "";
  const output = describeApproval(passed) + (await fitOutput(world, passed, whole)) + said;
  return { success, output, diff: success ? result.diff : undefined, code, tries, whole };
}

/** Returns how the call was allowed; `undefined` if it changes nothing, and needs no permission. */
function findVia(live: LiveConversation, call: GateCall): AuditRecord["via"] {
  const { answer } = getPending(live, call) ?? {};
  if (call.approved !== undefined && answer !== undefined) return answer.via;
  return call.tool.changes ? "setting" : undefined;
}

/** Marks an approved call before it runs, so that a killed process does not run it twice. Its result removes the mark. */
async function markBegun(live: LiveConversation, call: GateCall): Promise<void> {
  const pending = getPending(live, call);
  if (call.approved === undefined || pending === undefined) return;
  await keep(live, { pending: { ...pending, begun: new Date(live.world.clock.now()).toISOString() } });
}

/** Tells the model what the person changed or said. */
function describeApproval({ approved, args }: GateCall): string {
  const { edited, remark } = approved ?? {};
  const changed = edited === undefined ? "" : `[the user changed the arguments to ${JSON.stringify(args)}]\n`;
  return remark === undefined ? changed : `${changed}[the user allowed it and said: ${remark}]\n`;
}

const LONGEST_REFUSAL = 4000;

/** A check that throws refuses the call. */
async function catchErrors(pass: () => Promise<Passed>): Promise<Passed> {
  try {
    return await pass();
  } catch (error) {
    return { code: "exception", error: `the call could not be checked and was not run: ${messageOf(error)}` };
  }
}

type Passed = GateCall | Refusal | StoppedCall;

/** The source of changed arguments. */
interface Changes {
  /** A person, who allowed them. */
  approved?: Approval | undefined;
  /** A hook; `allowed`: one that answers for the person. */
  byHook?: "changed" | "allowed" | undefined;
  /** The answer of the hooks before they changed the call: each hook is called once. */
  judged?: HookAnswer;
}

async function passGate(
  live: LiveConversation,
  read: ReadCall,
  { approved, byHook, judged: before }: Changes = {},
): Promise<Passed> {
  const { world } = live;
  const { name, tool, agent, args, problem } = read;
  if (tool === undefined) return refuseUnknown(name, live);
  if (problem !== undefined) return { code: "bad_arguments", error: `${name}: ${problem}` };
  if (typeof args === "string")
    return { code: "bad_arguments", error: `${name}: the arguments are not a JSON object` };
  const prepared = tool.prepare(args);
  if ("problem" in prepared) return { code: "bad_arguments", error: `${name}: ${prepared.problem}` };
  // Its sub-agent works already: the call passed the gate before the session was killed or paused.
  if (findTask(live.conversation, read.id) !== undefined) return { ...read, tool, prepared };
  const refusal = refuseForeign(world, agent, name) ?? refuseOverBudget(world, name);
  if (refusal !== undefined) return refusal;
  const outside = await world.gate.checkSubjects(prepared.subjects);
  if (outside !== undefined) return { code: "outside", error: outside };
  const call: GateCall = { ...read, tool, prepared, approved };
  const judged = approved === undefined ? (before ?? (await judgeByHooks(live, call))) : {};
  if (judged.verdict !== "deny" && judged.input !== undefined && byHook === undefined)
    return passGate(live, { ...read, args: judged.input }, { byHook: "changed", judged });
  const hook = byHook === "allowed" ? { ...judged, verdict: judged.verdict ?? "allow" } : judged;
  const permission = await permit(live, { call, hook, byHook });
  if ("changed" in permission)
    return passGate(live, { ...read, args: permission.changed }, { byHook: "allowed", judged });
  if ("edited" in permission)
    return passGate(live, { ...read, args: permission.edited }, { approved: permission.approved });
  if ("refused" in permission) return { code: "denied", error: permission.refused };
  return "approved" in permission ? { ...call, approved: permission.approved } : permission;
}

/** Hooks judge a call once: with an approval, the call that was shown is compared with what would run now. */
async function judgeByHooks(live: LiveConversation, call: GateCall): Promise<HookAnswer> {
  const { world } = live;
  const pending = getPending(live, call);
  if (world.hooks === undefined || pending?.answer?.verdict !== "approve") return fireBefore(world, call);
  const isSame = isDeepStrictEqual(pending.args, call.args);
  return { verdict: "ask", ...(isSame ? {} : { input: pending.args }) };
}

/** Returns the permission of a person or of the rules. A prohibition holds in spite of an approval. */
async function permit(
  live: LiveConversation,
  { call, hook, byHook }: { call: GateCall; hook: HookAnswer; byHook: Changes["byHook"] },
): Promise<Permission | { approved: undefined } | Refusal | { changed: unknown }> {
  const { world } = live;
  const judged = await applyVerdict(call, await world.gate.permit(call), hook);
  const isAnswered = call.approved !== undefined || getPending(live, call)?.answer !== undefined;
  const verdict = isAnswered || byHook === "allowed" ? judged : await fireRequest(world, call, judged);
  if ("refused" in verdict || "changed" in verdict) return verdict;
  if (call.approved !== undefined) return { approved: call.approved };
  // A person who was shown the call decides about it as it is; and what is known to fail needs no question.
  const fails = getPending(live, call) === undefined ? await call.prepared.check?.() : undefined;
  if (fails !== undefined) return { code: "failed", error: fails };
  if ("asks" in verdict) return askPermission(live, call, verdict.asks);
  const { answer } = getPending(live, call) ?? {};
  return answer === undefined ? { approved: undefined } : toPermission(answer);
}

function refuseUnknown(name: string, live: LiveConversation): Refusal {
  const { world } = live;
  const { limits } = world;
  if (limits !== undefined && name === AGENT_TASK)
    return { code: "not_allowed", error: "A sub-agent cannot start another one. Do the work yourself." };
  const there = world.tools(live).filter((tool) => limits === undefined || matchesTool(limits, tool.name));
  const known = world.offer(there, []).map((tool) => tool.name);
  return {
    code: "not_whitelisted",
    error: `${name.slice(0, 100)} is not whitelisted: no tool has this name. Available tools: ${known.join(", ")}.`,
  };
}

function refuseForeign(world: EngineWorld, agent: string, name: string): Refusal | undefined {
  const limits = world.limits ?? world.agents.find(({ name: one }) => one === agent)?.tools;
  if (limits === undefined || matchesTool(limits, name)) return undefined;
  const may = limits.length === 0 ? "no tools" : limits.join(", ");
  return { code: "not_allowed", error: `${agent} may not call ${name}; it has ${may}. Nothing was run.` };
}

function refuseOverBudget({ settings, spent: { calls } }: EngineWorld, name: string): Refusal | undefined {
  const { total, tools } = settings.budgets;
  const most = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (most !== undefined && getCount(calls, name) >= most)
    return toBudgetRefusal(`${name} was called ${most} times, which is all this session has for it`);
  const sum = Object.values(calls).reduce((all, one) => all + one, 0);
  if (total !== undefined && sum >= total)
    return toBudgetRefusal(`${total} calls were made, which is all this session has`);
  return undefined;
}

function toBudgetRefusal(why: string): Refusal {
  return { code: "over_budget", error: `${why}. This call was not run; continue without it.` };
}

/** Runs the call, and again while its failure may be temporary. `tries`: how often it was run. */
async function runCall(live: LiveConversation, call: GateCall): Promise<CallRun & { tries: number }> {
  const { world } = live;
  const most = world.settings.maxToolRetries + 1;
  for (let tries = 1; ; tries += 1) {
    const ran = await runOnce(live, call);
    const isOver = !isWorthRetrying(ran, call) || world.signal.aborted;
    if (ran.result.success || (isOver && tries < most)) return { ...ran, tries };
    if (isOver || tries >= most) {
      const error = `${ran.result.error}\nThis call of ${call.tool.name} failed ${tries} times in the same way. Do not repeat it: try another approach.`;
      return { ...ran, tries, result: { success: false, error } };
    }
    // From 0.5 to 1.5, so that calls that failed together are not all retried together.
    const jitter = 0.5 + Number.parseInt(world.random.hex(1), 16) / 255;
    await pause(world.clock, FIRST_WAIT_MS * 2 ** (tries - 1) * jitter, world.signal);
  }
}

/** Returns the whole result, or both ends of it and the path of the file with the whole result. */
async function fitOutput({ gate }: EngineWorld, { tool, id }: GateCall, text: string): Promise<string> {
  if (text.length <= tool.maxOutput) return text;
  const kept = await gate.keepOutput(id, text);
  return clipMiddle(text, tool.maxOutput, `; all of it is in ${kept}`);
}

/** How long a call may take after its timeout to return what it has done so far. */
const GRACE_MS = 2000;
const FIRST_WAIT_MS = 500;

/** The result of a call, with a code if it failed. */
interface CallRun {
  result: ToolResult;
  code?: FailureCode;
}

/** Returns whether the same call may succeed when it is repeated. */
function isWorthRetrying({ code }: CallRun, { tool }: GateCall): boolean {
  // A call that timed out may have made its change already, so that repeating it could do harm.
  return code === "transient" || (code === "timeout" && !tool.changes);
}

async function runOnce({ world }: LiveConversation, call: GateCall): Promise<CallRun> {
  const { id: callId, prepared } = call;
  const { name } = call.tool;
  if (world.signal.aborted) return toFailedRun("interrupted", `${name} was not run: the session is ending.`);
  const stop = new AbortController();
  const running = settle(call, { callId, signal: stop.signal });
  const first = await waitForFirst(world, prepared.timeoutMs, running);
  if (typeof first === "object") return first;
  stop.abort();
  const late = await waitForFirst({ clock: world.clock }, GRACE_MS, running);
  if (typeof late === "object" && late.result.success) return late;
  const said = typeof late === "object" && !late.result.success ? ` It reported: ${late.result.error}` : "";
  const why =
    first === "time"
      ? `${name} did not end within ${prepared.timeoutMs / 1000} s and was stopped; its changes until then are not undone.`
      : `${name} was stopped because the session is ending.`;
  return toFailedRun(first === "time" ? "timeout" : "interrupted", why + said);
}

function toFailedRun(code: FailureCode, error: string): CallRun {
  return { result: { success: false, error }, code };
}

async function settle({ tool, prepared }: GateCall, context: CallContext): Promise<CallRun> {
  try {
    const result = await prepared.run(context);
    if (result.success) return { result };
    return { result, code: result.transient === true ? "transient" : "failed" };
  } catch (error) {
    return toFailedRun("exception", `${tool.name} failed: ${messageOf(error)}`);
  }
}

/** Describes a thrown value in one line for a model. */
function messageOf(error: unknown): string {
  const code = errorCode(error);
  if (code === "E2BIG") return "the command is too long; put it into a file";
  if (code === "ENAMETOOLONG") return "a name or the command is too long; put a long command into a file";
  return error instanceof Error ? error.message : String(error);
}

/** Waits for the call, the timeout or the end of the session, whichever comes first. */
async function waitForFirst(
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
  ms: number,
  running: Promise<CallRun>,
): Promise<CallRun | "time" | "session"> {
  const over = new AbortController();
  const ends = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  const other = pause(clock, ms, ends).then(() => (signal?.aborted === true ? "session" : "time"));
  const first = await Promise.race([running, other]);
  over.abort();
  return first;
}
