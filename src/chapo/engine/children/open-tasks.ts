// The tasks of sub-agents that are not over: how they are kept in the conversation that started them, so that a killed or paused
// session resumes them. Pure. delegate.ts runs them.
import { getCount, type Conversation, type OpenTask } from "../conversation.js";
import { recordAnswer, withoutPending, type SessionCall } from "../calls/pending.js";
import type { ConversationOutcome } from "../world.js";

/** Returns the open task of a call. */
export function findTask({ tasks = [] }: Conversation, call: string): OpenTask | undefined {
  return tasks.find((task) => task.call === call);
}

/** Adds the task of a call. The call's own approval is used up with it. */
export function beginTask(parent: Conversation, call: string, child: Conversation): Conversation {
  const { usage, turns, calls } = child;
  const asked = parent.pending;
  const own = asked?.call === call && asked.child === undefined ? withoutPending(parent) : parent;
  return {
    ...own,
    children: [...own.children, child.id],
    tasks: [...(own.tasks ?? []), { call, child: child.id, counted: { usage, turns, calls } }],
  };
}

/** Removes the task of a call that has its result. */
export function endTask(parent: Conversation, call: string): Conversation {
  const { tasks, ...rest } = parent;
  const left = (tasks ?? []).filter((task) => task.call !== call);
  return left.length === 0 ? rest : { ...rest, tasks: left };
}

/** Changes the task of a child. */
function changeTask(parent: Conversation, child: string, change: (task: OpenTask) => OpenTask): Conversation {
  const tasks = parent.tasks?.map((task) => (task.child === child ? change(task) : task));
  return tasks === undefined ? parent : { ...parent, tasks };
}

/** Keeps the person's answer to the question of a child until the child has it. */
export function replyToChild(parent: Conversation, child: string, reply: string): Conversation {
  const { question: _answered, ...rest } = parent;
  return changeTask(rest, child, (task) => ({ ...task, reply }));
}

/** Forgets the person's answer, which the child has; the same object if there is none. */
export function clearReply(parent: Conversation, child: string): Conversation {
  if (parent.tasks?.find((task) => task.child === child)?.reply === undefined) return parent;
  return changeTask(parent, child, ({ reply: _given, ...task }) => task);
}

/** Adds what a child has used since it was counted last to its parent. */
export function countChild(parent: Conversation, child: Conversation): Conversation {
  const before = parent.tasks?.find((task) => task.child === child.id)?.counted;
  if (before === undefined) return parent;
  const { usage, turns, calls } = child;
  const counted = changeTask(parent, child.id, (task) => ({ ...task, counted: { usage, turns, calls } }));
  return {
    ...counted,
    usage: sum(parent.usage, sum(usage, before.usage, -1)),
    turns: sum(parent.turns, sum(turns, before.turns, -1)),
    calls: sum(parent.calls, sum(calls, before.calls, -1)),
  };
}

/** Adds numbers by name; `sign` -1: subtracts the others. */
function sum<T extends Readonly<Record<string, number>>>(one: T, other: T, sign: 1 | -1 = 1): T {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    names.map((name) => [name, getCount(one, name) + sign * getCount(other, name)]),
  ) as T;
}

/** The child with its call that waits, which the session's own conversation holds. */
export function takePending(parent: Conversation, child: Conversation): Conversation {
  const { pending } = parent;
  if (pending?.child !== child.id) return child;
  const { child: _own, ...call } = pending;
  return { ...child, pending: call };
}

/** The parent with the call of the child that waits; the same object if nothing changed. */
export function givePending(parent: Conversation, child: Conversation): Conversation {
  const { pending } = parent;
  const before = pending?.child === child.id ? pending : undefined;
  if (child.pending === undefined) return before === undefined ? parent : withoutPending(parent);
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
