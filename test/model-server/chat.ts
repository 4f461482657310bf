// OpenAI Chat Completions.
import { z } from "zod";
import { idOf, inParts, namesOf, type Answer, type Asked, type Dialect, type Frame } from "./dialect.js";
import { openaiWords, refuseAsOpenai } from "./openai-errors.js";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z
    .array(
      z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) }),
    )
    .default([]),
});

export const chat: Dialect = {
  name: "chat",
  read,
  whole: (answer) => ({
    ...completion(answer, "chat.completion"),
    choices: [
      { index: 0, message: { role: "assistant", ...messageOf(answer) }, finish_reason: finishOf(answer) },
    ],
    usage: usageOf(answer),
  }),
  frames,
  overloaded: () => ({ data: { error: openaiWords("overloaded") } }),
  refuse: refuseAsOpenai,
};

function read(_path: string, body: unknown): Asked {
  const { model, stream, messages, tools } = Request.parse(body);
  const last = messages.findLast(({ role }) => role === "user" || role === "tool")?.content ?? "";
  return {
    model,
    stream,
    fresh: !messages.some(({ role }) => role === "assistant"),
    tools: tools.map((tool) => ({ name: tool.function.name, takes: namesOf(tool.function.parameters) })),
    last: typeof last === "string" ? last : last.map(({ text }) => text ?? "").join("\n"),
  };
}

function completion({ number, model }: Answer, object: string) {
  return { id: idOf("chatcmpl", number), object, created: 0, model };
}

function messageOf({ number, move }: Answer) {
  if ("say" in move) return { content: move.say };
  const { name } = move.call;
  const call = { name, arguments: JSON.stringify(move.input) };
  return { content: null, tool_calls: [{ id: idOf("call", number), type: "function", function: call }] };
}

function finishOf({ move }: Answer): string {
  return "say" in move ? "stop" : "tool_calls";
}

function usageOf({ usage }: Answer) {
  const input = usage.input + usage.cached;
  const output = usage.output + usage.reasoning;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

function frames(answer: Answer): Frame[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    data: {
      ...completion(answer, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  });
  return [
    chunk({ role: "assistant", content: "say" in answer.move ? "" : null }),
    ...deltas(answer).map((delta) => chunk(delta)),
    chunk({}, finishOf(answer)),
    {
      data: { ...completion(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer) },
    },
    { data: "[DONE]" },
  ];
}

function deltas({ number, move }: Answer): object[] {
  if ("say" in move) return inParts(move.say).map((content) => ({ content }));
  const begun = { id: idOf("call", number), type: "function" };
  return inParts(JSON.stringify(move.input)).map((part, index) => {
    const first = index === 0 ? { ...begun, function: { name: move.call.name, arguments: part } } : undefined;
    return { tool_calls: [{ index: 0, ...(first ?? { function: { arguments: part } }) }] };
  });
}
