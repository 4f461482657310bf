// The engine's loop: takes one turn of the model after the other until it answers, asks, reports, fails, or has no turns left.
// Fresh, resumed and delegated work all run here. call-tool.ts makes calls, compact.ts keeps the window, take-steps.ts checks answers.
import { never } from "../../system/never.js";
import type { ModelFailure, ModelReply, OfferedTool } from "../model.js";
import type { Tool } from "../tool.js";
import { askModel } from "./ask-model.js";
import {
  clear,
  compact,
  countUsedTokens,
  getTokenLimit,
  makeRoom,
  shortenTo,
  boundMessage,
} from "./window/compact.js";
import { appendMessages, listOpenCalls, type Conversation, type Message } from "./conversation.js";
import { AskQueue, nameInQueue } from "./calls/ask-queue.js";
import { ASK_TOOL, decide } from "./calls/decision.js";
import { fireQuestion, fireStop } from "./fire.js";
import { describePending } from "./calls/pending.js";
import { deliverQueued, enqueue, resume } from "./resume.js";
import { matchesTool, LOOPER } from "./children/sub-agents.js";
import { takeSteps } from "./take-steps.js";
import {
  INTERRUPTED,
  keep,
  type TurnContext,
  type TurnPosition,
  type LiveConversation,
  type EngineWorld,
  type ConversationOutcome,
  type UsedUpLimit,
} from "./world.js";
import { clip } from "./window/clip.js";
import { quoteRequests, describeSteps } from "./steps.js";

/** The share of the messages that stays when a provider rejects a request as too long. */
const SHORTENED_SHARE = 0.15;

/**
 * Runs a conversation until it answers, asks or fails. `text` is the user's message; without it the conversation resumes where
 * it was. The last event is `answer`, `clarify` or `error`. For a finish tool's report it is `answer` with the report as JSON.
 * `asks`: for a sub-agent, the session's queue.
 */
export async function converse(
  world: EngineWorld,
  conversation: Conversation,
  text?: string,
  asks?: LiveConversation["asks"],
): Promise<{ conversation: Conversation; outcome: ConversationOutcome }> {
  const message = text === undefined ? undefined : await boundMessage(world, text, getTokenLimit(world) / 2);
  const begun = resume(conversation, message, new Date(world.clock.now()).toISOString());
  const { id, pending } = begun.conversation;
  // The call that waited comes first.
  const first = pending && nameInQueue({ id: pending.child ?? id }, pending.call);
  const context: TurnContext = {
    ...{ world, ...begun, asks: asks ?? new AskQueue(first), paused: new Map() },
    ...{ parts: [], stalls: 0, shortened: false, done: new Set() },
  };
  world.emit({ type: "status", data: { status: "running", session: conversation.id } });
  await world.save(context.conversation);
  const outcome = (await takeOpenCalls(context)) ?? (await takeTurns(context));
  await keep(context, { state: STATE_AFTER[outcome.how] });
  emitOutcome(world, conversation.id, outcome);
  if (outcome.how === "clarify") fireQuestion(world, outcome.question);
  return { conversation: context.conversation, outcome };
}

/** Takes the calls of the last turn that are left: one waited for a person or a sub-agent, and the others come after it. */
async function takeOpenCalls(context: TurnContext): Promise<ConversationOutcome | undefined> {
  const { world, conversation } = context;
  if (conversation.pending === undefined && conversation.tasks === undefined) return undefined;
  const tools = world.tools(context);
  const calls = listOpenCalls(conversation);
  const steps = decide({ text: "", calls, finish: "calls", model: world.model.name }, world, tools);
  return takeSteps(context, steps, { iteration: 1, last: false });
}

const STATE_AFTER = {
  answer: "completed",
  finished: "completed",
  clarify: "waiting_for_user",
  pending: "waiting_for_user",
  error: "error",
} as const satisfies Record<ConversationOutcome["how"], Conversation["state"]>;

function emitOutcome(world: EngineWorld, session: string, outcome: ConversationOutcome): void {
  switch (outcome.how) {
    case "answer":
    case "finished": {
      const { answer, validated } =
        outcome.how === "answer" ? outcome : { answer: JSON.stringify(outcome.value), validated: false };
      world.emit({ type: "answer", data: { answer, validated, status: STATE_AFTER[outcome.how] } });
      return;
    }
    case "clarify":
      world.emit({ type: "clarify", data: { question: outcome.question, status: STATE_AFTER.clarify } });
      return;
    case "pending": {
      const { pending } = outcome;
      const waits = { status: STATE_AFTER.pending, callId: pending.call };
      world.emit({ type: "clarify", data: { question: describePending(pending, session), ...waits } });
      return;
    }
    case "error": {
      const { error, reason, retryAt } = outcome;
      const agent = world.who === LOOPER ? {} : { agent: world.who };
      const retry = retryAt === undefined ? {} : { retry_at: new Date(retryAt).toISOString() };
      world.emit({ type: "error", data: { ...agent, error, reason, ...retry, status: "error" } });
      return;
    }
    default:
      never(outcome);
  }
}

/** The turns without progress before the engine asks, unless the settings say how many turns there are. */
const IDLE_TURNS = 25;

/**
 * Takes turns until there is an outcome. Without a setting only turns since the last progress count. A task that uses them up
 * continues from its own summary, unless nothing new was done since the one before; the attempt's limit counts every turn.
 */
async function takeTurns(context: TurnContext): Promise<ConversationOutcome> {
  const { world } = context;
  const { maxIterations } = world.settings;
  const { maxTurns = Infinity } = world.finish ?? {};
  const most = maxIterations ?? IDLE_TURNS;
  let [stops, counted, known] = [0, 0, 0];
  for (let iteration = 1; iteration <= maxTurns; iteration += 1) {
    const before = context.done.size;
    const last = iteration === maxTurns || (world.finish === undefined && counted + 1 >= most);
    const outcome = await takeTurn(context, { iteration, last });
    if (outcome !== undefined) {
      const isEnd = outcome.how === "answer" || outcome.how === "finished";
      if (!isEnd || !(await fireStop(context, stops))) return outcome;
      stops += 1;
    }
    counted = maxIterations === undefined && context.done.size > before ? 1 : counted + 1;
    if (counted < most || iteration >= maxTurns) continue;
    const why = `${most} turns${maxIterations === undefined ? " without progress" : ""}`;
    if (world.finish === undefined || context.done.size === known) return endExhausted(context, "idle", why);
    counted = 0;
    known = context.done.size;
    const summary = await summariseExhausted(context, why);
    context.conversation = appendMessages(
      context.conversation,
      { role: "assistant", text: summary, calls: [] },
      { role: "user", text: CONTINUE, own: true },
    );
  }
  return endExhausted(context, "turns", `${maxTurns} turns`);
}

const CONTINUE = "Continue with what is open. Do not repeat what brought nothing new.";

/** Takes one turn of the model and carries out its decisions. `undefined`: another turn follows. */
async function takeTurn(
  context: TurnContext,
  position: TurnPosition,
): Promise<ConversationOutcome | undefined> {
  const { iteration } = position;
  const { world } = context;
  if (world.signal.aborted) return INTERRUPTED;
  const tools = world.tools(context);
  const offered = collectOffered(world, tools);
  await runRequestedCommand(context, offered);
  await deliverMessages(context);
  const used = await makeRoom(context, offered);
  if (used === undefined)
    return endExhausted(context, "window", `the ${getTokenLimit(world)} tokens of the window`);
  const limit = getTokenLimit(world);
  const { messages, iterations } = context.conversation;
  const tokenUsage = { used, limit, remaining: Math.max(0, limit - used), messages: messages.length };
  await keep(context, { iterations: iterations + 1 });
  world.emit({ type: "thinking", data: { iteration, event: context.event, tokenUsage } });
  const answer = await askModel(context, {
    who: world.who,
    system: world.system,
    messages,
    tools: offered,
    tellsIteration: world.settings.stream ? iteration : undefined,
  });
  if ("failure" in answer) return handleFailure(context, answer.failure, { offered, said: answer.said });
  keepReply(context, answer.reply, iteration);
  await keep(context);
  context.shortened = false;
  return takeSteps(context, decide(answer.reply, world, tools), position);
}

/** Delivers what the user sent while the model worked, in the order in which it was sent. */
async function deliverMessages(context: TurnContext): Promise<void> {
  const { world } = context;
  const read = world.inboxes.map(async (inbox) => ({ inbox, messages: await inbox.read() }));
  const stored = await Promise.all(read);
  const texts = stored.flatMap(({ messages }) => messages.map(({ text }) => text));
  for (const text of [...texts, ...(await world.takeMessages())]) {
    context.conversation = enqueue(context.conversation, text);
    world.emit({ type: "delivered", data: { text } });
  }
  if (texts.length > 0) await keep(context);
  for (const { inbox, messages } of stored) for (const { name } of messages) await inbox.remove(name);
  context.conversation = deliverQueued(context.conversation);
}

/** Returns the tools offered to the model: those it may call, the one to ask with and the one to report with. */
function collectOffered(world: EngineWorld, tools: readonly Tool[]): OfferedTool[] {
  const { limits, agents, finish } = world;
  const own = limits === undefined ? tools : tools.filter(({ name }) => matchesTool(limits, name));
  const names = limits === undefined ? [LOOPER, ...agents.map(({ name }) => name)] : [];
  return [...world.offer(own, names), ASK_TOOL, ...(finish === undefined ? [] : [finish.tool])];
}

async function runRequestedCommand(live: LiveConversation, offered: readonly OfferedTool[]): Promise<void> {
  const { requestedCommand } = live;
  delete live.requestedCommand;
  if (requestedCommand === "clear") clear(live);
  if (requestedCommand === "compact") await compact(live, offered);
}

/** Stores the reply and the provider's token count. An empty reply is not stored. */
function keepReply(context: TurnContext, reply: ModelReply, iteration: number): void {
  const { text, calls, usage } = reply;
  if (text.trim() !== "") context.world.emit({ type: "message", data: { iteration, text } });
  if (text.trim() === "" && calls.length === 0) return;
  const said = appendMessages(context.conversation, { role: "assistant", text, calls: [...calls] });
  context.conversation = said;
  if (usage === undefined) return;
  const tokens = usage.input + usage.cached + usage.cacheWrite + usage.output;
  context.conversation = { ...said, counted: { tokens, messages: said.messages.length } };
}

/** A failed request ends in an error, never in an answer. A request that is too long is shortened once. */
async function handleFailure(
  context: TurnContext,
  failure: ModelFailure,
  { offered, said }: { offered: readonly OfferedTool[]; said: string },
): Promise<ConversationOutcome | undefined> {
  if (context.world.signal.aborted) {
    // The text that a person saw before they interrupted the model.
    const partial: Message = { role: "assistant", text: said, calls: [] };
    if (said.trim() !== "") context.conversation = appendMessages(context.conversation, partial);
    return INTERRUPTED;
  }
  if (failure.reason === "context-full" && !context.shortened) {
    context.shortened = true;
    if ((await compact(context, offered, SHORTENED_SHARE)) === true) return undefined;
    if (await shortenTo(context, offered, countUsedTokens(context, offered) / 2)) return undefined;
    return endExhausted(context, "window", "the tokens of the model's window");
  }
  const { message, reason, retryAt } = failure;
  return { how: "error", error: message, reason, retryAt };
}

async function endExhausted(
  context: TurnContext,
  limit: UsedUpLimit,
  why: string,
): Promise<ConversationOutcome> {
  const question = await summariseExhausted(context, why);
  if (context.world.signal.aborted) return INTERRUPTED;
  context.conversation = {
    ...appendMessages(context.conversation, { role: "assistant", text: question, calls: [] }),
    question: { text: question },
  };
  return { how: "clarify", question, exhausted: true, limit };
}

/** Summarises what is done, what is open and the next steps, and ends with a question. Never empty. `why`: the used-up limit, such as "25 turns". */
async function summariseExhausted(live: LiveConversation, why: string): Promise<string> {
  const { world } = live;
  const { messages } = live.conversation;
  const log = describeSteps(live.conversation, {
    args: 300,
    result: 500,
    total: Math.min(40_000, getTokenLimit(world)),
  });
  const request = clip(quoteRequests(messages), getTokenLimit(world));
  const answer = await askModel(live, {
    who: "summary",
    system: world.prompts["looper.summary"],
    messages: [
      {
        role: "user",
        text: `REQUEST:\n${request}\n\nSTEPS:\n${log === "" ? "(none)" : log}\n\nLAST WORDS:\n${getLastWords(messages)}\n\nThe work stopped: ${why} are used up.`,
      },
    ],
    tools: [],
  });
  const text = "reply" in answer ? answer.reply.text.trim() : "";
  return text === "" ? formatPlainSummary(messages, why) : text;
}

function formatPlainSummary(messages: readonly Message[], why: string): string {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const failures = results.filter(({ success }) => !success).length;
  const last = results.at(-1);
  const words = getLastWords(messages);
  return [
    `Stopped: ${why} are used up. ${results.length} calls were made, ${failures} of them failed.`,
    ...(last === undefined ? [] : [`The last call was ${last.name}: ${clip(last.output, 500)}`]),
    ...(words === "" ? [] : [`The last words were: ${words}`]),
    "Shall I continue?",
  ].join("\n");
}

/** Returns the model's last text, which may be a draft that was sent back. */
function getLastWords(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant" && message.text !== "");
  return last?.role === "assistant" ? clip(last.text, 2000) : "";
}
