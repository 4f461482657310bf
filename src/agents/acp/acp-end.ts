// How a turn of an agent of the Agent Client Protocol ended, and what it used. Pure.
import { field, tokensField } from "../fields.js";
import { endFailed } from "../limits/limits.js";
import type { Terminal } from "../limits/reader.js";

/** Of one turn: `input` without what came from the cache, `output` with what was thought. */
export interface Tokens {
  input: number;
  cached: number;
  output: number;
}

/** Whether a turn ended well; `stream`: what was said last, and what was refused. */
export function endOfTurn(
  stopReason: string,
  result: unknown,
  stream: { final: string; refused?: string },
): Terminal {
  switch (stopReason) {
    case "end_turn":
      // Codex ends so when its provider fails, and says why as if the model did.
      if (field(result, "usage") !== null) return endedSilently(stream) ?? { good: true };
      return endFailed(
        { text: stream.final },
        stream.final === "" ? "it ended without having done anything" : stream.final,
      );
    case "max_tokens":
      return { good: false, reason: "incomplete", evidence: "the model's answer broke off at its longest" };
    case "max_turn_requests":
      return { good: false, reason: "turns", evidence: "it made as many requests as it may in a turn" };
    case "refusal":
      return { good: false, reason: "incomplete", evidence: "the model refused to go on" };
    case "cancelled": {
      const evidence =
        stream.refused === undefined ? "cancelled, not by looper" : `stopped there: ${stream.refused}`;
      return { good: false, reason: "incomplete", evidence };
    }
    default:
      return { good: false, reason: "incomplete", evidence: `it stopped: ${stopReason}` };
  }
}

/** Opencode ends its work, as if well, at the first call that is refused. */
function endedSilently({ final, refused }: { final: string; refused?: string }): Terminal | undefined {
  if (final !== "" || refused === undefined) return undefined;
  return { good: false, reason: "incomplete", evidence: `stopped there: ${refused}` };
}

/**
 * The tokens of a turn; `undefined` when the agent does not report them. All agents leave cached tokens out of the input.
 * Some leave reasoning tokens out of the output, but the total includes them.
 */
export function readTokens(result: unknown): Tokens | undefined {
  const usage = field(result, "usage") ?? undefined;
  if (usage === undefined) return readQuota(field(field(field(result, "_meta"), "quota"), "token_count"));
  const count = (key: string): number => tokensField(usage, key) ?? 0;
  const input = count("inputTokens") + count("cachedWriteTokens");
  const cached = count("cachedReadTokens");
  return { input, cached, output: Math.max(count("outputTokens"), count("totalTokens") - input - cached) };
}

function readQuota(counted: unknown): Tokens | undefined {
  const input = tokensField(counted, "input_tokens");
  const output = tokensField(counted, "output_tokens");
  return input === undefined || output === undefined ? undefined : { input, cached: 0, output };
}
