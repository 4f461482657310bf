import { expect, test } from "vitest";
import { createRedact } from "../../system/text/secrets/redact.js";
import type { AgentContext, AgentEvent } from "../agent.js";
import { Listener } from "./listen.js";
import { textReader } from "../clients/command.js";

const SECRET = "correct-horse-battery";

/** Listens to text; `onPause` gets each write that begins, and ends it. */
function listener(): {
  hears: (...chunks: (string | Uint8Array)[]) => Promise<void>;
  finish: () => Promise<unknown>;
  writes: (() => void)[];
  output: () => Buffer;
  pieces: Uint8Array[];
  events: AgentEvent[];
  broken: string[];
} {
  const pieces: Uint8Array[] = [];
  const events: AgentEvent[] = [];
  const writes: (() => void)[] = [];
  const broken: string[] = [];
  const context: AgentContext = {
    redact: createRedact([SECRET]),
    onEvent: (event) => void events.push(event),
    onOutput: (lines) => void pieces.push(lines),
    onPause: () => new Promise((resolve) => writes.push(resolve)),
    onStderr: () => undefined,
    onStart: () => undefined,
    stop: new AbortController().signal,
  };
  const listening = new Listener({
    reader: textReader,
    context,
    clock: { now: () => 0, monotonic: () => 0, at: none, after: none, every: none, sleep: none },
    ready: () => Promise.resolve(),
    onPrinted: () => undefined,
    onVain: () => undefined,
    stopping: () => false,
    spend: (_what, amount) => amount,
    onUsed: () => undefined,
    price: undefined,
    onBroken: (message) => void broken.push(message),
  });
  return {
    hears: async (...chunks) => {
      for (const chunk of chunks) await listening.onStdout(Buffer.from(chunk));
    },
    finish: () => listening.finish(),
    ...{ writes, pieces, events, broken },
    output: () => Buffer.concat(pieces),
  };
}

function none(): never {
  throw new Error("no timers here");
}

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}\n`).join("");

test("what comes together is written together, and what comes meanwhile is the next", async () => {
  const { hears, finish, writes, events, output } = listener();
  await hears(lines(1000));
  expect(writes).toHaveLength(1);
  await hears(lines(1000), lines(1000), lines(1000));
  expect(writes).toHaveLength(1);
  const over = finish();
  writes[0]?.();
  await expect.poll(() => writes.length).toBe(2);
  writes[1]?.();
  await over;
  expect(writes).toHaveLength(2);
  expect(events).toHaveLength(4000);
  expect(output().toString()).toBe(lines(1000).repeat(4));
});

test("an agent that prints faster than is written is held back", async () => {
  const { hears, writes } = listener();
  const chunk = `${"x".repeat(65_535)}\n`;
  await hears(chunk);
  const heard: number[] = [];
  const all = (async () => {
    for (let n = 0; n < 8; n++) {
      await hears(chunk);
      heard.push(n);
    }
  })();
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  expect(heard).toEqual([0, 1, 2, 3]);
  writes[0]?.();
  await expect.poll(() => heard.length).toBe(8);
  await all;
});

test("output is kept unchanged, except for secrets, line ends and bytes that are not text", async () => {
  const cases: [string | Uint8Array, string][] = [
    ['{"a":"→ \\u2192"}\nb\n', '{"a":"→ \\u2192"}\nb\n'],
    [`a\nb ${SECRET} c\nd\n`, "a\nb [redacted] c\nd\n"],
    ["a\r\nb\r\n", "a\nb\n"],
    [Buffer.from([97, 10, 0xff, 98, 10]), "a\n\ufffdb\n"],
  ];
  for (const [given, kept] of cases) {
    const { hears, output } = listener();
    await hears(given);
    expect(output().toString()).toBe(kept);
  }
});

test("a secret that comes in two chunks goes, wherever it is cut", async () => {
  const text = `first\nsecond ${SECRET} end\nthird\n`;
  for (let at = 0; at <= text.length; at++) {
    const { hears, output } = listener();
    await hears(text.slice(0, at), text.slice(at));
    expect(output().toString()).toBe("first\nsecond [redacted] end\nthird\n");
  }
});
