// Prepares a conversation for its next turn: after a message of the user, an answer to a question, or a killed process. Pure.
import {
  addResult,
  listOpenCalls,
  appendMessages,
  type Conversation,
  type Message,
  askAgainIfBegun,
  recordAnswer,
} from "./conversation.js";
import type { TurnEvent } from "./events.js";
import { changeTask } from "./children/open-tasks.js";

const LOST =
  "No result: the session ended before or during this call. Check what it did before you repeat it.";
const NOT_RUN = "Not run: the user was asked a question first.";

const NOT_ALLOWED =
  "Not run: the user was asked whether it may run, and wrote a message instead; it follows.";
const NOT_STORED =
  "Not run: it waited for a person, and its arguments hold a secret that is not stored. Make the call again.";

interface Resumed {
  conversation: Conversation;
  event: TurnEvent;
}

/**
 * Returns the conversation with the user's message, and the event the next turn responds to. Without a text it resumes where it
 * was: a call that waits for a person stays open. `now`: ISO 8601.
 */
export function resume(conversation: Conversation, text: string | undefined, now: string): Resumed {
  const { pending } = conversation;
  if (conversation.tasks !== undefined) return resumeTasks(conversation, text, now);
  if (pending === undefined) return resumeTurn(conversation, text);
  const asked: Conversation = { ...askAgainIfBegun(conversation, now), state: "running" };
  const isApproved = asked.pending?.answer?.verdict === "approve" && pending.unstored === undefined;
  if (isApproved || (text === undefined && pending.unstored === undefined))
    return { conversation: text === undefined ? asked : enqueue(asked, text), event: "tool_result" };
  const reason =
    pending.unstored !== undefined ? NOT_STORED : pending.begun === undefined ? NOT_ALLOWED : LOST;
  const { id, name } = listOpenCalls(conversation).find((call) => call.id === pending.call) ?? {};
  const freed = { ...conversation, pending: undefined };
  const closed =
    id === undefined || name === undefined
      ? freed
      : addResult(freed, { callId: id, name, success: false, output: reason });
  return resumeTurn(closed, text);
}

/**
 * Resumes sub-agents that were killed or paused: their calls stay open. A message answers the question of one, refuses the call of
 * one that waits, or is delivered after them.
 */
function resumeTasks(conversation: Conversation, text: string | undefined, now: string): Resumed {
  const asked: Conversation = { ...askAgainIfBegun(conversation, now), state: "running" };
  const event = "tool_result";
  if (text === undefined) return { conversation: asked, event };
  const { pending, question } = asked;
  if (question?.child !== undefined)
    return {
      conversation: changeTask({ ...asked, question: undefined }, question.child, { reply: text }),
      event: "clarification_response",
    };
  const queued = enqueue(asked, text);
  if (pending === undefined || pending.answer !== undefined || pending.unstored !== undefined)
    return { conversation: queued, event };
  // It may have run: the sub-agent is told so. Otherwise the message means no.
  if (conversation.pending?.begun !== undefined)
    return { conversation: { ...queued, pending: undefined }, event };
  const answer = { verdict: "reject", by: "user", via: "cli", at: now, remark: text } as const;
  return { conversation: recordAnswer(queued, answer), event };
}

/** Gives up the sub-agents of a turn that the user stopped. */
export function giveUpTasks(conversation: Conversation): Conversation {
  const { tasks, pending, question } = conversation;
  if (tasks === undefined) return conversation;
  const kept = {
    pending: pending?.child === undefined ? pending : undefined,
    question: question?.child === undefined ? question : undefined,
  };
  return closeCalls({ ...conversation, tasks: undefined, ...kept }, "Not finished: the user stopped it.");
}

/** Stores a message of the user until it is delivered, before the model's next turn. */
export function enqueue(conversation: Conversation, text: string): Conversation {
  return { ...conversation, queued: [...(conversation.queued ?? []), text] };
}

/** Delivers the stored messages of the user. */
export function deliverQueued(conversation: Conversation): Conversation {
  const { queued = [] } = conversation;
  if (queued.length === 0) return conversation;
  const messages = queued.map((text): Message => ({ role: "user", text }));
  return appendMessages({ ...conversation, queued: undefined, validation_rounds: 0 }, ...messages);
}

function resumeTurn(conversation: Conversation, text: string | undefined): Resumed {
  const waited = conversation.state === "waiting_for_user";
  const { question } = conversation;
  const rest = { ...conversation, question: undefined };
  const closed = closeCalls(rest, waited ? NOT_RUN : LOST, { call: question?.call, text });
  const mended: Conversation = { ...closed, state: "running" };
  if (text === undefined) {
    const event = mended.messages.at(-1)?.role === "tool" ? "tool_result" : "user_message";
    return { conversation: mended, event };
  }
  const fresh = { ...mended, validation_rounds: 0 };
  const isResult = question?.call !== undefined && listOpenCalls(rest).some(({ id }) => id === question.call);
  return {
    conversation: isResult ? fresh : appendMessages(fresh, { role: "user", text }),
    event: waited ? "clarification_response" : "user_message",
  };
}

/** Gives each call without a result one. The question's result is the user's answer; the others fail with the reason. */
export function closeCalls(
  conversation: Conversation,
  reason: string,
  answer: { call: string | undefined; text: string | undefined } = { call: undefined, text: undefined },
): Conversation {
  return listOpenCalls(conversation).reduce((one, { id, name }) => {
    const answered = id === answer.call && answer.text !== undefined;
    const output = answered ? `The user answered: ${answer.text}` : reason;
    return addResult(one, { callId: id, name, success: answered, output });
  }, conversation);
}
