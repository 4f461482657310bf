// What stands behind a model: one provider, asked once. Types only. Leaves trying again and falling back to patience.ts.
import type { ModelFailure, ModelReply, ModelRequest } from "../model.js";

/** A failure, as far as trying again goes. */
export interface Miss {
  failure: ModelFailure;
  /** Ms until it is worth asking again, where the provider said so. */
  retryAfterMs?: number;
}

/** Contract: `ask` never throws and never rejects. */
export interface Provider {
  /** `provider/model`. */
  readonly name: string;
  /** Asks once; `before`: how often this very request was tried already. */
  ask(request: ModelRequest, before: number): Promise<{ reply: ModelReply } | Miss>;
}
