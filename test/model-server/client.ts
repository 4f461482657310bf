// Clients of the model server for its own tests: one request in each protocol, and what the answer came to. No more than tests need.
import type { DialectName } from "./dialect.js";

export interface Question {
  /** The tool it offers, with the names of its arguments; none: a request without tools. */
  tool?: { name: string; takes: readonly string[] };
  stream: boolean;
  /** Whether an earlier answer is part of it. */
  going?: boolean;
}

export interface Request {
  path: string;
  body: Record<string, unknown>;
}

const ASKED = "Please begin.";
const SAID = "I have begun.";

function schemaOf(takes: readonly string[]) {
  return { type: "object", properties: Object.fromEntries(takes.map((name) => [name, { type: "string" }])) };
}

/** A request as a client of this protocol makes it. */
export const REQUESTS: Readonly<Record<DialectName, (question: Question) => Request>> = {
  anthropic: ({ tool, stream, going = false }) => ({
    path: "/v1/messages?beta=true",
    body: {
      model: "model-a",
      max_tokens: 100,
      stream,
      messages: [
        { role: "user", content: [{ type: "text", text: ASKED }] },
        ...(going ? [{ role: "assistant", content: SAID }] : []),
      ],
      ...(tool === undefined ? {} : { tools: [{ name: tool.name, input_schema: schemaOf(tool.takes) }] }),
    },
  }),
  responses: ({ tool, stream, going = false }) => ({
    path: "/v1/responses",
    body: {
      model: "model-a",
      stream,
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: ASKED }] },
        ...(going
          ? [{ type: "message", role: "assistant", content: [{ type: "output_text", text: SAID }] }]
          : []),
      ],
      ...(tool === undefined
        ? {}
        : { tools: [{ type: "function", name: tool.name, parameters: schemaOf(tool.takes) }] }),
    },
  }),
  chat: ({ tool, stream, going = false }) => ({
    path: "/v1/chat/completions",
    body: {
      model: "model-a",
      stream,
      messages: [{ role: "user", content: ASKED }, ...(going ? [{ role: "assistant", content: SAID }] : [])],
      ...(tool === undefined
        ? {}
        : { tools: [{ type: "function", function: { name: tool.name, parameters: schemaOf(tool.takes) } }] }),
    },
  }),
  gemini: ({ tool, stream, going = false }) => ({
    path: `/v1beta/models/model-a:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: {
      contents: [
        { role: "user", parts: [{ text: ASKED }] },
        ...(going ? [{ role: "model", parts: [{ text: SAID }] }] : []),
      ],
      ...(tool === undefined
        ? {}
        : {
            tools: [
              { functionDeclarations: [{ name: tool.name, parametersJsonSchema: schemaOf(tool.takes) }] },
            ],
          }),
    },
  }),
};

/** The data of a stream's events, as texts. */
export function dataOf(stream: string): string[] {
  return stream
    .split("\n\n")
    .flatMap((frame) => frame.split("\n"))
    .flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
}

/** The event that ends an answer in each protocol. */
export const ENDS: Readonly<Record<DialectName, RegExp>> = {
  anthropic: /"type":"message_stop"/,
  responses: /"type":"response\.completed"/,
  chat: /^data: \[DONE\]$/m,
  gemini: /"finishReason":"STOP"/,
};
