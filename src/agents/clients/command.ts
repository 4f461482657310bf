// Any command as an agent: the prompt by stdin, argument or file; text or our own events on stdout; exit code 0 is good.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { never } from "../../system/never.js";
import type { AgentRequest } from "../agent.js";
import type { Call, Client } from "../process/client.js";
import { findBinary } from "../process/find.js";
import { createOwnReader } from "../hosted/own-lines.js";
import { errorOf, heard, readJsonLines, type Reader } from "../limits/reader.js";
import { appendLine } from "../process/bounds.js";

// The longest argument that Linux accepts.
const MAX_ARGUMENT_BYTES = 131_071;

/** Its `args` alone tell what it may do. */
export const command: Client = {
  find: findBinary("the program to start"),
  call: (request, binary, { settings }) => commandCall(settings, request, binary),
  cleanStop: { signal: "SIGTERM", target: "group" },
  reader: (_request, { output }) =>
    output === "text" ? textReader : readJsonLines(createOwnReader("command")),
  exceeds: () => "may do whatever its command does",
  reports: ({ output }) => (output === "jsonl" ? "cost" : "nothing"),
};

/** `{prompt}` (prompt_via arg) and `{prompt_file}` (file) stand for the prompt in `args`; without one it comes last. */
export function commandCall(
  settings: AgentSettings,
  request: Pick<AgentRequest, "prompt" | "promptFile">,
  binary: string,
): Call | { refused: string } {
  switch (settings.promptVia) {
    case "stdin":
      return { command: binary, args: settings.args, input: request.prompt };
    case "file":
      return { command: binary, args: fill(settings.args, "{prompt_file}", request.promptFile) };
    case "arg": {
      const args = fill(settings.args, "{prompt}", request.prompt);
      const longest = Math.max(...args.map((arg) => Buffer.byteLength(arg)));
      if (longest <= MAX_ARGUMENT_BYTES) return { command: binary, args };
      return {
        refused:
          `an argument of ${longest} bytes with the prompt in it is longer than the ` +
          `${MAX_ARGUMENT_BYTES} a system takes: set agents.${settings.name}.prompt_via to stdin or file`,
      };
    }
    default:
      return never(settings.promptVia);
  }
}

function fill(args: readonly string[], placeholder: string, text: string): string[] {
  if (!args.some((arg) => arg.includes(placeholder))) return [...args, text];
  // A function, so that `$&` in a prompt is only text.
  return args.map((arg) => arg.replaceAll(placeholder, () => text));
}

// Reads a command that prints plain text: each line is a message, all of it together the final message.

// A line counts at least 100 bytes, so that neither long nor many lines fill the log; the raw output has them all.
const MAX_TEXT = 1024 * 1024;
const LEAST_LINE = 100;
/** Characters at the end of its text that may tell why it failed. */
const MOST_PRINTED = 16 * 1024;

interface TextState {
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
    if (line.trim() === "") return heard({ ...state, final });
    const told = state.told + Math.max(LEAST_LINE, Buffer.byteLength(line));
    if (told <= MAX_TEXT) {
      return heard({ ...state, final, told }, { type: "message", role: "assistant", content: line });
    }
    const evidence = "more than 1 MiB of text: the rest is in the raw output only";
    const cut = { ...state, final, isCut: true };
    return state.isCut ? heard(cut) : heard(cut, errorOf({ evidence, reason: "output-cut" }));
  },
  busy: () => false,
  close: ({ final }) => ({
    events: [],
    terminal: { good: true, assumed: true },
    final,
    printed: final.slice(-MOST_PRINTED),
  }),
};
