// Sends requests to the AI SDK's providers: opens each on its first request and converts its errors. sdk-request.ts and reply.ts
// convert requests and answers. The providers are called directly because the functions of `ai` print warnings on stdout,
// where the session's events go.
import type { Prices } from "../../config/read/prices.js";
import { findLocalZone } from "../../system/clock.js";
import { never } from "../../system/never.js";
import type { Clock } from "../../system/ports.js";
import type { ModelRequest } from "../model.js";
import { toEffortOptions } from "./effort.js";
import { toFailedRequest } from "./failed-request.js";
import type { ModelName, ProviderName } from "../../config/settings/model-names.js";
import { spellModelName } from "../../config/settings/model-names.js";
import type { FailedRequest, Provider } from "./provider.js";
import { toReply } from "./reply.js";
import type { SdkAnswer, SdkModel, SdkOptions } from "./sdk-types.js";
import { gatherAnswer } from "./stream.js";
import { toSdkPrompt } from "./sdk-request.js";

export interface SdkSettings {
  model: ModelName;
  /** Empty if the provider needs none. */
  key: string;
  /** The address before the provider's own path: `http://localhost:11434/v1`. */
  baseUrl?: string;
  stream: boolean;
  temperature?: number;
  maxOutputTokens?: number;
  /** How long a stream may be silent, in ms. */
  idleMs: number;
  prices?: Prices;
  clock: Clock;
}

/** The timeout of an answer that is not streamed, which is silent until it is complete. */
const WHOLE_MS = 10 * 60_000;

/** Creates a provider for one model of the SDK. */
export function createSdkProvider(settings: SdkSettings): Provider {
  const name = spellModelName(settings.model);
  let opened: Promise<SdkModel> | undefined;
  return {
    name,
    ask: async (request) => {
      const watch = watchRequest(settings, request.signal);
      try {
        opened ??= openSdkModel(settings);
        const answer = await askOnce(await opened, settings, request, watch);
        const { prices } = settings;
        return { reply: toReply(answer, request, { name, prices }) };
      } catch (error) {
        return toFailure(error, settings, watch);
      } finally {
        watch.end();
      }
    },
  };
}

async function askOnce(
  model: SdkModel,
  settings: SdkSettings,
  request: ModelRequest,
  watch: Watch,
): Promise<SdkAnswer> {
  const { stream, temperature, maxOutputTokens } = settings;
  const options: SdkOptions = {
    ...toSdkPrompt(request, spellModelName(settings.model)),
    temperature,
    maxOutputTokens,
    abortSignal: watch.signal,
    providerOptions: toProviderOptions(settings.model, request),
  };
  if (!stream) return model.doGenerate(options);
  // Raw parts are included so that a ping resets the idle timeout.
  const answer = await model.doStream({ ...options, includeRawChunks: true });
  return gatherAnswer(answer.stream, {
    onPart: () => {
      watch.beat();
    },
    onText: (delta) => request.onText?.(delta),
    onThought: (delta) => request.onThought?.(delta),
  });
}

/** Only OpenAI itself is sent a cache key: other servers of its protocol may refuse a field that they do not know. */
function toProviderOptions(
  model: ModelName,
  { effort, cacheKey }: Pick<ModelRequest, "effort" | "cacheKey">,
): NonNullable<SdkOptions["providerOptions"]> {
  const options = toEffortOptions(model, effort);
  // Every request contains the whole conversation, so OpenAI does not need to store it.
  const openai = { store: false, promptCacheKey: cacheKey, ...options["openai"] };
  return { ...options, openai };
}

function toFailure(error: unknown, { model, key, idleMs, clock }: SdkSettings, watch: Watch): FailedRequest {
  const name = spellModelName(model);
  if (watch.isIdle()) {
    const message = `${name}: no data for ${Math.round(idleMs / 1000)} s`;
    return { failure: { reason: "network", message } };
  }
  if (watch.signal.aborted) return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
  return toFailedRequest(
    error,
    { name, secret: key },
    {
      now: clock.now(),
      get zone() {
        return findLocalZone();
      },
    },
  );
}

/** A watchdog that ends a request that is silent for too long. */
interface Watch {
  signal: AbortSignal;
  isIdle(): boolean;
  beat(): void;
  end(): void;
}

function watchRequest({ clock, stream, idleMs }: SdkSettings, signal: AbortSignal): Watch {
  const idle = new AbortController();
  const start = () =>
    clock.after(stream ? idleMs : WHOLE_MS, () => {
      idle.abort();
    });
  let timer = start();
  return {
    signal: AbortSignal.any([signal, idle.signal]),
    isIdle: () => idle.signal.aborted && !signal.aborted,
    beat: () => {
      timer.cancel();
      timer = start();
    },
    end: () => {
      timer.cancel();
    },
  };
}

const ADDRESSES: Readonly<Record<Exclude<ProviderName, "openai-compatible" | "scripted">, string>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Opens a model. The key and the address are passed, so that a provider does not look them up in the environment. */
async function openSdkModel({ model: { provider, model }, key, baseUrl }: SdkSettings): Promise<SdkModel> {
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey: key, baseURL: baseUrl ?? ADDRESSES.anthropic })(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey: key, baseURL: baseUrl ?? ADDRESSES.openai })(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ apiKey: key, baseURL: baseUrl ?? ADDRESSES.google })(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = key === "" ? {} : { apiKey: key };
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl ?? "",
        includeUsage: true,
        ...apiKey,
      })(model);
    }
    case "scripted":
      throw new Error("the scripted model is not one of the SDK's");
    default:
      return never(provider);
  }
}
