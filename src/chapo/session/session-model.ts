// The session's model: every request gets the effort that is chosen now, and the key of the session's cache.
import type { Effort } from "../../config/settings/efforts.js";
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { Model } from "../model.js";
import { readEffort } from "../models/effort.js";

/** Requests of the engine's own, which need no thinking. */
const OWN = new Set(["validation", "summary", "compaction"]);

/** Wraps a model. `effort` is read for each request, because `/effort` changes it. */
export function toSessionModel(
  model: Model,
  { cacheKey, effort }: { cacheKey: string; effort: () => Effort | undefined },
): Model {
  return {
    name: model.name,
    contextWindow: model.contextWindow,
    ask: (request) =>
      model.ask({
        ...request,
        cacheKey,
        ...(OWN.has(request.who) ? {} : given({ effort: effort() })),
      }),
  };
}

/** Returns the effort of the settings. Throws a `usage` error if there is no such level. */
export function readSetEffort(set: string | undefined): Effort | undefined {
  if (set === undefined) return undefined;
  const read = readEffort(set);
  if ("effort" in read) return read.effort;
  throw new UserError("usage", `reasoning (--effort): ${read.problem}`, "correct it");
}
