// OpenAI Responses, and what codex makes of it: tools that come as an item of the input, and tools that take a text.
import { z } from "zod";
import {
  idOf,
  inParts,
  namesOf,
  type Answer,
  type Asked,
  type Dialect,
  type Frame,
  type Offered,
} from "./dialect.js";
import { openaiWords, refuseAsOpenai } from "./openai-errors.js";

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
  tools: z.array(z.unknown()).optional(),
});
const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);
const Item = z.looseObject({
  type: z.string().default("message"),
  role: z.string().optional(),
  content: Content.nullish(),
  output: Content.optional(),
  tools: z.array(z.unknown()).optional(),
});
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(z.unknown()).default([]),
});

export const responses: Dialect = {
  name: "responses",
  read,
  whole: (answer) => responseOf(answer, "completed"),
  frames,
  overloaded: (answer) => {
    const { code, message } = openaiWords("overloaded");
    const response = { ...responseOf(answer, "failed"), output: [], error: { code, message } };
    return { event: "response.failed", data: { type: "response.failed", response } };
  },
  refuse: refuseAsOpenai,
};

function read(_path: string, body: unknown): Asked {
  const { model, stream, input, tools } = Request.parse(body);
  const items = typeof input === "string" ? [Item.parse({ role: "user", content: input })] : input;
  const added = items.flatMap((item) => (item.type === "additional_tools" ? (item.tools ?? []) : []));
  const last = items.findLast(({ role, output }) => role === "user" || output !== undefined);
  return {
    model,
    stream,
    fresh: !items.some(({ type, role }) => role === "assistant" || /_call$/.test(type)),
    tools: [...tools, ...added].flatMap((tool) => offered(tool)),
    last: textOf(last?.output ?? last?.content ?? ""),
  };
}

/** A group holds its tools; what the provider does itself (a search) is nothing to call. */
function offered(tool: unknown, group?: string): Offered[] {
  const { type, name = "", parameters, tools } = Tool.parse(tool);
  const grouped = group === undefined ? {} : { group };
  switch (type) {
    case "function":
      return [{ name, takes: namesOf(parameters), ...grouped }];
    case "custom":
      return [{ name, takes: "text", ...grouped }];
    case "namespace":
      return (tools ?? []).flatMap((inner) => offered(inner, name));
    default:
      return [];
  }
}

function textOf(content: z.infer<typeof Content>): string {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");
}

type Item = { id: string; type: string; status: string };

function itemOf(
  { number, move }: Answer,
  status: "in_progress" | "completed",
): Item & Record<string, unknown> {
  const begun = status === "in_progress";
  if ("say" in move) {
    const content = begun ? [] : [{ type: "output_text", text: move.say, annotations: [] }];
    return { id: idOf("msg", number), type: "message", status, role: "assistant", content };
  }
  const { name, group } = move.call;
  const call = {
    call_id: idOf("call", number),
    name,
    ...(group === undefined ? {} : { namespace: group }),
    status,
  };
  return typeof move.input === "string"
    ? { id: idOf("ctc", number), type: "custom_tool_call", ...call, input: begun ? "" : move.input }
    : {
        id: idOf("fc", number),
        type: "function_call",
        ...call,
        arguments: begun ? "" : JSON.stringify(move.input),
      };
}

function responseOf(answer: Answer, status: "in_progress" | "completed" | "failed") {
  const { usage } = answer;
  const done = status === "completed";
  const input = usage.input + usage.cached;
  const output = usage.output + usage.reasoning;
  return {
    id: idOf("resp", answer.number),
    object: "response",
    created_at: 0,
    status,
    model: answer.model,
    output: done ? [itemOf(answer, "completed")] : [],
    usage: done
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: usage.cached },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: usage.reasoning },
          total_tokens: input + output,
        }
      : null,
    error: null,
    incomplete_details: null,
  };
}

function frames(answer: Answer): Frame[] {
  const item = itemOf(answer, "completed");
  const at = { item_id: item.id, output_index: 0 };
  return [
    { type: "response.created", response: responseOf(answer, "in_progress") },
    { type: "response.output_item.added", output_index: 0, item: itemOf(answer, "in_progress") },
    ...deltas(answer, at),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: responseOf(answer, "completed") },
  ].map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }));
}

function deltas({ move }: Answer, at: { item_id: string; output_index: number }) {
  if ("say" in move) {
    const inside = { ...at, content_index: 0 };
    const part = { type: "output_text", text: "", annotations: [] };
    return [
      { type: "response.content_part.added", ...inside, part },
      ...inParts(move.say).map((delta) => ({ type: "response.output_text.delta", ...inside, delta })),
      { type: "response.output_text.done", ...inside, text: move.say },
      { type: "response.content_part.done", ...inside, part: { ...part, text: move.say } },
    ];
  }
  const text = typeof move.input === "string";
  const kind = text ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const whole = typeof move.input === "string" ? move.input : JSON.stringify(move.input);
  return [
    ...inParts(whole).map((delta) => ({ type: `${kind}.delta`, ...at, delta })),
    { type: `${kind}.done`, ...at, ...(text ? { input: whole } : { arguments: whole }) },
  ];
}
