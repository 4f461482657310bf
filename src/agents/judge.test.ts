import { expect, test } from "vitest";
import { judge, type Seen } from "./judge.js";
import { classifyStatus, classifyText } from "./limits.js";

const good: Seen = {
  name: "ours",
  end: { how: "exited", code: 0 },
  closing: { events: [], terminal: { good: true }, final: '{"task_id":null,"status":"done"}' },
  stderr: "",
  unknownEvents: 0,
};
const failed = {
  events: [],
  terminal: { good: false, reason: "turns", evidence: "too many" },
  final: "",
} as const;
const endless = { events: [], final: "" };

// In the order in which they are asked: each case has everything below it as well.
test.each([
  [
    "not-found",
    { end: { how: "not-found", message: "ENOENT" }, stopped: { why: "interrupted" }, closing: failed },
  ],
  [
    "timed-out",
    {
      end: { how: "exited", code: 0 },
      stopped: { why: "timed-out", afterMs: 60_000 },
      closing: good.closing,
    },
  ],
  [
    "idle",
    { end: { how: "killed", signal: "SIGKILL" }, stopped: { why: "idle", afterMs: 1_500 }, closing: failed },
  ],
  [
    "interrupted",
    { end: { how: "exited", code: 0 }, stopped: { why: "interrupted" }, closing: good.closing },
  ],
  ["killed", { end: { how: "killed", signal: "SIGKILL" }, closing: good.closing }],
  ["killed", { end: { how: "exited", code: 143 }, closing: failed }],
  ["killed", { end: { how: "exited", code: 130 }, closing: good.closing }],
  ["turns", { end: { how: "exited", code: 1 }, closing: failed }],
  ["turns", { end: { how: "exited", code: 0 }, closing: failed }],
  ["exited", { end: { how: "exited", code: 137 }, closing: good.closing }],
  ["exited", { end: { how: "exited", code: 1 }, closing: endless }],
  ["incomplete", { end: { how: "exited", code: 0 }, closing: endless }],
] as const)("%s %j", (reason, seen) => {
  expect(judge({ ...good, ...seen })).toMatchObject({ outcome: "failed", reason });
});

test("only a good end with an exit code of 0 is ok", () => {
  expect(judge(good)).toMatchObject({ outcome: "ok", exitCode: 0, report: { found: { status: "done" } } });
});

test("a report handed over as a value counts before the text, if it is one", () => {
  const closing = { ...good.closing, summary: { task_id: "T2", status: "blocked" } };
  expect(judge({ ...good, closing })).toMatchObject({ report: { found: { task_id: "T2" } } });
  const wrong = { ...good.closing, summary: { task_id: "T2", status: "oops" } };
  expect(judge({ ...good, closing: wrong })).toMatchObject({ report: { found: { task_id: null } } });
  expect(judge({ ...good, closing: { ...wrong, final: "" } })).toHaveProperty("report.invalid");
});

test("the evidence is the telling line of stderr, in one line and without colours", () => {
  const stderr =
    "Reading prompt\n\u001b[31merror:\u001b[0m   unexpected argument '--x' found\n\nUsage: codex\n";
  const result = judge({
    ...good,
    end: { how: "exited", code: 2 },
    closing: endless,
    stderr,
    unknownEvents: 1,
  });
  expect(result).toMatchObject({
    reason: "exited",
    evidence: "exit code 2: error: unexpected argument '--x' found (1 line was not understood)",
  });
  const long = judge({
    ...good,
    closing: { ...failed, terminal: { ...failed.terminal, evidence: "a\nb ".repeat(999) } },
  });
  expect(long.outcome === "failed" && long.evidence.length).toBe(300);
});

test("a kind's own words on stderr give the reason", () => {
  const seen: Seen = {
    ...good,
    end: { how: "exited", code: 1 },
    closing: endless,
    stderr: "Error: not logged in",
  };
  expect(judge({ ...seen, classify: classifyText })).toMatchObject({ reason: "not-signed-in" });
  expect(judge(seen)).toMatchObject({ reason: "exited" });
});

test.each([
  ["You've hit your limit · resets 1pm (Asia/Seoul)", "rate-limited"],
  ["Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).", "rate-limited"],
  ["You've hit your individual spend limit", "rate-limited"],
  ["Rate limit reached for organization x: try again in 35.883s", "rate-limited"],
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate-limited"],
  ["RESOURCE_EXHAUSTED", "rate-limited"],
  ["unexpected status 401 Unauthorized: Missing bearer", "not-signed-in"],
  ["Invalid API key · Please run /login", "not-signed-in"],
  ["unexpected status 500 Internal Server Error", "overloaded"],
  ["529 overloaded_error", "overloaded"],
  ["503 Service Unavailable", "overloaded"],
  ["stream disconnected before completion: error sending request", "network"],
  ["connect ECONNREFUSED 127.0.0.1:1", "network"],
  ["Codex ran out of room in the model's context window.", "context-full"],
  ["Prompt is too long", "context-full"],
  ["unexpected status 400 Bad Request: The model `x` does not exist", "model-unknown"],
  ["unexpected status 400 Bad Request: no", "bad-request"],
  ["Incomplete response returned, reason: max_output_tokens", "incomplete"],
  ["something else entirely", undefined],
] as const)("%s → %s", (text, reason) => {
  expect(classifyText(text)).toBe(reason);
});

test.each([
  [401, "", "not-signed-in"],
  [429, "", "rate-limited"],
  [529, "", "overloaded"],
  [404, "", "model-unknown"],
  [400, "prompt is too long: 1 tokens", "context-full"],
  [400, "messages: wrong", "bad-request"],
  [200, "", undefined],
] as const)("status %i %s → %s", (status, text, reason) => {
  expect(classifyStatus(status, text)).toBe(reason);
});
