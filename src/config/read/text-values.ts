// Values that arrive as text, from a variable or a flag, read as their row wants them; a text that does not parse is a
// problem, never a guess.
import { isRecord, parseJson } from "../../system/text/json.js";
import { z } from "zod";
import { addSchedule, addValue, show, type LayerReading, type Source } from "./layers.js";
import { namesAgents, rowAt, takesList } from "../settings/settings.js";
import { keyOf, type KeyPath, type Row } from "../settings/setting-row.js";
import { anyText, choicesOf, writtenAs } from "../settings/types.js";

/** A value as text. */
export interface TextGiven {
  path: KeyPath;
  text: string;
  source: Source;
  /** A list's only item, not to be split at its commas. */
  one?: boolean;
  /** An empty text leaves the setting as it is. */
  emptyIsUnset?: boolean;
}

/** Adds what a text says: entries, or a problem. */
export function addText(reading: LayerReading, given: TextGiven): void {
  const { path, source } = given;
  const text = given.text.trim();
  if (text === "" && given.emptyIsUnset === true) return;
  const row = rowAt(path);
  if (row === undefined) addRecord(reading, given);
  else if (keyOf(path) === "schedule.strategy") addSchedule(reading, text, source);
  else if (takesList(row) && given.one !== true && looksLikeJson(text) && parseJson(text) === undefined) {
    const problem = `${keyOf(path)} is ${show(text)}, which is not JSON; allowed: a JSON list, or texts with commas between`;
    reading.problems.push(`${source.where}: ${problem}`);
  } else addValue(reading, { path, row, raw: rawValue(row, { ...given, text }), source });
}

const TRUTH = z.stringbool({
  truthy: ["true", "t", "yes", "y", "on", "1"],
  falsy: ["false", "f", "no", "n", "off", "0"],
});
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** The word that is meant, whatever its capitals; a text that is none of them as it is. */
function choiceOf({ type }: Row, text: string): string {
  return choicesOf(type)?.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
}

/**
 * Turns typed texts into the value of a key as a settings file spells it. A text that does not parse stays a text, which the
 * row's type then refuses. Several texts are a list. A key with others below it takes JSON only.
 */
export function readTypedValue(path: KeyPath, texts: readonly string[]): unknown {
  const row = rowAt(path);
  const [text = "", ...more] = texts.map((one) => one.trim());
  if (row === undefined) return looksLikeJson(text) ? (parseJson(text) ?? text) : text;
  if (takesList(row) && more.length > 0) return [text, ...more];
  if (more.length > 0) return [text, ...more].join(" ");
  if (writtenAs(row.type) === "other" && looksLikeJson(text)) return parseJson(text) ?? text;
  return rawValue(row, { text, one: !namesAgents(row) });
}

/** The value of a text. A text that does not parse stays a text, which the row's type then refuses. */
function rawValue(row: Row, { text, one }: Pick<TextGiven, "text" | "one">): unknown {
  const written = writtenAs(row.type);
  if (written === "number") return NUMBER.test(text) ? Number(text) : text;
  if (written === "truth") return TRUTH.safeParse(text).data ?? text;
  if (written !== "list") return choiceOf(row, text);
  if (looksLikeJson(text)) return parseJson(text) ?? text;
  // Empty items mean nothing.
  return one === true ? [text] : text.split(",").flatMap((item) => item.trim() || []);
}

/** A record, as a JSON object. Values of variables may be secrets: no problem shows them. */
function addRecord(reading: LayerReading, { path, text, source }: TextGiven): void {
  const row = rowAt([...path, "any"]);
  const members = parseJson(text);
  if (!isRecord(members) || row === undefined) {
    reading.problems.push(`${source.where}: ${keyOf(path)} is not a JSON object`);
    return;
  }
  for (const [name, raw] of Object.entries(members)) {
    if (row.type === anyText && typeof raw !== "string")
      reading.problems.push(`${source.where}: ${keyOf([...path, name])} is not a text`);
    else addValue(reading, { path: [...path, name], row, raw, source });
  }
}

function looksLikeJson(text: string): boolean {
  return /^[[{]/.test(text);
}
