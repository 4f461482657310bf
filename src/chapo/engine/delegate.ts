// The tool `agent_task`: a sub-agent works by itself on one task, in a conversation of its own, in the same loop; who starts it
// gets its final text. One at a time, one deep. Leaves which types there are to task-types.ts.
import { z } from "zod";
import { never } from "../../system/never.js";
import type { Model } from "../model.js";
import { defineTool, done, failed, type CallContext, type Tool, type ToolResult } from "../tool.js";
import { addUsage } from "./ask-model.js";
import { createConversation, type Conversation } from "./conversation.js";
import { converse } from "./converse.js";
import type { ChapoNews } from "./events.js";
import { AGENT_TASK } from "./sub-agents.js";
import type { TaskType } from "./task-types.js";
import type { LiveConversation, EngineWorld, ConversationOutcome } from "./world.js";

/** Its turns bound it; this is for a provider that never comes back. */
const LONGEST_MS = 4 * 60 * 60 * 1000;
/** What would act on the conversation of who started it. */
const NOT_THEIRS = new Set([AGENT_TASK, "slash_command"]);

/** What sub-agents can be started, and how. */
export interface Delegation {
  types: ReadonlyMap<string, TaskType>;
  /** Of each of them, turns. */
  maxIterations: number;
  /** The whole system prompt around a type's own. */
  lead(prompt: string): string;
  /** A model by its name, or one line why there is none. */
  openModel(name: string): Promise<Model | { problem: string }>;
}

/** The tool, for one conversation. */
export function createTaskTool(world: EngineWorld, live: LiveConversation, delegation: Delegation): Tool {
  return defineTask(delegation.types, async (type, prompt, context) => {
    const model = type.model === undefined ? world.model : await delegation.openModel(type.model);
    if ("problem" in model) return failed(`the model ${type.model ?? ""}: ${model.problem}`);
    return work({ world, live, delegation }, { type, model, prompt, context });
  });
}

/** The tool as it is listed, in no conversation. It cannot be run. */
export function createListedTaskTool(types: Delegation["types"]): Tool {
  return defineTask(types, () => Promise.resolve(failed("no conversation is there to start it from")));
}

type Start = (type: TaskType, prompt: string, context: CallContext) => Promise<ToolResult>;

function defineTask(all: Delegation["types"], start: Start): Tool {
  const types = [...all.values()];
  const known = types.map(({ name, description }) => `${name}: ${description}`).join("\n");
  return defineTool({
    name: AGENT_TASK,
    description: `Has a sub-agent work by itself on one task and returns its final text. It sees nothing of this conversation: the prompt must hold all it needs. Types:\n${known}`,
    arguments: z.strictObject({
      agent_type: z.string().describe(types.map(({ name }) => name).join(", ")),
      prompt: z.string().trim().min(1).describe("The whole task"),
      description: z.string().optional().describe("A few words for the user"),
    }),
    aliases: { subagent_type: "agent_type" },
    // What it does it asks about itself, call by call.
    changes: false,
    subjects: ({ agent_type }) => [{ kind: "name", name: agent_type }],
    timeoutMs: LONGEST_MS,
    run: async ({ agent_type, prompt }, context) => {
      const type = all.get(agent_type);
      if (type === undefined)
        return failed(
          `there is no sub-agent ${JSON.stringify(agent_type.slice(0, 100))}; there are ${[...all.keys()].join(", ")}`,
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
    // Counted over the session: a budget holds for it and its sub-agents together.
    turns: parent.turns,
    calls: parent.calls,
  };
  live.conversation = { ...parent, children: [...parent.children, id] };
  await world.save(live.conversation);
  const { finish: _parents, ...rest } = world;
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
      emit: (news) => {
        if (concernsParent(news)) world.emit({ ...news, child: id });
      },
      remember: () => Promise.resolve(),
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

/** What happened is told; how it thinks and ends is not: the session has one beginning and one end. */
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
        `the sub-agent ${type} came to its limit without an end. What it says of it:\n${outcome.question}`,
      );
    case "finished":
      return done(JSON.stringify(outcome.value));
    case "error":
      return failed(`the sub-agent ${type} failed (${outcome.reason}): ${outcome.error}`);
    default:
      return never(outcome);
  }
}
