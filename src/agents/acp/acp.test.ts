// Agents of the Agent Client Protocol through their host in a real child: `looper agent-host --acp`, bundled alone, and an
// agent that speaks raw JSON-RPC and does what its arguments say.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createAgent } from "../clients/registry.js";
import { requestOf, runAgent, settingsOf, type Replaced, type RigResult } from "../testing/rig.js";

const ports = nodePorts();
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
let root = "";
let cwd = "";
let program = "";

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), "looper-acp-"));
  cwd = path.join(root, "work");
  mkdirSync(cwd);
  await build({
    entryPoints: [fileURLToPath(new URL("../../../test/fakes/agent-host.ts", import.meta.url))],
    outfile: path.join(root, "host.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // As scripts/bundle.mjs: the "main" of jsonc-parser cannot be bundled.
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  // Other tests of this process end its children, and the service is one.
  await stop();
  program = path.join(root, "agent.mjs");
  writeFileSync(program, `#!${process.execPath}\n${AGENT}`);
  chmodSync(program, 0o755);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/**
 * Its argument is a module's text: \`does\` is called with the prompt's parameters and may \`update\`, \`ask\` the client,
 * \`print\` a raw line; what it returns answers the prompt. \`answers\` replaces answers to other requests.
 */
const AGENT = `
import { createInterface } from "node:readline";
import { appendFileSync } from "node:fs";
const { does, answers = {}, onCancel, deaf } = (await import("data:text/javascript," + encodeURIComponent(process.argv[2])));
const waiting = new Map();
let last = 0;
const print = (line) => process.stdout.write(line + "\\n");
const send = (message) => print(JSON.stringify({ jsonrpc: "2.0", ...message }));
const ask = (method, params) => new Promise((resolve) => { last += 1; waiting.set(last, resolve); send({ id: last, method, params }); });
const update = (update) => send({ method: "session/update", params: { sessionId: "s1", update } });
const tools = { print, send, ask, update, env: process.env, cancelled: new Promise((resolve) => { globalThis.cancel = resolve; }) };
const defaults = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": () => ({ sessionId: "s1" }),
  "session/resume": () => ({}),
  "session/set_mode": () => ({}), "session/set_model": () => ({}), "session/set_config_option": () => ({ configOptions: [] }),
  "session/prompt": (params) => does(params, tools),
};
if (deaf) for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
const input = createInterface({ input: process.stdin });
input.on("close", () => { appendFileSync("heard.jsonl", '"closed"\\n'); if (!deaf) process.exit(0); setInterval(() => {}, 1000); });
input.on("line", async (line) => {
  appendFileSync("heard.jsonl", line + "\\n");
  const message = JSON.parse(line);
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? message.error);
  if (message.method === "session/cancel") return globalThis.cancel();
  try {
    send({ id: message.id, result: await (answers[message.method] ?? defaults[message.method])(message.params, tools) });
  } catch (error) {
    send({ id: message.id, error: { code: error.code ?? -32603, message: error.message, data: error.data } });
  }
});
`;

interface More extends Replaced {
  settings?: Partial<AgentSettings>;
  request?: Parameters<typeof requestOf>[1];
}

async function run(
  script: string,
  { settings = {}, request = {}, ...context }: More = {},
): Promise<RigResult> {
  rmSync(path.join(cwd, "heard.jsonl"), { force: true });
  const self = { command: process.execPath, args: [path.join(root, "host.mjs")] };
  const agent = createAgent(settingsOf("acp", { binary: program, args: [script], ...settings }), {
    ports,
    self,
  });
  return runAgent(agent, requestOf({ cwd, env }, request), context);
}

/** The messages that the agent received. */
function heard(): { method?: string; params?: unknown; result?: unknown }[] {
  const lines = readFileSync(path.join(cwd, "heard.jsonl"), "utf8").split("\n");
  return lines.filter((line) => line !== "" && line !== '"closed"').map((line) => JSON.parse(line) as object);
}
const methods = (): string[] => heard().flatMap(({ method }) => method ?? []);
const closed = (): boolean => readFileSync(path.join(cwd, "heard.jsonl"), "utf8").endsWith('"closed"\n');

const text = (piece: string): string =>
  `update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: ${JSON.stringify(piece)} } });`;
const REPORT = text('{"task_id":"T1",') + text('"status":"done"}');
const DONE = `return { stopReason: "end_turn", usage: { inputTokens: 10, cachedReadTokens: 3, outputTokens: 5, thoughtTokens: 2, totalTokens: 20 } };`;
const does = (body: string, more = ""): string =>
  `export async function does(params, { print, send, ask, update, env, cancelled }) { ${body} } ${more}`;

test("a turn: the prompt is handed over, the pieces are joined, tools have two ends, usage is counted, its input is closed", async () => {
  const { result, events, lines, started } = await run(
    does(`
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm" } });
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "m." } });
      update({ sessionUpdate: "tool_call", toolCallId: "c1", kind: "execute", title: "bash", status: "pending", rawInput: {} });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress", rawInput: { command: "make" } });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed", _meta: { terminal_exit: { exit_code: 3 } } });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c2", kind: "edit", title: "a.txt", status: "completed", rawOutput: "written" });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c2", title: "a.txt, more of it" });
      update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } });
      ${REPORT}
      if (params.prompt[0].text !== "Do it.\\n" || env.GIVEN !== "yes") throw new Error("not as given");
      ${DONE}`),
    { request: { env: { ...env, GIVEN: "yes" } } },
  );
  expect(result).toMatchObject({
    outcome: "ok",
    exitCode: 0,
    report: { found: { task_id: "T1", status: "done" } },
  });
  expect(result).toMatchObject({ unknownEvents: 0, session: { id: "s1", used: { cost_usd: 0.25 } } });
  expect(events).toEqual([
    { type: "message", role: "reasoning", content: "Hmm." },
    { type: "command", command: "make" },
    { type: "command", command: "make", exit_code: 3, duration_ms: expect.any(Number) as number },
    { type: "tool_use", name: "edit", input: { title: "a.txt", paths: [] }, id: "c2" },
    { type: "tool_result", id: "c2", output: "written", is_error: false },
    { type: "message", role: "assistant", content: '{"task_id":"T1","status":"done"}' },
    { type: "usage", input_tokens: 10, output_tokens: 7, cached_input_tokens: 3, cost_usd: 0.25 },
  ]);
  expect(methods()).toEqual(["initialize", "session/new", "session/prompt"]);
  expect(heard()[0]).toMatchObject({
    params: {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    },
  });
  expect(heard()[1]).toMatchObject({ params: { cwd, mcpServers: [] } });
  expect(closed()).toBe(true);
  expect(lines[0]).toContain('"jsonrpc":"2.0"');
  expect(started).toEqual([
    { pid: expect.any(Number) as number, command: expect.stringContaining("--acp") as string },
  ]);
});

const asks = (
  call: object,
  options = ["allow_always", "allow_once", "reject_always", "reject_once"],
): string =>
  does(`
    const answer = await ask("session/request_permission", { sessionId: "s1", toolCall: ${JSON.stringify({ toolCallId: "c1", ...call })},
      options: ${JSON.stringify(options.map((kind) => ({ optionId: kind, kind, name: kind })))} });
    ${text("answer: ").replace('"answer: "', "JSON.stringify(answer.outcome)")}
    ${DONE}`);

test.each<[string, "read-only" | "workspace", object, string]>([
  ["a search", "read-only", { kind: "search" }, "allow_once"],
  ["an edit outside", "workspace", { kind: "edit", locations: [{ path: "/etc/passwd" }] }, "reject_once"],
])("asked about %s, %s: it is answered", async (_what, permissions, call, option) => {
  const { result, events } = await run(asks(call), { request: { permissions } });
  expect(JSON.parse(result.lastMessage)).toEqual({ outcome: "selected", optionId: option });
  const refused = events.filter((event) => event.type === "error" && event.reason === "refused");
  expect(refused).toHaveLength(option === "allow_once" ? 0 : 1);
});

test("the folder's other name counts as inside, and without a matching option the answer is a cancellation", async () => {
  const link = path.join(root, "link");
  symlinkSync(cwd, link);
  const inside = asks({ kind: "edit", locations: [{ path: path.join(cwd, "a") }] });
  const seen = await run(inside, { request: { cwd: link } });
  expect(JSON.parse(seen.result.lastMessage)).toMatchObject({ optionId: "allow_once" });
  const { result } = await run(asks({ kind: "edit" }, ["reject_once"]));
  expect(JSON.parse(result.lastMessage)).toEqual({ outcome: "cancelled" });
});

test("what it is asked about may have been told before", async () => {
  const { result, events } = await run(
    does(`
      update({ sessionUpdate: "tool_call", toolCallId: "c1", kind: "edit", title: "Write", locations: [{ path: "/etc/passwd" }] });
      const answer = await ask("session/request_permission", { sessionId: "s1", toolCall: { toolCallId: "c1" },
        options: [{ optionId: "y", kind: "allow_once", name: "y" }, { optionId: "n", kind: "reject_once", name: "n" }] });
      update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" });
      ${text("x").replace('"x"', "answer.outcome.optionId")}
      ${DONE}`),
  );
  expect(result.lastMessage).toBe("n");
  expect(events.slice(0, 3)).toEqual([
    { type: "tool_use", name: "edit", input: { title: "Write", paths: ["/etc/passwd"] }, id: "c1" },
    { type: "error", error: "Write: not allowed with workspace", reason: "refused" },
    { type: "tool_result", id: "c1", output: "", is_error: true },
  ]);
});

test("files and terminals are not the client's to give", async () => {
  const { result } = await run(
    does(`
      const answer = await ask("fs/read_text_file", { sessionId: "s1", path: "/etc/passwd" });
      ${text("x").replace('"x"', "String(answer.code)")}
      ${DONE}`),
  );
  expect(result.lastMessage).toBe("-32601");
});

test.each<[string, string, object]>([
  [
    "its provider's status",
    does(`throw Object.assign(new Error("Bad thing"), { code: 429 });`),
    { reason: "rate-limited", evidence: "session/prompt: Bad thing" },
  ],
  [
    "its kind of error",
    does(`throw Object.assign(new Error("Internal error: no"), { data: { errorKind: "rate_limit" } });`),
    { reason: "rate-limited" },
  ],
  [
    "not signed in",
    does(
      DONE,
      `export const answers = { "session/new": () => { throw Object.assign(new Error("Authentication required"), { code: -32000 }); } };`,
    ),
    { reason: "not-signed-in" },
  ],
  [
    "another protocol",
    does(
      DONE,
      `export const answers = { initialize: () => ({ protocolVersion: 2, agentCapabilities: {} }) };`,
    ),
    { reason: "exited", evidence: "initialize: it speaks version 2 of the protocol, not 1" },
  ],
  [
    "an end without usage",
    does(`${text("API Error: 401 Invalid API key")} return { stopReason: "end_turn", usage: null };`),
    { reason: "not-signed-in" },
  ],
  [
    "it exits in the midst",
    does(
      `process.stderr.write("fatal: out of luck\\n"); setTimeout(() => process.exit(7), 50); await new Promise(() => {});`,
    ),
    { reason: "exited", exitCode: 7, evidence: "exit code 7: fatal: out of luck" },
  ],
  ["it exits in the midst, as if well", does(`process.exit(0);`), { reason: "incomplete", exitCode: 0 }],
  [
    "it is killed",
    does(`process.kill(process.pid, "SIGSEGV"); await new Promise(() => {});`),
    { reason: "killed", evidence: "ended by SIGSEGV, not by looper" },
  ],
])("failures: %s", async (_name, script, wanted) => {
  const { result } = await run(script);
  expect(result).toMatchObject({ outcome: "failed", ...wanted });
});

test("garbage between the messages is kept, counted and harmless; so is what this version does not know", async () => {
  const { result, lines } = await run(
    does(`
      print("Warning: \\u001b[33mfree text");
      print("[1,2");
      print("null");
      send({ method: "session/update", params: null });
      update({ sessionUpdate: "hologram" });
      send({ method: "_vendor/thing", params: {} });
      send({ method: "vendor/thing", params: {} });
      send({ id: 99, result: { sessionId: 7 } });
      ${REPORT} ${DONE}`),
  );
  expect(result).toMatchObject({ outcome: "ok", unknownEvents: 6, report: { found: { status: "done" } } });
  expect(lines.join("\n")).toContain("free text");
});

test("a model and an effort are chosen where the agent lets them be, and the mode fits the permissions", async () => {
  const options = `configOptions: [
    { id: "m", category: "model", type: "select", currentValue: "a", options: [] },
    { id: "e", category: "thought_level", type: "select", currentValue: "low", options: [] },
  ]`;
  const modes = `modes: { currentModeId: "default", availableModes: [{ id: "default" }, { id: "plan" }] }`;
  const script = does(
    REPORT + DONE,
    `export const answers = { "session/new": () => ({ sessionId: "s1", ${options}, ${modes} }) };`,
  );
  const settings = { model: "b", reasoning: "high" };
  await run(script, { settings, request: { permissions: "read-only" } });
  expect(heard().slice(2, 5)).toMatchObject([
    { method: "session/set_mode", params: { sessionId: "s1", modeId: "plan" } },
    { method: "session/set_config_option", params: { configId: "m", value: "b" } },
    { method: "session/set_config_option", params: { configId: "e", value: "high" } },
  ]);
  await run(script);
  expect(methods()).toEqual(["initialize", "session/new", "session/prompt"]);
  const none = does(REPORT + DONE);
  expect((await run(none, { settings: { model: "b" } })).result).toMatchObject({ reason: "model-unknown" });
  const refusing = does(
    REPORT + DONE,
    `const no = () => { throw Object.assign(new Error("Invalid params"), { code: -32602 }); };
     export const answers = { "session/new": () => ({ sessionId: "s1", ${options} }), "session/set_config_option": no };`,
  );
  expect((await run(refusing, { settings })).result).toMatchObject({
    reason: "model-unknown",
    evidence: "model: b: Invalid params; perhaps its args can name one",
  });
  const effort = await run(none, { settings: { reasoning: "high" } });
  expect(effort.result.outcome).toBe("ok");
  expect(effort.events).toContainEqual(expect.objectContaining({ type: "error", reason: "warning" }));
});

test("a resumed session counts its dollars once, and a session that cannot be resumed is refused", async () => {
  const script = does(
    `update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.75, currency: "USD" } }); ${REPORT} ${DONE}`,
  );
  const used = { input_tokens: 1, output_tokens: 1, cost_usd: 0.5 };
  const { result, events } = await run(script, { request: { resume: { id: "s0", used } } });
  expect(heard()[1]).toMatchObject({ method: "session/resume", params: { sessionId: "s0", cwd } });
  expect(heard()[2]).toMatchObject({ method: "session/prompt", params: { sessionId: "s0" } });
  expect(events.at(-1)).toMatchObject({ type: "usage", input_tokens: 10, cost_usd: 0.25 });
  expect(result.session).toMatchObject({ id: "s0", used: { cost_usd: 0.75 } });
  const without = does(
    REPORT + DONE,
    `export const answers = { initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: false } }) };`,
  );
  expect((await run(without)).result.session).toBeUndefined();
  expect((await run(without, { request: { resume: { id: "s0" } } })).result).toMatchObject({
    outcome: "failed",
    evidence: "initialize: it cannot resume a session",
  });
});

function stopAt(word: string, how: "now" | "kill" = "now"): Pick<More, "stop" | "onLine"> {
  const stop = new AbortController();
  return {
    stop: stop.signal,
    onLine: (line) => {
      if (line.includes(word)) stop.abort(how);
    },
  };
}

test("told to stop, the turn is cancelled, its input closed, and what it used is still counted", async () => {
  const { result, events } = await run(
    does(
      `${text("begun")} await cancelled; return { stopReason: "cancelled", usage: { inputTokens: 4, outputTokens: 2 } };`,
    ),
    stopAt("begun"),
  );
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted" });
  expect(methods().at(-1)).toBe("session/cancel");
  expect(closed()).toBe(true);
  expect(events.at(-1)).toMatchObject({ type: "usage", input_tokens: 4 });
});

test("told to stop, one that is deaf to all of it is killed within the grace", async () => {
  const { result } = await run(
    does(
      `${text("pid ").replace('"pid "', '"pid " + process.pid')} await new Promise(() => {});`,
      `export const deaf = true;`,
    ),
    stopAt("pid "),
  );
  // The host lives to say so: it killed the agent before the grace of 5 s was over and it was killed itself.
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", exitCode: 143 });
  const pid = /pid (\d+)/.exec(result.lastMessage)?.[1] ?? "";
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test("limits hold as for any other", async () => {
  const silent = await run(does(`await new Promise(() => {});`), { settings: { idleTimeoutMs: 300 } });
  expect(silent.result).toMatchObject({ outcome: "failed", reason: "idle" });
  const late = await run(does(`await new Promise(() => {});`), { settings: { timeoutMs: 300 } });
  expect(late.result).toMatchObject({ outcome: "failed", reason: "timed-out" });
});

test("without a program there is nothing to start", async () => {
  const agent = createAgent(settingsOf("acp"), { ports, self: { command: "x", args: [] } });
  expect(await agent.find({}, cwd)).toMatchObject({ missing: "agents.ours.binary is not set" });
});
