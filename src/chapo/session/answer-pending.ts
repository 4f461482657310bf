// A person's answer to the call that waits: each call is answered once. Pure. engine/calls/pending.ts stores it.
import { UserError } from "../../system/errors.js";
import type { Conversation } from "../engine/conversation.js";
import { describeAnswer, recordAnswer, type CallAnswer } from "../engine/calls/pending.js";

/**
 * Returns the conversation with the answer; the same conversation if the call was answered likewise and not carried out yet, or
 * if it may have run and must be asked about again.
 */
export function answerPending(conversation: Conversation, answer: CallAnswer): Conversation {
  const { id, pending } = conversation;
  if (pending === undefined) {
    const last = conversation.answered?.at(-1);
    throw new UserError(
      last === undefined ? "usage" : "no",
      last === undefined
        ? `no call of the session ${id} waits for an answer`
        : `no call of the session ${id} waits for an answer: ${last.tool} was ${describeAnswer(last)}`,
      "see which do with `looper chapo pending`",
    );
  }
  if (pending.begun !== undefined) return conversation;
  if (pending.answer === undefined) return recordAnswer(conversation, answer);
  const isSame = pending.answer.verdict === answer.verdict && answer.args === undefined;
  if (isSame) return conversation;
  throw new UserError(
    "no",
    `${pending.tool} was ${describeAnswer(pending.answer)}; a call is answered once`,
    `repeat that answer to have it carried out`,
  );
}
