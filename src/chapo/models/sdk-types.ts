// What the AI SDK's providers take and give, by the names used here. Types only.
import type { LanguageModel } from "ai";

export type SdkModel = Extract<LanguageModel, { specificationVersion: "v3" }>;
export type SdkOptions = Parameters<SdkModel["doStream"]>[0];
export type SdkMessage = SdkOptions["prompt"][number];
/** By provider, what it wants to be told, or back. */
export type SdkMarks = NonNullable<SdkMessage["providerOptions"]>;
type Whole = Awaited<ReturnType<SdkModel["doGenerate"]>>;
type Streamed = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
export type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;
/** What is read of an answer. */
export type SdkAnswer = Pick<Whole, "content" | "finishReason" | "usage">;
