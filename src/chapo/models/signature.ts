// The data a provider expects back with a call, unchanged: its own metadata and the model's thoughts before the call. Pure.
// It is stored as text in ModelCall.signature, which only this file reads.
import { z } from "zod";
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
  /** The text of the thought. */
  thought: string;
  /** Set if the part is not a thought but this many characters of the answer's text. */
  text?: number;
  options?: SdkMarks;
}

/** The data that is stored with a call. */
export interface Signed {
  before: readonly PartBeforeCall[];
  options?: SdkMarks;
}

/** Writes the data for the model `by` (`provider/model`) as text; `undefined` if there is neither a thought nor metadata. */
export function writeSignature(by: string, { before, options }: Signed): string | undefined {
  const marked =
    options !== undefined || before.some((kept) => kept.text === undefined || kept.options !== undefined);
  return marked ? JSON.stringify({ by, before, options }) : undefined;
}

/** Reads the data back. Text of another model, or of another origin, gives none. */
export function readSignature(text: string | undefined, by: string): Signed {
  const read = text === undefined ? undefined : Signature.safeParse(parseJson(text)).data;
  if (read?.by !== by) return { before: [] };
  const { before, options } = read;
  return { before, options };
}
