// Tests impossible usage figures: they are ignored, so that no log holds them and no sum overflows.
import { expect, test } from "vitest";
import { acpReader } from "../acp/acp-stream.js";
import type { AgentEvent, Used } from "../agent.js";
import { boundEvent } from "../process/bounds.js";
import { claudeReader } from "./claude-stream.js";
import { codexReader } from "./codex-stream.js";
import { geminiReader } from "./gemini-stream.js";
import { opencodeReader } from "./opencode-stream.js";
import { createOwnReader } from "../hosted/own-lines.js";
import { readJsonLines, type JsonReader } from "../limits/reader.js";
import { addUsed, NOTHING_USED, tokensOf } from "../usage.js";

/** The usage that is reported in the stream and at its end. */
function usageOf<S>(kind: JsonReader<S>, ...lines: string[]): AgentEvent[] {
  const reader = readJsonLines(kind);
  let state = reader.start;
  const events: AgentEvent[] = [];
  for (const line of lines) {
    const reading = reader.read(state, line, 0);
    state = reading.state;
    events.push(...reading.events);
  }
  return [...events, ...reader.close(state).events].filter(({ type }) => type === "usage");
}

const codex = (output: string): AgentEvent[] =>
  usageOf(codexReader(), `{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":${output}}}`);
const step = (more: string): string =>
  `{"type":"step_finish","sessionID":"s","part":{"reason":"stop",${more}}}`;
const used = (more: object): object => ({ type: "usage", input_tokens: 0, output_tokens: 0, ...more });

test.each(["9007199254740993", "1e300", "1e400"])("codex: %s tokens were not used", (output) => {
  expect(codex(output)).toEqual([used({ input_tokens: 5 })]);
});

test("claude: dollars beyond belief are not told, tokens of one model do not hide those of another", () => {
  const result = (cost: string, tokens: string): string =>
    `{"type":"result","total_cost_usd":${cost},"modelUsage":{"a":{"inputTokens":${tokens}},"b":{"inputTokens":3}}}`;
  expect(usageOf(claudeReader(), result("1e308", "4"))).toEqual([used({ input_tokens: 7 })]);
  expect(usageOf(claudeReader(), result("0.5", "1e300"))).toEqual([used({ input_tokens: 3, cost_usd: 0.5 })]);
});

test("gemini, opencode, ACP: the same", () => {
  const gemini = '{"type":"result","status":"success","stats":{"input_tokens":1e300,"output_tokens":2}}';
  expect(usageOf(geminiReader, gemini)).toEqual([used({ output_tokens: 2 })]);
  const steps = [
    step('"cost":1e308'),
    step('"cost":1e308,"tokens":{"input":1e300,"output":2}'),
    step('"cost":0.25'),
  ];
  expect(usageOf(opencodeReader, ...steps)).toEqual([used({ output_tokens: 2, cost_usd: 0.25 })]);
  const cost = (amount: string): string =>
    `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"usage_update","cost":{"amount":${amount},"currency":"USD"}}}}`;
  const end =
    '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","usage":{"inputTokens":1e300,"outputTokens":2}}}';
  expect(usageOf(acpReader(), cost("0.25"), cost("1e308"), end)).toEqual([
    used({ output_tokens: 2, cost_usd: 0.25 }),
  ]);
});

const own = (usage: string): AgentEvent[] => usageOf(createOwnReader("command"), `{"type":"usage",${usage}}`);

test("own lines: dollars alone are told, tokens alone as well", () => {
  expect(own('"cost_usd":0.3')).toEqual([used({ cost_usd: 0.3 })]);
  expect(own('"output_tokens":3,"cached_input_tokens":4')).toEqual([
    used({ output_tokens: 3, cached_input_tokens: 4 }),
  ]);
});

test("own lines: figures beyond belief are not told, the others of the line are", () => {
  expect(own('"input_tokens":3,"cost_usd":1e308')).toEqual([used({ input_tokens: 3 })]);
  expect(own('"input_tokens":1e300,"output_tokens":1e400,"cached_input_tokens":4,"cost_usd":1e999')).toEqual([
    used({ cached_input_tokens: 4 }),
  ]);
  // These are not counts.
  for (const odd of ['"input_tokens":-1', '"input_tokens":1.5', '"cost_usd":-1', '"cost_usd":"1"'])
    expect(own(odd)).toEqual([]);
});

test("sums stay numbers that a log can hold", () => {
  const most: Used = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1, cached_input_tokens: 7 };
  expect(addUsed(most, most).input_tokens).toBe(Number.MAX_SAFE_INTEGER);
  expect(tokensOf(most)).toBe(Number.MAX_SAFE_INTEGER);
  expect(addUsed(most, NOTHING_USED)).toEqual(most);
});

test.each([3.5, 1e30, -Infinity])("an exit code of %s is none", (exit_code) => {
  const event = { type: "command", command: "make", duration_ms: 1 } as const;
  expect(boundEvent({ ...event, exit_code })).toEqual(event);
  expect(boundEvent({ ...event, exit_code: 3 })).toEqual({ ...event, exit_code: 3 });
});
