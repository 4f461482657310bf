// Reads messages from stdin, one a line, for `looper chapo --json`. Leaves sending them to converse.ts.
import { splitLines } from "../../../src/agents/process/lines.js";
import { textField } from "../../../src/agents/fields.js";
import { parseJson } from "../../../src/system/text/json.js";
import type { CommandContext } from "../../context/command-context.js";

/** Yields each message: a line of text, a JSON text, or `{"message": "…"}`. A line that is none of these is reported and skipped. */
export async function* readMessageLines(
  context: Pick<CommandContext, "stdin" | "report">,
): AsyncGenerator<string> {
  const lines = splitLines();
  let number = 0;
  const toMessages = async (texts: readonly string[]): Promise<string[]> => {
    const messages: string[] = [];
    for (const text of texts) {
      number += 1;
      if (!/\S/u.test(text)) continue;
      const message = toMessage(text);
      if (message !== undefined) messages.push(message);
      else
        await context.report({
          level: "warn",
          lines: [`looper: line ${number} of stdin is not a message; send a text, or {"message": "…"}`],
        });
    }
    return messages;
  };
  for await (const chunk of context.stdin.chunks()) yield* await toMessages(lines.push(chunk));
  yield* await toMessages(lines.end());
}

function toMessage(line: string): string | undefined {
  const isJson = /^\s*["{]/.test(line);
  if (!isJson) return line;
  const value = parseJson(Buffer.from(line));
  const message = typeof value === "string" ? value : textField(value, "message");
  return message !== undefined && /\S/u.test(message) ? message : undefined;
}
