// A provider of a model, which is asked once per request. Types only. fallback-chain.ts retries and falls back.
import type { ModelFailure, ModelReply, ModelRequest } from "../model.js";

/** A failed request, with the time after which to retry it. */
export interface FailedRequest {
  failure: ModelFailure;
  /** The wait in ms before a retry, if the provider stated it. */
  retryAfterMs?: number;
}

/** Contract: `ask` never throws and never rejects. */
export interface Provider {
  /** `provider/model`. */
  readonly name: string;
  /** Sends the request once. `before`: how often it was sent already. */
  ask(request: ModelRequest, before: number): Promise<{ reply: ModelReply } | FailedRequest>;
}
