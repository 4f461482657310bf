import { expect, test } from "vitest";
import { describeFailedRequest } from "./acp-stream.js";
import { explainFailure } from "../limits/explain-failure.js";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const CLOCK = { now: NOW, zone: "Europe/Berlin" };
const INTERNAL = { method: "session/prompt", code: -32603, message: "Internal error" };

function read(error: Partial<Parameters<typeof describeFailedRequest>[0]>) {
  const { reason, evidence, facts = {} } = describeFailedRequest({ ...INTERNAL, ...error });
  const retryAt = explainFailure(facts, CLOCK)?.retryAt;
  return { reason, evidence, seconds: retryAt === undefined ? undefined : (retryAt - NOW) / 1000 };
}

test.each<[string, unknown, string, string, number?]>([
  [
    "the words of what was thrown",
    { details: "You've hit your usage limit. Try again in 50 seconds." },
    "rate-limited",
    "You've hit your usage limit. Try again in 50 seconds.",
    50,
  ],
  [
    "a body in place of words",
    { error: { code: 429, message: "Resource exhausted, retry in 20s", status: "RESOURCE_EXHAUSTED" } },
    "rate-limited",
    "Resource exhausted, retry in 20s",
    20,
  ],
  [
    "the body by its status alone",
    { error: { code: 503, message: "come back another time" } },
    "overloaded",
    "come back another time",
  ],
  [
    "the body by its code alone",
    { error: { code: 8, message: "enough", status: "RESOURCE_EXHAUSTED" } },
    "rate-limited",
    "enough",
  ],
  [
    "the time of the body",
    { error: { type: "usage_limit_reached", message: "enough", resets_in_seconds: 70 } },
    "rate-limited",
    "enough",
    70,
  ],
  ["a list of bodies", [{ error: { code: 429, message: "slow down" } }], "rate-limited", "slow down"],
  [
    "a body in words",
    { details: '429 {"error":{"type":"rate_limit_error","message":"wait 5 minutes"}}' },
    "rate-limited",
    '429 {"error":{"type":"rate_limit_error","message":"wait 5 minutes"}}',
    300,
  ],
  ["an error that stands bare", { message: "slow down", code: 429 }, "rate-limited", "slow down"],
  [
    "a bare error and its delay",
    { message: "no", code: "x", statusCode: 429, retry_after: 9 },
    "rate-limited",
    "no",
    9,
  ],
  [
    "a network that is down",
    { details: "fetch failed: connect ECONNREFUSED 127.0.0.1:1" },
    "network",
    "fetch failed: connect ECONNREFUSED 127.0.0.1:1",
  ],
  ["data that is a text", "Rate limit exceeded", "rate-limited", "Rate limit exceeded"],
  ["what tells nothing", { details: "the cat is on the keyboard" }, "exited", "the cat is on the keyboard"],
  ["data without words", { _errors: [] }, "exited", "Internal error"],
  ["data that is not an object", 429, "exited", "Internal error"],
])("an internal error with %s", (...[, data, reason, words, seconds]) => {
  expect(read({ data })).toEqual({ reason, evidence: `session/prompt: ${words}`, seconds });
});

test("words stand beside a message that says something itself, once", () => {
  const message = "Provider failed";
  expect(read({ message, data: { details: "fetch failed" } })).toMatchObject({
    reason: "network",
    evidence: "session/prompt: Provider failed: fetch failed",
  });
  expect(read({ message: "Internal error: fetch failed", data: { details: "fetch failed" } }).evidence).toBe(
    "session/prompt: Internal error: fetch failed",
  );
});

test("the code for not being signed in is that, whatever is said beside it", () => {
  expect(
    read({ code: -32000, message: "Authentication required", data: { details: "fetch failed" } }),
  ).toEqual({
    reason: "not-signed-in",
    evidence: "session/prompt: Authentication required: fetch failed",
    seconds: undefined,
  });
});
