import { expect, test } from "vitest";
import type { AgentEvent } from "../../agents/agent.js";
import type { ChapoEvent, ChapoNews } from "../engine/events.js";
import { toRunEvents, type OpenCommands } from "./run-events.js";

/** Converts events that are one second apart. */
function told(...news: ChapoNews[]): AgentEvent[] {
  const open: OpenCommands = new Map();
  const events = news.flatMap((one, at) => {
    const event: ChapoEvent = { ...one, seq: at + 1, timestamp: new Date(at * 1000).toISOString() };
    return toRunEvents(event, open);
  });
  expect(open.size).toBe(0);
  return events;
}

const call = (tool: string, args: unknown, callId = "c1") =>
  ({ type: "tool_call", data: { callId, agent: "developer", tool, args } }) as const;
const result = (tool: string, output: string, more: object = {}, callId = "c1") =>
  ({
    type: "tool_result",
    data: { callId, agent: "developer", tool, success: true, output, tries: 1, ...more },
  }) as const;

test("a tool call becomes a tool use and a result", () => {
  expect(told(call("fs_readFile", { path: "a" }), result("fs_readFile", "text"))).toEqual([
    { type: "tool_use", name: "fs_readFile", input: { path: "a" }, id: "c1" },
    { type: "tool_result", id: "c1", output: "text", is_error: false },
  ]);
});

test("a shell call becomes a command with its exit code and output", () => {
  const output = "exit_code: 3\nstdout:\nexit_code: 0\n";
  expect(told(call("bash_execute", { command: "make" }), result("bash_execute", output))).toEqual([
    { type: "command", command: "make" },
    { type: "command", command: "make", exit_code: 3, duration_ms: 1000 },
    { type: "tool_result", id: "c1", output, is_error: false },
  ]);
  const late = { success: false, code: "timeout" };
  expect(
    told(call("run_command", { command: "x" }), result("run_command", "timed out\nexit_code: 0\n", late)),
  ).toEqual([
    { type: "command", command: "x" },
    { type: "command", command: "x", duration_ms: 1000 },
    { type: "tool_result", id: "c1", output: "timed out\nexit_code: 0\n", is_error: true },
  ]);
});

test("a refused call becomes an error, and a sub-agent's events name its conversation", () => {
  const events = told(
    { ...call("bash_execute", { command: "git push" }), child: "s-2" },
    {
      ...result("bash_execute", "denied by Bash(git push *)", { success: false, code: "denied" }),
      child: "s-2",
    },
  );
  expect(events.at(-1)).toEqual({
    type: "error",
    error: "bash_execute: denied by Bash(git push *)",
    reason: "refused",
  });
  expect(events[0]).toMatchObject({ parent: "s-2" });
  expect(events[2]).toMatchObject({ type: "tool_result", parent: "s-2" });
  expect(told(call("x", {}), result("x", "no such tool", { success: false, code: "failed" }))).toHaveLength(
    2,
  );
});

test("usage keeps its tokens and cost, and the final answer is not repeated", () => {
  const usage = { who: "looper", model: "p/m", input_tokens: 5, output_tokens: 2, cached_input_tokens: 1 };
  expect(
    told(
      { type: "status", data: { status: "running", session: "s" } },
      { type: "usage", data: { ...usage, cost_usd: 0.5 } },
      { type: "usage", data: usage },
      { type: "delta", data: { iteration: 1, request: 1, text: "He" } },
      { type: "message", data: { iteration: 1, text: "Hello." } },
      { type: "waiting", data: { ms: 1200, why: "overloaded" } },
      { type: "answer", data: { answer: "Hello.", validated: true, status: "completed" } },
    ),
  ).toEqual([
    { type: "usage", input_tokens: 5, output_tokens: 2, cached_input_tokens: 1, cost_usd: 0.5 },
    { type: "usage", input_tokens: 5, output_tokens: 2, cached_input_tokens: 1 },
    { type: "message", role: "assistant", content: "Hello." },
    { type: "message", role: "system", content: "waiting 2 s: overloaded" },
  ]);
});
