// OpenAI Responses, and what codex makes of it: tools that come as an item of the input, and tools that take a text.
import { z } from "zod";
import {
  idAt,
  idOf,
  inParts,
  namesOf,
  signatureOf,
  textsOf,
  type Answer,
  type Asked,
  type Dialect,
  type Frame,
  type Move,
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
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(z.unknown()).default([]),
});

export const responses: Dialect = {
  name: "responses",
  read,
  whole: (answer) => responseOf(answer, endOf(answer)),
  frames,
  overloaded: (answer) => {
    const { code, message } = openaiWords("overloaded");
    const response = { ...responseOf(answer, "failed"), output: [], error: { code, message } };
    return { event: "response.failed", data: { type: "response.failed", sequence_number: 99, response } };
  },
  refuse: refuseAsOpenai,
};

function read(_path: string, body: unknown): Asked {
  const { model, stream, instructions, input, tools } = Request.parse(body);
  const items = typeof input === "string" ? [Item.parse({ role: "user", content: input })] : input;
  const added = items.flatMap((item) => (item.type === "additional_tools" ? (item.tools ?? []) : []));
  const last = items.findLast(({ role, output }) => role === "user" || output !== undefined);
  return {
    model,
    stream,
    fresh: !items.some(({ type, role }) => role === "assistant" || /_call$/.test(type)),
    tools: [...tools, ...added].flatMap((tool) => offered(tool)),
    last: textsOf(last?.output ?? last?.content),
    system: [
      instructions ?? "",
      ...items
        .filter(({ role }) => role === "system" || role === "developer")
        .map(({ content }) => textsOf(content)),
    ].join("\n"),
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

type Item = { id: string; type: string; status?: string } & Record<string, unknown>;

/** Each as it begins and as it is when it is whole. */
interface Growing {
  begun: Item;
  done: Item;
  /** The events between, without their positions. */
  deltas: (Record<string, unknown> & { type: string })[];
}

function growingOf(answer: Answer): Growing[] {
  const id = idOf("rs", answer.number);
  const thought = { id, type: "reasoning", summary: [] };
  return [
    ...(answer.thought === true
      ? [{ begun: thought, done: { ...thought, encrypted_content: signatureOf(answer) }, deltas: [] }]
      : []),
    ...answer.moves.map((move, at) => growing(move, answer.number, at)),
  ];
}

function growing(move: Move, number: number, at: number): Growing {
  if ("say" in move) {
    const message = (status: string, content: object[]) => ({
      id: idAt("msg", number, at),
      type: "message",
      status,
      role: "assistant",
      content,
    });
    const part = { type: "output_text", text: move.say, annotations: [] };
    const inside = { content_index: 0 };
    return {
      begun: message("in_progress", []),
      done: message("completed", [part]),
      deltas: [
        { type: "response.content_part.added", ...inside, part: { ...part, text: "" } },
        ...inParts(move.say).map((delta) => ({ type: "response.output_text.delta", ...inside, delta })),
        { type: "response.output_text.done", ...inside, text: move.say },
        { type: "response.content_part.done", ...inside, part },
      ],
    };
  }
  const { name, group } = move.call;
  const text = typeof move.input === "string";
  const whole = typeof move.input === "string" ? move.input : JSON.stringify(move.input);
  const key = text ? "input" : "arguments";
  const call = {
    id: idAt(text ? "ctc" : "fc", number, at),
    type: text ? "custom_tool_call" : "function_call",
    call_id: idAt("call", number, at),
    name,
    ...(group === undefined ? {} : { namespace: group }),
  };
  const kind = text ? "response.custom_tool_call_input" : "response.function_call_arguments";
  return {
    begun: { ...call, status: "in_progress", [key]: "" },
    done: { ...call, status: "completed", [key]: whole },
    deltas: [
      ...inParts(whole).map((delta) => ({ type: `${kind}.delta`, delta })),
      { type: `${kind}.done`, [key]: whole },
    ],
  };
}

function responseOf(answer: Answer, status: "in_progress" | "completed" | "incomplete" | "failed") {
  const { usage } = answer;
  const done = status === "completed" || status === "incomplete";
  const input = usage.input + usage.cached;
  const output = usage.output + usage.reasoning;
  return {
    id: idOf("resp", answer.number),
    object: "response",
    created_at: 0,
    status,
    model: answer.model,
    output: done ? growingOf(answer).map((item) => item.done) : [],
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
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
  };
}

function endOf({ cut }: Answer): "incomplete" | "completed" {
  return cut === true ? "incomplete" : "completed";
}

function frames(answer: Answer): Frame[] {
  const end = endOf(answer);
  return [
    { type: "response.created", response: responseOf(answer, "in_progress") },
    ...growingOf(answer).flatMap(({ begun, done, deltas }, index) => [
      { type: "response.output_item.added", output_index: index, item: begun },
      ...deltas.map(({ type, ...more }) => ({ type, item_id: done.id, output_index: index, ...more })),
      { type: "response.output_item.done", output_index: index, item: done },
    ]),
    { type: `response.${end}`, response: responseOf(answer, end) },
  ].map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }));
}
