// The session's model: every request gets the effort that is chosen now, the key of the session's cache, and the images of its
// messages. A model that refuses images is asked again without them.
import type { Effort } from "../../config/settings/efforts.js";
import { UserError } from "../../system/errors.js";
import type { ChatMessage, Model, ModelAnswer, ModelRequest } from "../model.js";
import { readEffort } from "../models/effort.js";

/** Requests of the engine's own, which need no thinking. */
const OWN = new Set(["validation", "summary", "compaction"]);

export interface SessionModelPlace {
  cacheKey: string;
  /** Read for each request, because `/effort` changes it. */
  effort: () => Effort | undefined;
  /** Adds the images that messages name. */
  loadImages: (messages: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;
  /** The names of models that refused images. */
  withoutImages: Set<string>;
  onWarning: (text: string) => void;
}

/** Wraps a model. */
export function toSessionModel(model: Model, place: SessionModelPlace): Model {
  return {
    name: model.name,
    contextWindow: model.contextWindow,
    ask: (request) =>
      askWithImages(model, place, {
        ...request,
        cacheKey: place.cacheKey,
        effort: OWN.has(request.who) ? undefined : place.effort(),
      }),
  };
}

async function askWithImages(
  model: Model,
  { loadImages, withoutImages, onWarning }: SessionModelPlace,
  request: ModelRequest,
): Promise<ModelAnswer> {
  if (withoutImages.has(model.name)) return model.ask(request);
  const messages = await loadImages(request.messages);
  const answer = await model.ask({ ...request, messages });
  const hasImages = messages.some((message) => message.role === "user" && message.images !== undefined);
  if (!hasImages || !("failure" in answer) || answer.failure.reason !== "bad-request") return answer;
  const again = await model.ask(request);
  if ("failure" in again) return answer;
  withoutImages.add(model.name);
  onWarning(
    `${model.name} does not take images, and got their names only (${answer.failure.message}); /model changes the model`,
  );
  return again;
}

/** Returns the effort of the settings. Throws a `usage` error if that level does not exist. */
export function readSetEffort(set: string | undefined): Effort | undefined {
  if (set === undefined) return undefined;
  const read = readEffort(set);
  if ("effort" in read) return read.effort;
  throw new UserError("usage", `reasoning (--effort): ${read.problem}`, "correct it");
}
