// Drives a model without tool calls by JSON: the prompt lists the tools, and each reply is one decision. A reply that is not a
// decision is sent back, at most twice. The JSON is never shown to the user.
import { z } from "zod";
import { findObjects } from "../../agents/json-objects.js";
import { field, textField } from "../../agents/fields.js";
import { never } from "../../system/never.js";
import { tryParseJson } from "../../system/text/json.js";
import {
  type ChatMessage,
  type Model,
  type ModelAnswer,
  type ModelCall,
  type ModelReply,
  type ModelRequest,
  type OfferedTool,
  addCounts,
} from "../model.js";

const MOST_REPAIRS = 2;
/** The most characters of a reply that is sent back. */
const MOST_SHOWN = 4000;
const ASK_USER = "ask_user";

/** A field that an intent does not need may be null. */
const optional = z.string().nullish();
const needed = z.string().refine((said) => said.trim() !== "", "must not be empty");

/** The JSON of a decision. */
const Decision = z.discriminatedUnion("intent", [
  z.object({
    intent: z.literal("tool_call"),
    toolName: needed,
    toolArgs: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
    agent: optional,
    reasoning: optional,
  }),
  z.object({ intent: z.literal("clarify"), clarificationQuestion: needed, reasoning: optional }),
  z.object({ intent: z.literal("answer"), answerText: needed }),
  z.object({ intent: z.enum(["self_validate", "continue"]) }),
]);
type Decision = z.infer<typeof Decision>;

/** Wraps a model so that `prompt` drives requests with tools. Requests without tools pass unchanged. */
export function decideInJson(model: Model, prompt: string): Model {
  return {
    ...model,
    ask: (request) => (request.tools.length === 0 ? model.ask(request) : decide(model, prompt, request)),
  };
}

async function decide(model: Model, prompt: string, request: ModelRequest): Promise<ModelAnswer> {
  const { onText, ...rest } = request;
  const system = [request.system, prompt, listTools(request.tools)]
    .filter((part) => part !== "")
    .join("\n\n");
  const messages = request.messages.map(toTextMessage);
  let spent: Usage | undefined;
  let problem = "";
  for (let repairs = 0; repairs <= MOST_REPAIRS; repairs += 1) {
    const answer = await model.ask({ ...rest, system, messages, tools: [] });
    if ("failure" in answer) return answer;
    const { reply } = answer;
    spent = addUsage(spent, reply);
    if (reply.finish === "refused") return { reply: { ...reply, ...spent } };
    const read = readDecision(reply);
    if ("decision" in read) {
      const decided = toReply(read.decision, request, { model: reply.model, ...spent });
      if (decided.calls.length === 0 && decided.text !== "") onText?.(decided.text);
      return { reply: decided };
    }
    ({ problem } = read);
    messages.push(
      { role: "assistant", text: reply.text.slice(0, MOST_SHOWN), calls: [] },
      {
        role: "user",
        text: `That is not a decision: ${problem}. Reply with the one JSON object, and nothing else.`,
      },
    );
  }
  const message = `${model.name}: no readable decision after ${MOST_REPAIRS + 1} requests: ${problem}`;
  return { failure: { reason: "incomplete", message } };
}

/** Returns the first JSON object of a reply that is a complete decision, or why there is none. */
function readDecision({ text: said, finish }: ModelReply): { decision: Decision } | { problem: string } {
  const { objects } = findObjects(said, "intent");
  let problem = finish === "cut" ? "the reply was cut off" : "the reply contains no JSON object";
  for (const { start, end } of objects) {
    const json: unknown = JSON.parse(said.slice(start, end));
    const read = Decision.safeParse(json);
    if (read.success) return { decision: read.data };
    const [issue] = read.error.issues;
    const where = issue?.path.join(".") ?? "";
    const needs = where === "intent" ? where : `${textField(json, "intent") ?? "it"} needs ${where}`;
    problem = `${needs}: ${issue?.message ?? "wrong"}`;
  }
  return { problem };
}

type Bare = Omit<ModelReply, "text" | "calls" | "finish">;

function toReply(decision: Decision, request: ModelRequest, bare: Bare): ModelReply {
  const said = (text: string): ModelReply => ({ ...bare, text, calls: [], finish: "stop" });
  const called = (name: string, args: unknown, text: string | null = ""): ModelReply => {
    const id = `call_${request.who.replaceAll(/\W/g, "_")}_${request.turn + 1}`;
    return { ...bare, text: text ?? "", calls: [{ id, name, args }], finish: "calls" };
  };
  switch (decision.intent) {
    case "tool_call":
      return called(decision.toolName, toArguments(decision, request.tools), decision.reasoning);
    case "answer":
      return said(decision.answerText);
    case "clarify": {
      const { clarificationQuestion: question, reasoning } = decision;
      const mayAsk = request.tools.some(({ name }) => name === ASK_USER);
      return mayAsk ? called(ASK_USER, { question }, reasoning) : said(question);
    }
    case "self_validate":
    case "continue":
      return { ...said(""), intent: decision.intent };
    default:
      return never(decision);
  }
}

type Called = Extract<Decision, { intent: "tool_call" }>;

/** Returns the arguments, with the agent if the tool takes one. */
function toArguments({ toolName, toolArgs, agent }: Called, tools: readonly OfferedTool[]): unknown {
  const parsed = typeof toolArgs === "string" ? tryParseJson(toolArgs) : undefined;
  // A text that is not JSON stays a text: the gate reports what is wrong with it.
  const args = parsed?.ok === true ? parsed.value : (toolArgs ?? {});
  const properties = tools.find(({ name }) => name === toolName)?.parameters["properties"];
  const takesAgent = field(properties, "agent") !== undefined;
  if (!takesAgent || typeof args !== "object" || args === null || (agent ?? "") === "") return args;
  return { agent, ...args };
}

function listTools(tools: readonly OfferedTool[]): string {
  const lines = tools.map(
    ({ name, description, parameters }) =>
      `- ${name}: ${description}\n  parameters: ${JSON.stringify(parameters)}`,
  );
  return `Tools:\n${lines.join("\n")}`;
}

/** Converts calls and results to text, because the model knows neither. */
function toTextMessage(message: ChatMessage): ChatMessage {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return { role: "assistant", text: toDecisions(message.text, message.calls), calls: [] };
    case "tool":
      return {
        role: "user",
        text: message.results
          .map(({ name, success, output }) => `${name} ${success ? "returned" : "failed"}:\n${output}`)
          .join("\n\n"),
      };
    default:
      return never(message);
  }
}

function toDecisions(said: string, calls: readonly ModelCall[]): string {
  if (calls.length === 0) return said === "" ? "" : JSON.stringify({ intent: "answer", answerText: said });
  return calls
    .map(({ name, args }) =>
      JSON.stringify({ intent: "tool_call", toolName: name, toolArgs: args, reasoning: said }),
    )
    .join("\n");
}

type Usage = Pick<ModelReply, "usage" | "costUsd">;

/** Adds up tokens and costs. The sum is unknown if a part is. */
function addUsage(before: Usage | undefined, { usage, costUsd }: ModelReply): Usage {
  if (before === undefined) return { usage, costUsd };
  const { usage: used, costUsd: cost } = before;
  return {
    usage: used === undefined || usage === undefined ? undefined : addCounts(used, usage),
    costUsd: cost === undefined || costUsd === undefined ? undefined : cost + costUsd,
  };
}
