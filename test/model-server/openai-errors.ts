// How OpenAI says no, in both of its protocols.
import { retryAfter, STATUS, type HttpError, type Refusal } from "./dialect.js";
import type { Problem } from "./scenario.js";

type Words = { type: string; code: string | null; message: string };

const WORDS: Readonly<Record<Problem, Words>> = {
  "bad-request": { type: "invalid_request_error", code: null, message: "This request is refused" },
  unauthorized: {
    type: "invalid_request_error",
    code: "invalid_api_key",
    message: "Incorrect API key provided: dummy.",
  },
  "model-unknown": {
    type: "invalid_request_error",
    code: "model_not_found",
    message: "The model 'no-such-model' does not exist or you do not have access to it.",
  },
  "context-full": {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  "rate-limit": {
    type: "requests",
    code: "rate_limit_exceeded",
    message: "Rate limit reached for this model in organization org-test on requests per min (RPM): Limit 3.",
  },
  quota: { type: "usage_limit_reached", code: null, message: "The usage limit has been reached" },
  credit: {
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  server: {
    type: "server_error",
    code: null,
    message: "The server had an error while processing your request",
  },
  overloaded: {
    type: "server_error",
    code: "server_is_overloaded",
    message: "Our servers are currently overloaded. Please try again later.",
  },
};

export function openaiWords(problem: Problem): Words {
  return WORDS[problem];
}

export function refuseAsOpenai(refusal: Refusal): HttpError {
  const { problem, resetsAtSeconds, retryAfterSeconds } = refusal;
  const plan = problem === "quota" ? { plan_type: "plus" } : {};
  const reset = resetsAtSeconds === undefined ? {} : { resets_at: resetsAtSeconds };
  return {
    status: STATUS[problem],
    headers: {
      ...retryAfter(refusal),
      ...(retryAfterSeconds === undefined ? {} : { "x-ratelimit-reset-requests": `${retryAfterSeconds}s` }),
    },
    body: { error: { ...openaiWords(problem), param: null, ...plan, ...reset } },
  };
}
