// Reads an error of the SDK: why the request failed, and when it can be repeated. Pure.
// src/agents/limits/limits.ts reads statuses, codes, headers and bodies, as for any other agent.
import { field, numberField, textField } from "../../agents/fields.js";
import type { FailureFacts } from "../../agents/limits/limit-facts.js";
import { explainFailure } from "../../agents/limits/limits.js";
import type { ZonedClock } from "../../agents/limits/reset/reset-zone.js";
import { shorten } from "../../system/text/cut.js";
import { MODEL_FAILURES } from "../model.js";
import type { FailedRequest } from "./fallback-chain.js";

const LONGEST_MESSAGE = 500;

/** Errors for an answer that is incomplete or malformed: an HTML page, broken JSON, an empty body. */
const BROKEN: ReadonlySet<string | undefined> = new Set([
  "AI_APICallError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_NoContentGeneratedError",
  "AI_TypeValidationError",
  // Thrown by fetch.
  "TypeError",
]);

/** Converts an error to a failure. `secret`: the key, which is removed from the message. */
export function toFailedRequest(
  error: unknown,
  of: { name: string; secret?: string },
  clock: ZonedClock,
): FailedRequest {
  const explained = explainFailure(collectFacts(error), clock);
  const reason = MODEL_FAILURES.find((one) => one === explained?.reason);
  const evidence = explained?.evidence ?? (typeof error === "string" ? error : textField(error, "message"));
  const line = nameBrokenStream(toOneLine(evidence ?? "the request failed without a reason", of.secret));
  const hint = /not support tool|tools? (?:is|are) not supported/i.test(line)
    ? "; set chapo.tool_calls to json for a model without tool calls"
    : "";
  return {
    failure: {
      reason: reason ?? (BROKEN.has(textField(error, "name")) ? "network" : "bad-request"),
      message: `${of.name}: ${line}${hint}`,
    },
    retryAfterMs: explained?.retryAt === undefined ? undefined : explained.retryAt - clock.now,
  };
}

/** Messages of the SDK and of fetch for an answer whose connection broke. */
const BROKEN_STREAM =
  /^(?:Cannot connect to API: )?(?:Failed to process (?:successful|error) response|terminated|other side closed|stream ended before the answer did)\.?$/i;

function nameBrokenStream(line: string): string {
  return BROKEN_STREAM.test(line) ? "the connection broke while the model answered" : line;
}

function collectFacts(error: unknown): FailureFacts {
  const status = numberField(error, "statusCode");
  const body = textField(error, "responseBody");
  const text = typeof error === "string" ? error : textField(error, "message");
  const codes = ["code", "type"].flatMap((key) => textField(error, key) ?? []);
  return {
    codes,
    headers: readHeaders(field(error, "responseHeaders")),
    status,
    body,
    text,
    isRetryable: field(error, "isRetryable") === true,
  };
}

function readHeaders(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function toOneLine(text: string, secret: string | undefined): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const safe = secret === undefined || secret === "" ? line : line.replaceAll(secret, "[key]");
  return shorten(safe, LONGEST_MESSAGE);
}
