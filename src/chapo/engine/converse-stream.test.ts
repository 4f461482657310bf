import { expect, test } from "vitest";
import type { ModelAnswer, ModelRequest } from "../model.js";
import {
  createTestConversation,
  createTestWorld,
  getNews,
  playModel,
  USUAL_SETTINGS,
  type TestWorld,
} from "../testing/engine-world.js";
import { converse } from "./converse.js";

const GOOD = '{"isComplete": true, "confidence": 0.9, "issues": []}';
const run = (world: TestWorld) => converse(world, createTestConversation(), "Hello");

test("a retry is an event, and each piece of text has the number of its request", async () => {
  const model = playModel({ looper: ["Hello", "Bye"], validation: [GOOD, GOOD] });
  const failing = {
    ...model,
    ask: (request: Parameters<typeof model.ask>[0]) => {
      request.onText?.("xxxx");
      request.onWait?.({ ms: 5, why: "the connection broke" });
      request.onText?.("Hello");
      return model.ask(request);
    },
  };
  const world = createTestWorld(failing, { settings: { ...USUAL_SETTINGS, stream: true } });
  await run(world);
  expect(getNews(world, "delta")).toEqual([
    { iteration: 1, request: 1, text: "xxxx" },
    { iteration: 1, request: 2, text: "Hello" },
  ]);
  const why = "the connection broke";
  expect(getNews(world, "retry")[0]).toEqual({ failed: 1, request: 2, ms: 5, why });
});

test("text that was shown before an interruption stays in the conversation", async () => {
  const stop = new AbortController();
  const model = {
    ...playModel({}),
    ask: ({ onText }: ModelRequest): Promise<ModelAnswer> => {
      onText?.("I begin with ");
      stop.abort();
      return Promise.resolve({ failure: { reason: "interrupted", message: "stopped" } });
    },
  };
  const settings = { ...USUAL_SETTINGS, stream: true };
  const { conversation } = await run(createTestWorld(model, { settings, signal: stop.signal }));
  expect(conversation.messages.at(-1)).toEqual({ role: "assistant", text: "I begin with ", calls: [] });
});
