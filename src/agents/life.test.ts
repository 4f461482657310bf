// Commands as real processes: what is a sign of their life, what they say of their own failure, and why they cannot be started.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentSettings } from "../config/agent-settings.js";
import { nodePorts } from "../system/node.js";
import type { Agent } from "./agent.js";
import { createAgent } from "./registry.js";
import { requestOf, runAgent, settingsOf } from "./rig.js";

const deps = { ports: nodePorts(), self: { command: process.execPath, args: [] } };
const env = { PATH: process.env.PATH ?? "" };
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "looper-life-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function shell(lines: string, more: Partial<AgentSettings> = {}): Agent {
  return createAgent(settingsOf("command", { binary: "sh", args: ["-c", lines], ...more }), deps);
}

const request = (): ReturnType<typeof requestOf> => requestOf({ cwd, env });

const DOTS = `i=0; while [ $i -lt 8 ]; do printf . ; sleep 0.1; i=$((i + 1)); done; echo`;

test("an agent that prints dots is alive where it speaks text; lines of JSON have an end", async () => {
  const text = shell(DOTS, { idleTimeoutMs: 500 });
  const lines = shell(`${DOTS}; sleep 60`, { idleTimeoutMs: 500, output: "jsonl" });
  const seen = await Promise.all([runAgent(text, request()), runAgent(lines, request())]);
  expect(seen[0].result).toMatchObject({ outcome: "ok", lastMessage: "........" });
  expect(seen[1].result).toMatchObject({
    ...{ outcome: "failed", reason: "idle" },
    evidence: "no line on stdout for 500 ms (agents.ours.idle_timeout)",
  });
});

test("what an agent says on stderr is no sign of life, and that is said", async () => {
  const agent = shell("while :; do echo at work >&2; sleep 0.05; done", { idleTimeoutMs: 300 });
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({
    ...{ outcome: "failed", reason: "idle" },
    evidence: "no line on stdout for 300 ms (agents.ours.idle_timeout)",
  });
});

test("a command that speaks JSON lines says itself that it is limited, and until when", async () => {
  const line = JSON.stringify({
    ...{ type: "error", error: "You have hit your limit, try again in 60s", reason: "rate-limited" },
  });
  const before = Date.now();
  const { result } = await runAgent(shell(`echo '${line}'; exit 1`, { output: "jsonl" }), request());
  expect(result).toMatchObject({
    ...{ outcome: "failed", reason: "rate-limited", exitCode: 1 },
    evidence: "exit code 1: You have hit your limit, try again in 60s",
  });
  const retryAt = (result.outcome === "failed" && result.retryAt) || 0;
  expect(retryAt - before).toBeGreaterThanOrEqual(60_000);
  // Of text nobody knows whose words they are; the last of them are told.
  const asText = await runAgent(shell(`echo '${LIMIT}'; echo '${LIMIT}' >&2; exit 1`), request());
  expect(asText.result).toMatchObject({ reason: "exited", evidence: `exit code 1: ${LIMIT}` });
});

const LIMIT = "You have hit your limit, try again in 60s";
