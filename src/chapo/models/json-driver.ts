// Drives a model without tool calls by JSON: the prompt lists the tools, and each reply is one decision. A reply that is not a
// decision is sent back, at most twice. The JSON is never shown to the user.
import { z } from "zod";
import { findObjects } from "../../agents/json-objects.js";
import { never } from "../../system/never.js";
import { tryParseJson } from "../../system/text/json.js";
import type {
  ChatMessage,
  Model,
  ModelAnswer,
  ModelCall,
  ModelReply,
  ModelRequest,
  ModelUsage,
  OfferedTool,
} from "../model.js";

const MOST_REPAIRS = 2;
/** The most characters of a reply that is sent back. */
const MOST_SHOWN = 4000;
const ASK_USER = "ask_user";

const text = z.string().nullish();

/** The JSON of a decision. Fields that an intent does not need are null or absent. */
const Decision = z.object({
  intent: z.enum(["tool_call", "clarify", "answer", "self_validate", "continue"]),
  agent: text,
  toolName: text,
  toolArgs: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
  answerText: text,
  clarificationQuestion: text,
  reasoning: text,
});
type Decision = z.infer<typeof Decision>;

/** Wraps a model so that `prompt` drives requests with tools. Requests without tools pass unchanged. */
export function decideInJson(model: Model, prompt: string): Model {
  return {
    name: model.name,
    contextWindow: model.contextWindow,
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
    const read = Decision.safeParse(JSON.parse(said.slice(start, end)));
    if (!read.success) {
      const [issue] = read.error.issues;
      problem = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong"}`;
      continue;
    }
    const missing = findMissing(read.data);
    if (missing === undefined) return { decision: read.data };
    problem = `the intent ${read.data.intent} needs ${missing}`;
  }
  return { problem };
}

function findMissing({ intent, toolName, answerText, clarificationQuestion }: Decision): string | undefined {
  const isEmpty = (value: string | null | undefined): boolean => (value ?? "").trim() === "";
  switch (intent) {
    case "tool_call":
      return isEmpty(toolName) ? "toolName" : undefined;
    case "answer":
      return isEmpty(answerText) ? "answerText" : undefined;
    case "clarify":
      return isEmpty(clarificationQuestion) ? "clarificationQuestion" : undefined;
    case "self_validate":
    case "continue":
      return undefined;
    default:
      return never(intent);
  }
}

type Bare = Omit<ModelReply, "text" | "calls" | "finish">;

function toReply(decision: Decision, request: ModelRequest, bare: Bare): ModelReply {
  const { intent, answerText, clarificationQuestion, reasoning } = decision;
  const said = (text: string): ModelReply => ({ ...bare, text, calls: [], finish: "stop" });
  const called = (name: string, args: unknown): ModelReply => {
    const id = `call_${request.who.replaceAll(/\W/g, "_")}_${request.turn + 1}`;
    return { ...bare, text: reasoning ?? "", calls: [{ id, name, args }], finish: "calls" };
  };
  switch (intent) {
    case "tool_call":
      return called(decision.toolName ?? "", toArguments(decision, request.tools));
    case "answer":
      return said(answerText ?? "");
    case "clarify": {
      const question = clarificationQuestion ?? "";
      const mayAsk = request.tools.some(({ name }) => name === ASK_USER);
      return mayAsk ? called(ASK_USER, { question }) : said(question);
    }
    case "self_validate":
    case "continue":
      return { ...said(""), intent };
    default:
      return never(intent);
  }
}

/** Returns the arguments, with the agent if the tool takes one. */
function toArguments({ toolName, toolArgs, agent }: Decision, tools: readonly OfferedTool[]): unknown {
  const args = typeof toolArgs === "string" ? parseArguments(toolArgs) : (toolArgs ?? {});
  const properties = tools.find(({ name }) => name === toolName)?.parameters["properties"];
  const takesAgent =
    typeof properties === "object" && properties !== null && Object.hasOwn(properties, "agent");
  if (!takesAgent || typeof args !== "object" || args === null || (agent ?? "") === "") return args;
  return { agent, ...args };
}

/** A text that is not JSON stays a text: the gate reports what is wrong with it. */
function parseArguments(text: string): unknown {
  const parsed = tryParseJson(text);
  return parsed.ok ? parsed.value : text;
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
  const first = before ?? { usage: NOTHING, costUsd: 0 };
  return {
    ...(first.usage === undefined || usage === undefined ? {} : { usage: addTokens(first.usage, usage) }),
    ...(first.costUsd === undefined || costUsd === undefined ? {} : { costUsd: first.costUsd + costUsd }),
  };
}

const NOTHING: ModelUsage = { input: 0, output: 0, cached: 0, cacheWrite: 0 };

function addTokens(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
