// Anthropic Messages.
import { z } from "zod";
import {
  idAt,
  idOf,
  inParts,
  namesOf,
  retryAfter,
  signatureOf,
  STATUS,
  textsOf,
  type Answer,
  type Asked,
  type Dialect,
  type Frame,
  type HttpError,
  type Move,
  type Refusal,
} from "./dialect.js";
import type { Problem } from "./scenario.js";

const Content = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Content)]) })),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).default([]),
});

export const anthropic: Dialect = {
  name: "anthropic",
  read,
  whole: (answer) => ({
    ...messageOf(answer),
    content: blocksOf(answer),
    stop_reason: stopOf(answer),
    usage: usageOf(answer),
  }),
  frames,
  overloaded: () => ({ event: "error", data: errorBody("overloaded") }),
  refuse,
};

function read(_path: string, body: unknown): Asked {
  const { model, stream, system, messages, tools } = Request.parse(body);
  const last = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return {
    model,
    stream,
    fresh: !messages.some(({ role }) => role === "assistant"),
    tools: tools.map(({ name, input_schema }) => ({ name, takes: namesOf(input_schema) })),
    last: typeof last === "string" ? last : last.map(textOf).join("\n"),
    system: textsOf(system),
  };
}

function textOf({ text, content }: z.infer<typeof Content>): string {
  return text ?? (typeof content === "string" ? content : JSON.stringify(content ?? ""));
}

function messageOf({ number, model }: Answer) {
  return { id: idOf("msg", number), type: "message", role: "assistant", model, stop_sequence: null };
}

type Block = Record<string, unknown> & { type: string };

function blocksOf(answer: Answer): Block[] {
  const thinking = { type: "thinking", thinking: "Let me see.", signature: signatureOf(answer) };
  return [
    ...(answer.thought === true ? [thinking] : []),
    ...answer.moves.map((move, at) => blockOf(move, idAt("toolu", answer.number, at))),
  ];
}

function blockOf(move: Move, id: string): Block {
  return "say" in move
    ? { type: "text", text: move.say }
    : { type: "tool_use", id, name: move.call.name, input: move.input };
}

function stopOf({ moves, cut }: Answer): string {
  if (cut === true) return "max_tokens";
  return moves.some((move) => "call" in move) ? "tool_use" : "end_turn";
}

function usageOf({ usage }: Answer) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output + usage.reasoning,
  };
}

function frames(answer: Answer): Frame[] {
  const started = {
    ...messageOf(answer),
    content: [],
    stop_reason: null,
    usage: { ...usageOf(answer), output_tokens: 1 },
  };
  const [first = [], ...others] = blocksOf(answer).map(blockFrames);
  return [
    { type: "message_start", message: started },
    ...first.slice(0, 1),
    { type: "ping" },
    ...first.slice(1),
    ...others.flat(),
    {
      type: "message_delta",
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: { output_tokens: usageOf(answer).output_tokens },
    },
    { type: "message_stop" },
  ].map((data) => ({ event: data.type, data }));
}

function blockFrames(block: Block, index: number) {
  const { empty, deltas } = piecesOf(block);
  return [
    { type: "content_block_start", index, content_block: { ...block, ...empty } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** The beginning of a block, and its deltas. */
function piecesOf(block: Block): { empty: object; deltas: object[] } {
  if (block.type === "tool_use") {
    const parts = inParts(JSON.stringify(block["input"]));
    return {
      empty: { input: {} },
      deltas: parts.map((json) => ({ type: "input_json_delta", partial_json: json })),
    };
  }
  if (block.type === "thinking")
    return {
      empty: { thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: block["thinking"] },
        { type: "signature_delta", signature: block["signature"] },
      ],
    };
  const parts = inParts(String(block["text"]));
  return { empty: { text: "" }, deltas: parts.map((text) => ({ type: "text_delta", text })) };
}

const WORDS: Readonly<Record<Problem, readonly [type: string, message: string]>> = {
  "bad-request": ["invalid_request_error", "messages.0: this request is refused"],
  unauthorized: ["authentication_error", "invalid x-api-key"],
  "model-unknown": ["not_found_error", "model: no-such-model"],
  "context-full": ["invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"],
  "rate-limit": ["rate_limit_error", "This request would exceed your organization's rate limit"],
  credit: [
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ],
  quota: ["rate_limit_error", "This request would exceed your account's usage limit"],
  server: ["api_error", "Internal server error"],
  overloaded: ["overloaded_error", "Overloaded"],
};

function errorBody(problem: Problem) {
  const [type, message] = WORDS[problem];
  return { type: "error", error: { type, message }, request_id: "req_000001" };
}

function refuse(refusal: Refusal): HttpError {
  const { problem, resetsAtSeconds } = refusal;
  return {
    status: problem === "credit" ? 400 : STATUS[problem],
    headers: {
      ...retryAfter(refusal),
      ...(resetsAtSeconds === undefined
        ? {}
        : {
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-reset": String(resetsAtSeconds),
            "anthropic-ratelimit-requests-reset": new Date(resetsAtSeconds * 1000).toISOString(),
          }),
    },
    body: errorBody(problem),
  };
}
