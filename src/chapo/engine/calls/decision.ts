// Reads the decisions in a model's reply: calls, an answer, or nothing. Pure.
// take-steps.ts carries the decisions out, and call-tool.ts decides whether a call may run.
import { z } from "zod";
import { field } from "../../../agents/fields.js";
import { isRecord } from "../../../system/text/json.js";
import type { ModelCall, ModelReply, OfferedTool } from "../../model.js";
import type { ToolParameters, Tool } from "../../tool.js";
import type { ModelDecision } from "../events.js";
import { routeCall } from "../children/sub-agents.js";
import type { EngineWorld, ReadCall } from "../world.js";

/** One decision of a turn. */
export type TurnStep =
  | { do: "call" | "ask" | "finish"; decision: ModelDecision; read: ReadCall }
  /** `filtered`: the provider's filter removed the rest of the text. */
  | { do: "answer" | "filtered"; decision: ModelDecision; text: string }
  /**
   * `paused`: the reply is to be continued. `cut`: it reached the output limit. `none`: it was empty. `continue`: the model asked for
   * another turn.
   */
  | { do: "refused" | "paused" | "cut" | "none" | "continue"; decision: ModelDecision; text: string };

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

type Words = Pick<EngineWorld, "canonical" | "agents" | "limits" | "who" | "finish">;

/** Returns the decisions of a reply, in order; at least one. */
export function decide(reply: ModelReply, world: Words, tools: readonly Tool[]): TurnStep[] {
  const { finish, calls, intent = "continue" } = reply;
  const text = reply.text.trim();
  const nothing = { ...NOTHING, reasoning: text === "" ? null : text };
  const again = { text, decision: { intent, ...nothing } };
  if (finish === "refused") return [{ ...again, do: "refused" }];
  if (finish === "paused") return [{ ...again, do: "paused", text: reply.text }];
  const isPart = finish === "cut" || (finish === "filtered" && calls.length > 0);
  if (calls.length > 0 && !isPart) return calls.map((call) => decideCall(call, nothing, world, tools));
  if (reply.intent !== undefined) return [{ ...again, do: "continue" }];
  if (isPart || text === "") return [{ ...again, do: isPart ? "cut" : "none" }];
  const decision = { intent: "answer" as const, ...NOTHING, answerText: text };
  return [{ do: finish === "filtered" ? "filtered" : "answer", text, decision }];
}

function decideCall(
  call: ModelCall,
  nothing: Omit<ModelDecision, "intent">,
  world: Words,
  tools: readonly Tool[],
): TurnStep {
  const read = readCall(call, world, tools);
  if (read.name === ASK_USER) {
    const question = AskArguments.safeParse(read.args).data?.question;
    const decision = { intent: "clarify" as const, ...nothing, clarificationQuestion: question ?? null };
    return { do: "ask", decision, read };
  }
  const { agent, name: toolName, args: toolArgs } = read;
  const decision = { intent: "tool_call" as const, ...nothing, agent, toolName, toolArgs };
  return { do: read.name === world.finish?.tool.name ? "finish" : "call", decision, read };
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
