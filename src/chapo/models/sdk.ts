// Sends requests to the AI SDK's providers: opens each on its first request, and reads its errors. sdk-messages.ts converts requests
// and answers. The providers are called directly because the functions of `ai` print warnings on stdout, where the session's
// events go.
import { findLocalZone } from "../../system/clock.js";
import { never } from "../../system/never.js";
import type { Clock } from "../../system/ports.js";
import { type ModelRequest, MODEL_FAILURES } from "../model.js";
import { toEffortOptions } from "./effort.js";
import { type ModelName, type ProviderName, spellModelName } from "../../config/settings/model-names.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Prices } from "../../config/read/prices.js";
import { createInterrupted, type FailedRequest, type Provider } from "./fallback-chain.js";
import {
  toReply,
  toSdkPrompt,
  type SdkAnswer,
  type SdkModel,
  type SdkOptions,
  type SdkPart,
} from "./sdk-messages.js";
import { field, listField, textField, numberField } from "../../agents/fields.js";
import type { FailureFacts } from "../../agents/limits/limit-facts.js";
import { explainFailure } from "../../agents/limits/explain-failure.js";
import type { ZonedClock } from "../../agents/limits/reset/reset-zone.js";
import { shorten } from "../../system/text/cut.js";

interface SdkSettings extends Pick<ChapoSettings, "baseUrl" | "stream" | "temperature" | "maxOutputTokens"> {
  model: ModelName;
  prices?: Prices;
  /** Empty if the provider needs none. */
  key: string;
  /** How long a stream may be silent, in ms. */
  idleMs: number;
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
        return { reply: toReply(answer, request, { name, prices: settings.prices }) };
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
  return gatherAnswer(answer.stream, { ...request, onPart: watch.beat });
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
  if (watch.signal.aborted) return createInterrupted({ name });
  const zoned = {
    now: clock.now(),
    get zone() {
      return findLocalZone();
    },
  };
  return toFailedRequest(error, { name, secret: key }, zoned);
}

/** A watchdog that ends a request that is silent for too long. */
interface Watch {
  signal: AbortSignal;
  isIdle(): boolean;
  beat: () => void;
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
      const server = { name: provider, baseURL: baseUrl ?? "", includeUsage: true, ...apiKey };
      return createOpenAICompatible(server)(model);
    }
    case "scripted":
      throw new Error("the scripted model is not one of the SDK's");
    default:
      return never(provider);
  }
}

type Content = SdkAnswer["content"][number];
type Written = Extract<Content, { type: "text" | "reasoning" }>;

/** More than any model writes in one answer, so that a stream without an end is aborted. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface StreamListener extends Pick<ModelRequest, "onText" | "onThought"> {
  /** Called for every part. */
  onPart: () => void;
}

/** Reads a stream to its end. Throws an error in the stream, and if the stream ends before the answer does. */
export async function gatherAnswer(
  stream: ReadableStream<SdkPart>,
  { onText, onThought, onPart }: StreamListener,
): Promise<SdkAnswer> {
  const content: Content[] = [];
  const open = new Map<string, Written>();
  let size = 0;
  let refusal = "";
  let end: Extract<SdkPart, { type: "finish" }> | undefined;
  for await (const part of stream) {
    onPart();
    if (part.type === "error") throw part.error;
    if (part.type === "finish") end = part;
    if (part.type === "tool-call") content.push(part);
    if (part.type === "raw") refusal += readRefusal(part.rawValue);
    const piece = addPart(part, open, content);
    size += piece.length + (part.type === "tool-call" ? part.input.length : 0);
    if (size + refusal.length > MOST_CHARACTERS) throw new TypeError("the answer is too long");
    if (part.type === "text-delta" && piece !== "") onText?.(piece);
    if (part.type === "reasoning-delta" && piece !== "") onThought?.(piece);
  }
  // A provider whose stream breaks off reports "other" without a raw reason.
  const stopped = end?.finishReason.unified === "other" && end.finishReason.raw === undefined;
  if (end === undefined || stopped) throw new TypeError("stream ended before the answer did");
  const { usage } = end;
  if (refusal === "") return { content, finishReason: end.finishReason, usage };
  const hasText = content.some(({ type }) => type === "text");
  const finishReason = { unified: "content-filter", raw: "refusal" } as const;
  return { content: hasText ? content : [...content, { type: "text", text: refusal }], finishReason, usage };
}

/** The words of a refusal in a chunk of OpenAI's chat protocol. The SDK drops them for compatible servers. */
function readRefusal(chunk: unknown): string {
  return textField(field(listField(chunk, "choices")[0], "delta"), "refusal") ?? "";
}

/** Adds a part to its text or thought. Returns the added text. */
function addPart(part: SdkPart, open: Map<string, Written>, content: Content[]): string {
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "text-end":
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end": {
      const type = part.type.startsWith("text") ? "text" : "reasoning";
      const key = `${type} ${part.id}`;
      const known = open.get(key);
      const written: Written = known ?? { type, text: "" };
      if (known === undefined) {
        open.set(key, written);
        content.push(written);
      }
      if (part.providerMetadata !== undefined)
        written.providerMetadata = mergeMetadata(written.providerMetadata, part.providerMetadata);
      if (part.type.endsWith("-end")) open.delete(key);
      const delta = "delta" in part ? part.delta : "";
      written.text += delta;
      return delta;
    }
    default:
      return "";
  }
}

type Metadata = NonNullable<Written["providerMetadata"]>;

function mergeMetadata(before: Metadata | undefined, added: Metadata): Metadata {
  const both = { ...before };
  for (const [provider, marks] of Object.entries(added)) both[provider] = { ...both[provider], ...marks };
  return both;
}

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
  const told = toOneLine(evidence ?? "the request failed without a reason", of.secret);
  const line = BROKEN_STREAM.test(told) ? "the connection broke while the model answered" : told;
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
