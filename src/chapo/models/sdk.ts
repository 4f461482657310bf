// The one place where the AI SDK's providers are: opened when they are first asked, asked once, their errors turned into misses.
// Leaves the shapes to wire.ts and reply.ts. They are asked directly, not by the functions of `ai`: those print warnings on
// stdout, where the session's events go.
import type { Prices } from "../../config/read/prices.js";
import { findLocalZone } from "../../system/clock.js";
import { never } from "../../system/never.js";
import type { Clock } from "../../system/ports.js";
import type { ModelRequest } from "../model.js";
import { toMiss } from "./miss.js";
import type { ModelName, ProviderName } from "../../config/table/model-names.js";
import { spellModelName } from "../../config/table/model-names.js";
import { given } from "../../system/given.js";
import type { Miss, Provider } from "./provider.js";
import { toReply } from "./reply.js";
import type { SdkAnswer, SdkModel, SdkOptions } from "./sdk-types.js";
import { gatherAnswer } from "./stream.js";
import { toSdkPrompt } from "./wire.js";

export interface SdkSettings {
  model: ModelName;
  /** Empty where the provider goes without. */
  key: string;
  /** Up to where the provider's own path begins: `http://localhost:11434/v1`. */
  baseUrl?: string;
  stream: boolean;
  temperature?: number;
  maxOutputTokens?: number;
  /** The longest a stream may be silent, ms. */
  idleMs: number;
  prices?: Prices;
  clock: Clock;
}

/** An answer that is not streamed is silent until it is whole. */
const WHOLE_MS = 10 * 60_000;

/** One model of a provider. */
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
        return { reply: toReply(answer, request, { name, ...given({ prices }) }) };
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
    ...given({ temperature, maxOutputTokens }),
    abortSignal: watch.signal,
    // What was said goes out with every request: nothing is to be kept at OpenAI's.
    providerOptions: { openai: { store: false } },
  };
  if (!stream) return model.doGenerate(options);
  // Raw parts too: a ping tells that somebody is there.
  const answer = await model.doStream({ ...options, includeRawChunks: true });
  return gatherAnswer(answer.stream, {
    onPart: () => {
      watch.beat();
    },
    onText: (delta) => request.onText?.(delta),
  });
}

function toFailure(error: unknown, { model, key, idleMs, clock }: SdkSettings, watch: Watch): Miss {
  const name = spellModelName(model);
  if (watch.isIdle()) {
    const message = `${name}: nothing came for ${Math.round(idleMs / 1000)} s`;
    return { failure: { reason: "network", message } };
  }
  if (watch.signal.aborted) return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
  return toMiss(error, { name, secret: key }, { now: clock.now(), zone: findLocalZone() });
}

/** Ends a request that is silent for too long. */
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

/** Everything a provider would look up in the environment by itself is told to it. */
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
      throw new Error("the scripted model is none of the SDK's");
    default:
      return never(provider);
  }
}
