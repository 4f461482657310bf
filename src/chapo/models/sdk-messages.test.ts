// Tests the conversion of a provider's answer to a reply, and of the reply back to a message.
import { expect, test } from "vitest";
import type { ChatMessage } from "../model.js";
import { toReply, toSdkPrompt, type SdkAnswer, type SdkPart } from "./sdk-messages.js";
import { gatherAnswer, toFailedRequest } from "./sdk.js";

const NAME = "anthropic/claude-x";
const tokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = {
  inputTokens: tokens,
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function answer(
  content: SdkAnswer["content"],
  unified: SdkAnswer["finishReason"]["unified"] = "stop",
): SdkAnswer {
  return { content, finishReason: { unified, raw: "x" }, usage };
}

function call(toolCallId: string, input: string): SdkAnswer["content"][number] {
  return { type: "tool-call", toolCallId, toolName: "t", input };
}

test("a reply has unique ids, parsed arguments and no usage if none was reported", () => {
  const messages: ChatMessage[] = [
    { role: "assistant", text: "", calls: [{ id: "call_0", name: "t", args: {} }] },
  ];
  const inputs = ['{"a":1}', "{broken", "", "[1]"];
  const content = inputs.map((input, at) => call(at === 3 ? "" : "call_0", input));
  expect(toReply(answer(content), { messages }, { name: NAME })).toEqual({
    text: "",
    finish: "calls",
    calls: [
      { id: "call_0_2", name: "t", args: { a: 1 } },
      { id: "call_0_3", name: "t", args: "{broken" },
      { id: "call_0_4", name: "t", args: {} },
      { id: "call", name: "t", args: [1] },
    ],
    model: NAME,
  });
});

test.each([
  ["content-filter", "refusal", "I will not.", "refused"],
  ["content-filter", "content_filter", "", "refused"],
  ["content-filter", "content_filter", "Half", "filtered"],
  ["stop", "pause_turn", "Half", "paused"],
  ["stop", "end_turn", "Whole", "stop"],
] as const)("an answer that ends with %s (%s) and the text %j is %s", (unified, raw, text, finish) => {
  const ended = { ...answer([{ type: "text", text }]), finishReason: { unified, raw } };
  expect(toReply(ended, { messages: [] }, { name: NAME }).finish).toBe(finish);
});

test("thoughts and texts between calls are sent back in order, but only to their own model", () => {
  const marks = (signature: string) => ({ anthropic: { signature } });
  const content: SdkAnswer["content"] = [
    { type: "text", text: "First" },
    { type: "reasoning", text: "hm", providerMetadata: marks("s1") },
    call("1", "{}"),
    { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "xyz" } } },
    { type: "text", text: ", then" },
    call("2", "{}"),
  ];
  const { text, calls } = toReply(answer(content), { messages: [] }, { name: NAME });
  expect(text).toBe("First, then");
  const sent = (to: string): unknown =>
    toSdkPrompt({ system: "", messages: [{ role: "assistant", text, calls }], tools: [] }, to).prompt[0]
      ?.content;
  expect(sent(NAME)).toEqual([
    { type: "text", text: "First" },
    { type: "reasoning", text: "hm", providerOptions: marks("s1") },
    { type: "tool-call", toolCallId: "1", toolName: "t", input: {} },
    { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "xyz" } } },
    { type: "text", text: ", then" },
    { type: "tool-call", toolCallId: "2", toolName: "t", input: {} },
  ]);
  expect(sent("openai/x")).toMatchObject([
    { text: "First, then" },
    { type: "tool-call" },
    { type: "tool-call" },
  ]);
});

test("values that no provider accepts are replaced", () => {
  const messages: ChatMessage[] = [
    { role: "user", text: " " },
    { role: "assistant", text: "", calls: [] },
    {
      role: "assistant",
      text: "",
      calls: [{ id: "1", name: "fs.read file", args: "{broken", signature: "{}" }],
    },
    { role: "tool", results: [{ callId: "1", name: "fs.read file", success: true, output: "" }] },
  ];
  const { prompt, tools } = toSdkPrompt({ system: "", messages, tools: [] }, NAME);
  expect(tools).toBeUndefined();
  expect(prompt).toMatchObject([
    { role: "user", content: [{ text: "(empty)" }] },
    { role: "assistant", content: [{ toolName: "fs_read_file", input: { not_an_object: "{broken" } }] },
    { role: "tool", content: [{ toolName: "fs_read_file", output: { type: "text", value: "(empty)" } }] },
  ]);
});

function streamOf(...parts: SdkPart[]): ReadableStream<SdkPart> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
const ear = { onText: () => undefined, onThought: () => undefined, onPart: () => undefined };

test("thinking and text are passed on apart, each as it comes", async () => {
  const told: string[] = [];
  const listener = {
    onText: (text: string) => void told.push(`text ${text}`),
    onThought: (text: string) => void told.push(`thought ${text}`),
    onPart: () => undefined,
  };
  const parts: SdkPart[] = [
    { type: "reasoning-delta", id: "1", delta: "First " },
    { type: "reasoning-delta", id: "1", delta: "look." },
    { type: "text-delta", id: "2", delta: "Done." },
    { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } },
  ];
  await gatherAnswer(streamOf(...parts), listener);
  expect(told).toEqual(["thought First ", "thought look.", "text Done."]);
});

test("a refusal in a chunk that the SDK drops is the answer, as a refusal", async () => {
  const chunk = (refusal: string): SdkPart => ({
    type: "raw",
    rawValue: { choices: [{ index: 0, delta: { refusal } }] },
  });
  const end: SdkPart = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } };
  expect(await gatherAnswer(streamOf(chunk("I will "), chunk("not."), end), ear)).toMatchObject({
    content: [{ type: "text", text: "I will not." }],
    finishReason: { unified: "content-filter", raw: "refusal" },
  });
});

test("a stream without an end, and one that never ends, are rejected", async () => {
  const delta: SdkPart = { type: "text-delta", id: "1", delta: "x".repeat(1024 * 1024) };
  const end = (raw: string | undefined): SdkPart => ({
    type: "finish",
    usage,
    finishReason: { unified: "other", raw },
  });
  await expect(gatherAnswer(streamOf(delta), ear)).rejects.toThrow("ended before");
  await expect(gatherAnswer(streamOf(delta, end(undefined)), ear)).rejects.toThrow("ended before");
  await expect(
    gatherAnswer(streamOf(...Array.from({ length: 17 }, () => delta), end("x")), ear),
  ).rejects.toThrow("too long");
  expect((await gatherAnswer(streamOf(delta, end("refusal")), ear)).content).toHaveLength(1);
});

test("an error of any shape becomes a reason in one line without the key", () => {
  const clock = { now: 0, zone: "UTC" };
  const of = { name: NAME, secret: "sk-secret" };
  const errors = [
    Object.assign(new Error("bad\nkey sk-secret"), { statusCode: 401 }),
    Object.assign(new Error("x"), { statusCode: 429, responseHeaders: { "retry-after": "7" } }),
    { type: "overloaded_error", message: "Overloaded" },
    "registry/x does not support tools",
    new TypeError("terminated"),
    new TypeError("Cannot connect to API: other side closed"),
    undefined,
  ];
  expect(errors.map((error) => toFailedRequest(error, of, clock))).toEqual([
    { failure: { reason: "not-signed-in", message: `${NAME}: HTTP 401: bad` } },
    { failure: { reason: "rate-limited", message: `${NAME}: HTTP 429: x` }, retryAfterMs: 7000 },
    { failure: { reason: "overloaded", message: `${NAME}: Overloaded` } },
    {
      failure: {
        reason: "bad-request",
        message: `${NAME}: registry/x does not support tools; set chapo.tool_calls to json for a model without tool calls`,
      },
    },
    { failure: { reason: "network", message: `${NAME}: the connection broke while the model answered` } },
    { failure: { reason: "network", message: `${NAME}: the connection broke while the model answered` } },
    { failure: { reason: "bad-request", message: `${NAME}: the request failed without a reason` } },
  ]);
});
