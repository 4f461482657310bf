// Gathers an answer from a stream of the SDK's parts. reply.ts converts the answer.
import { field, listField, textField } from "../../agents/fields.js";
import type { SdkAnswer, SdkPart } from "./sdk-types.js";

type Content = SdkAnswer["content"][number];
type Written = Extract<Content, { type: "text" | "reasoning" }>;

/** More than any model writes in one answer, so that a stream without an end is aborted. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export interface StreamListener {
  onText: (delta: string) => void;
  /** Called with each piece of the model's thinking. */
  onThought: (delta: string) => void;
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
    if (part.type === "text-delta" && piece !== "") onText(piece);
    if (part.type === "reasoning-delta" && piece !== "") onThought(piece);
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
