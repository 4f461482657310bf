// What a provider wants back with a call, word for word: its own marks, and what the model thought before the call. Pure.
// It lies in ModelCall.signature as a text nobody else reads.
import { z } from "zod";
import { given } from "../../system/given.js";
import { parseJson } from "../../system/text/json.js";
import type { SdkMarks } from "./sdk-types.js";

const Options = z.record(z.string(), z.record(z.string(), z.json()));
const Signature = z.strictObject({
  by: z.string(),
  before: z
    .array(
      z.strictObject({
        thought: z.string(),
        text: z.exactOptional(z.int().min(0)),
        options: z.exactOptional(Options),
      }),
    )
    .default([]),
  options: z.exactOptional(Options),
});

/** A part of an answer that came before a call. */
export interface PartBeforeCall {
  /** What was thought. */
  thought: string;
  /** Not a thought but a piece of the answer's text, so many characters of it. */
  text?: number;
  options?: SdkMarks;
}

/** What is kept with a call. */
export interface Signed {
  before: readonly PartBeforeCall[];
  options?: SdkMarks;
}

/** The text to keep, of `by`, a `provider/model` (to another one it means nothing); `undefined` where there is nothing but text before the call, and no mark. */
export function writeSignature(by: string, { before, options }: Signed): string | undefined {
  const marked =
    options !== undefined || before.some((kept) => kept.text === undefined || kept.options !== undefined);
  return marked ? JSON.stringify({ by, before, options }) : undefined;
}

/** Nothing where the text is none of ours, or another model's. */
export function readSignature(text: string | undefined, by: string): Signed {
  const read = text === undefined ? undefined : Signature.safeParse(parseJson(text)).data;
  if (read?.by !== by) return { before: [] };
  const { before, options } = read;
  return { before, ...given({ options }) };
}
