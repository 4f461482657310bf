// What stderr is told, and how: from which level on, as text or as JSON lines. Pure.
// Leaves where the wish for it comes from to cmd/line/log-flags.ts, and writing it to cmd/context/stderr.ts.
import { clean } from "../text.js";

/** The most urgent first. */
export const LEVELS = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What is wished for. */
export interface Diagnostics {
  level: Level;
  format: LogFormat;
}

/** Something to say. */
export interface Note {
  level: Level;
  /** As a person sees them, the first one the message itself; cleaned, coloured or not. */
  lines: readonly string[];
  /** Its message alone, where it is a warning to whoever runs this, rather than progress that went wrong. */
  warning?: string;
  /** For programs beside level, time and message; what is `undefined` is left out. */
  facts?: Readonly<Record<string, unknown>>;
}

/** Whether a note of this level is wanted where `least` is the least urgent one that is. */
export function isWanted(level: Level, least: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(least);
}

/** The note as stderr shows it, whole lines; empty where it is not wanted. `now`: epoch ms. */
export function noteText(note: Note, { level, format }: Diagnostics, now: number): string {
  if (!isWanted(note.level, level) || note.lines.length === 0) return "";
  return format === "json" ? jsonLine(note, now) : `${note.lines.join("\n")}\n`;
}

/** Marks for people: who speaks, and that it is a warning. */
const MARK = /^(?:looper: |! )/;

function jsonLine({ level, lines, facts }: Note, now: number): string {
  const [first = "", ...rest] = lines.map(clean);
  const hint = rest.filter((line) => line !== "").join("\n");
  return `${JSON.stringify({
    level,
    time: new Date(now).toISOString(),
    msg: first.replace(MARK, ""),
    ...(hint === "" ? {} : { hint }),
    ...facts,
  })}\n`;
}
