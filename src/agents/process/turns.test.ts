import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { AgentEvent } from "../agent.js";
import { createAgent } from "../clients/registry.js";
import { requestOf, runAgent, settingsOf } from "../testing/rig.js";
import { countTurns, NO_TURNS } from "./listen.js";

const says: AgentEvent = { type: "message", role: "assistant", content: "x" };
const thinks: AgentEvent = { type: "message", role: "reasoning", content: "x" };
const uses: AgentEvent = { type: "tool_use", name: "read", input: {} };
const result: AgentEvent = { type: "tool_result", output: "", is_error: false };
const begins: AgentEvent = { type: "command", command: "ls" };
const ends: AgentEvent = { type: "command", command: "ls", duration_ms: 3 };
const usage: AgentEvent = { type: "usage", input_tokens: 1, output_tokens: 1 };
const warns: AgentEvent = { type: "error", error: "x", reason: "warning" };
const person: AgentEvent = { type: "message", role: "user", content: "x" };

test.each<[number, AgentEvent[]]>([
  [0, []],
  [0, [person, warns, usage]],
  [1, [thinks, says, says]],
  [1, [thinks, uses, begins, result, ends]],
  [2, [thinks, uses, result, says]],
  [3, [begins, ends, begins, ends, usage, warns, says]],
  [1, [uses, result, usage, person]],
  // When two run at a time, the second end does not count as a turn.
  [2, [begins, begins, ends, ends, says]],
  // As opencode tells of it.
  [2, [ends, usage, ends]],
  [2, [says, ends, says, ends]],
  [1, [uses, { ...uses, parent: "p" }, { ...result, parent: "p" }, { ...says, parent: "p" }]],
])("%i turns in %j", (count, events) => {
  expect(events.reduce(countTurns, NO_TURNS).count).toBe(count);
});

test("an agent is stopped as it begins a turn too many", async () => {
  const code = `setInterval(() => {
    console.log(JSON.stringify(${JSON.stringify(uses)}));
    console.log(JSON.stringify(${JSON.stringify(result)}));
  }, 5);`;
  const more = { binary: process.execPath, args: ["-e", code], output: "jsonl", maxTurns: 3 } as const;
  const agent = createAgent(settingsOf("command", more), {
    ports: nodePorts(),
    self: { command: process.execPath, args: [] },
  });
  const seen = await runAgent(agent, requestOf({ cwd: tmpdir(), env: {} }));
  const evidence = "more than 3 turns (agents.ours.max_turns)";
  expect(seen.result).toMatchObject({ outcome: "failed", reason: "turns", evidence });
  expect(seen.events.filter(({ type }) => type === "tool_result").length).toBeGreaterThanOrEqual(3);
});
