// Chapo's models over real HTTP, in every format: the same script gives the same replies, and no fault becomes one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { ChatMessage, Model, ModelAnswer } from "../../src/chapo/model.js";
import { decideInJson } from "../../src/chapo/models/json-driver.js";
import { openModel } from "../../src/chapo/models/open-model.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { cleanups, converse, FORMATS, open, request, SCRIPT, serve } from "./chapo-rig.js";
import type { Fault } from "./scenario.js";

/** The part that is the same in every format. */
function plain(answers: readonly ModelAnswer[]) {
  return answers.map((answer) => {
    if (!("reply" in answer)) return answer;
    const { text, calls, finish } = answer.reply;
    return { text, finish, calls: calls.map(({ name, args }) => ({ name, args })) };
  });
}

async function scripted(): Promise<Model> {
  const folder = mkdtempSync(path.join(tmpdir(), "chapo-"));
  cleanups.push(() => {
    rmSync(folder, { recursive: true });
  });
  const script = path.join(folder, "script.json");
  writeFileSync(script, JSON.stringify(SCRIPT));
  const settings = { model: "scripted", fallback: [], script, stream: true, maxToolRetries: 0 };
  return openModel(settings, { ...nodePorts(), env: {} });
}

test.each(
  FORMATS.flatMap(([format]) => [
    { format, stream: true },
    { format, stream: false },
  ]),
)("$format, streamed $stream: the same script, the same replies", async ({ format, stream }) => {
  const server = await serve({ script: SCRIPT });
  const pieces: string[] = [];
  const { answers } = await converse(await open(server, format, { stream }), 4, {
    onText: (piece) => pieces.push(piece),
  });
  expect(plain(answers)).toEqual(plain((await converse(await scripted(), 4)).answers));
  expect(answers[0]).toMatchObject({ reply: { usage: { input: 50, cached: 7, output: 9, cacheWrite: 0 } } });
  expect(server.seen.map((seen) => [seen.dialect, seen.stream, seen.who, seen.answered])).toEqual(
    Array.from({ length: 4 }, () => [format, stream, "looper", "chapo"]),
  );
  expect(server.seen[0]?.tools).toEqual(["fs_readFile", "fs_listFiles"]);
  const said = plain(answers).map((answer) => ("text" in answer ? answer.text : ""));
  expect(pieces.join("")).toBe(stream ? said.join("") : "");
  if (stream) expect(pieces.length).toBeGreaterThan(4);
});

const ASK: ChatMessage[] = [{ role: "user", text: "Begin." }];

test.each(FORMATS)("%s: 429 twice, then an answer: two waits", async (format) => {
  const server = await serve({
    script: { turns: [{ fail: ["rate-limited", "rate-limited"], say: "at last" }] },
  });
  const waits: number[] = [];
  const answer = await (await open(server, format)).ask(request(ASK, { onWait: ({ ms }) => waits.push(ms) }));
  expect(plain([answer])).toMatchObject([{ text: "at last" }]);
  expect(waits).toEqual([0, 0]);
  expect(server.seen.map(({ answered }) => answered)).toEqual(["rate-limit", "rate-limit", "chapo"]);
});

const refused = (problem: Extract<Fault, { fault: "refused" }>["problem"]): Fault => ({
  fault: "refused",
  problem,
});
const broken = (how: Extract<Fault, { fault: "mid-stream" }>["how"]): Fault => ({ fault: "mid-stream", how });
const FAULTS: readonly (readonly [string, Fault, reason: string])[] = [
  ["429", refused("rate-limit"), "rate-limited"],
  ["a quota", refused("quota"), "rate-limited"],
  ["an empty balance", refused("credit"), "no-credit"],
  ["529 or 503", refused("overloaded"), "overloaded"],
  ["500", refused("server"), "overloaded"],
  ["401", refused("unauthorized"), "not-signed-in"],
  ["404", refused("model-unknown"), "model-unknown"],
  ["a context that is full", refused("context-full"), "context-full"],
  ["400", refused("bad-request"), "bad-request"],
  ["a page", { fault: "html" }, "network"],
  ["an overload in the middle", broken("overloaded"), "overloaded"],
  ["a stream that ends", broken("ends"), "network"],
  ["a stream that breaks", broken("disconnects"), "network"],
  ["broken JSON", broken("malformed"), "network"],
  ["silence", broken("stalls"), "network"],
  ["no answer", { fault: "no-headers" }, "network"],
];

test.each(
  FORMATS.flatMap(([format]) => FAULTS.map(([name, fault, reason]) => ({ format, name, fault, reason }))),
)("$format: $name is $reason, and never an answer", async ({ format, fault, reason }) => {
  const server = await serve({ script: SCRIPT });
  server.failNext(fault);
  // Only silence is waited for: a slow machine takes longer than this for an answer.
  const isSilent = fault.fault === "no-headers" || (fault.fault === "mid-stream" && fault.how === "stalls");
  const model = await open(server, format, { maxToolRetries: 0, idleMs: isSilent ? 150 : 300_000 });
  const answer = await model.ask(request(ASK));
  const failure = "failure" in answer ? answer.failure : undefined;
  expect(failure).toMatchObject({ reason });
  expect(failure?.message).toMatch(/^[\w-]+\/[\w./-]+: \S/);
  expect(failure?.message).not.toMatch(/key-of|\n/);
});

test.each(FORMATS)("%s: a fault that is not streamed is none the less no answer", async (format) => {
  for (const how of ["malformed", "disconnects", "overloaded"] as const) {
    const server = await serve({ script: SCRIPT });
    server.failNext(broken(how));
    const answer = await (await open(server, format, { maxToolRetries: 0, stream: false })).ask(request(ASK));
    expect(answer).toMatchObject({ failure: { reason: how === "overloaded" ? "overloaded" : "network" } });
  }
});

test("a wait of more than a minute is not waited for: it says when", async () => {
  const server = await serve({ script: SCRIPT });
  server.failNext({ fault: "refused", problem: "rate-limit", retryAfterSeconds: 3600 });
  const before = Date.now();
  const answer = await (await open(server, "anthropic")).ask(request(ASK));
  const retryAt = "failure" in answer ? answer.failure.retryAt : undefined;
  expect(retryAt).toBeGreaterThan(before + 3_500_000);
  expect(server.count).toBe(1);
});

test("a dead address is network; an abort ends it at once", async () => {
  const server = await serve({ script: SCRIPT });
  const model = await open(server, "chat", { maxToolRetries: 0 });
  server.failNext({ fault: "no-headers" });
  const stop = new AbortController();
  const heard = server.next(() => true);
  const asked = model.ask(request(ASK, { signal: stop.signal }));
  await heard;
  stop.abort();
  expect(await asked).toMatchObject({ failure: { reason: "interrupted" } });
  await server.close();
  expect(await model.ask(request(ASK))).toMatchObject({ failure: { reason: "network" } });
});

test("the fallback answers where the first cannot; one that keeps failing is left alone", async () => {
  const server = await serve({ script: { turns: [{ say: "x", times: 9 }] } });
  const model = await open(server, "anthropic", {
    model: "anthropic/claude-a",
    fallback: ["anthropic/claude-b"],
    maxToolRetries: 0,
  });
  const asked: (string | undefined)[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const seen = server.seen.length;
    if (turn < 2) server.failNext(refused("overloaded"));
    const why: string[] = [];
    const answer = await model.ask(request(ASK, { onWait: (wait) => why.push(wait.why) }));
    expect(answer).toMatchObject({ reply: { text: "x", model: "anthropic/claude-b" } });
    expect(why.join()).toMatch(turn < 2 ? /claude-a: HTTP 529.*; falling back to anthropic\/claude-b/ : /^$/);
    asked.push(...server.seen.slice(seen).map((one) => one.model));
  }
  expect(asked).toEqual(["claude-a", "claude-b", "claude-a", "claude-b", "claude-b"]);
});

test("two providers of different names ask two addresses; without any key it says which one is missing", async () => {
  const [one, other] = [await serve({ script: SCRIPT }), await serve({ script: SCRIPT })];
  await (await open(one, "anthropic")).ask(request(ASK));
  await (await open(other, "chat", { env: {} })).ask(request(ASK));
  expect([one.seen[0]?.model, other.seen[0]?.model]).toEqual(["claude-sonnet-4-5", "local/model"]);
  await expect(open(one, "gemini", { env: { GEMINI_API_KEY: "" } })).rejects.toThrow(
    /GEMINI_API_KEY or GOOGLE/,
  );
  await expect(open(one, "chat", { model: "opnai/gpt-5" })).rejects.toThrow(/did you mean "openai\/gpt-5"/);
  const withoutAddress = { model: "openai-compatible/x", fallback: [], stream: true, maxToolRetries: 0 };
  await expect(openModel(withoutAddress, { ...nodePorts(), env: {} })).rejects.toThrow(
    /the address of its server/,
  );
});

test("a price is known where the table has the model, by either name, and else no cost is told", async () => {
  const server = await serve({
    script: { turns: [{ say: "x", times: 9, usage: { input: 10, cached: 4, output: 2 } }] },
  });
  const price = { input: 1_000_000, cached_input: 100_000, output: 2_000_000 };
  const costs: unknown[] = [];
  const known: Record<string, typeof price>[] = [
    { "anthropic/claude-sonnet-4-5": price },
    { "claude-sonnet-4-5": price },
    { other: price },
  ];
  for (const prices of known) {
    const answer = await (await open(server, "anthropic", { prices })).ask(request(ASK));
    costs.push("reply" in answer ? answer.reply.costUsd : answer);
  }
  expect(costs).toEqual([14.4, 14.4, undefined]);
});

test.each(FORMATS)(
  "%s: a model that cannot call tools decides in JSON, which is not shown",
  async (format) => {
    const decisions = [
      { intent: "tool_call", toolName: "fs_readFile", toolArgs: { path: "a" } },
      "I had better think first.",
      { intent: "answer", answerText: "It says hello." },
    ];
    const turns = decisions.map((one) => ({ say: typeof one === "string" ? one : JSON.stringify(one) }));
    const server = await serve({ script: { turns } });
    const pieces: string[] = [];
    const model = decideInJson(await open(server, format), "Decide in JSON.");
    const { answers } = await converse(model, 2, { onText: (piece) => pieces.push(piece) });
    expect(plain(answers)).toEqual([
      { text: "", finish: "calls", calls: [{ name: "fs_readFile", args: { path: "a" } }] },
      { text: "It says hello.", finish: "stop", calls: [] },
    ]);
    expect(pieces).toEqual(["It says hello."]);
    expect(server.seen.map(({ tools }) => tools)).toEqual([[], [], []]);
    for (const sent of [/Decide in JSON\./, /fs_readFile returned:/, /That is not a decision/])
      expect(JSON.stringify(server.seen[2]?.body)).toMatch(sent);
  },
);

test.each(FORMATS)("%s: a piece of the text is told before the rest of it has come", async (format) => {
  const server = await serve({ script: SCRIPT });
  server.failNext(broken("stalls"));
  const stop = new AbortController();
  const pieces: string[] = [];
  const model = await open(server, format, { maxToolRetries: 0 });
  const answer = await model.ask(
    request(ASK, {
      signal: stop.signal,
      onText: (piece) => {
        pieces.push(piece);
        stop.abort();
      },
    }),
  );
  // It never comes to its end: the server says no more.
  expect(pieces.join("")).toMatch(/^First I look/);
  expect(answer).toMatchObject({ failure: { reason: "interrupted" } });
});
