// The tool `agent_task`: a sub-agent works on one task in a conversation of its own, in the same loop, and its final text is
// the result of the call. A sub-agent that waits for a person, or was killed, is resumed by the same call (open-tasks.ts). It
// cannot start another. sub-agents.ts collects the types.
import { z } from "zod";
import { never } from "../../../system/never.js";
import type { Model } from "../../model.js";
import { defineTool, done, failed, type CallContext, type Tool, type ToolResult } from "../../tool.js";
import { nameInQueue } from "../calls/ask-queue.js";
import { createConversation, type Conversation, type OpenTask } from "../conversation.js";
import { converse } from "../converse.js";
import type { ChapoNews } from "../events.js";
import {
  INTERRUPTED,
  keep,
  type LiveConversation,
  type EngineWorld,
  type ConversationOutcome,
} from "../world.js";
import {
  beginTask,
  clearReply,
  countChild,
  findTask,
  getStoredOutcome,
  givePending,
  takePending,
} from "./open-tasks.js";
import { AGENT_TASK, matchesTool, type TaskType } from "./sub-agents.js";

/** The number of turns limits a sub-agent; this timeout is for a provider that never answers. */
const LONGEST_MS = 4 * 60 * 60 * 1000;
/** Tools that would act on the parent's conversation. */
const NOT_THEIRS = new Set([AGENT_TASK, "slash_command"]);

/** The types of sub-agents that can be started, and how to start one. */
export interface Delegation {
  types: ReadonlyMap<string, TaskType>;
  /** Returns the whole system prompt around a type's own prompt. */
  lead: (prompt: string) => string;
  /** Opens a model by its name, or returns why it cannot be opened, in one line. */
  openModel: (name: string) => Promise<Model | { problem: string }>;
}

/** Creates the tool for one conversation; without one it is for a listing, and cannot run. */
export function createTaskTool(
  live: LiveConversation | undefined,
  { types, lead, openModel }: Delegation,
): Tool {
  // The agents that calls are routed to can be named as well. Their tools are those of the types that are listed.
  const known = [...types.values()]
    .filter(({ kind }) => kind !== "specialist")
    .map(({ name, description }) => `${name}: ${description}`)
    .join("\n");
  return defineTool({
    name: AGENT_TASK,
    description: `Starts a sub-agent that works alone on a task, sees nothing of this conversation, and returns its final text. Types:\n${known}`,
    arguments: z.strictObject({
      agent_type: z.string(),
      prompt: z.string().trim().min(1),
      description: z.string().optional().describe("A few words for the user"),
    }),
    // Starting a sub-agent changes nothing; each of its own calls is checked separately.
    changes: false,
    subjects: ({ agent_type }) => [{ kind: "name", name: agent_type }],
    timeoutMs: LONGEST_MS,
    run: async ({ agent_type, prompt }, context) => {
      const type = types.get(agent_type);
      if (type === undefined)
        return failed(
          `unknown sub-agent ${JSON.stringify(agent_type.slice(0, 100))}; available: ${[...types.keys()].join(", ")}`,
        );
      if (live === undefined) return failed("cannot start a sub-agent outside a conversation");
      const model = type.model === undefined ? live.world.model : await openModel(type.model);
      if ("problem" in model) return failed(`the model ${type.model ?? ""}: ${model.problem}`);
      return work(live, { type, model, prompt, context, lead });
    },
  });
}

/** Returns which calls may run at the same time: tasks for sub-agents that only read. */
export function createTogether(
  types: Delegation["types"],
  most: number,
): NonNullable<EngineWorld["together"]> {
  return {
    most,
    may: ({ name, args, tool }, tools) => {
      if (name !== AGENT_TASK || tool === undefined) return false;
      const prepared = tool.prepare(args);
      if ("problem" in prepared) return false;
      const [subject] = prepared.subjects;
      const type = subject?.kind === "name" ? types.get(subject.name) : undefined;
      return (
        type !== undefined &&
        !tools.some(
          ({ name: one, changes }) => changes && !NOT_THEIRS.has(one) && matchesTool(type.tools, one),
        )
      );
    },
  };
}

interface Task extends Pick<Delegation, "lead"> {
  type: TaskType;
  model: Model;
  prompt: string;
  context: CallContext;
}

/** Starts a sub-agent, or resumes the one that this call has started before. */
async function work(live: LiveConversation, task: Task): Promise<ToolResult> {
  const { callId } = task.context;
  const begun = findTask(live.conversation, callId);
  const found = begun === undefined ? undefined : await live.world.load(begun.child);
  const child = takePending(live.conversation, found ?? createChild(live, task.type, begun));
  if (begun === undefined) {
    live.conversation = beginTask(live.conversation, callId, child);
    await keep(live);
    live.asks?.leave(nameInQueue(live.conversation, callId));
  }
  const ended = await resumeChild(live, task, { child, isNew: found === undefined, reply: begun?.reply });
  live.asks?.end(child.id);
  live.conversation = countChild(live.conversation, ended.conversation);
  const result = toResult(live, ended, { type: task.type.name, call: callId });
  if ("success" in result) return result;
  live.paused?.set(callId, result);
  await keep(live);
  return failed(`the sub-agent ${task.type.name} waits`);
}

/** `begun`: the task, if its process was killed before the conversation was stored. */
function createChild(live: LiveConversation, type: TaskType, begun: OpenTask | undefined): Conversation {
  const { world, conversation: parent } = live;
  const id = begun?.child ?? `${parent.id}-${world.random.hex(3)}`;
  // The turns of all sub-agents of a type are counted together.
  const { turns, calls } = begun?.counted ?? parent;
  const created = new Date(world.clock.now()).toISOString();
  return { ...createConversation({ id, parent: parent.id, agent: type.name, created }), turns, calls };
}

/** Returns the result of a sub-agent that has ended, or why its call has none yet. */
function toResult(
  live: LiveConversation,
  { conversation: child, outcome }: Ended,
  { type, call }: { type: string; call: string },
): ToolResult | ConversationOutcome {
  switch (outcome.how) {
    case "pending":
      return outcome;
    case "clarify": {
      const { question: text } = outcome;
      if (outcome.exhausted)
        return failed(`the sub-agent ${type} reached its limit before it finished. Its summary:\n${text}`);
      if (child.question !== undefined)
        live.conversation = { ...live.conversation, question: { text, call, child: child.id } };
      return outcome;
    }
    case "error":
      if (live.world.signal.aborted) return INTERRUPTED;
      return failed(`the sub-agent ${type} failed (${outcome.reason}): ${outcome.error}`);
    case "answer":
      return done(outcome.answer);
    case "finished":
      return done(JSON.stringify(outcome.value));
    default:
      return never(outcome);
  }
}

interface Ended {
  conversation: Conversation;
  outcome: ConversationOutcome;
}

/** Runs the conversation of a sub-agent from where it is. */
async function resumeChild(
  live: LiveConversation,
  task: Task,
  { child, isNew, reply }: { child: Conversation; isNew: boolean; reply: string | undefined },
): Promise<Ended> {
  const stored = getStoredOutcome(child);
  if (stored !== undefined) return { conversation: child, outcome: stored };
  const { question } = child;
  if (question !== undefined && reply === undefined) return askAgain(live, child, question);
  const text = isNew ? task.prompt : question === undefined ? undefined : reply;
  const shell = live.world.openShell?.(child.id);
  try {
    const world = createChildWorld(live, task, { id: child.id, shell: shell?.tools ?? [] });
    return await converse(world, child, text, live.asks);
  } finally {
    await shell?.close();
  }
}

/** The question of a sub-agent that the person has not answered yet. */
async function askAgain(
  { asks }: LiveConversation,
  child: Conversation,
  { text, call = "" }: NonNullable<Conversation["question"]>,
): Promise<Ended> {
  const name = nameInQueue(child, call);
  const outcome = { how: "clarify", question: text, exhausted: false } as const;
  const first = await asks?.enter(name);
  asks?.park(name, outcome);
  return { conversation: child, outcome: first ?? outcome };
}

/** Creates the world of a sub-agent. It shares the session's limits, permissions and events. */
function createChildWorld(
  live: LiveConversation,
  { type, model, context, lead }: Task,
  { id, shell }: { id: string; shell: readonly Tool[] },
): EngineWorld {
  const { world } = live;
  const { finish: _parents, together: _together, ...rest } = world;
  return {
    ...rest,
    who: type.name,
    model,
    limits: type.tools,
    system: lead(type.prompt),
    settings: { ...world.settings, selfValidationEnabled: false, stream: false },
    tools: () =>
      world
        .tools(live)
        .filter(({ name }) => !NOT_THEIRS.has(name))
        .map((tool) => shell.find(({ name }) => name === tool.name) ?? tool),
    agents: [],
    gate: {
      ...world.gate,
      // Calls of two sub-agents can have one id.
      keepOutput: (callId, text) => world.gate.keepOutput(`${id.slice(-6)}-${callId}`, text),
    },
    emit: (news) => {
      if (CONCERNS_PARENT.has(news.type)) world.emit({ ...news, child: id });
    },
    save: (child) => saveChild(live, child),
    remember: () => Promise.resolve(),
    inboxes: [],
    takeMessages: () => [],
    signal: context.signal,
  };
}

/**
 * Saves a sub-agent's conversation. Its call that waits is in the session's own conversation, and only there, so that it is asked,
 * answered and begun once. The sub-agent is saved first: its result is stored before its call stops to wait.
 */
async function saveChild(live: LiveConversation, child: Conversation): Promise<void> {
  await live.world.save({ ...child, pending: undefined });
  const given = givePending(live.conversation, child);
  const cleared = child.question === undefined ? clearReply(given, child.id) : given;
  if (cleared === live.conversation) return;
  live.conversation = cleared;
  await keep(live);
}

/** Its thinking and its end are not forwarded: a session has one beginning and one end. */
const CONCERNS_PARENT: ReadonlySet<ChapoNews["type"]> = new Set([
  "tool_call",
  "tool_result",
  "action_pending",
  "compaction",
  "usage",
  "waiting",
]);
