// Reads the decisions in a model's reply: calls, an answer, or nothing. Pure.
// take-steps.ts carries the decisions out, and call-tool.ts decides whether a call may run.
import { z } from "zod";
import { field } from "../../../agents/fields.js";
import { isRecord } from "../../../system/text/json.js";
import type { ModelCall, ModelReply, OfferedTool } from "../../model.js";
import type { ToolParameters, Tool } from "../../tool.js";
import type { ModelDecision } from "../events.js";
import { routeCall } from "../children/sub-agents.js";
import type { EngineWorld } from "../world.js";

/** A call in canonical words. */
export interface ReadCall {
  id: string;
  /** The name as it was offered, which its result carries too. */
  offered: string;
  /** The tool's canonical name. */
  name: string;
  /** The arguments without the field `agent`. */
  args: unknown;
  tool: Tool | undefined;
  /** The agent that makes the call. */
  agent: string;
  /** Why the call cannot be made at all. */
  problem?: string;
}

/** One decision of a turn. */
export type TurnStep =
  | { do: "call"; decision: ModelDecision; read: ReadCall }
  | { do: "ask"; decision: ModelDecision; call: ModelCall; question: string | undefined }
  | { do: "finish"; decision: ModelDecision; call: ModelCall; args: unknown }
  /** `filtered`: the provider's filter removed the rest of the text. */
  | { do: "answer"; decision: ModelDecision; text: string; filtered: boolean }
  | { do: "refused"; decision: ModelDecision; text: string }
  /** The reply is to be continued. */
  | { do: "paused"; decision: ModelDecision; text: string }
  /** `cut`: the reply reached the output limit. `none`: it was empty. `continue`: the model asked for another turn. */
  | { do: "again"; decision: ModelDecision; because: "cut" | "none" | "continue" };

/** The tool that asks the user. */
export const ASK_USER = "ask_user";

const AskArguments = z.strictObject({ question: z.string().trim().min(1).max(10_000) });

/** `ask_user` as it is offered to a model. */
export const ASK_TOOL: OfferedTool = {
  name: ASK_USER,
  description: "Asks the user one question and waits for the answer.",
  parameters: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
};

const NOTHING: Omit<ModelDecision, "intent"> = {
  ...{ agent: null, toolName: null, toolArgs: null, answerText: null },
  ...{ clarificationQuestion: null, reasoning: null },
};

type Words = Pick<EngineWorld, "canonical" | "agents" | "limits" | "who" | "mayAsk" | "finish">;

/** Returns the decisions of a reply, in order; at least one. */
export function decide(reply: ModelReply, world: Words, tools: readonly Tool[]): TurnStep[] {
  const text = reply.text.trim();
  const reasoning = text === "" ? null : text;
  const again = { intent: "continue" as const, ...NOTHING, reasoning };
  if (reply.finish === "refused") return [{ do: "refused", text, decision: again }];
  if (reply.finish === "paused") return [{ do: "paused", text: reply.text, decision: again }];
  const isPart = reply.finish === "cut" || (reply.finish === "filtered" && reply.calls.length > 0);
  if (reply.calls.length > 0 && !isPart) {
    return reply.calls.map((call) => decideCall(call, { ...NOTHING, reasoning }, world, tools));
  }
  if (reply.intent !== undefined)
    return [{ do: "again", because: "continue", decision: { intent: reply.intent, ...NOTHING, reasoning } }];
  if (isPart || text === "") return [{ do: "again", because: isPart ? "cut" : "none", decision: again }];
  const filtered = reply.finish === "filtered";
  return [{ do: "answer", text, filtered, decision: { intent: "answer", ...NOTHING, answerText: text } }];
}

function decideCall(
  call: ModelCall,
  nothing: Omit<ModelDecision, "intent">,
  world: Words,
  tools: readonly Tool[],
): TurnStep {
  const read = readCall(call, world, tools);
  if (world.mayAsk && read.name === ASK_USER) {
    const question = AskArguments.safeParse(read.args).data?.question;
    const decision = { intent: "clarify" as const, ...nothing, clarificationQuestion: question ?? null };
    return { do: "ask", decision, call, question };
  }
  const { agent, name: toolName, args: toolArgs } = read;
  const decision = { intent: "tool_call" as const, ...nothing, agent, toolName, toolArgs };
  if (world.finish !== undefined && read.name === world.finish.tool.name)
    return { do: "finish", decision, call, args: read.args };
  return { do: "call", decision, read };
}

/** Translates a call to canonical words and finds its tool and its agent. */
function readCall(call: ModelCall, world: Words, tools: readonly Tool[]): ReadCall {
  const { name, args } = world.canonical(call.name, call.args);
  const tool = tools.find((one) => one.name === name);
  const { agent: said, rest } = takeAgent(args, tool?.parameters);
  const route = world.limits === undefined ? routeCall(world.agents, name, said) : { agent: world.who };
  const read = { id: call.id, offered: call.name, name, args: rest, tool };
  return "agent" in route ? { ...read, ...route } : { ...read, agent: "looper", problem: route.problem };
}

/** Removes the field `agent` that is offered with every tool, unless the tool has such a field itself. */
function takeAgent(
  args: unknown,
  parameters: ToolParameters | undefined,
): { agent?: unknown; rest: unknown } {
  if (!isRecord(args) || field(parameters?.["properties"], "agent") !== undefined) return { rest: args };
  const { agent, ...rest }: { agent?: unknown } = args;
  return { agent, rest };
}
