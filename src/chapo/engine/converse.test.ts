import { describe, expect, test } from "vitest";
import { converse } from "./converse.js";
import {
  createTestConversation,
  playModel,
  createTestWorld,
  getNews,
  USUAL_SETTINGS,
  getSentText,
  type Played,
  type TestWorld,
} from "../testing/engine-world.js";

const GOOD = '{"isComplete": true, "confidence": 0.9, "issues": []}';

function play(looper: readonly Played[], more: Readonly<Record<string, readonly Played[]>> = {}) {
  const model = playModel({ validation: [GOOD], summary: ["Half is done. Continue?"], ...more, looper });
  return { model, world: createTestWorld(model) };
}

function types({ news }: TestWorld): string[] {
  return news.map(({ type }) => type).filter((type) => type !== "usage" && type !== "message");
}

const run = (world: TestWorld, text = "Fix the login bug") => converse(world, createTestConversation(), text);
const readFile = { call: "fs_readFile", args: { path: "a.ts" } };

describe("the loop", () => {
  test("a greeting takes one turn, one validation and one answer", async () => {
    const { model, world } = play(["Hello!"]);
    const { outcome, conversation } = await run(world, "Hi");
    expect(outcome).toEqual({ how: "answer", answer: "Hello!", validated: true });
    expect(conversation.state).toBe("completed");
    expect(types(world)).toEqual(["status", "thinking", "step", "validation", "answer"]);
    expect(model.requests.map(({ who }) => who)).toEqual(["looper", "validation"]);
  });

  test("calls run one after the other, and every request contains all results so far", async () => {
    const { model, world } = play([
      { calls: [readFile, { call: "fs.readFile", args: { path: "b.ts" } }], text: "I look." },
      { call: "bash_execute", args: { command: "bad" } },
      "Done.",
    ]);
    const { outcome } = await run(world);
    expect(outcome).toMatchObject({ how: "answer", answer: "Done." });
    expect(world.ran).toEqual(["fs_readFile a.ts", "fs_readFile b.ts", "bash_execute bad"]);
    const call = ["step", "tool_call", "tool_result"];
    expect(types(world)).toEqual([
      "status",
      "thinking",
      ...call,
      ...call,
      "thinking",
      ...call,
      "thinking",
      "step",
      "validation",
      "answer",
    ]);
    expect(getNews(world, "thinking").map(({ event }) => event)).toEqual([
      "user_message",
      "tool_result",
      "error",
    ]);
    expect(getNews(world, "step").map(({ decision }) => decision)).toMatchObject([
      {
        intent: "tool_call",
        agent: "developer",
        toolName: "fs_readFile",
        toolArgs: { path: "a.ts" },
        reasoning: "I look.",
      },
      { intent: "tool_call", agent: "developer", toolName: "fs_readFile" },
      { intent: "tool_call", agent: "commander", toolName: "bash_execute", reasoning: null },
      { intent: "answer", agent: null, answerText: "Done." },
    ]);
    const second = model.requests[1]?.messages;
    expect(second).toMatchObject([
      {
        role: "user",
        text: "Fix the login bug",
      },
      { role: "assistant", text: "I look.", calls: [{ id: "looper0-0" }, { id: "looper0-1" }] },
      {
        role: "tool",
        results: [
          { callId: "looper0-0", output: "fs_readFile of a.ts" },
          {
            callId: "looper0-1",
            output: "fs_readFile of b.ts",
          },
        ],
      },
    ]);
    expect(getSentText(model.requests[2])).toContain("it went bad");
  });

  test("a conversation out of turns ends with a summary and a question, and resumes with fresh turns", async () => {
    const { model, world } = play([readFile]);
    const { outcome, conversation } = await run(world);
    expect(outcome).toEqual({
      how: "clarify",
      question: "Half is done. Continue?",
      exhausted: true,
      limit: "idle",
    });
    expect(conversation.state).toBe("waiting_for_user");
    expect(model.requests.filter(({ who }) => who === "looper")).toHaveLength(25);
    expect(getSentText(model.requests.at(-1))).toContain("25. fs_readFile");
    expect(types(world).at(-1)).toBe("clarify");

    const again = playModel({ looper: [readFile, readFile, "Now it is done."], validation: [GOOD] });
    const next = createTestWorld(again);
    const done = await converse(next, conversation, "Yes, continue");
    expect(done.outcome).toMatchObject({ how: "answer", validated: true });
    expect(getNews(next, "thinking")[0]).toMatchObject({ iteration: 1, event: "clarification_response" });
    expect(getSentText(again.requests[0])).toContain("Fix the login bug");
    expect(getSentText(again.requests[0])).toContain("Yes, continue");
  });

  /** Reads of files, each another one. */
  const reads = (count: number): Played[] =>
    Array.from({ length: count }, (_, n) => ({ call: "fs_readFile", args: { path: `${n}.ts` } }));

  test("work that makes progress has no limit of turns, unless the settings say one", async () => {
    const steps = [...reads(60), "All read."];
    expect((await run(play(steps).world)).outcome).toMatchObject({ how: "answer" });
    const { model } = play(steps);
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, maxIterations: 7 } });
    expect((await run(world)).outcome).toMatchObject({ how: "clarify", limit: "idle" });
    expect(world.ran).toHaveLength(7);
  });

  test("calls that fail or repeat earlier ones do not count as progress, and a new one begins the count again", async () => {
    const bad: Played = { call: "fs_readFile", args: { path: "bad" } };
    const around = Array.from({ length: 12 }, () => [bad, readFile]).flat();
    const { world } = play([...reads(1), ...around, ...reads(3), bad]);
    expect((await run(world)).outcome).toMatchObject({ how: "clarify", limit: "idle" });
    expect(world.ran).toHaveLength(1 + 24 + 3 + 24);
  });

  test("a task that uses its turns up continues from its summary while something new is done", async () => {
    const finish = {
      tool: { name: "report", description: "Reports.", parameters: { type: "object" } },
      read: (value: unknown) => ({ value }),
      readText: () => undefined,
    };
    const report: Played = { call: "report", args: {} };
    const same = Array.from({ length: 30 }, () => readFile);
    const { model } = play([...same, report], { summary: ["Half is done."] });
    const world = createTestWorld(model, { finish });
    expect((await run(world)).outcome).toEqual({ how: "finished", value: {} });
    expect(getSentText(model.requests.at(-1))).toMatch(/Half is done\.[^]*Continue with what is open/u);
    const stuck = createTestWorld(play([readFile]).model, { finish });
    expect((await run(stuck)).outcome).toMatchObject({ how: "clarify", limit: "idle" });
    expect(stuck.ran).toHaveLength(50);
    const short = createTestWorld(play(reads(9)).model, { finish: { ...finish, maxTurns: 4 } });
    expect((await run(short)).outcome).toMatchObject({ how: "clarify", limit: "turns" });
    expect(short.ran).toHaveLength(4);
  });

  test("the summary of a conversation out of turns needs no model", async () => {
    const { world } = play([readFile], { summary: [{ fail: "network" }] });
    const { outcome } = await run(world);
    expect(outcome).toMatchObject({
      how: "clarify",
      question: expect.stringMatching(
        /25 turns without progress are used up\. 25 calls were made, 0 of them failed[^]*of a\.ts/u,
      ) as string,
    });
  });

  test("a question pauses the conversation; the answer becomes the result of its call, and later calls of the turn are not run", async () => {
    const asked: Played = {
      calls: [readFile, { call: "ask_user", args: { question: "Which one?" } }, readFile],
    };
    const { world } = play([asked]);
    const { outcome, conversation } = await run(world);
    expect(outcome).toEqual({ how: "clarify", question: "Which one?", exhausted: false });
    expect(world.ran).toHaveLength(1);
    expect(getNews(world, "step").at(-1)?.decision).toMatchObject({
      intent: "clarify",
      clarificationQuestion: "Which one?",
    });

    const model = playModel({ looper: ["Fine."], validation: [GOOD] });
    await converse(createTestWorld(model), conversation, "The second");
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      role: "tool",
      results: [
        { success: true },
        { success: true, output: "The user answered: The second" },
        { success: false, output: expect.stringContaining("Not run") as string },
      ],
    });
  });

  test("a killed session resumes, and its interrupted call gets a result that says so", async () => {
    const { world } = play([{ calls: [readFile, readFile] }, "Done."]);
    await run(world);
    const killed = world.saved.find(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" && last.results.length === 1;
    });
    const model = playModel({ looper: ["Fine."], validation: [GOOD] });
    const { outcome } = await converse(createTestWorld(model), killed ?? createTestConversation());
    expect(outcome).toMatchObject({ how: "answer" });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      results: [
        { success: true },
        { success: false, output: expect.stringContaining("No result") as string },
      ],
    });
  });

  test("a failed request to the model ends in an error with the reason, never in an answer", async () => {
    const { world } = play([{ fail: "overloaded" }]);
    const { outcome, conversation } = await run(world);
    expect(outcome).toEqual({ how: "error", error: "fake: overloaded", reason: "overloaded" });
    expect(conversation.state).toBe("error");
    expect(types(world)).toEqual(["status", "thinking", "error"]);
  });

  test("three empty turns in a row end in an error, and a call between them counts as progress", async () => {
    const nothing: Played = { reply: {} };
    const stuck = play([nothing, nothing, readFile, nothing, nothing, nothing, "too late"]);
    expect((await run(stuck.world)).outcome).toMatchObject({ how: "error", reason: "incomplete" });
    expect(stuck.model.requests).toHaveLength(6);
    expect(getNews(stuck.world, "thinking").map(({ event }) => event)).toEqual([
      "user_message",
      "user_message",
      "user_message",
      "tool_result",
      "tool_result",
      "tool_result",
    ]);
  });

  test("a turn that was cut off is discarded", async () => {
    const { model, world } = play([
      { reply: { text: "Half an ans", finish: "cut" } },
      { reply: { calls: [{ id: "x", name: "bash_execute", args: { command: "rm" } }], finish: "cut" } },
      "Whole.",
    ]);
    expect((await run(world)).outcome).toMatchObject({ how: "answer", answer: "Whole." });
    expect(world.ran).toEqual([]);
    expect(getNews(world, "step").map(({ decision }) => decision.intent)).toEqual([
      "continue",
      "continue",
      "answer",
    ]);
    expect(getSentText(model.requests[2])).toContain("Not run: your turn was cut off");
  });

  test("a stopped session runs nothing more", async () => {
    const stop = new AbortController();
    const model = playModel({ looper: [{ calls: [readFile, readFile] }, "Done."] });
    const world: TestWorld = {
      ...createTestWorld(model, { signal: stop.signal }),
    };
    const tools = world.tools({ world, conversation: createTestConversation() });
    world.gate.permit = () => {
      stop.abort();
      return Promise.resolve({ allowed: true });
    };
    const { outcome } = await converse({ ...world, tools: () => tools }, createTestConversation(), "go");
    expect(outcome).toMatchObject({ how: "error", reason: "interrupted" });
    expect(model.requests).toHaveLength(1);
    expect(getNews(world, "tool_call")).toHaveLength(1);
    expect(world.saved.at(-1)?.messages.at(-1)).toMatchObject({
      results: [{ success: false }, { success: false }],
    });
  });
});

describe("validation", () => {
  const no = (confidence: number) =>
    JSON.stringify({ isComplete: false, confidence, issues: ["no test was run"], suggestion: "run them" });

  test("a draft with confidence 0.69 is sent back with the issues, and one with 0.70 is delivered", async () => {
    const { model, world } = play([readFile, "First draft", "Second draft"], {
      validation: [`So: \`\`\`json\n${no(0.69)}\n\`\`\``, no(0.7)],
    });
    expect((await run(world)).outcome).toEqual({ how: "answer", answer: "Second draft", validated: true });
    const back = model.requests.filter(({ who }) => who === "looper").at(-1);
    const last = back?.messages.at(-1);
    expect(last?.role === "user" ? last.text : "").toMatch(/no test was run[^]*run them[^]*First draft/u);
    expect(getNews(world, "thinking").at(-1)?.event).toBe("self_validation");
    const asked = model.requests.find(({ who }) => who === "validation");
    expect(getSentText(asked)).toMatch(/Fix the login bug[^]*fs_readFile of a\.ts[^]*First draft/u);
  });

  test("after two rounds the draft is delivered as not validated", async () => {
    const { world } = play(["A", "B", "C"], { validation: [no(0.1)] });
    expect((await run(world)).outcome).toEqual({ how: "answer", answer: "B", validated: false });
    expect(getNews(world, "validation")).toHaveLength(2);
  });

  test("a draft that fails in the last turn is delivered as not validated", async () => {
    const { model } = play(["A", "B"], { validation: [no(0.1)] });
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, maxIterations: 1 } });
    expect((await run(world)).outcome).toEqual({ how: "answer", answer: "A", validated: false });
  });

  test("the last of several verdicts in a text counts", async () => {
    const { world } = play(["A"], { validation: [`For example ${no(0.1)}. Mine: ${GOOD}`] });
    expect((await run(world)).outcome).toMatchObject({ validated: true });
  });

  test("a draft is delivered as not validated if the validation fails or returns no readable verdict", async () => {
    for (const reply of [{ fail: "network" } as const, "fine!", '{"confidence": 7}']) {
      const { world } = play(["A"], { validation: [reply] });
      expect((await run(world)).outcome).toEqual({ how: "answer", answer: "A", validated: false });
      expect(getNews(world, "validation")).toMatchObject([{ confidence: 0 }]);
    }
  });

  test("no second request is sent if self-validation is off", async () => {
    const { model } = play(["A"]);
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, selfValidationEnabled: false } });
    await run(world);
    expect(model.requests).toHaveLength(1);
  });
});

describe("the finish tool", () => {
  const finish = {
    tool: { name: "report_summary", description: "Reports.", parameters: { type: "object" } },
    read: (args: unknown) =>
      typeof args === "object" && args !== null && "status" in args
        ? { value: args }
        : { problem: "status: missing" },
    readText: (text: string) =>
      text.startsWith("{")
        ? { value: JSON.parse(text) as unknown }
        : text === "broken"
          ? { problem: "cut" }
          : undefined,
  };
  const reporting = (looper: readonly Played[]) => {
    const model = playModel({ looper });
    return { model, world: createTestWorld(model, { finish }) };
  };

  test("a valid report ends the conversation, and wrong arguments get a result that names the field", async () => {
    const { model, world } = reporting([
      { call: "report_summary", args: {} },
      { calls: [{ call: "report_summary", args: { status: "done" } }, readFile] },
    ]);
    const { outcome, conversation } = await run(world);
    expect(outcome).toEqual({ how: "finished", value: { status: "done" } });
    expect(getSentText(model.requests[1])).toContain("report_summary: status: missing");
    expect(world.ran).toEqual([]);
    expect(conversation.state).toBe("completed");
  });

  test("a report in the text ends the conversation, and an invalid one is sent back with its problem", async () => {
    const { model, world } = reporting(["broken", '{"status":"done"}']);
    expect((await run(world)).outcome).toEqual({ how: "finished", value: { status: "done" } });
    expect(getSentText(model.requests[1])).toContain("The report in your text is not valid: cut.");
  });

  test("a model that replies in text instead of reporting is reminded, and three replies end in an error", async () => {
    const { model, world } = reporting(["Done!"]);
    expect((await run(world)).outcome).toMatchObject({ how: "error", reason: "no-summary" });
    expect(model.requests).toHaveLength(3);
    expect(getSentText(model.requests[2])).toContain("Call report_summary");
  });
});

test("a call with extremely nested arguments is refused, and the session continues", async () => {
  let path: unknown = "a.txt";
  for (let depth = 0; depth < 20_000; depth += 1) path = [path];
  const { world } = play([{ call: "fs_readFile", args: { path } }, "Done."]);
  const { outcome } = await run(world);
  expect(outcome).toMatchObject({ how: "answer", answer: "Done." });
  expect(getNews(world, "tool_result")).toMatchObject([{ success: false, code: "bad_arguments" }]);
  expect(JSON.stringify(world.news)).toContain("nested deeper than 100 levels");
});

test("pieces of text are emitted only if streaming is on", async () => {
  const model = playModel({ looper: ["Hello"], validation: [GOOD] });
  const streaming = {
    ...model,
    ask: (request: Parameters<typeof model.ask>[0]) => {
      request.onText?.("Hel");
      request.onText?.("lo");
      return model.ask(request);
    },
  };
  const on = createTestWorld(streaming, { settings: { ...USUAL_SETTINGS, stream: true } });
  await run(on);
  expect(getNews(on, "delta").map(({ text }) => text)).toEqual(["Hel", "lo"]);
  const off = createTestWorld(streaming);
  await run(off);
  expect(getNews(off, "delta")).toEqual([]);
  expect(getNews(off, "message")).toEqual([{ iteration: 1, text: "Hello" }]);
});

test("usage is reported per request and summed up, and a request without a known price is counted as unpriced", async () => {
  const usage = { input: 100, output: 20, cached: 50, cacheWrite: 7 };
  const model = playModel({
    looper: [{ reply: { text: "Hello", usage, costUsd: 0.5 } }],
    validation: [{ reply: { text: GOOD, usage } }],
  });
  const world = createTestWorld(model);
  const { conversation } = await run(world);
  const tokens = { input_tokens: 107, output_tokens: 20, cached_input_tokens: 50 };
  expect(getNews(world, "usage")).toEqual([
    { who: "looper", model: "fake/model", ...tokens, cost_usd: 0.5 },
    { who: "validation", model: "fake/model", ...tokens },
  ]);
  expect(conversation.usage).toEqual({
    input_tokens: 214,
    output_tokens: 40,
    cached_input_tokens: 100,
    cost_usd: 0.5,
    unpriced: 1,
  });
  expect(conversation.counted).toEqual({ tokens: 177, messages: 2 });
  const silent = createTestWorld(playModel({ looper: ["Hello"], validation: [GOOD] }));
  await run(silent);
  expect(getNews(silent, "usage")[0]).toMatchObject({ estimated: true });
});
