// The requests of Chapo's models over the wire, format by format.
import { expect, test } from "vitest";
import { converse, FORMATS, open, request, SCRIPT, serve } from "./chapo-rig.js";
import type { DialectName } from "./dialect.js";

/** The parts of the last request, in order: who says what, which call is answered with what. */
const READ: Readonly<Record<DialectName, (body: unknown) => string[]>> = {
  anthropic: (body) =>
    list(body, "messages").flatMap((message) =>
      list(message, "content").map((part) =>
        [
          at(message, "role"),
          at(part, "type"),
          at(part, "text") ?? at(part, "id") ?? at(part, "tool_use_id"),
        ].join(" "),
      ),
    ),
  responses: (body) =>
    list(body, "input").map((item) =>
      [
        at(item, "role") ?? at(item, "type"),
        at(item, "call_id") ?? at(list(item, "content")[0], "text"),
      ].join(" "),
    ),
  chat: (body) =>
    list(body, "messages").flatMap((message) => [
      [at(message, "role"), at(message, "tool_call_id") ?? textIn(at(message, "content"))].join(" "),
      ...list(message, "tool_calls").map((call) => `call ${String(at(call, "id"))}`),
    ]),
  gemini: (body) =>
    list(body, "contents").flatMap((content) =>
      list(content, "parts").map((part) => {
        const call = at(part, "functionCall") ?? at(part, "functionResponse");
        return [
          at(content, "role"),
          at(part, "text") ?? `${String(at(call, "id"))} ${String(at(call, "name"))}`,
        ].join(" ");
      }),
    ),
};

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}
function list(value: unknown, key: string): unknown[] {
  const found = at(value, key);
  return Array.isArray(found) ? (found as unknown[]) : [];
}
function textIn(content: unknown): unknown {
  return Array.isArray(content) ? at(content[0], "text") : content;
}

test.each(FORMATS)(
  "%s: nothing that was said is dropped, and every result follows its call",
  async (format) => {
    const server = await serve({ script: SCRIPT });
    const { answers } = await converse(await open(server, format), 3);
    const ids = answers.flatMap((answer) =>
      "reply" in answer ? answer.reply.calls.map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(3);
    const lines = READ[format](server.seen[2]?.body);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`testdata/chapo-${format}.txt`);
    const body = JSON.stringify(server.seen[2]?.body);
    for (const said of [
      "You are Chapo.",
      "Begin, please.",
      "I look at two things.",
      "result of fs_readFile",
      "Error: no such folder",
    ])
      expect(body.split(said)).toHaveLength(said.startsWith("result") ? 3 : 2);
    for (const id of ids) expect(body.split(`"${id}"`)).toHaveLength(3);
  },
);

test("anthropic: what is asked is marked for the cache: tools, system prompt, and only the last message", async () => {
  const server = await serve({ script: SCRIPT });
  await converse(await open(server, "anthropic"), 2);
  const { body } = server.seen[1] ?? {};
  const mark = { type: "ephemeral" };
  expect(list(body, "system")).toEqual([{ type: "text", text: "You are Chapo.", cache_control: mark }]);
  expect(list(body, "tools").map((tool) => at(tool, "cache_control"))).toEqual([undefined, mark]);
  const parts = list(body, "messages").flatMap((message) => list(message, "content"));
  expect(parts.map((part) => at(part, "cache_control"))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    mark,
  ]);
  expect(parts.slice(-2).map((part) => at(part, "is_error"))).toEqual([undefined, true]);
});

test.each(FORMATS.filter(([format]) => format !== "chat"))(
  "%s: what it thought goes back with the call, and to no other model",
  async (format) => {
    for (const stream of [true, false]) {
      const server = await serve({ script: SCRIPT, thinks: true });
      const { messages } = await converse(await open(server, format, { stream }), 2);
      const thought = Buffer.from("thought 0").toString("base64");
      expect(JSON.stringify(server.seen[0]?.body)).not.toContain(thought);
      expect(JSON.stringify(server.seen[1]?.body)).toContain(thought);
      const [other = "anthropic"] = FORMATS.map(([name]) => name).filter((name) => name !== format);
      await (await open(server, other)).ask(request(messages));
      expect(server.seen[2]?.dialect).toBe(other);
      expect(JSON.stringify(server.seen[2]?.body)).not.toContain(thought);
    }
  },
);

test("nothing is kept at OpenAI's, and what is set is asked for", async () => {
  const server = await serve({ script: { turns: [{ say: "x", times: 9 }] } });
  const set = { temperature: 0.25, maxOutputTokens: 321 };
  for (const [format] of FORMATS)
    await (await open(server, format, set)).ask(request([{ role: "user", text: "x" }]));
  const [anthropic, openai, chat, gemini] = server.seen.map(({ body }) => body);
  expect(anthropic).toMatchObject({ model: "claude-sonnet-4-5", temperature: 0.25, max_tokens: 321 });
  expect(openai).toMatchObject({ model: "gpt-5", store: false, max_output_tokens: 321 });
  expect(chat).toMatchObject({ model: "local/model", temperature: 0.25, max_tokens: 321 });
  expect(gemini).toMatchObject({ generationConfig: { temperature: 0.25, maxOutputTokens: 321 } });
});

test("the effort is asked for in each provider's words, and only OpenAI gets the key of the cache", async () => {
  const asked = Object.fromEntries(
    await Promise.all(
      FORMATS.map(async ([format]) => {
        const server = await serve({ script: SCRIPT });
        const model = await open(server, format);
        await model.ask(request([{ role: "user", text: "Hi" }], { effort: "high", cacheKey: "s-1" }));
        return [format, server.seen[0]?.body] as const;
      }),
    ),
  );
  expect(at(asked["anthropic"], "thinking")).toEqual({ type: "enabled", budget_tokens: 20_000 });
  expect(at(asked["responses"], "reasoning")).toEqual({ effort: "high" });
  expect(at(asked["chat"], "reasoning_effort")).toBe("high");
  expect(at(at(asked["gemini"], "generationConfig"), "thinkingConfig")).toEqual({
    thinkingLevel: "high",
    includeThoughts: true,
  });
  const keyed = Object.entries(asked).filter(([, body]) => JSON.stringify(body).includes("s-1"));
  expect(keyed.map(([format, body]) => [format, at(body, "prompt_cache_key")])).toEqual([
    ["responses", "s-1"],
  ]);
});
