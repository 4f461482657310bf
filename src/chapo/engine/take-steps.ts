// Carries out the decisions of a turn, in order: makes its calls, one at a time or several of sub-agents that only read together, keeps
// their results, and has an answer checked in a separate request to the model. call-tool.ts checks and runs a call; converse.ts asks
// the model and keeps the context window.
import { never } from "../../system/never.js";
import { nameInQueue } from "./calls/ask-queue.js";
import { findTask, endTask } from "./children/open-tasks.js";
import { appendMessages, type Conversation, addResult } from "./conversation.js";
import type { TurnStep } from "./calls/decision.js";
import { type TurnEvent, DraftVerdict } from "./events.js";
import { closeCalls } from "./resume.js";
import {
  INTERRUPTED,
  type TurnContext,
  type TurnPosition,
  type ConversationOutcome,
  type Finish,
  type LiveConversation,
  type StepResult,
  type ReadCall,
} from "./world.js";
import { findObjects } from "../../agents/json-objects.js";
import { askModel } from "./ask-model.js";
import { clipMiddle, clip } from "./window/clip.js";
import { quoteRequests, describeSteps } from "./steps.js";
import { getPending } from "./calls/ask-permission.js";
import { callTool, type ToolCallOutcome } from "./calls/call-tool.js";

/** The number of turns in a row without progress that ends the conversation with an error. */
const STALLS = 3;
const VALIDATION_ROUNDS = 2;

/** Carries out the decisions. `undefined`: the model is asked again. */
export async function takeSteps(
  context: TurnContext,
  steps: readonly TurnStep[],
  turn: TurnPosition,
): Promise<ConversationOutcome | undefined> {
  const { world } = context;
  const events: TurnEvent[] = [];
  for (const group of groupSteps(context, steps)) {
    if (world.signal.aborted) break;
    for (const { decision } of group)
      world.emit({ type: "step", data: { iteration: turn.iteration, decision } });
    const [first] = group;
    const isOne = first !== undefined && group.length === 1;
    const came = await (isOne ? takeStep(context, first, turn) : takeCalls(context, group));
    if (typeof came === "object") return came;
    events.push(came);
  }
  // Answers of a person are carried out when the session resumes, and so are the tasks of sub-agents.
  const { pending, tasks } = context.conversation;
  if (world.signal.aborted && (pending?.answer ?? tasks) !== undefined) return INTERRUPTED;
  const freed = { ...context.conversation, pending: undefined };
  context.conversation = closeCalls(freed, "Not run: the session was stopped.");
  await world.save(context.conversation);
  if (world.signal.aborted) return INTERRUPTED;
  context.event = events.includes("error") ? "error" : (events.at(-1) ?? context.event);
  return undefined;
}

/** Groups the calls that may run at the same time. Sub-agents that already work stay together: one may wait for another. */
function groupSteps(context: TurnContext, steps: readonly TurnStep[]): TurnStep[][] {
  const { together } = context.world;
  const tools = context.world.tools(context);
  const may = (step: TurnStep | undefined): boolean => {
    if (step?.do !== "call") return false;
    if (findTask(context.conversation, step.read.id) !== undefined) return true;
    return together !== undefined && together.most > 1 && together.may(step.read, tools);
  };
  return steps.reduce<TurnStep[][]>((groups, step) => {
    const last = groups.at(-1);
    if (last === undefined || !may(step) || !may(last[0])) groups.push([step]);
    else last.push(step);
    return groups;
  }, []);
}

async function takeStep(context: TurnContext, step: TurnStep, turn: TurnPosition): Promise<StepResult> {
  switch (step.do) {
    case "call":
      return takeCalls(context, [step]);
    case "ask":
      return ask(context, step.read, step.decision.clarificationQuestion);
    case "finish":
      return finish(context, step.read);
    case "answer":
    case "filtered":
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
    case "cut":
    case "none":
    case "continue":
      if (step.do === "cut") context.conversation = closeCalls(context.conversation, CUT_CALL);
      return countStall(context, NO_DECISION[step.do], "incomplete");
    default:
      return never(step);
  }
}

async function ask(context: TurnContext, call: ReadCall, question: string | null): Promise<StepResult> {
  if (question === null)
    return refuse(context, call, "question: missing; it must be a text with one question");
  const name = nameInQueue(context.conversation, call.id);
  const first = await context.asks?.enter(name);
  if (first !== undefined) return first;
  context.conversation = { ...context.conversation, question: { text: question, call: call.id } };
  const outcome = { how: "clarify", question, exhausted: false } as const;
  context.asks?.park(name, outcome);
  return outcome;
}

/** Answers a call of the engine's own tools whose arguments are wrong. */
async function refuse(context: TurnContext, call: ReadCall, problem: string): Promise<StepResult> {
  emitCall(context, call);
  const output = `${call.name}: ${problem}`;
  await keepResult(context, call, { success: false, output, code: "bad_arguments", tries: 0 });
  context.stalls = 0;
  return "error";
}

async function finish(context: TurnContext, call: ReadCall): Promise<StepResult> {
  const read = context.world.finish?.read(call.args) ?? { problem: "there is nothing to report here" };
  if ("problem" in read) return refuse(context, call, read.problem);
  emitCall(context, call);
  await keepResult(context, call, { success: true, output: "reported", tries: 1 });
  context.conversation = closeCalls(context.conversation, "Not run: the work was reported as finished.");
  return { how: "finished", value: read.value };
}

/** Asks the model to continue a reply that its provider paused. The parts become one answer. */
function continuePaused(context: TurnContext, text: string): TurnEvent {
  context.parts.push(text);
  tellModel(context, "Continue.");
  return context.event;
}

function tellModel(context: TurnContext, text: string): void {
  context.conversation = appendMessages(context.conversation, { role: "user", text, own: true });
}

/** Added to an answer that a filter cut off. */
const FILTERED = "[The provider's content filter removed the rest of this answer.]";

/** Validates an answer before the user sees it. The verdict's confidence alone decides. */
async function deliver(
  context: TurnContext,
  step: Extract<TurnStep, { do: "answer" | "filtered" }>,
  { last }: TurnPosition,
): Promise<StepResult> {
  const { world } = context;
  const { selfValidationEnabled, minValidationConfidence } = world.settings;
  const draft = [...context.parts.splice(0), step.text].join("");
  const unchecked = { how: "answer", answer: draft, validated: false } as const;
  if (step.do === "filtered") return { ...unchecked, answer: `${draft}\n\n${FILTERED}` };
  if (!selfValidationEnabled) return unchecked;
  const said = await validate(context, draft);
  if (world.signal.aborted) return INTERRUPTED;
  if ("unknown" in said) {
    const data = { isComplete: false, confidence: 0, issues: [said.unknown], checked: false as const };
    world.emit({ type: "validation", data });
    return unchecked;
  }
  const { verdict } = said;
  world.emit({ type: "validation", data: verdict });
  if (verdict.confidence >= minValidationConfidence) return { ...unchecked, validated: true };
  const rounds = context.conversation.validation_rounds + 1;
  context.conversation = { ...context.conversation, validation_rounds: rounds };
  if (rounds >= VALIDATION_ROUNDS || last) return unchecked;
  tellModel(context, formatFeedback(verdict, draft));
  context.stalls = 0;
  return "self_validation";
}

/** Takes the report from a text reply. A reply without one is not an end. */
function finishInText(context: TurnContext, finish: Finish, text: string): StepResult {
  const read = finish.readText(text);
  if (read !== undefined && "value" in read) return { how: "finished", value: read.value };
  const wrong = read === undefined ? "" : `The report in your text is not valid: ${read.problem}. `;
  const told = `${wrong}A reply without a report does not end the work. Call ${finish.tool.name} when the work is done or cannot continue; otherwise keep working.`;
  return countStall(context, told, "no-summary");
}

/** The reminders to the model after a turn without a decision. */
const NO_DECISION = {
  cut: "Your turn was cut off at the limit of its length and was discarded. Be shorter: smaller calls, or the whole answer again in fewer words.",
  none: "Your turn was empty. Call a tool, or answer in text.",
  continue: "Continue: call a tool, or answer in text.",
};
const CUT_CALL =
  "Not run: your turn was cut off at the limit of its length. Make smaller calls, one at a time.";

/** Counts a turn without progress and reminds the model. After too many in a row it returns an error. */
function countStall(context: TurnContext, told: string, reason: "incomplete" | "no-summary"): StepResult {
  context.stalls += 1;
  if (context.stalls >= STALLS)
    return {
      how: "error",
      error: `the model made no progress in ${STALLS} turns in a row; the last reminder was: ${told}`,
      reason,
    };
  tellModel(context, told);
  return context.event;
}

/** Returns the verdict on a draft, or why there is none: the request failed, or its reply cannot be read. */
export async function validate(
  live: LiveConversation,
  draft: string,
): Promise<{ verdict: DraftVerdict } | { unknown: string }> {
  const answer = await askModel(live, {
    who: "validation",
    system: live.world.prompts["looper.validation"],
    messages: [{ role: "user", text: formatBrief(live.conversation, draft) }],
    tools: [],
  });
  if ("failure" in answer) return { unknown: `the validation failed: ${answer.failure.message}` };
  const verdict = readVerdict(answer.reply.text);
  return verdict === undefined ? { unknown: "the validation returned no readable verdict" } : { verdict };
}

function formatBrief(conversation: Conversation, draft: string): string {
  const { messages } = conversation;
  const evidence = describeSteps(conversation, { args: 500, result: 1500, total: 24_000 });
  return [
    `REQUEST:\n${quoteRequests(messages)}`,
    `WHAT THE TOOLS RETURNED:\n${evidence === "" ? "(no tool was called)" : evidence}`,
    `DRAFT:\n${clipMiddle(draft, 16_000)}`,
  ].join("\n\n");
}

/** Returns the last JSON object in the text that is a verdict. */
function readVerdict(text: string): DraftVerdict | undefined {
  const { objects } = findObjects(text, "confidence");
  for (const { start, end } of objects.toReversed()) {
    const read = DraftVerdict.safeParse(dropNulls(JSON.parse(text.slice(start, end))));
    if (read.success) return read.data;
  }
  return undefined;
}

/** Treats a field that is null as left out: models do either if they have nothing to report. */
function dropNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return { issues: [], ...Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) };
}

/** Writes the message to the model about a draft that was sent back. */
function formatFeedback({ issues, suggestion, confidence }: DraftVerdict, draft: string): string {
  return [
    `Your answer was checked before the user saw it, and sent back (confidence ${confidence}).`,
    issues.length === 0 ? "" : `Issues:\n${issues.map((issue) => `- ${issue}`).join("\n")}`,
    suggestion === undefined || suggestion === "" ? "" : `Suggestion: ${suggestion}`,
    `Fix this, with tools if necessary, then give the whole answer again. Your draft was:\n\n${clipMiddle(draft, 6000)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/**
 * Makes calls at the same time, and keeps their results in the order of the calls. Returns what the turn came to: a call of a
 * sub-agent that waits for a person is the outcome.
 */
async function takeCalls(context: TurnContext, group: readonly TurnStep[]): Promise<StepResult> {
  const left = group.flatMap((step) => (step.do === "call" ? [step.read] : [])).entries();
  const all: Awaited<ReturnType<typeof make>>[] = [];
  const work = async (): Promise<void> => {
    for (const [at, named] of left) all[at] = await make(context, named);
  };
  const atWork = context.conversation.tasks?.length ?? 0;
  const most = Math.max(atWork, context.world.together?.most ?? 1, 1);
  await Promise.all(Array.from({ length: Math.min(most, group.length) }, work));
  const came: StepResult[] = [];
  for (const { read, made } of all) came.push(await keepMade(context, read, made));
  const events = came.filter((one) => typeof one === "string");
  const outcomes = came.filter((one) => typeof one === "object");
  return (
    outcomes.find(({ how }) => how === "pending") ??
    outcomes[0] ??
    (events.includes("error") ? "error" : "tool_result")
  );
}

type Made = Awaited<ReturnType<typeof callTool>>;

async function make(context: TurnContext, named: ReadCall): Promise<{ read: ReadCall; made: Made }> {
  // The stored arguments of a call that waited are exact; those of the message may have been redacted.
  const waited = getPending(context, named);
  const read = waited === undefined ? named : { ...named, args: waited.args };
  emitCall(context, read);
  return { read, made: await callTool(context, read) };
}

async function keepMade(context: TurnContext, read: ReadCall, made: Made): Promise<StepResult> {
  if ("paused" in made) return made.paused;
  const repeated = countRefusals(context, read, made);
  const told = repeated === WARNED_AT ? { ...made, output: `${made.output}\n${REPEATED}` } : made;
  await keepResult(context, read, told);
  context.stalls = 0;
  if (made.success) context.done.add(JSON.stringify([read.name, read.args]));
  if (repeated >= ENDED_AT)
    return {
      how: "error",
      error: `the model made the same call ${repeated} times, and it was refused each time: ${read.name} (${clip(made.output.split("\n")[0] ?? "", LONGEST_REASON)})`,
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
  { success, tries }: ToolCallOutcome,
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

/** Reports a call. */
function emitCall({ world }: TurnContext, { id, agent, name, args }: ReadCall): void {
  world.emit({ type: "tool_call", data: { callId: id, agent, tool: name, args } });
}

/** Adds the result of a call to the conversation, and saves both. */
async function keepResult(context: TurnContext, call: ReadCall, made: ToolCallOutcome): Promise<void> {
  const { success, output, diff, tries, code } = made;
  const { world, conversation } = context;
  const { id, offered, agent, name: tool } = call;
  const pending = getPending(context, call) === undefined ? conversation.pending : undefined;
  const result = { callId: id, name: offered, success, output };
  context.conversation = endTask(addResult({ ...conversation, pending }, result), id);
  const data = { callId: id, agent, tool, success, output, diff, code, tries };
  world.emit({ type: "tool_result", data });
  await world.save(context.conversation);
  context.asks?.leave(nameInQueue(conversation, id));
}
