import path from "node:path";
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Clock } from "../../system/ports.js";
import { hostAcp } from "./acp-host.js";
import type { AcpRequest } from "./acp-stream.js";
import { acpReader } from "./acp-stream.js";
import type { Session } from "../agent.js";
import { readJsonLines } from "../limits/reader.js";

const cwd = mkdtempSync(path.join(tmpdir(), "looper-acp-host-"));
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** A clock with short minutes. */
function hasty(clock: Clock): Clock {
  const after: Clock["after"] = (ms, act) => clock.after(ms / 100, act);
  return {
    ...clock,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(ms),
    after,
  };
}

/** The lines of a host whose agent runs the program. */
async function hostOf(
  program: string,
  more: Partial<AcpRequest> = {},
): Promise<{ code: number; lines: string[] }> {
  const file = path.join(cwd, "agent.mjs");
  writeFileSync(file, program);
  const request: AcpRequest = {
    ...{ phase: "iteration", iteration: 1, attempt: 1, prompt: "Do it.", promptFile: "p.md" },
    ...{ cwd, permissions: "workspace", args: [file], ...more },
  };
  const ports = nodePorts();
  const lines: string[] = [];
  const code = await hostAcp(process.execPath, {
    ports: { ...ports, clock: hasty(ports.clock) },
    env: { PATH: "/usr/bin:/bin" },
    node: process.execPath,
    readInput: () => Promise.resolve(JSON.stringify(request)),
    write: (text) => {
      lines.push(...text.split("\n").filter((line) => line !== ""));
      return Promise.resolve();
    },
    writeError: () => Promise.resolve(),
    stop: new AbortController().signal,
  });
  return { code, lines };
}

function read(lines: readonly string[], resumed?: Session) {
  const reader = readJsonLines(acpReader(resumed));
  let state = reader.start;
  const events: unknown[] = [];
  for (const line of lines) {
    const reading = reader.read(state, line, 0);
    state = reading.state;
    events.push(...reading.events);
  }
  const closing = reader.close(state);
  return { events: [...events, ...closing.events], closing };
}

test("one that never answers is given up after a minute, ended, and said to speak something else", async () => {
  const began = performance.now();
  const { code, lines } = await hostOf(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`);
  expect(performance.now() - began).toBeGreaterThan(550);
  expect(code).toBe(1);
  expect(read(lines).closing.terminal).toMatchObject({
    good: false,
    reason: "timed-out",
    evidence: expect.stringContaining("initialize: no answer in 60 s") as string,
  });
});

const LOADS = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s0", update } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const cost = (amount) => update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "USD" } });
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  "session/load": ({ sessionId }) => {
    say("old of " + sessionId);
    update({ sessionUpdate: "tool_call", toolCallId: "c1", kind: "execute", status: "in_progress", rawInput: { command: "make" } });
    cost(0.5);
    return null;
  },
  "session/prompt": () => {
    say("new");
    cost(0.75);
    return { stopReason: "end_turn", usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  send({ id, result: answers[method](params) });
});`;

test("where a session can only be loaded it is; what was said in it before is not said again", async () => {
  const { code, lines } = await hostOf(LOADS, { resume: "s0" });
  expect(code).toBe(0);
  const used = { input_tokens: 1, output_tokens: 1, cost_usd: 0.5 };
  const { events, closing } = read(lines, { id: "s0", used });
  expect(events).toEqual([
    { type: "message", role: "assistant", content: "new" },
    { type: "usage", input_tokens: 3, output_tokens: 4, cost_usd: 0.25 },
  ]);
  expect(closing).toMatchObject({ final: "new", session: { id: "s0", used: { cost_usd: 0.75 } } });
});

const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });
const updates = (...all: object[]): string[] =>
  all.map((update) => line({ method: "session/update", params: { update } }));
const ENDED = line({ id: 3, result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } });

test("a turn that ends in silence after a refusal has failed; one that continues after it has not", () => {
  const refused = JSON.stringify({ type: "refused", tool: "Write a: not allowed with read-only" });
  expect(read([refused, ENDED]).closing.terminal).toEqual({
    good: false,
    reason: "incomplete",
    evidence: "stopped there: Write a: not allowed with read-only",
  });
  const said = updates({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "Well then." },
  });
  expect(read([refused, ...said, ENDED]).closing.terminal).toEqual({ good: true });
});

test("what an agent's own rules refuse is told as refused, what merely failed is not", () => {
  const end = (status: string, text: string): string[] => {
    const content = [{ type: "content", content: { type: "text", text } }];
    return updates({ sessionUpdate: "tool_call_update", toolCallId: "c1", kind: "edit", status, content });
  };
  const refusals = (lines: string[]) =>
    read(lines).events.filter((event) => JSON.stringify(event).includes('"reason":"refused"'));
  const denied = 'Tool execution for "WriteFile" denied by policy.';
  expect(refusals(end("failed", denied))).toEqual([{ type: "error", error: denied, reason: "refused" }]);
  expect(refusals(end("completed", denied))).toEqual([]);
  expect(refusals(end("failed", "no such file"))).toEqual([]);
});
