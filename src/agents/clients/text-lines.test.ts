import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent.js";
import { boundEvent } from "../process/bounds.js";
import { splitLines } from "../process/lines.js";
import { textReader } from "./command.js";

function readChunks(chunks: readonly Uint8Array[]): { events: AgentEvent[]; final: string } {
  const splitter = splitLines();
  let state = textReader.start;
  const events: AgentEvent[] = [];
  const lines = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  for (const line of lines) {
    const reading = textReader.read(state, line, 0);
    state = reading.state;
    events.push(...reading.events);
  }
  return { events, final: textReader.close(state).final };
}

test("law: events and final message do not hang on where the output was cut into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat({ max: 100 }), (lines, cut) => {
      const bytes = Buffer.from(lines.join("\n"));
      expect(readChunks([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(readChunks([bytes]));
    }),
  );
});

test("each line is a message, an empty one is none, all of it is the final message", () => {
  expect(readChunks([Buffer.from("a\n\n  b\n")])).toEqual({
    events: [
      { type: "message", role: "assistant", content: "a" },
      { type: "message", role: "assistant", content: "  b" },
    ],
    final: "a\n\n  b",
  });
});

test("beyond 1 MiB there is one event that says so, and the end of the text is still kept", () => {
  const { events, final } = readChunks([
    Buffer.from(`${"x".repeat(1023)}\n`.repeat(3_000)),
    Buffer.from("the end"),
  ]);
  expect(events).toHaveLength(1026);
  expect(events.at(-1)).toMatchObject({ type: "error", reason: "output-cut" });
  expect(final.endsWith("\nthe end")).toBe(true);
});

test("a line that is too long is left out, and those after it are told", () => {
  const { events } = readChunks([Buffer.from(`${"x".repeat(1_100_000)}\nhello\n`)]);
  expect(events).toMatchObject([
    { type: "error", reason: "output-cut" },
    { type: "message", content: "hello" },
  ]);
});

test("events are bounded, also an input that no one could write down", () => {
  const long = "x".repeat(100_000);
  expect(boundEvent({ type: "message", role: "assistant", content: long })).toMatchObject({
    content: expect.stringMatching(/^x+\n\[… \d+ more bytes\]$/) as string,
  });
  const short = { type: "tool_use", name: "n", input: { a: 1 } } as const;
  expect(boundEvent(short)).toEqual(short);
  expect(boundEvent({ ...short, input: { a: long } })).toMatchObject({
    input: expect.stringMatching(/^\{"a":"x+/) as string,
  });
  const deep: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
  expect(boundEvent({ ...short, input: deep })).toMatchObject({
    input: expect.stringMatching(/^\[not shown/) as string,
  });
});
