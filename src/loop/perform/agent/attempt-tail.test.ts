import { expect, test } from "vitest";
import type { AgentEvent } from "../../../agents/agent.js";
import { addEvent, type AttemptTail } from "./attempt-tail.js";

const said = (number: number): AgentEvent => ({
  type: "message",
  role: "assistant",
  content: `line ${String(number)}`,
});
const ran = (code: number): AgentEvent => ({ type: "command", command: "npm test", exit_code: code });
const linesOf = (events: readonly AgentEvent[]): string[] =>
  events.reduce<AttemptTail>(addEvent, []).map(({ text }) => text);
const times = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test("failures are kept however many lines follow, and of the rest the last lines", () => {
  const lines = linesOf([
    ran(3),
    ran(0),
    { type: "tool_result", output: "no such file", is_error: true },
    { type: "error", error: "try again" },
    ...times(40).map(said),
  ]);
  expect(lines).toEqual([
    "$ npm test (exit 3)",
    "tool failed: no such file",
    "error: try again",
    ...times(40)
      .slice(-27)
      .map((number) => `assistant: line ${String(number)}`),
  ]);
});

test("the last of many failures are kept, with the messages between them", () => {
  const lines = linesOf([...times(20).map(said), ...times(40).map(ran)]);
  expect(lines).toHaveLength(30);
  expect(lines.slice(-10)).toEqual(
    times(40)
      .slice(-10)
      .map((code) => `$ npm test (exit ${String(code)})`),
  );
  expect(lines[0]).toBe("assistant: line 1");
});

test("a long line is truncated, and a command that never ended has not failed", () => {
  const [long, open] = linesOf([
    { type: "error", error: "x".repeat(600) },
    { type: "command", command: "sleep 1" },
    ...times(40).map(said),
  ]);
  expect(long).toBe(`error: ${"x".repeat(493)} …`);
  expect(open).toBe("assistant: line 12");
});
