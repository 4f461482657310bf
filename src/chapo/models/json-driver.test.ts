// Tests decisions in JSON, which are read, sent back and never shown.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatMessage, Model, ModelAnswer, ModelReply, ModelRequest } from "../model.js";
import { decideInJson } from "./json-driver.js";

/** Creates a model that returns these replies in order and records its requests. */
function saying(...texts: (string | Partial<ModelReply>)[]): Model & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: "local/small",
    contextWindow: 8000,
    asked,
    ask: (request) => {
      asked.push({ ...request, messages: [...request.messages] });
      const next = texts[asked.length - 1] ?? "";
      const reply: ModelReply = { text: "", calls: [], finish: "stop", model: "local/small" };
      return Promise.resolve({ reply: { ...reply, ...(typeof next === "string" ? { text: next } : next) } });
    },
  };
}

const PATH = { type: "object", properties: { path: {}, agent: { enum: ["developer"] } } };
const TOOLS = [
  { name: "fs_readFile", description: "Reads a file.", parameters: PATH },
  { name: "ask_user", description: "Asks.", parameters: { type: "object" } },
];

function request(messages: readonly ChatMessage[] = [], more: Partial<ModelRequest> = {}): ModelRequest {
  const { signal } = new AbortController();
  return { who: "looper", turn: 2, system: "You are Chapo.", messages, tools: TOOLS, signal, ...more };
}

const ask = (model: Model, more: Partial<ModelRequest> = {}): Promise<ModelAnswer> =>
  decideInJson(model, "DECIDE").ask(request([{ role: "user", text: "Go." }], more));

test.each<[string, Partial<ModelReply>]>([
  [
    '{"intent":"tool_call","agent":"developer","toolName":"fs_readFile","toolArgs":{"path":"a"},"reasoning":"look"}',
    {
      text: "look",
      finish: "calls",
      calls: [{ id: "call_looper_3", name: "fs_readFile", args: { agent: "developer", path: "a" } }],
    },
  ],
  [
    '{"intent":"tool_call","toolName":"nope","toolArgs":"{\\"a\\":1}"}',
    { calls: [{ id: "call_looper_3", name: "nope", args: { a: 1 } }] },
  ],
  [
    '{"intent":"clarify","clarificationQuestion":"Which one?"}',
    { calls: [{ id: "call_looper_3", name: "ask_user", args: { question: "Which one?" } }] },
  ],
  ['{"intent":"answer","answerText":"Hello","toolName":null}', { text: "Hello", calls: [], finish: "stop" }],
  ['```json\n{"intent":"answer","answerText":"fenced {}"}\n```', { text: "fenced {}" }],
  ['{"intent":"answer","answerText":"one"} {"intent":"answer","answerText":"two"}', { text: "one" }],
  ['{"intent":"continue"}', { intent: "continue", text: "", calls: [] }],
  ['{"intent":"self_validate","reasoning":"once more"}', { intent: "self_validate", text: "", calls: [] }],
])("%s", async (said, reply) => {
  const model = saying(said);
  expect(await ask(model)).toMatchObject({ reply: { model: "local/small", ...reply } });
  expect(model.asked).toHaveLength(1);
});

test("an unreadable reply is sent back with the problem, and its usage is counted", async () => {
  const usage = { input: 10, output: 1, cached: 0, cacheWrite: 0 };
  const model = saying(
    { text: '{"intent":"answer","answerText":"half', finish: "cut", usage, costUsd: 1 },
    { text: '{"intent":"tool_call"}', usage, costUsd: 2 },
    { text: '{"intent":"answer","answerText":"whole"}', usage, costUsd: 3 },
  );
  const shown: string[] = [];
  expect(await ask(model, { onText: (text) => shown.push(text) })).toMatchObject({
    reply: { text: "whole", usage: { input: 30, output: 3 }, costUsd: 6 },
  });
  expect(shown).toEqual(["whole"]);
  const last = model.asked[2]?.messages.flatMap((message) => ("text" in message ? [message.text] : []));
  expect(last).toEqual([
    "Go.",
    '{"intent":"answer","answerText":"half',
    expect.stringContaining("was cut off"),
    '{"intent":"tool_call"}',
    expect.stringContaining("tool_call needs toolName"),
  ]);
});

test("a model that fails two repairs ends in a failure without the JSON", async () => {
  const model = saying(...Array.from({ length: 9 }, () => '{"intent":"dance","answerText":"SECRET"}'));
  const answer = await ask(model);
  expect(model.asked).toHaveLength(3);
  expect(answer).toMatchObject({ failure: { reason: "incomplete" } });
  expect(JSON.stringify(answer)).not.toMatch(/SECRET|\{\\"intent/);
});

test("the model gets tools, calls and results as text, and a request without tools is unchanged", async () => {
  const model = saying('{"intent":"continue"}');
  const messages: ChatMessage[] = [
    { role: "user", text: "Go." },
    { role: "assistant", text: "look", calls: [{ id: "1", name: "fs_readFile", args: { path: "a" } }] },
    { role: "tool", results: [{ callId: "1", name: "fs_readFile", success: false, output: "no such file" }] },
    { role: "assistant", text: "Done.", calls: [] },
  ];
  const driven = decideInJson(model, "DECIDE");
  await driven.ask(request(messages));
  expect(model.asked[0]?.system).toMatch(
    /^You are Chapo\.\n\nDECIDE\n\nTools:\n- fs_readFile: Reads a file\.\n {2}parameters: \{/,
  );
  expect(model.asked[0]?.tools).toEqual([]);
  expect(model.asked[0]?.messages).toEqual([
    { role: "user", text: "Go." },
    {
      role: "assistant",
      text: '{"intent":"tool_call","toolName":"fs_readFile","toolArgs":{"path":"a"},"reasoning":"look"}',
      calls: [],
    },
    { role: "user", text: "fs_readFile failed:\nno such file" },
    { role: "assistant", text: '{"intent":"answer","answerText":"Done."}', calls: [] },
  ]);
  const bare = request(messages, { tools: [] });
  await driven.ask(bare);
  expect(model.asked[1]).toEqual(bare);
});

test("law: every output of a model becomes a usable reply or a failure", async () => {
  const said = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ intent: fc.constantFrom("answer", "tool_call", "x"), answerText: fc.json() })
      .map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(said, async (text) => {
      const answer = await ask(saying(text, text, text));
      if ("failure" in answer) return;
      const { reply } = answer;
      expect(reply.text !== "" || reply.calls.length > 0 || reply.intent !== undefined).toBe(true);
    }),
  );
});
