// Agents that wait for their provider, as real processes: what becomes of them, and until when the run must wait.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { claudeReader } from "../clients/claude-stream.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import { explainFailure } from "../limits/explain-failure.js";
import { readJsonLines } from "../limits/reader.js";
import { createAgent } from "../clients/registry.js";
import { requestOf, runAgent, settingsOf } from "../testing/rig.js";

const ports = nodePorts();
const deps = { ports, self: { command: process.execPath, args: [] } };
const env = { PATH: process.env.PATH ?? "" };
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "looper-waiting-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** An executable shell script. */
function program(name: string, lines: string): string {
  const file = path.join(cwd, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

const request = (): ReturnType<typeof requestOf> => requestOf({ cwd, env });

// The time limit is beyond that of a test: only silence may end the client.
test("a client that only says that it waits is as good as silent, and had no chance", async () => {
  const notice = "Reconnecting... waiting for network (Connection failed: error sending request)";
  const binary = program(
    "offline-codex",
    `trap 'echo "{}"; exit 1' INT
while :; do echo '{"type":"error","message":"${notice}"}'; sleep 0.05; done`,
  );
  const agent = createAgent(settingsOf("codex", { binary, idleTimeoutMs: 2_000, timeoutMs: 12_000 }), deps);
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "failed", reason: "network" });
  const evidence = result.outcome === "failed" ? result.evidence : "";
  expect(evidence).toContain("waiting for network");
  expect(evidence).toContain("agents.ours.idle_timeout");
});

/** opencode, of which every request is too long, and so is what it makes of its summary. */
const TOO_LONG = `
trap 'exit 143' TERM
while :; do
  echo '{"type":"error","sessionID":"s","error":{"name":"ContextOverflowError","data":{"message":"too long"}}}'
  echo '{"type":"step_start","sessionID":"s"}'
  echo '{"type":"step_finish","sessionID":"s","part":{"reason":"stop"}}'
done`;

test("a client that makes summaries for ever of what is too long is stopped", async () => {
  const binary = program("summing-opencode", TOO_LONG);
  const agent = createAgent(settingsOf("opencode", { binary, timeoutMs: 30_000 }), deps);
  const { result } = await runAgent(agent, request());
  const evidence = "too long: asked 5 times in vain";
  expect(result).toMatchObject({ outcome: "failed", reason: "context-full", evidence });
});

/** opencode, of which the stream is always cut off: steps without an end, and a deed in the third. */
const CUT_OFF = `
trap 'exit 143' TERM
n=0
while :; do
  n=$((n + 1))
  echo '{"type":"step_start","sessionID":"s"}'
  echo '{"type":"text","sessionID":"s","part":{"text":"First I look"}}'
  [ $n = 3 ] && echo '{"type":"tool_use","sessionID":"s","part":{"tool":"read","callID":"c","state":{"status":"completed","output":""}}}'
  echo '{"type":"step_finish","sessionID":"s","part":{"reason":"unknown"}}'
done`;

test("a client that asks again and again, for ever, is stopped, and counts from what it did last", async () => {
  const binary = program("endless-opencode", CUT_OFF);
  const agent = createAgent(settingsOf("opencode", { binary, timeoutMs: 30_000 }), deps);
  const { result, events } = await runAgent(agent, request());
  const evidence = "streams without an end: asked 5 times in vain";
  expect(result).toMatchObject({ outcome: "failed", reason: "network", evidence });
  const said = events.filter(({ type }) => type === "message").length;
  // Two steps before the one with the deed, and five after it.
  expect(said).toBeGreaterThanOrEqual(3 + 5);
});

test("a client that waits for hours and says so on stderr waits until it was told", async () => {
  const notice =
    "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 8h0m0s.";
  const binary = program("patient-gemini", `echo '{"type":"init"}'; echo '${notice}' >&2; sleep 60`);
  const agent = createAgent(settingsOf("gemini", { binary, idleTimeoutMs: 3_000 }), deps);
  const before = Date.now() + 8 * 3_600_000;
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "failed", reason: "rate-limited" });
  const retryAt = (result.outcome === "failed" && result.retryAt) || 0;
  expect(retryAt - before).toBeGreaterThanOrEqual(0);
  expect(retryAt - before).toBeLessThan(60_000);
});

test("of what comes on both pipes at once, neither is the later one; what comes later is", async () => {
  const notice = "API Error: 529 Overloaded";
  const failing = (pause: string): string =>
    `echo '{"type":"init"}'; echo '${notice}' >&2; ${pause}; echo '{"type":"message","role":"assistant","content":"First I look","delta":true}'; sleep 60`;
  const outcomes = ["true", "sleep 0.6"].map(async (pause, at) => {
    const binary = program(`hasty-gemini-${String(at)}`, failing(pause));
    const agent = createAgent(settingsOf("gemini", { binary, idleTimeoutMs: 1_500 }), deps);
    const { result } = await runAgent(agent, request());
    return result.outcome === "failed" ? result.reason : "ok";
  });
  expect(await Promise.all(outcomes)).toEqual(["overloaded", "idle"]);
});

test("times without a zone are read where the agent's own clock stands", async () => {
  const limit = "You've hit your usage limit. Try again at Nov 24th, 2036 8:40 PM.";
  const line = JSON.stringify({ type: "turn.failed", error: { message: limit } });
  const binary = program("limited-codex", `cat <<'END'\n${line}\nEND\nexit 1`);
  const at = Date.parse("2036-11-23T10:00:00Z");
  const later = { ...deps, ports: { ...ports, clock: { ...ports.clock, now: () => at } } };
  const agent = createAgent(settingsOf("codex", { binary }), later);
  const retryAt = async (zone: string): Promise<string> => {
    const { result } = await runAgent(agent, requestOf({ cwd, env: { ...env, TZ: zone } }));
    return result.outcome === "failed" ? new Date(result.retryAt ?? 0).toISOString() : "ok";
  };
  expect(await retryAt("Asia/Seoul")).toBe("2036-11-24T11:40:00.000Z");
  expect(await retryAt("America/New_York")).toBe("2036-11-25T01:40:00.000Z");
});

test("claude's own count of a limit that was met is its end; of one that was not it is nothing", () => {
  const event = (status: string, resetsAt: number): string =>
    JSON.stringify({ type: "rate_limit_event", rate_limit_info: { status, resetsAt } });
  const result = JSON.stringify({ type: "result", is_error: true, api_error_status: 429, result: "no" });
  const factsOf = (...lines: string[]): unknown => {
    const reader = readJsonLines(claudeReader());
    const state = [...lines, result].reduce(
      (before, line) => reader.read(before, line, 0).state,
      reader.start,
    );
    const { terminal } = reader.close(state);
    return terminal?.good === false ? terminal.facts : undefined;
  };
  expect(factsOf(event("rejected", 1_795_219_200))).toHaveProperty("resetsAt", 1_795_219_200);
  expect(factsOf(event("allowed_warning", 1_795_219_200))).not.toHaveProperty("resetsAt");
  expect(factsOf(event("rejected", 1_795_219_200), event("allowed", 1_795_219_200))).not.toHaveProperty(
    "resetsAt",
  );
});

test("what claude retries is what it waits for, with or without an answer", () => {
  const retry = (more: object): FailureFacts | undefined => {
    const line = JSON.stringify({ type: "system", subtype: "api_retry", retry_delay_ms: 90_000, ...more });
    const reader = readJsonLines(claudeReader());
    return reader.read(reader.start, line, 0).waiting;
  };
  const clock = { now: 0, zone: "UTC" };
  expect(explainFailure(retry({ error: "rate_limit", error_status: 429 }) ?? {}, clock)).toMatchObject({
    reason: "rate-limited",
    retryAt: 90_000,
  });
  expect(explainFailure(retry({ error: "unknown", error_status: null }) ?? {}, clock)).toMatchObject({
    reason: "network",
  });
});
