// What an error of the SDK means: why a model could not be asked, and when it can be. Pure.
// Structured facts first, as for any other agent: src/agents/limits/limits.ts knows statuses, codes, headers and bodies.
import type { FailureReason } from "../../agents/agent.js";
import { field, numberField, textField } from "../../agents/fields.js";
import type { FailureFacts } from "../../agents/limits/limit-facts.js";
import { explainFailure } from "../../agents/limits/limits.js";
import type { ZonedClock } from "../../agents/limits/reset/reset-zone.js";
import { given } from "../../system/given.js";
import { shorten } from "../../system/text/cut.js";
import type { ModelFailure } from "../model.js";
import type { Miss } from "./provider.js";

const LONGEST_MESSAGE = 500;

/** Of an answer that did not arrive whole, or is none: a page for people, broken JSON, nothing. */
const BROKEN: ReadonlySet<string | undefined> = new Set([
  "AI_APICallError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_NoContentGeneratedError",
  "AI_TypeValidationError",
  // What fetch throws.
  "TypeError",
]);

/** The miss an error stands for. `secret`: the key, which is never told on. */
export function toMiss(error: unknown, of: { name: string; secret?: string }, clock: ZonedClock): Miss {
  const explained = explainFailure(collectFacts(error), clock);
  const reason = explained === undefined ? undefined : toModelReason(explained.reason);
  const evidence = explained?.evidence ?? (typeof error === "string" ? error : textField(error, "message"));
  const line = toOneLine(evidence ?? "it failed and did not say why", of.secret);
  const hint = /not support tool|tools? (?:is|are) not supported/i.test(line)
    ? "; with the setting chapo.tool_calls: json it decides in JSON"
    : "";
  return {
    failure: {
      reason: reason ?? (BROKEN.has(textField(error, "name")) ? "network" : "bad-request"),
      message: `${of.name}: ${line}${hint}`,
    },
    ...(explained?.retryAt === undefined ? {} : { retryAfterMs: explained.retryAt - clock.now }),
  };
}

function collectFacts(error: unknown): FailureFacts {
  const status = numberField(error, "statusCode");
  const body = textField(error, "responseBody");
  const text = typeof error === "string" ? error : textField(error, "message");
  const codes = ["code", "type"].flatMap((key) => textField(error, key) ?? []);
  return {
    codes,
    headers: readHeaders(field(error, "responseHeaders")),
    ...given({ status, body, text }),
    isRetryable: field(error, "isRetryable") === true,
  };
}

function readHeaders(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** `undefined` for a reason no model fails for. */
function toModelReason(reason: FailureReason): ModelFailure["reason"] | undefined {
  switch (reason) {
    case "rate-limited":
    case "overloaded":
    case "network":
    case "not-signed-in":
    case "no-credit":
    case "model-unknown":
    case "bad-request":
    case "context-full":
    case "incomplete":
      return reason;
    default:
      return undefined;
  }
}

function toOneLine(text: string, secret: string | undefined): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const safe = secret === undefined || secret === "" ? line : line.replaceAll(secret, "[key]");
  return shorten(safe, LONGEST_MESSAGE);
}
