// A stand-in for an agent of the Agent Client Protocol: raw JSON-RPC on stdin and stdout, nothing of the protocol's library.
// It plays the same scripts as the others, as far as it knows the keys.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { chooseAttempt } from "./play.mjs";

const attempt = chooseAttempt();
const sessionId = "session-1";
/** @type {Map<number, (result: unknown) => void>} */
const waiting = new Map();

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** @param {object} update */
function update(update) {
  send({ method: "session/update", params: { sessionId, update } });
}

/** @param {string} text */
function say(text) {
  // In two pieces, as models do.
  for (const piece of [text.slice(0, 10), text.slice(10)]) {
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: piece } });
  }
}

/**
 * @param {string} method
 * @param {object} params
 * @returns {Promise<unknown>}
 */
function ask(method, params) {
  return new Promise((resolve) => {
    const id = waiting.size + 100;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
}

/**
 * @param {string} place
 * @param {string} content
 */
function write(place, content) {
  const file = path.resolve(place);
  const call = {
    toolCallId: `write ${place}`,
    kind: "edit",
    title: `Write ${place}`,
    locations: [{ path: file }],
  };
  update({ sessionUpdate: "tool_call", status: "in_progress", ...call });
  writeFileSync(file, content);
  update({ sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, status: "completed" });
}

/** @param {string} place */
async function askToWrite(place) {
  const toolCall = {
    toolCallId: "asked",
    kind: "edit",
    title: `Write ${place}`,
    locations: [{ path: path.resolve(place) }],
  };
  const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, kind, name: kind }));
  const answer = JSON.stringify(await ask("session/request_permission", { sessionId, toolCall, options }));
  if (answer.includes("allow_once")) write(place, "asked\n");
  say(`I was told ${answer}.`);
}

async function takeTurn() {
  if (attempt.message !== undefined) say(attempt.message);
  for (const [place, content] of Object.entries(attempt.files ?? {})) write(place, content);
  for (let line = 1; line <= (attempt.garbage ?? 0); line += 1)
    process.stdout.write(`<garbage ${line} {"type":\n`);
  if (attempt.asks !== undefined) await askToWrite(attempt.asks);
  if (attempt.exit !== undefined) process.exit(attempt.exit);
  const report = { task_id: process.env.LOOPER_TASK_ID ?? null, ...attempt.summary };
  update({
    sessionUpdate: "tool_call",
    toolCallId: "report",
    kind: "think",
    status: "completed",
    rawInput: { about: "it" },
  });
  say(attempt.summary === undefined ? (attempt.prose ?? "All done.") : JSON.stringify(report));
  return {
    stopReason: "end_turn",
    usage: { inputTokens: 20, outputTokens: 5, cachedReadTokens: 10, totalTokens: 35 },
  };
}

/** @type {Record<string, () => unknown>} */
const answers = {
  initialize: () => ({ protocolVersion: attempt.version ?? 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId }),
  "session/prompt": takeTurn,
};

/** @param {string} line */
async function take(line) {
  /** @type {unknown} */
  const json = JSON.parse(line);
  const { id, method, result } = /** @type {{ id: number, method?: string, result?: unknown }} */ (json);
  if (method === undefined) waiting.get(id)?.(result);
  else if (attempt.mute !== true) send({ id, result: await answers[method]?.() });
}

createInterface({ input: process.stdin })
  .on("line", (line) => void take(line))
  .on("close", () => process.exit(0));
