// Reads a command that prints plain text: each line is a message, all of it together the final message. Pure.
import { appendLine } from "../process/bounds.js";
import type { Reader } from "../limits/reader.js";

// A line counts at least 100 bytes, so that neither long nor many lines fill the log; the raw output has them all.
const MAX_TEXT = 1024 * 1024;
const LEAST_LINE = 100;
/** Characters at the end of its text that may tell why it failed. */
const MOST_PRINTED = 16 * 1024;

export interface TextState {
  final: string;
  /** Bytes of events so far, at most MAX_TEXT: a line that does not fit is left out. */
  told: number;
  /** Whether a line was left out, which is told once. */
  isCut: boolean;
}

/** One event a line, so that the events do not hang on how the output was cut into chunks. */
export const textReader: Reader<TextState> = {
  start: { final: "", told: 0, isCut: false },
  isText: true,
  read(state, line) {
    const final = appendLine(state.final, line);
    if (line.trim() === "") return { state: { ...state, final }, events: [], known: true };
    const told = state.told + Math.max(LEAST_LINE, Buffer.byteLength(line));
    if (told <= MAX_TEXT) {
      return {
        state: { ...state, final, told },
        events: [{ type: "message", role: "assistant", content: line }],
        known: true,
      };
    }
    const error = "more than 1 MiB of text: the rest is in the raw output only";
    return {
      state: { ...state, final, isCut: true },
      events: state.isCut ? [] : [{ type: "error", error, reason: "output-cut" }],
      known: true,
    };
  },
  busy: () => false,
  close: ({ final }) => ({
    events: [],
    terminal: { good: true, assumed: true },
    final,
    printed: final.slice(-MOST_PRINTED),
  }),
};
