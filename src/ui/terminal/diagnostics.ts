// Notes on stderr: filtered by level, as text or as JSON lines. Pure.
// Leaves reading the flags and writing to cmd/context/stderr.ts.
import { clean } from "../text.js";

/** The most urgent first. */
export const LEVELS = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Level and format. */
export interface Diagnostics {
  level: Level;
  format: LogFormat;
}

/** A message on stderr. */
export interface StderrNote {
  level: Level;
  /** Lines for a person, the message first; clean, possibly coloured. */
  lines: readonly string[];
  /** The bare message of a warning to the user; absent for progress that went wrong. */
  warning?: string;
  /** Further fields of the JSON line; `undefined` ones are left out. */
  facts?: Readonly<Record<string, unknown>>;
}

/** Whether a note of this level is shown when `least` is the least urgent level. */
export function isWanted(level: Level, least: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(least);
}

/** The note as whole lines for stderr; empty when its level is filtered out. `now`: epoch ms. */
export function noteText(note: StderrNote, { level, format }: Diagnostics, now: number): string {
  if (!isWanted(note.level, level) || note.lines.length === 0) return "";
  return format === "json" ? jsonLine(note, now) : `${note.lines.join("\n")}\n`;
}

/** The prefix of a warning for people. */
const MARK = /^(?:looper: |! )/;

/** A note for programs: its message, and its further lines as a hint. */
function messageOf({ lines }: Pick<StderrNote, "lines">): { msg: string; hint?: string } {
  const [first = "", ...rest] = lines.map(clean);
  const hint = rest.filter((line) => line !== "").join("\n");
  return { msg: first.replace(MARK, ""), ...(hint === "" ? {} : { hint }) };
}

function jsonLine(note: StderrNote, now: number): string {
  const { level, facts } = note;
  return `${JSON.stringify({ level, time: new Date(now).toISOString(), ...messageOf(note), ...facts })}\n`;
}
