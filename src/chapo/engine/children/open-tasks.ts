// The tasks of sub-agents that are not over: how they are kept in the conversation that started them, so that a killed or paused
// session resumes them. Pure. delegate.ts runs them.
import { addCounts } from "../../model.js";
import { type Conversation, type OpenTask, recordAnswer } from "../conversation.js";
import { type SessionCall } from "../calls/pending.js";
import type { ConversationOutcome } from "../world.js";

/** Returns the open task of a call. */
export function findTask({ tasks = [] }: Conversation, call: string): OpenTask | undefined {
  return tasks.find((task) => task.call === call);
}

/** Adds the task of a call. The call's own approval is used up with it. */
export function beginTask(parent: Conversation, call: string, child: Conversation): Conversation {
  const { usage, turns, calls } = child;
  const { pending, tasks = [] } = parent;
  return {
    ...parent,
    pending: pending?.call === call && pending.child === undefined ? undefined : pending,
    children: [...parent.children, child.id],
    tasks: [...tasks, { call, child: child.id, counted: { usage, turns, calls } }],
  };
}

/** Removes the task of a call that has its result. */
export function endTask(parent: Conversation, call: string): Conversation {
  const left = (parent.tasks ?? []).filter((task) => task.call !== call);
  return { ...parent, tasks: left.length === 0 ? undefined : left };
}

/** Changes the task of a child. */
export function changeTask(parent: Conversation, child: string, changed: Partial<OpenTask>): Conversation {
  const tasks = parent.tasks?.map((task) => (task.child === child ? { ...task, ...changed } : task));
  return { ...parent, tasks };
}

/** Forgets the person's answer, which the child has; the same object if there is none. */
export function clearReply(parent: Conversation, child: string): Conversation {
  if (parent.tasks?.find((task) => task.child === child)?.reply === undefined) return parent;
  return changeTask(parent, child, { reply: undefined });
}

/** Adds what a child has used since it was counted last to its parent. */
export function countChild(parent: Conversation, child: Conversation): Conversation {
  const before = parent.tasks?.find((task) => task.child === child.id)?.counted;
  if (before === undefined) return parent;
  const { usage, turns, calls } = child;
  return {
    ...changeTask(parent, child.id, { counted: { usage, turns, calls } }),
    usage: addCounts(parent.usage, addCounts(usage, before.usage, -1)),
    turns: addCounts(parent.turns, addCounts(turns, before.turns, -1)),
    calls: addCounts(parent.calls, addCounts(calls, before.calls, -1)),
  };
}

/** The child with its call that waits, which the session's own conversation holds. */
export function takePending(parent: Conversation, child: Conversation): Conversation {
  const { pending } = parent;
  if (pending?.child !== child.id) return child;
  return { ...child, pending: { ...pending, child: undefined } };
}

/** The parent with the call of the child that waits; the same object if nothing changed. */
export function givePending(parent: Conversation, child: Conversation): Conversation {
  const { pending } = parent;
  const before = pending?.child === child.id ? pending : undefined;
  if (child.pending === undefined) return before === undefined ? parent : { ...parent, pending: undefined };
  const now: SessionCall = { ...child.pending, child: child.id };
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(now)) return parent;
  const given = { ...parent, pending: now };
  return now.answer === undefined || before?.answer !== undefined ? given : recordAnswer(given, now.answer);
}

/** Returns how a stored child ended; `undefined` if it works, waits or failed, and must be resumed. */
export function getStoredOutcome(child: Conversation): ConversationOutcome | undefined {
  const { state, question, messages } = child;
  const last = messages.at(-1);
  if (state === "completed" && last?.role === "assistant" && last.calls.length === 0)
    return { how: "answer", answer: last.text, validated: false };
  if (state === "waiting_for_user" && question !== undefined && question.call === undefined)
    return { how: "clarify", question: question.text, exhausted: true, limit: "idle" };
  return undefined;
}
