// OpenAI Chat Completions.
import { z } from "zod";
import {
  idAt,
  idOf,
  inParts,
  namesOf,
  textsOf,
  type Answer,
  type Asked,
  type Dialect,
  type Frame,
} from "./dialect.js";
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
    last: textsOf(last),
    system: messages
      .filter(({ role }) => role === "system" || role === "developer")
      .map(({ content }) => textsOf(content))
      .join("\n"),
  };
}

function completion({ number, model }: Answer, object: string) {
  return { id: idOf("chatcmpl", number), object, created: 0, model };
}

function messageOf({ number, moves }: Answer) {
  const said = moves.flatMap((move) => ("say" in move ? [move.say] : []));
  const calls = moves.flatMap((move) => ("call" in move ? [move] : []));
  const content = said.length === 0 ? null : said.join("");
  if (calls.length === 0) return { content };
  return {
    content,
    tool_calls: calls.map(({ call, input }, at) => ({
      id: idAt("call", number, at),
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(input) },
    })),
  };
}

function finishOf({ moves, cut }: Answer): string {
  if (cut === true) return "length";
  return moves.some((move) => "call" in move) ? "tool_calls" : "stop";
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
    chunk({ role: "assistant", content: messageOf(answer).content === null ? null : "" }),
    ...deltas(answer).map((delta) => chunk(delta)),
    chunk({}, finishOf(answer)),
    {
      data: { ...completion(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer) },
    },
    { data: "[DONE]" },
  ];
}

function deltas(answer: Answer): object[] {
  const { content, tool_calls: calls = [] } = messageOf(answer);
  return [
    ...inParts(content ?? "").map((piece) => ({ content: piece })),
    ...calls.flatMap(({ function: { name, arguments: whole }, ...begun }, index) =>
      inParts(whole).map((part, at) => {
        const first = at === 0 ? { ...begun, function: { name, arguments: part } } : undefined;
        return { tool_calls: [{ index, ...(first ?? { function: { arguments: part } }) }] };
      }),
    ),
  ];
}
