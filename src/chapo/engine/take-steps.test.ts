// Tests replies that are not whole: refused, filtered, paused.
import { describe, expect, test } from "vitest";
import {
  createTestConversation,
  createTestWorld,
  playModel,
  type Played,
  type TestWorld,
} from "../testing/engine-world.js";
import { converse } from "./converse.js";

function play(looper: readonly Played[]) {
  const model = playModel({ looper });
  return { model, world: createTestWorld(model) };
}

function run(world: TestWorld) {
  return converse(world, createTestConversation(), "Hello");
}

describe("a reply that is not whole", () => {
  const ended = (finish: "refused" | "filtered" | "paused", text: string): Played => ({
    reply: { text, finish },
  });

  test("a refusal ends with the refusal's words as an error, and is not asked again", async () => {
    for (const [text, error] of [
      ["I cannot help with that.", "the model refused: I cannot help with that."],
      ["", "the model refused, without a reason"],
    ] as const) {
      const { model, world } = play([ended("refused", text), "Fine."]);
      expect((await run(world)).outcome).toEqual({ how: "error", error, reason: "bad-request" });
      expect(model.requests).toHaveLength(1);
    }
  });

  test("a filtered answer is marked and not validated", async () => {
    const { model, world } = play([ended("filtered", "First this, then")]);
    const { outcome } = await run(world);
    expect(outcome).toMatchObject({ how: "answer", validated: false });
    expect(outcome).toMatchObject({
      answer: expect.stringMatching(/^First this, then\n\n\[.*content filter/) as string,
    });
    expect(model.requests).toHaveLength(1);
  });

  test("a paused reply is continued, and its parts are one answer", async () => {
    const { model, world } = play([ended("paused", "One, "), "two."]);
    expect((await run(world)).outcome).toMatchObject({ how: "answer", answer: "One, two." });
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", text: "One, " },
      { role: "user", text: expect.stringContaining("Continue.") as string },
    ]);
  });
});
