// Why did it fail? Read from a status or a client's own words. Only ever asked about a failure: an agent that writes
// about rate limits has not met one.
import type { FailureReason } from "./agent.js";

const WORDS: readonly (readonly [FailureReason, RegExp])[] = [
  [
    "context-full",
    /context (window|length)|prompt is too long|maximum context|ran out of room|exceeds? the maximum (length|number of tokens)|context_length_exceeded/i,
  ],
  ["incomplete", /max_output_tokens|maximum output/i],
  [
    "rate-limited",
    /\b429\b|rate.?limit|too many requests|usage limit|hit your .{0,40}limit|spend limit|quota|RESOURCE_EXHAUSTED/i,
  ],
  ["budget", /credit balance is too low|billing_error/i],
  [
    "not-signed-in",
    /\b40[13]\b|unauthori[sz]ed|forbidden|not (logged|signed) in|authenticat|invalid (x-)?api.?key|incorrect api key|oauth token|please run \/login|codex login|log in again/i,
  ],
  [
    "model-unknown",
    /model_not_found|unknown model|invalid model|model\b.{0,120}(not found|does not exist|not supported|not exist|no access)|issue with the selected model/i,
  ],
  [
    "overloaded",
    /\b(500|502|503|504|520|529)\b|overloaded|at capacity|high demand|internal server error|server_error|service unavailable|bad gateway/i,
  ],
  [
    "network",
    /stream (disconnected|closed|ended|error)|connection (refused|reset|error|closed|failed)|unable to connect|ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|timed? ?out|error sending request|network|socket hang up|fetch failed|content.type|malformed|unexpected (end|eof)/i,
  ],
  ["bad-request", /\b400\b|bad request|invalid.request/i],
];

/** The reason a client's own words about its failure give, or `undefined` when they give none. */
export function classifyText(text: string): FailureReason | undefined {
  return WORDS.find(([, words]) => words.test(text))?.[0];
}

/** The reason an HTTP status gives; `text` decides where a status is used for several things. */
export function classifyStatus(status: number, text: string): FailureReason | undefined {
  if (status === 401 || status === 403) return "not-signed-in";
  if (status === 404) return "model-unknown";
  if (status === 408) return "network";
  if (status === 413) return "context-full";
  if (status === 429) return "rate-limited";
  if (status >= 500 && status <= 599) return "overloaded";
  if (status < 400 || status > 499) return undefined;
  const told = classifyText(text);
  return told === "context-full" || told === "model-unknown" || told === "budget" ? told : "bad-request";
}
