// The tool `agent_task`: a sub-agent works on one task in a conversation of its own, in the same loop, and its final text is
// the result of the call. One sub-agent runs at a time, and it cannot start another. task-types.ts collects the types.
import { z } from "zod";
import { never } from "../../../system/never.js";
import type { Model } from "../../model.js";
import { defineTool, done, failed, type CallContext, type Tool, type ToolResult } from "../../tool.js";
import { addUsage } from "../ask-model.js";
import { createConversation, type Conversation } from "../conversation.js";
import { converse } from "../converse.js";
import type { ChapoNews } from "../events.js";
import { AGENT_TASK } from "./sub-agents.js";
import type { TaskType } from "./task-types.js";
import type { LiveConversation, EngineWorld, ConversationOutcome } from "../world.js";

/** The number of turns limits a sub-agent; this timeout is for a provider that never answers. */
const LONGEST_MS = 4 * 60 * 60 * 1000;
/** Tools that would act on the parent's conversation. */
const NOT_THEIRS = new Set([AGENT_TASK, "slash_command"]);

/** The types of sub-agents that can be started, and how to start one. */
export interface Delegation {
  types: ReadonlyMap<string, TaskType>;
  /** The most turns of one sub-agent. */
  maxIterations: number;
  /** Returns the whole system prompt around a type's own prompt. */
  lead(prompt: string): string;
  /** Opens a model by its name, or returns why it cannot be opened, in one line. */
  openModel(name: string): Promise<Model | { problem: string }>;
}

/** Creates the tool for one conversation. */
export function createTaskTool(world: EngineWorld, live: LiveConversation, delegation: Delegation): Tool {
  return defineTask(delegation.types, async (type, prompt, context) => {
    const model = type.model === undefined ? world.model : await delegation.openModel(type.model);
    if ("problem" in model) return failed(`the model ${type.model ?? ""}: ${model.problem}`);
    return work({ world, live, delegation }, { type, model, prompt, context });
  });
}

/** Creates the tool for a listing. Without a conversation it cannot run. */
export function createListedTaskTool(types: Delegation["types"]): Tool {
  return defineTask(types, () => Promise.resolve(failed("cannot start a sub-agent outside a conversation")));
}

type Start = (type: TaskType, prompt: string, context: CallContext) => Promise<ToolResult>;

function defineTask(all: Delegation["types"], start: Start): Tool {
  const types = [...all.values()];
  // The agents that calls are routed to can be named as well. Their tools are those of the types that are listed.
  const known = types
    .filter(({ listed }) => listed !== false)
    .map(({ name, description }) => `${name}: ${description}`)
    .join("\n");
  return defineTool({
    name: AGENT_TASK,
    description: `Starts a sub-agent that works alone on one task, and returns its final text. It sees nothing of this conversation. Types:\n${known}`,
    arguments: z.strictObject({
      agent_type: z.string(),
      prompt: z.string().trim().min(1).describe("The whole task, with everything it needs to know"),
      description: z.string().optional().describe("A few words for the user"),
    }),
    aliases: { subagent_type: "agent_type" },
    // Starting a sub-agent changes nothing; each of its own calls is checked separately.
    changes: false,
    subjects: ({ agent_type }) => [{ kind: "name", name: agent_type }],
    timeoutMs: LONGEST_MS,
    run: async ({ agent_type, prompt }, context) => {
      const type = all.get(agent_type);
      if (type === undefined)
        return failed(
          `unknown sub-agent ${JSON.stringify(agent_type.slice(0, 100))}; available: ${[...all.keys()].join(", ")}`,
        );
      return start(type, prompt, context);
    },
  });
}

interface Task {
  type: TaskType;
  model: Model;
  prompt: string;
  context: CallContext;
}

async function work(
  { world, live, delegation }: { world: EngineWorld; live: LiveConversation; delegation: Delegation },
  { type, model, prompt, context }: Task,
): Promise<ToolResult> {
  const parent = live.conversation;
  const id = `${parent.id}-${world.random.hex(3)}`;
  const created = new Date(world.clock.now()).toISOString();
  const fresh: Conversation = {
    ...createConversation({ id, parent: parent.id, agent: type.name, created }),
    // A budget applies to the session and its sub-agents together.
    turns: parent.turns,
    calls: parent.calls,
  };
  live.conversation = { ...parent, children: [...parent.children, id] };
  await world.save(live.conversation);
  const { finish: _parents, inbox: _inbox, ...rest } = world;
  const ended = await converse(
    {
      ...rest,
      who: type.name,
      model,
      limits: type.tools,
      system: delegation.lead(type.prompt),
      settings: {
        ...world.settings,
        maxIterations: delegation.maxIterations,
        selfValidation: false,
        stream: false,
      },
      tools: () => world.tools(live).filter(({ name }) => !NOT_THEIRS.has(name)),
      agents: [],
      mayAsk: false,
      mayWait: false,
      emit: (news) => {
        if (concernsParent(news)) world.emit({ ...news, child: id });
      },
      remember: () => Promise.resolve(),
      takeMessages: () => [],
      signal: context.signal,
    },
    fresh,
    prompt,
  );
  const { turns, calls, usage } = ended.conversation;
  live.conversation = {
    ...live.conversation,
    turns,
    calls,
    usage: addUsage(live.conversation.usage, usage),
  };
  return toResult(type.name, ended.outcome);
}

/** Calls, usage and waits of a sub-agent are forwarded. Its thinking and its end are not: a session has one beginning and one end. */
function concernsParent({ type }: ChapoNews): boolean {
  switch (type) {
    case "tool_call":
    case "tool_result":
    case "action_pending":
    case "compaction":
    case "usage":
    case "waiting":
      return true;
    case "status":
    case "thinking":
    case "delta":
    case "thought":
    case "retry":
    case "delivered":
    case "message":
    case "step":
    case "validation":
    case "answer":
    case "clarify":
    case "error":
      return false;
    default:
      return never(type);
  }
}

function toResult(type: string, outcome: ConversationOutcome): ToolResult {
  switch (outcome.how) {
    case "answer":
      return done(outcome.answer);
    case "clarify":
      return failed(
        `the sub-agent ${type} reached its limit before it finished. Its summary:\n${outcome.question}`,
      );
    case "pending":
      return failed(`the sub-agent ${type} waits for a person: ${outcome.pending.tool}`);
    case "finished":
      return done(JSON.stringify(outcome.value));
    case "error":
      return failed(`the sub-agent ${type} failed (${outcome.reason}): ${outcome.error}`);
    default:
      return never(outcome);
  }
}
