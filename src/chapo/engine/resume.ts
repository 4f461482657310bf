// Prepares a conversation for its next turn: after a message of the user, an answer to a question, or a killed process. Pure.
import { addResult, listOpenCalls, appendMessages, type Conversation, type Message } from "./conversation.js";
import type { TurnEvent } from "./events.js";

const LOST =
  "No result: the session ended before or during this call. Check what it did before you repeat it.";
const NOT_RUN = "Not run: the user was asked a question first.";

/** Returns the conversation with the user's message, and the event the next turn responds to. Without a text it resumes where it was. */
export function resume(
  conversation: Conversation,
  text: string | undefined,
): { conversation: Conversation; event: TurnEvent } {
  const waited = conversation.state === "waiting_for_user";
  const { question, ...rest } = conversation;
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

/** Sets the note on the turn that is sent at the end of the last message. */
export function setNote(conversation: Conversation, note: string): Conversation {
  const last = conversation.messages.at(-1);
  if (last === undefined || last.role === "assistant") return conversation;
  const noted: Message = { ...last, note };
  return { ...conversation, messages: [...conversation.messages.slice(0, -1), noted] };
}
