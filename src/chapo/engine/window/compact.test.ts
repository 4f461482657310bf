import { describe, expect, test } from "vitest";
import { clear, compact, makeRoom } from "./compact.js";
import { appendMessages, type Conversation, type Message } from "../conversation.js";
import { converse } from "../converse.js";
import {
  createTestConversation,
  playModel,
  createTestWorld,
  getNews,
  USUAL_SETTINGS,
  getSentText,
  type Played,
  type TestWorld,
} from "../../testing/engine-world.js";
import { estimateMessages, estimateText } from "./tokens.js";

const turn = (n: number, size: number): Message[] => [
  { role: "assistant", text: "", calls: [{ id: `c${n}`, name: "fs_readFile", args: { path: `${n}.ts` } }] },
  {
    role: "tool",
    results: [{ callId: `c${n}`, name: "fs_readFile", success: true, output: `${n} `.padEnd(size, "x") }],
  },
];

function long(turns: number, size: number, request = "The first request"): Conversation {
  const messages = Array.from({ length: turns }, (_, n) => turn(n, size)).flat();
  return appendMessages(createTestConversation(), { role: "user", text: request }, ...messages);
}

function worldWith(compaction: readonly Played[], changes: Partial<TestWorld["settings"]> = {}) {
  const model = playModel({ compaction, looper: ["Done."], summary: ["Stopped."] });
  return {
    model,
    world: createTestWorld(model, {
      settings: { ...USUAL_SETTINGS, selfValidationEnabled: false, ...changes },
    }),
  };
}

function unpaired(messages: readonly Message[]): boolean {
  return messages.some((message, n) => {
    const before = messages[n - 1];
    if (message.role !== "tool") return before?.role === "assistant" && before.calls.length > 0;
    return before?.role !== "assistant" || before.calls[0]?.id !== message.results[0]?.callId;
  });
}

describe("the context window", () => {
  test("a conversation of 200,000 tokens fits 120,000: it begins with the first request and the summary, and calls keep their results", async () => {
    const { model, world } = worldWith(["All was read."]);
    const { conversation } = await converse(world, long(80, 10_000), "Continue");
    const asked = model.requests.find(({ who }) => who === "looper");
    expect(estimateMessages(asked?.messages ?? [])).toBeLessThan(120_000);
    expect(asked?.messages[0]).toMatchObject({ role: "user", text: "The first request" });
    expect(asked?.messages[1]).toMatchObject({
      role: "user",
      text: expect.stringContaining("All was read.") as string,
    });
    expect(asked?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("Continue") as string });
    expect(unpaired(conversation.messages)).toBe(false);
    expect(estimateMessages(model.requests[0]?.messages ?? [])).toBeLessThan(120_000);
    expect(world.remembered).toEqual(["All was read."]);
    expect(conversation.summaries).toEqual(["All was read."]);
    expect(getNews(world, "compaction")).toMatchObject([{ how: "summary", summary: "All was read." }]);
    const [{ before, after } = { before: 0, after: 0 }] = getNews(world, "compaction");
    expect(before).toBeGreaterThan(190_000);
    expect(after).toBeLessThan(80_000);
  });

  test("the validation gets the summary as evidence", async () => {
    const model = playModel({ compaction: ["All was read."], looper: ["Done."], validation: ["?"] });
    await converse(createTestWorld(model), long(80, 10_000), "Continue");
    expect(getSentText(model.requests.at(-1))).toMatch(
      /WHAT THE TOOLS RETURNED:\n[^]*All was read\.[^]*fs_readFile/u,
    );
  });

  test("a conversation is compacted if the provider counts 0.92 of the window, but not 0.91", async () => {
    for (const [share, times] of [
      [0.91, 0],
      [0.92, 1],
    ] as const) {
      const { world } = worldWith(["Short."], { contextWindow: 1000, compactAt: 0.92 });
      const filled = long(5, 10);
      const live = {
        world,
        conversation: { ...filled, counted: { tokens: share * 1000, messages: filled.messages.length } },
      };
      await makeRoom(live, []);
      expect(getNews(world, "compaction")).toHaveLength(times);
      expect(live.conversation.messages.slice(-2)).toEqual(filled.messages.slice(-2));
    }
  });

  test("whole older turns are dropped if the request for a summary fails", async () => {
    const { model, world } = worldWith([{ fail: "network" }]);
    const { conversation } = await converse(world, long(80, 10_000), "Continue");
    expect(getNews(world, "compaction")).toMatchObject([{ how: "dropped" }]);
    expect(world.remembered).toEqual([]);
    expect(unpaired(conversation.messages)).toBe(false);
    expect(estimateMessages(model.requests.at(-1)?.messages ?? [])).toBeLessThan(120_000);
  });

  test("older turns are dropped if the last one fills the window, and a request that never fits ends the conversation", async () => {
    const { world } = worldWith(["Short."], { maxConversationTokens: 4000 });
    const live = { world, conversation: appendMessages(long(10, 800), ...turn(99, 10_000)) };
    expect(await makeRoom(live, [])).toBeLessThan(4000);
    expect(live.conversation.messages.at(-1)).toMatchObject({ results: [{ callId: "c99" }] });

    const { world: small } = worldWith(["Short."], { maxConversationTokens: 4000 });
    const { outcome } = await converse(
      { ...small, system: "x".repeat(40_000) },
      createTestConversation(),
      "Hello",
    );
    expect(outcome).toEqual({ how: "clarify", question: "Stopped.", exhausted: true, limit: "window" });
  });

  test("a first message that is too long is cut at both ends once, and a file keeps the whole", async () => {
    const { model, world } = worldWith(["Short."], { maxConversationTokens: 4000 });
    const message = `Begin ${"x".repeat(40_000)} end`;
    const first = await converse(world, createTestConversation(), message);
    expect(first.outcome).toMatchObject({ answer: "Done." });
    expect(model.requests).toHaveLength(1);
    expect(world.kept).toEqual([message]);
    expect(getSentText(model.requests[0])).toMatch(
      /Begin x+\n\[… \d+ of 40010 characters are left out here; all of it is in \/kept\/message\.txt, read on there …\]\nx+ end/,
    );
    await converse(world, first.conversation, "And now?");
    expect(model.requests.map(({ who }) => who)).toEqual(["looper", "looper"]);
  });

  test("the results of the latest turn are cut to what fits, the short ones stay whole, and calls keep their results", async () => {
    const { model, world } = worldWith(["Short."], { contextWindow: 8000 });
    const calls = [1, 2, 3].map((n) => ({ id: `p${n}`, name: "fs_readFile", args: { path: `${n}` } }));
    const output = (n: number) => (n === 2 ? "two" : `begin${n} ${"y".repeat(30_000)} end${n}`);
    const results = [1, 2, 3].map((n) => ({
      ...{ callId: `p${n}`, name: "fs_readFile", success: true, output: output(n) },
    }));
    const filled = appendMessages(
      long(3, 100),
      { role: "assistant", text: "", calls },
      { role: "tool", results },
    );
    const { conversation, outcome } = await converse(world, filled);
    expect(outcome).toMatchObject({ answer: "Done." });
    const sent = getSentText(model.requests.at(-1));
    expect(estimateText(sent)).toBeLessThan(8000 * 0.8);
    expect(sent).toMatch(/begin1 y+\n\[… [^\n]*\/kept\/p1\.txt[^\n]*\]\ny+ end1/);
    expect(sent).toMatch(/\ntwo\nbegin3 [^]*end3/);
    expect(unpaired(conversation.messages)).toBe(false);
    expect(getNews(world, "compaction").at(-1)).toMatchObject({ how: "clipped" });
  });

  test("a file that the model wrote is cut in the conversation after it was written", async () => {
    const args = { path: "big", content: "z".repeat(400_000), nested: [{ text: "z".repeat(50_000) }] };
    const { model, world } = worldWith(["Short."], { contextWindow: 8000 });
    const call = { id: "w1", name: "fs_writeFile", args };
    const filled = appendMessages(
      long(1, 10),
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", results: [{ callId: "w1", name: "fs_writeFile", success: true, output: "ok" }] },
    );
    const { outcome } = await converse(world, filled);
    expect(outcome).toMatchObject({ answer: "Done." });
    const sent = model.requests.at(-1)?.messages ?? [];
    expect(estimateMessages(sent)).toBeLessThan(8000);
    expect(JSON.stringify(sent)).toContain("are left out here; the call had all of it");
    expect(world.kept).toEqual([]);
  });

  test("a turn that the provider rejects as too long is cut to half", async () => {
    const model = playModel({ looper: [{ fail: "context-full" }, "Done."] });
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, selfValidationEnabled: false } });
    const filled = long(1, 100_000);
    expect((await converse(world, filled)).outcome).toMatchObject({ answer: "Done." });
    const [before = 0, after = 0] = model.requests.map(({ messages }) => estimateMessages(messages));
    expect(after).toBeLessThanOrEqual(before / 2);
  });

  test("a long first request leaves room for the latest turns, whose texts are cut", async () => {
    const { world } = worldWith(["Short."], { maxConversationTokens: 4000 });
    const live = { world, conversation: long(12, 1200, "x".repeat(13_000)) };
    expect(await makeRoom(live, [])).toBeLessThan(4000);
    expect(getNews(world, "compaction").map(({ how }) => how)).toEqual(["summary", "clipped"]);
    expect(unpaired(live.conversation.messages)).toBe(false);
    expect(live.conversation.messages.at(-1)).toMatchObject({ results: [{ callId: "c11" }] });
  });

  test("a summary is compacted into the next one, and the user's messages stay word for word", async () => {
    const { world } = worldWith(["One.", "Two."]);
    const live = {
      world,
      conversation: appendMessages(
        long(6, 100),
        { role: "user", text: "Never touch b.ts" },
        ...turn(50, 100),
        ...turn(51, 100),
      ),
    };
    expect(await compact(live, [])).toBe(true);
    expect(live.conversation.messages).toHaveLength(4);
    expect(JSON.stringify(live.conversation.messages[1])).toMatch(/One\.[^]*Never touch b\.ts/u);
    expect(await compact(live, [])).toBe(false);
    live.conversation = appendMessages(live.conversation, ...turn(52, 100));
    expect(await compact(live, [])).toBe(true);
    expect(live.conversation.messages).toHaveLength(4);
    expect(live.conversation.summaries).toEqual(["One.", "Two."]);
  });

  test("a request that the provider rejects as too long is shortened once", async () => {
    const model = playModel({ compaction: ["Short."], looper: [{ fail: "context-full" }, "Done."] });
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, selfValidationEnabled: false } });
    expect((await converse(world, long(10, 400), "Continue")).outcome).toMatchObject({ answer: "Done." });
    const twice = playModel({
      compaction: ["Short."],
      looper: [
        { fail: "context-full" },
        { calls: [{ call: "fs_readFile", args: { path: "a" } }], text: "y".repeat(400) },
        { fail: "context-full" },
        "Done.",
      ],
    });
    const later = createTestWorld(twice, { settings: { ...USUAL_SETTINGS, selfValidationEnabled: false } });
    expect((await converse(later, long(10, 400), "Continue")).outcome).toMatchObject({ answer: "Done." });
    const never = playModel({ compaction: ["Short."], looper: [{ fail: "context-full" }] });
    const hopeless = createTestWorld(never);
    expect((await converse(hopeless, long(10, 400), "Continue")).outcome).toMatchObject({
      how: "error",
      reason: "context-full",
    });
  });
});

test("clear keeps the current request", () => {
  const { world } = worldWith([]);
  const live = {
    world,
    conversation: appendMessages(long(3, 10), { role: "user", text: "Later" }, ...turn(9, 10)),
  };
  clear(live);
  expect(live.conversation.messages).toMatchObject([{ text: "Later" }, { role: "user" }]);
});

test("the estimate counts arguments and characters beyond ASCII", () => {
  expect(estimateText("x".repeat(400))).toBe(100);
  expect(estimateText("あ".repeat(100))).toBe(100);
  const call = { id: "1", name: "bash_execute", args: { command: "x".repeat(4000) } };
  expect(estimateMessages([{ role: "assistant", text: "", calls: [call] }])).toBeGreaterThan(1000);
});

test("a person's /compact keeps the state and the question", async () => {
  const { world } = worldWith(["Short."]);
  const question = { text: "Continue?" };
  const waiting: Conversation = { ...long(5, 100), state: "waiting_for_user", question };
  const live = { world, conversation: waiting };
  expect(await compact(live, [])).toBe(true);
  expect(live.conversation).toMatchObject({ state: "waiting_for_user", question });
  expect(live.conversation.messages).toHaveLength(4);
  expect(await compact({ world, conversation: createTestConversation() }, [])).toBe(false);
});
