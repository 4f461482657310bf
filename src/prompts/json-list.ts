// A list of records as JSON in a prompt, made to fit by shortening its long texts first and leaving out the oldest last.
import { cutEnd, fenceBlock } from "./text.js";

/** How long a text in a record may stay, tried in order. */
const LENGTHS = [4000, 1000, 200] as const;

/** The records as a fenced JSON list of at most about `most` characters, the newest last; "" when there are none. */
export function formatJsonList(records: readonly object[], most: number): string {
  if (records.length === 0) return "";
  const attempts = LENGTHS.map((length) => records.map((record) => shortened(record, length)));
  const fitting = attempts.find((texts) => size(texts) <= most);
  if (fitting !== undefined) return fenceBlock(asList(fitting), "json");
  const kept = newest(attempts.at(-1) ?? [], most);
  const left = records.length - kept.length;
  return `${String(left)} earlier ones are left out.\n\n${fenceBlock(asList(kept), "json")}`;
}

function shortened(record: object, length: number): string {
  const shorten = (_: string, value: unknown) => (typeof value === "string" ? cutEnd(value, length) : value);
  return JSON.stringify(record, shorten);
}

function newest(texts: readonly string[], most: number): string[] {
  let room = most;
  const first = texts.findLastIndex((text) => {
    room -= text.length + 2;
    return room < 0;
  });
  return texts.slice(first + 1);
}

function size(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 2, 0);
}

function asList(texts: readonly string[]): string {
  return `[\n${texts.join(",\n")}\n]`;
}
