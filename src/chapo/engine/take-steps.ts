// Carries out the decisions of a turn, in order, one at a time. converse.ts asks the model and keeps the context window.
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import type { ModelCall } from "../model.js";
import { getPending } from "./calls/ask-permission.js";
import { callTool, type CallOutcome } from "./calls/call-tool.js";
import { clip } from "./window/clip.js";
import { addResult, appendMessages } from "./conversation.js";
import { ASK_USER, type ReadCall, type TurnStep } from "./calls/decision.js";
import type { TurnEvent } from "./events.js";
import { withoutPending } from "./calls/pending.js";
import { closeCalls } from "./resume.js";
import { LOOPER } from "./children/sub-agents.js";
import { formatFeedback, validate } from "./calls/validate.js";
import type { LiveConversation, EngineWorld, ConversationOutcome, Finish } from "./world.js";

/** The number of turns in a row without progress that ends the conversation with an error. */
const STALLS = 3;
const VALIDATION_ROUNDS = 2;

/** The state of a running conversation between turns. */
export interface TurnContext {
  world: EngineWorld;
  live: LiveConversation;
  /** The event the next turn responds to. */
  event: TurnEvent;
  /** The parts of a reply that its provider paused. */
  paused: string[];
  /** Turns without progress in a row. */
  stalls: number;
  /** The last refused call and how often it was made in a row. */
  refused?: { call: string; times: number };
  /** Whether the last request was already shortened because the provider rejected it as too long. */
  shortened: boolean;
}

/** The position of a turn. */
export interface TurnPosition {
  iteration: number;
  /** Whether it is the last turn. */
  last: boolean;
}

/** The outcome of a conversation that was aborted. */
export const INTERRUPTED: ConversationOutcome = {
  how: "error",
  error: "the session was stopped",
  reason: "interrupted",
};

/** Carries out the decisions. `undefined`: the model is asked again. */
export async function takeSteps(
  context: TurnContext,
  steps: readonly TurnStep[],
  turn: TurnPosition,
): Promise<ConversationOutcome | undefined> {
  const { world, live } = context;
  const events: TurnEvent[] = [];
  for (const step of steps) {
    if (world.signal.aborted) break;
    world.emit({ type: "step", data: { iteration: turn.iteration, decision: step.decision } });
    const came = await takeStep(context, step, turn);
    if (typeof came === "object") return came;
    events.push(came);
  }
  // An answer that a person has given is carried out when the session resumes.
  if (world.signal.aborted && live.conversation.pending?.answer !== undefined) return INTERRUPTED;
  live.conversation = closeCalls(withoutPending(live.conversation), "Not run: the session was stopped.");
  await world.save(live.conversation);
  if (world.signal.aborted) return INTERRUPTED;
  context.event = events.includes("error") ? "error" : (events.at(-1) ?? context.event);
  return undefined;
}

async function takeStep(
  context: TurnContext,
  step: TurnStep,
  turn: TurnPosition,
): Promise<ConversationOutcome | TurnEvent> {
  switch (step.do) {
    case "call":
      return takeCall(context, step.read);
    case "ask":
      return ask(context, step.call, step.question);
    case "finish":
      return finish(context, step);
    case "answer":
      return context.world.finish === undefined
        ? deliver(context, step, turn)
        : finishInText(context, context.world.finish, step.text);
    case "refused":
      return {
        how: "error",
        error: `the model refused${step.text === "" ? ", without a reason" : `: ${step.text}`}`,
        reason: "bad-request",
      };
    case "paused":
      return continuePaused(context, step.text);
    case "again":
      return handleNoDecision(context, step.because);
    default:
      return never(step);
  }
}

async function takeCall(context: TurnContext, named: ReadCall): Promise<ConversationOutcome | TurnEvent> {
  const { world, live } = context;
  // The stored arguments of a call that waited are exact; those of the message may have been redacted.
  const waited = getPending(live, { callId: named.id });
  const read = waited === undefined ? named : { ...named, args: waited.args };
  emitCall(context, read);
  const made = await callTool(world, live, read);
  if ("pending" in made) return { how: "pending", pending: made.pending };
  const repeated = countRefusals(context, read, made);
  const told = repeated === WARNED_AT ? { ...made, output: `${made.output}\n${REPEATED}` } : made;
  await keepResult(context, read, told);
  context.stalls = 0;
  if (repeated >= ENDED_AT)
    return {
      how: "error",
      error: `the model made the same call ${repeated} times, and it was refused each time: ${read.name} (${cutLine(made.output)})`,
      reason: "incomplete",
    };
  return made.success ? "tool_result" : "error";
}

/** Refusals of one call in a row: the model is warned, then the conversation ends. */
const WARNED_AT = 3;
const ENDED_AT = 5;
const REPEATED = `This call was refused ${WARNED_AT} times in a row. Do not make it again: after ${ENDED_AT} the work ends.`;

/** Returns how often this very call was refused in a row; 0 if it was run. */
function countRefusals(
  context: TurnContext,
  { name, args }: ReadCall,
  { success, tries }: CallOutcome,
): number {
  if (success || tries > 0) {
    delete context.refused;
    return 0;
  }
  const call = JSON.stringify([name, args]);
  const times = context.refused?.call === call ? context.refused.times + 1 : 1;
  context.refused = { call, times };
  return times;
}

const LONGEST_REASON = 300;

function cutLine(text: string): string {
  return clip(text.split("\n")[0] ?? "", LONGEST_REASON);
}

type NamedCall = Pick<ReadCall, "id" | "offered" | "agent" | "name" | "args">;

function emitCall({ world }: TurnContext, { id, agent, name, args }: NamedCall): void {
  world.emit({ type: "tool_call", data: { callId: id, agent, tool: name, args } });
}

async function keepResult({ world, live }: TurnContext, call: NamedCall, made: CallOutcome): Promise<void> {
  const { success, output, diff, tries, code } = made;
  const done = getPending(live, { callId: call.id }) !== undefined;
  live.conversation = addResult(done ? withoutPending(live.conversation) : live.conversation, {
    callId: call.id,
    name: call.offered,
    success,
    output,
  });
  world.emit({
    type: "tool_result",
    data: {
      callId: call.id,
      agent: call.agent,
      tool: call.name,
      success,
      output,
      ...given({ diff, code }),
      tries,
    },
  });
  await world.save(live.conversation);
}

async function ask(
  context: TurnContext,
  call: ModelCall,
  question: string | undefined,
): Promise<ConversationOutcome | TurnEvent> {
  if (question === undefined) {
    await refuse(
      context,
      describeOwnCall(context, call, ASK_USER),
      "question: missing; it must be a text with one question",
    );
    return "error";
  }
  const { live } = context;
  live.conversation = { ...live.conversation, question: { text: question, call: call.id } };
  return { how: "clarify", question, exhausted: false };
}

function describeOwnCall({ world }: TurnContext, call: ModelCall, name: string): NamedCall {
  const agent = world.limits === undefined ? LOOPER : world.who;
  return { id: call.id, offered: call.name, agent, name, args: call.args };
}

/** Answers a call of the engine's own tools whose arguments are wrong. */
async function refuse(context: TurnContext, call: NamedCall, problem: string): Promise<void> {
  emitCall(context, call);
  const output = `${call.name}: ${problem}`;
  await keepResult(context, call, { success: false, output, code: "bad_arguments", tries: 0 });
  context.stalls = 0;
}

async function finish(
  context: TurnContext,
  { call, args, decision }: Extract<TurnStep, { do: "finish" }>,
): Promise<ConversationOutcome | TurnEvent> {
  const own = describeOwnCall(context, call, decision.toolName ?? call.name);
  const read = context.world.finish?.read(args) ?? { problem: "there is nothing to report here" };
  if ("problem" in read) {
    await refuse(context, own, read.problem);
    return "error";
  }
  emitCall(context, own);
  await keepResult(context, own, { success: true, output: "reported", tries: 1 });
  const { live } = context;
  live.conversation = closeCalls(live.conversation, "Not run: the work was reported as finished.");
  return { how: "finished", value: read.value };
}

/** Asks the model to continue a reply that its provider paused. The parts become one answer. */
function continuePaused({ live, ...context }: TurnContext, text: string): TurnEvent {
  context.paused.push(text);
  live.conversation = appendMessages(live.conversation, { role: "user", text: "Continue.", own: true });
  return context.event;
}

/** Added to an answer that a filter cut off. */
const FILTERED = "[The provider's content filter removed the rest of this answer.]";

/** Validates an answer before the user sees it. The verdict's confidence alone decides. */
async function deliver(
  context: TurnContext,
  { text, filtered }: Extract<TurnStep, { do: "answer" }>,
  { last }: TurnPosition,
): Promise<ConversationOutcome | TurnEvent> {
  const { world, live } = context;
  const { selfValidation, minValidationConfidence } = world.settings;
  const draft = [...context.paused.splice(0), text].join("");
  if (filtered) return { how: "answer", answer: `${draft}\n\n${FILTERED}`, validated: false };
  if (!selfValidation) return { how: "answer", answer: draft, validated: false };
  const said = await validate(world, live, draft);
  if (world.signal.aborted) return INTERRUPTED;
  if ("unknown" in said) {
    world.emit({
      type: "validation",
      data: { isComplete: false, confidence: 0, issues: [said.unknown], checked: false },
    });
    return { how: "answer", answer: draft, validated: false };
  }
  const { verdict } = said;
  world.emit({ type: "validation", data: verdict });
  if (verdict.confidence >= minValidationConfidence) return { how: "answer", answer: draft, validated: true };
  const rounds = live.conversation.validation_rounds + 1;
  live.conversation = { ...live.conversation, validation_rounds: rounds };
  if (rounds >= VALIDATION_ROUNDS || last) return { how: "answer", answer: draft, validated: false };
  live.conversation = appendMessages(live.conversation, {
    role: "user",
    text: formatFeedback(verdict, draft),
    own: true,
  });
  context.stalls = 0;
  return "self_validation";
}

/** Takes the report from a text reply. A reply without one is not an end. */
function finishInText(context: TurnContext, finish: Finish, text: string): ConversationOutcome | TurnEvent {
  const read = finish.readText(text);
  if (read !== undefined && "value" in read) return { how: "finished", value: read.value };
  const wrong = read === undefined ? "" : `The report in your text is not valid: ${read.problem}. `;
  return countStall(context, `${wrong}${remindToFinish(finish.tool.name)}`, "no-summary");
}

function remindToFinish(finish: string): string {
  return `A reply without a report does not end the work. Call ${finish} when the work is done or cannot continue; otherwise keep working.`;
}

function handleNoDecision(
  context: TurnContext,
  because: Extract<TurnStep, { do: "again" }>["because"],
): ConversationOutcome | TurnEvent {
  const { live } = context;
  switch (because) {
    case "cut":
      live.conversation = closeCalls(
        live.conversation,
        "Not run: your turn was cut off at the limit of its length. Make smaller calls, one at a time.",
      );
      return countStall(
        context,
        "Your turn was cut off at the limit of its length and was discarded. Be shorter: smaller calls, or the whole answer again in fewer words.",
        "incomplete",
      );
    case "none":
      return countStall(context, "Your turn was empty. Call a tool, or answer in text.", "incomplete");
    case "continue":
      return countStall(context, "Continue: call a tool, or answer in text.", "incomplete");
    default:
      return never(because);
  }
}

/** Counts a turn without progress and reminds the model. After too many in a row it returns an error. */
function countStall(
  context: TurnContext,
  told: string,
  reason: "incomplete" | "no-summary",
): ConversationOutcome | TurnEvent {
  const { live } = context;
  context.stalls += 1;
  if (context.stalls >= STALLS)
    return {
      how: "error",
      error: `the model made no progress in ${STALLS} turns in a row; the last reminder was: ${told}`,
      reason,
    };
  live.conversation = appendMessages(live.conversation, { role: "user", text: told, own: true });
  return context.event;
}
