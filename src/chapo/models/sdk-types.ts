// The types of the AI SDK's requests and answers, under the names used here. Types only.
import type { LanguageModel } from "ai";

export type SdkModel = Extract<LanguageModel, { specificationVersion: "v3" }>;
export type SdkOptions = Parameters<SdkModel["doStream"]>[0];
export type SdkMessage = SdkOptions["prompt"][number];
/** Metadata by provider, sent with a message or received with an answer. */
export type SdkMarks = NonNullable<SdkMessage["providerOptions"]>;
type Whole = Awaited<ReturnType<SdkModel["doGenerate"]>>;
type Streamed = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
export type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;
/** The parts of an answer that are read. */
export type SdkAnswer = Pick<Whole, "content" | "finishReason" | "usage">;
