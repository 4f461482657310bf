// The loop: one turn of the model after the other, until it answers, asks, reports, fails, or its turns are used up. The one
// loop for fresh, resumed and delegated work. Leaves calls to call-tool.ts, the window to compact.ts, answers to validate.ts.
import { never } from "../../system/never.js";
import type { ModelFailure, ModelReply, OfferedTool } from "../model.js";
import type { Tool } from "../tool.js";
import { askModel } from "./ask-model.js";
import { clear, compact, limitOf, makeRoom } from "./compact.js";
import { say, type Conversation } from "./conversation.js";
import { askTool, decide } from "./decision.js";
import { summariseExhausted } from "./exhausted.js";
import { resume, withNote } from "./resume.js";
import { covers, LOOPER } from "./sub-agents.js";
import { INTERRUPTED, takeSteps, type Talk } from "./take-steps.js";
import type { Chat, EngineWorld, Outcome } from "./world.js";

/** Of its messages, what stays when a provider finds a request too long. */
const SQUEEZED = 0.15;

/**
 * Goes on with a conversation until it ends for now. `text`: what the user says; without it, it goes on where it was. The last
 * event is one of `answer`, `clarify`, `error`; of a finish tool's report it is `answer`, with what was reported as JSON.
 */
export async function converse(
  world: EngineWorld,
  conversation: Conversation,
  text?: string,
): Promise<{ conversation: Conversation; outcome: Outcome }> {
  const begun = resume(conversation, text);
  const chat: Chat = { conversation: begun.conversation, failures: new Map() };
  const talk: Talk = { world, chat, event: begun.event, stalls: 0, squeezed: false };
  world.emit({ type: "status", data: { status: "running", session: conversation.id } });
  await world.save(chat.conversation);
  const outcome = await takeTurns(talk);
  chat.conversation = { ...chat.conversation, state: stateOf(outcome) };
  await world.save(chat.conversation);
  tellOutcome(world, outcome);
  return { conversation: chat.conversation, outcome };
}

function stateOf(outcome: Outcome): Conversation["state"] {
  switch (outcome.how) {
    case "answer":
    case "finished":
      return "completed";
    case "clarify":
      return "waiting_for_user";
    case "error":
      return "error";
    default:
      return never(outcome);
  }
}

function tellOutcome(world: EngineWorld, outcome: Outcome): void {
  switch (outcome.how) {
    case "answer":
      world.emit({
        type: "answer",
        data: { answer: outcome.answer, validated: outcome.validated, status: "completed" },
      });
      return;
    case "finished":
      world.emit({
        type: "answer",
        data: { answer: JSON.stringify(outcome.value), validated: false, status: "completed" },
      });
      return;
    case "clarify":
      world.emit({ type: "clarify", data: { question: outcome.question, status: "waiting_for_user" } });
      return;
    case "error":
      world.emit({
        type: "error",
        data: {
          ...(world.who === LOOPER ? {} : { agent: world.who }),
          error: outcome.error,
          reason: outcome.reason,
          status: "error",
        },
      });
      return;
    default:
      never(outcome);
  }
}

async function takeTurns(talk: Talk): Promise<Outcome> {
  const { maxIterations } = talk.world.settings;
  for (let iteration = 1; iteration <= maxIterations; iteration += 1) {
    const outcome = await takeTurn(talk, iteration);
    if (outcome !== undefined) return outcome;
  }
  return exhaust(talk, `${maxIterations} turns`);
}

/** One turn of the model, and all it decides; `undefined`: it goes on. */
async function takeTurn(talk: Talk, iteration: number): Promise<Outcome | undefined> {
  const { world, chat } = talk;
  if (world.signal.aborted) return INTERRUPTED;
  const tools = world.tools(chat);
  const offered = offer(world, tools);
  await grantWish(talk, offered);
  const used = await makeRoom(world, chat, offered);
  if (used === undefined) return exhaust(talk, `the ${limitOf(world)} tokens of the window`);
  const limit = limitOf(world);
  const tokenUsage = { used, limit, remaining: Math.max(0, limit - used) };
  const note = `event ${talk.event}; turn ${iteration} of ${world.settings.maxIterations}; about ${used} of ${limit} tokens used, ${tokenUsage.remaining} remaining`;
  chat.conversation = withNote({ ...chat.conversation, iterations: chat.conversation.iterations + 1 }, note);
  await world.save(chat.conversation);
  world.emit({ type: "thinking", data: { iteration, event: talk.event, tokenUsage } });
  const answer = await askModel(world, chat, {
    who: world.who,
    system: world.system,
    messages: chat.conversation.messages,
    tools: offered,
    ...(world.settings.stream ? { onText: tellDelta(world, iteration) } : {}),
  });
  if ("failure" in answer) return failTurn(talk, answer.failure, offered);
  keepReply(talk, answer.reply, iteration);
  await world.save(chat.conversation);
  talk.squeezed = false;
  const last = iteration === world.settings.maxIterations;
  return takeSteps(talk, decide(answer.reply, world, tools), { iteration, last });
}

function tellDelta(world: EngineWorld, iteration: number): (text: string) => void {
  return (text) => {
    world.emit({ type: "delta", data: { iteration, text } });
  };
}

/** What the model is shown: what this one may call, how it asks, how it reports. */
function offer(world: EngineWorld, tools: readonly Tool[]): OfferedTool[] {
  const { limits, agents, mayAsk, finish } = world;
  const own = limits === undefined ? tools : tools.filter(({ name }) => covers(limits, name));
  const names = limits === undefined ? [LOOPER, ...agents.map(({ type }) => type)] : [];
  return [
    ...world.offer(own, names),
    ...(mayAsk ? [askTool()] : []),
    ...(finish === undefined ? [] : [finish.tool]),
  ];
}

async function grantWish({ world, chat }: Talk, offered: readonly OfferedTool[]): Promise<void> {
  const { wish } = chat;
  delete chat.wish;
  switch (wish) {
    case undefined:
      return;
    case "clear":
      clear(world, chat);
      return;
    case "compact":
      await compact(world, chat, offered);
      return;
    default:
      never(wish);
  }
}

/** What the model said is kept, and what its provider counted. A turn without anything leaves no trace. */
function keepReply({ world, chat }: Talk, reply: ModelReply, iteration: number): void {
  const { text, calls, usage } = reply;
  if (text.trim() !== "") world.emit({ type: "message", data: { iteration, text } });
  if (text.trim() === "" && calls.length === 0) return;
  chat.conversation = say(chat.conversation, { role: "assistant", text, calls: [...calls] });
  if (usage === undefined) return;
  const tokens = usage.input + usage.cached + usage.cacheWrite + usage.output;
  chat.conversation = {
    ...chat.conversation,
    counted: { tokens, messages: chat.conversation.messages.length },
  };
}

/** A model that cannot be asked is an error, never an answer; a request that it finds too long is made shorter once. */
async function failTurn(
  talk: Talk,
  failure: ModelFailure,
  offered: readonly OfferedTool[],
): Promise<Outcome | undefined> {
  const { world, chat } = talk;
  if (world.signal.aborted) return INTERRUPTED;
  if (failure.reason === "context-full" && !talk.squeezed) {
    talk.squeezed = true;
    if (await compact(world, chat, offered, SQUEEZED)) return undefined;
    return exhaust(talk, "the tokens of the model's window");
  }
  const { message, reason, retryAt } = failure;
  return { how: "error", error: message, reason, ...(retryAt === undefined ? {} : { retryAt }) };
}

async function exhaust({ world, chat }: Talk, why: string): Promise<Outcome> {
  const question = await summariseExhausted(world, chat, why);
  if (world.signal.aborted) return INTERRUPTED;
  chat.conversation = {
    ...say(chat.conversation, { role: "assistant", text: question, calls: [] }),
    question: { text: question },
  };
  return { how: "clarify", question, exhausted: true };
}
