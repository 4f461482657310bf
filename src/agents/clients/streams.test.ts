// Recorded and recorded-like streams of the real clients (testdata/streams/*.jsonl) and what they come to (*.expected.json beside them).
// `npx vitest run src/agents/clients/streams.test.ts -u` rewrites what is expected; read the difference in review.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { acpReader } from "../acp/acp-stream.js";
import type { AgentEvent, Session } from "../agent.js";
import { claudeReader } from "./claude-stream.js";
import { codexReader } from "./codex-stream.js";
import { geminiReader } from "./gemini-stream.js";
import { opencodeReader } from "./opencode-stream.js";
import { createOwnReader } from "../hosted/own-lines.js";
import { readJsonLines, type Closing, type Reader } from "../limits/reader.js";

const folder = fileURLToPath(new URL("../testing/testdata/streams/", import.meta.url));
const streams = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

interface Outcome {
  events: AgentEvent[];
  unknown: number;
  busyAtTheEnd: boolean;
  closing: Closing;
}

function readAll<S>(reader: Reader<S>, lines: readonly string[]): Outcome {
  let state = reader.start;
  const events: AgentEvent[] = [];
  let unknown = 0;
  for (const [index, line] of lines.entries()) {
    const reading = reader.read(state, line, index * 10);
    state = reading.state;
    events.push(...reading.events);
    if (!reading.known) unknown += 1;
  }
  return { events, unknown, busyAtTheEnd: reader.busy(state), closing: reader.close(state) };
}

function readStream(name: string, resumed?: Session): Outcome {
  const lines = readFileSync(path.join(folder, name), "utf8").split("\n");
  return readerOf(name.split("-", 1)[0] ?? "", resumed)(lines);
}

function readerOf(kind: string, resumed?: Session): (lines: readonly string[]) => Outcome {
  switch (kind) {
    case "codex":
      return (lines) => readAll(readJsonLines(codexReader(resumed)), lines);
    case "claude":
      return (lines) => readAll(readJsonLines(claudeReader(resumed)), lines);
    case "gemini":
      return (lines) => readAll(readJsonLines(geminiReader), lines);
    case "acp":
      return (lines) => readAll(readJsonLines(acpReader(resumed)), lines);
    case "opencode":
      return (lines) => readAll(readJsonLines(opencodeReader), lines);
    default:
      throw new Error(`no reader reads ${kind}`);
  }
}

test.each(streams)("%s", async (name) => {
  const outcome = JSON.stringify(readStream(name), null, 2);
  await expect(`${outcome}\n`).toMatchFileSnapshot(
    path.join(folder, name.replace(".jsonl", ".expected.json")),
  );
});

test("an API error of claude is a failure although its subtype is success", () => {
  expect(readStream("claude-api-error.jsonl").closing.terminal).toMatchObject({
    good: false,
    reason: "rate-limited",
  });
});

test("a warning or a reconnect of codex does not count as a failure", () => {
  expect(readStream("codex-reconnecting.jsonl").closing.terminal).toEqual({ good: true });
  expect(readStream("codex-success.jsonl").closing.terminal).toEqual({ good: true });
});

test("claude's last result wins, and work begun after a result unsays it", () => {
  expect(readStream("claude-two-results.jsonl").closing.final).toContain('"task_id"');
  expect(readStream("claude-result-then-work.jsonl").closing.terminal).toBeUndefined();
});

test("a stream that is cut off has no terminal", () => {
  expect(readStream("codex-cut-off.jsonl").closing.terminal).toBeUndefined();
});

test("a tool that was started keeps the idle clock still until it ends", () => {
  const reader = readJsonLines(codexReader());
  const line = (type: string): string =>
    JSON.stringify({
      type,
      item: { id: "item_1", type: "command_execution", command: "sleep 9", exit_code: null },
    });
  const started = reader.read(reader.start, line("item.started"), 0).state;
  expect(reader.busy(started)).toBe(true);
  expect(reader.busy(reader.read(started, line("item.completed"), 5).state)).toBe(false);
});

const usageOf = ({ closing }: Outcome): AgentEvent | undefined =>
  closing.events.find(({ type }) => type === "usage");

test.each([
  [
    "claude-structured",
    { input_tokens: 210, cached_input_tokens: 80, output_tokens: 40, cost_usd: 0.001666 },
    { input_tokens: 105, cached_input_tokens: 40, output_tokens: 20, cost_usd: 0.000833 },
  ],
  [
    "codex-prose",
    { input_tokens: 120, cached_input_tokens: 80, output_tokens: 40 },
    { input_tokens: 120, cached_input_tokens: 80, output_tokens: 40 },
  ],
])("%s: a resumed session is not counted twice", (name, first, second) => {
  const before = readStream(`${name}.jsonl`);
  expect(usageOf(before)).toEqual({ type: "usage", ...first });
  const { session } = before.closing;
  expect(session).toMatchObject({ id: expect.stringMatching(/^0{8}-/) as string, used: first });
  const after = readStream(`${name}-resumed.jsonl`, session);
  expect(usageOf(after)).toEqual({ type: "usage", ...second });
  expect(after.closing.session).toMatchObject({ id: session?.id });
  // Another session's count is none of its business.
  const other = readStream(`${name}-resumed.jsonl`, { id: "other", used: first });
  expect(usageOf(other)).toEqual({ type: "usage", ...after.closing.session?.used });
});

test("an id that could be taken for a flag is not used as a session", () => {
  const lines = (id: string): string[] => [JSON.stringify({ type: "thread.started", thread_id: id })];
  const sessionOf = (id: string): Session | undefined =>
    readAll(readJsonLines(codexReader()), lines(id)).closing.session;
  for (const id of ["--full", "", "a b", "-x", "a/../b", "x".repeat(201)])
    expect(sessionOf(id)).toBeUndefined();
  expect(sessionOf("ses_01a1fa77")).toEqual({ id: "ses_01a1fa77" });
});

const jsonLines = fc.array(
  fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(...streams.flatMap((name) => readFileSync(path.join(folder, name), "utf8").split("\n"))),
    fc
      .record({
        type: fc.constantFrom(
          "item.completed",
          "item.started",
          "assistant",
          "user",
          "result",
          "system",
          "error",
          "message",
          "end",
          "summary",
          "tool_use",
          "tool_result",
          "init",
          "text",
          "step_start",
          "step_finish",
        ),
        item: fc.jsonValue(),
        jsonrpc: fc.constantFrom("2.0", undefined),
        method: fc.constantFrom("session/update", "session/request_permission", "x", undefined),
        params: fc.jsonValue(),
        part: fc.jsonValue(),
        sessionID: fc.constantFrom("a", "b", 1),
        error: fc.jsonValue(),
        message: fc.jsonValue(),
        modelUsage: fc.jsonValue(),
        subtype: fc.jsonValue(),
        errors: fc.jsonValue(),
      })
      .map((line) => JSON.stringify(line)),
  ),
);

test.each([
  ["codex", readJsonLines(codexReader())] as const,
  ["claude", readJsonLines(claudeReader())] as const,
  ["gemini", readJsonLines(geminiReader)] as const,
  ["opencode", readJsonLines(opencodeReader)] as const,
  ["acp", readJsonLines(acpReader())] as const,
  ["host", readJsonLines(createOwnReader("host"))] as const,
])("law: no line makes the reader of %s throw, and reading is a function of the lines", (_name, reader) => {
  fc.assert(
    fc.property(jsonLines, (lines) => {
      const once = readAll<never>(reader as Reader<never>, lines);
      expect(readAll<never>(reader as Reader<never>, lines)).toEqual(once);
    }),
  );
});

test("own lines: events are taken as they are, a summary as the report, anything else counts as unknown", () => {
  const lines = [
    '{"type":"message","role":"assistant","content":"hi","extra":1}',
    '{"type":"message","role":"nobody","content":"hi"}',
    '{"type":"summary","task_id":"T1","status":"done"}',
    "plain",
    '{"type":"end","ok":true}',
  ];
  const host = readAll(readJsonLines(createOwnReader("host")), lines);
  expect(host.events).toEqual([{ type: "message", role: "assistant", content: "hi" }]);
  expect(host.unknown).toBe(2);
  expect(host.closing).toMatchObject({
    terminal: { good: true },
    final: "hi",
    summary: { task_id: "T1", status: "done" },
  });
  const command = readAll(readJsonLines(createOwnReader("command")), lines);
  expect(command.unknown).toBe(3);
  expect(command.closing.terminal).toEqual({ good: true, assumed: true });
});

const complaintIn = (from: "command" | "host", ...lines: object[]): Closing["complaint"] =>
  readAll(
    readJsonLines(createOwnReader(from)),
    lines.map((line) => JSON.stringify(line)),
  ).closing.complaint;
const LIMITED = { type: "error", error: "You have hit your limit, try again in 60s", reason: "rate-limited" };

test("own lines: a command's last error is why it failed, if it did", () => {
  const text = LIMITED.error;
  const told = { reason: "rate-limited", evidence: text, facts: { text } };
  expect(complaintIn("command", LIMITED)).toEqual(told);
  expect(complaintIn("command", { type: "error", error: "odd", reason: "network" }, LIMITED)).toEqual(told);
  expect(complaintIn("command", LIMITED, { type: "message", role: "assistant", content: "bye" })).toEqual(
    told,
  );
  const at = (retry_at: unknown): object | undefined =>
    complaintIn("command", { ...LIMITED, retry_at })?.facts;
  expect(at("2026-11-20T11:00:00Z")).toEqual({ text, resetsAt: Date.parse("2026-11-20T11:00:00Z") });
  expect(at("2026-11-20T11:00:00.5+01:00")).toHaveProperty("resetsAt", Date.parse("2026-11-20T10:00:00.5Z"));
  for (const odd of ["tomorrow", "2026-11-20", 1_795_219_200, null]) expect(at(odd)).toEqual({ text });
});

test("own lines: an error without a reason we know is only said; one that was got over is nothing", () => {
  for (const reason of ["tired", undefined, 7]) {
    const complaint = complaintIn("command", LIMITED, { ...LIMITED, reason });
    if (reason === 7) expect(complaint).toHaveProperty("reason", "rate-limited");
    else expect(complaint).toMatchObject({ reason: "exited", evidence: LIMITED.error });
  }
  expect(complaintIn("command", LIMITED, { type: "tool_use", name: "read", input: {} })).toBeUndefined();
  expect(complaintIn("command", LIMITED, { type: "command", command: "make" })).toBeUndefined();
  expect(complaintIn("command", LIMITED, { type: "command", command: "make", exit_code: 0 })).toBeDefined();
  expect(complaintIn("host", LIMITED)).toBeUndefined();
});

test("own lines: a command's summary need not say that it is one", () => {
  const bare = '{"task_id":null,"status":"done","summary":"did it"}';
  const lines = ['{"type":"message","role":"assistant","content":"hi"}', bare];
  const command = readAll(readJsonLines(createOwnReader("command")), lines);
  expect(command.unknown).toBe(0);
  expect(command.closing.summary).toEqual({ task_id: null, status: "done", summary: "did it" });
  for (const odd of ['{"status":"done"}', '{"task_id":"T1"}', '{"type":"x","task_id":"T1","status":"done"}'])
    expect(readAll(readJsonLines(createOwnReader("command")), [odd])).toMatchObject({ unknown: 1 });
  expect(readAll(readJsonLines(createOwnReader("host")), lines).unknown).toBe(1);
});

test("claude: a block of an unknown kind is counted, and the blocks beside it are read", () => {
  const said = (...content: object[]): Outcome =>
    readAll(readJsonLines(claudeReader()), [
      JSON.stringify({ type: "assistant", message: { id: "m", content } }),
    ]);
  const text = { type: "text", text: "hi" };
  const message = { type: "message", role: "assistant", content: "hi" };
  expect(said({ type: "telepathy" }, text)).toMatchObject({ unknown: 1, events: [message] });
  expect(said({ kind: "text" })).toMatchObject({ unknown: 1 });
  const quiet = ["redacted_thinking", "server_tool_use", "web_search_tool_result", "mcp_tool_use"];
  expect(said(text, ...quiet.map((type) => ({ type })))).toMatchObject({ unknown: 0, events: [message] });
});

test("a host that does not say its end has none", () => {
  expect(readAll(readJsonLines(createOwnReader("host")), []).closing.terminal).toBeUndefined();
});

test.each([
  ["max_tokens", "incomplete"],
  ["max_turn_requests", "turns"],
  ["refusal", "incomplete"],
  ["cancelled", "incomplete"],
  ["hologram", "incomplete"],
])("a turn of an ACP agent that ends by %s is a failure: %s", (stopReason, reason) => {
  const lines = [JSON.stringify({ jsonrpc: "2.0", id: 3, result: { stopReason } })];
  const { closing } = readAll(readJsonLines(acpReader()), lines);
  expect(closing.terminal).toMatchObject({ good: false, reason });
});

test("a tool of an ACP agent that was begun keeps the idle clock still until it ends; many at once are bounded", () => {
  const reader = readJsonLines(acpReader());
  const update = (toolCallId: string, status: string): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: { update: { sessionUpdate: "tool_call_update", toolCallId, status } },
    });
  const begun = reader.read(reader.start, update("c1", "pending"), 0).state;
  expect(reader.busy(begun)).toBe(true);
  expect(reader.busy(reader.read(begun, update("c1", "completed"), 5).state)).toBe(false);
  const ids = Array.from({ length: 5_000 }, (_, index) => `c${index}`);
  const { events } = readAll(
    reader,
    ids.map((id) => update(id, "in_progress")),
  );
  expect(events).toHaveLength(5_000);
});
