// Does what a turn of the model decided, in order, one thing at a time. Leaves asking the model, and the window, to converse.ts.
import { never } from "../../system/never.js";
import type { ModelCall } from "../model.js";
import { callTool, type Made } from "./call-tool.js";
import { addResult, say } from "./conversation.js";
import { ASK_USER, type ReadCall, type Step } from "./decision.js";
import type { TurnEvent } from "./events.js";
import { closeCalls } from "./resume.js";
import { LOOPER } from "./sub-agents.js";
import { feedback, validate } from "./validate.js";
import type { Chat, EngineWorld, Outcome } from "./world.js";

/** Turns without progress in a row, after which it is an error. */
const STALLS = 3;
const VALIDATION_ROUNDS = 2;

/** A conversation under way. */
export interface Talk {
  world: EngineWorld;
  chat: Chat;
  /** What the next turn answers to. */
  event: TurnEvent;
  /** Turns without progress in a row. */
  stalls: number;
  /** A provider found a request too long, and it was made shorter. */
  squeezed: boolean;
}

/** Which turn it is. */
export interface Turn {
  iteration: number;
  /** No further one comes. */
  last: boolean;
}

/** It was ended from outside. */
export const INTERRUPTED: Outcome = {
  how: "error",
  error: "the session was stopped",
  reason: "interrupted",
};

/** Takes the steps; `undefined`: the model is to be asked again. */
export async function takeSteps(
  talk: Talk,
  steps: readonly Step[],
  turn: Turn,
): Promise<Outcome | undefined> {
  const { world, chat } = talk;
  const events: TurnEvent[] = [];
  for (const step of steps) {
    if (world.signal.aborted) break;
    world.emit({ type: "step", data: { iteration: turn.iteration, decision: step.decision } });
    const came = await takeStep(talk, step, turn);
    if (typeof came === "object") return came;
    events.push(came);
  }
  chat.conversation = closeCalls(chat.conversation, "Not run: the session was stopped.");
  await world.save(chat.conversation);
  if (world.signal.aborted) return INTERRUPTED;
  talk.event = events.includes("error") ? "error" : (events.at(-1) ?? talk.event);
  return undefined;
}

async function takeStep(talk: Talk, step: Step, turn: Turn): Promise<Outcome | TurnEvent> {
  switch (step.do) {
    case "call":
      return takeCall(talk, step.read);
    case "ask":
      return ask(talk, step.call, step.question);
    case "finish":
      return finish(talk, step);
    case "answer":
      return talk.world.finish === undefined
        ? deliver(talk, step.text, turn)
        : stall(talk, reminder(talk.world.finish.tool.name), "no-summary");
    case "again":
      return again(talk, step.because);
    default:
      return never(step);
  }
}

async function takeCall(talk: Talk, read: ReadCall): Promise<TurnEvent> {
  const { world, chat } = talk;
  tellCall(talk, read);
  const made = await callTool(world, chat, read);
  await keepResult(talk, read, made);
  talk.stalls = 0;
  return made.success ? "tool_result" : "error";
}

type Named = Pick<ReadCall, "id" | "offered" | "agent" | "name" | "args">;

function tellCall({ world }: Talk, { id, agent, name, args }: Named): void {
  world.emit({ type: "tool_call", data: { callId: id, agent, tool: name, args } });
}

async function keepResult({ world, chat }: Talk, call: Named, made: Made): Promise<void> {
  const { success, output, tries, code } = made;
  chat.conversation = addResult(chat.conversation, {
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
      ...(code === undefined ? {} : { code }),
      tries,
    },
  });
  await world.save(chat.conversation);
}

async function ask(talk: Talk, call: ModelCall, question: string | undefined): Promise<Outcome | TurnEvent> {
  if (question === undefined) {
    await refuse(talk, named(talk, call, ASK_USER), "question: missing; it takes one question as a text");
    return "error";
  }
  const { chat } = talk;
  chat.conversation = { ...chat.conversation, question: { text: question, call: call.id } };
  return { how: "clarify", question, exhausted: false };
}

function named({ world }: Talk, call: ModelCall, name: string): Named {
  const agent = world.limits === undefined ? LOOPER : world.who;
  return { id: call.id, offered: call.name, agent, name, args: call.args };
}

/** A call of the engine's own tools with wrong arguments. */
async function refuse(talk: Talk, call: Named, problem: string): Promise<void> {
  tellCall(talk, call);
  const output = `${call.name}: ${problem}`;
  await keepResult(talk, call, { success: false, output, code: "bad_arguments", tries: 0 });
  talk.stalls = 0;
}

async function finish(
  talk: Talk,
  { call, args, decision }: Extract<Step, { do: "finish" }>,
): Promise<Outcome | TurnEvent> {
  const own = named(talk, call, decision.toolName ?? call.name);
  const read = talk.world.finish?.read(args) ?? { problem: "nothing is to be reported here" };
  if ("problem" in read) {
    await refuse(talk, own, read.problem);
    return "error";
  }
  tellCall(talk, own);
  await keepResult(talk, own, { success: true, output: "reported", tries: 1 });
  const { chat } = talk;
  chat.conversation = closeCalls(chat.conversation, "Not run: the work was reported as ended.");
  return { how: "finished", value: read.value };
}

/** An answer is held against the request before the user sees it; confidence alone decides. */
async function deliver(talk: Talk, draft: string, { last }: Turn): Promise<Outcome | TurnEvent> {
  const { world, chat } = talk;
  const { selfValidation, minValidationConfidence } = world.settings;
  if (!selfValidation) return { how: "answer", answer: draft, validated: false };
  const said = await validate(world, chat, draft);
  if (world.signal.aborted) return INTERRUPTED;
  if ("unknown" in said) {
    world.emit({
      type: "validation",
      data: { isComplete: false, confidence: 0, issues: [said.unknown] },
    });
    return { how: "answer", answer: draft, validated: false };
  }
  const { verdict } = said;
  world.emit({ type: "validation", data: verdict });
  if (verdict.confidence >= minValidationConfidence) return { how: "answer", answer: draft, validated: true };
  const rounds = chat.conversation.validation_rounds + 1;
  chat.conversation = { ...chat.conversation, validation_rounds: rounds };
  if (rounds >= VALIDATION_ROUNDS || last) return { how: "answer", answer: draft, validated: false };
  chat.conversation = say(chat.conversation, { role: "user", text: feedback(verdict, draft), own: true });
  talk.stalls = 0;
  return "self_validation";
}

function reminder(finish: string): string {
  return `Nobody reads texts here. When the work is done, or cannot go on, call ${finish}; else go on with it.`;
}

function again(talk: Talk, because: Extract<Step, { do: "again" }>["because"]): Outcome | TurnEvent {
  const { chat } = talk;
  switch (because) {
    case "cut":
      chat.conversation = closeCalls(
        chat.conversation,
        "Not run: your turn was cut off at the limit of its length. Make smaller calls, one at a time.",
      );
      return stall(
        talk,
        "Your turn was cut off at the limit of its length, and nothing of it was used. Be shorter: smaller calls, or the whole answer again in fewer words.",
        "incomplete",
      );
    case "none":
      return stall(talk, "Your turn was empty. Call a tool, or answer in text.", "incomplete");
    case "wished":
      return stall(talk, "Go on: call a tool, or answer in text.", "incomplete");
    default:
      return never(because);
  }
}

/** A turn without progress: the model is told so, a few times. */
function stall(talk: Talk, told: string, reason: "incomplete" | "no-summary"): Outcome | TurnEvent {
  const { chat } = talk;
  talk.stalls += 1;
  if (talk.stalls >= STALLS)
    return {
      how: "error",
      error: `the model made no progress in ${STALLS} turns in a row; the last time it was told: ${told}`,
      reason,
    };
  chat.conversation = say(chat.conversation, { role: "user", text: told, own: true });
  return talk.event;
}
