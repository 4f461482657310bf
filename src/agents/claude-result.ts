// What claude's last result line came to: good or not and why, its final message, usage, what was denied. Pure.
import type { AgentEvent, FailureReason } from "./agent.js";
import { asText, field, listField, numberField, textField } from "./fields.js";
import { classifyStatus, classifyText } from "./limits.js";
import type { Closing, Terminal } from "./reader.js";

/** What the stream held that the result line does not say, or says again. */
export interface ClaudeStream {
  result?: unknown;
  lastText: string;
  apiError?: string;
  denied: ReadonlySet<string>;
}

const BY_WORD: Readonly<Record<string, FailureReason>> = {
  error_max_turns: "turns",
  max_turns: "turns",
  error_max_budget_usd: "budget",
  budget_exhausted: "budget",
  error_max_structured_output_retries: "no-summary",
  structured_output_retry_exhausted: "no-summary",
  prompt_too_long: "context-full",
  authentication_failed: "not-signed-in",
  billing_error: "budget",
  rate_limit: "rate-limited",
  server_error: "overloaded",
  overloaded: "overloaded",
  max_output_tokens: "incomplete",
};

/** Without a result line there is no terminal event, and the last text is the final message. */
export function closeResult(stream: ClaudeStream): Closing {
  const { result } = stream;
  if (result === undefined) return { events: [], final: stream.lastText };
  const terminal = terminalOf(stream, result);
  const failure: AgentEvent[] = terminal.good
    ? []
    : [{ type: "error", error: terminal.evidence, reason: terminal.reason }];
  const structured = field(result, "structured_output") ?? undefined;
  return {
    events: [...denials(stream, result), ...failure, ...usage(result)],
    terminal,
    final: textField(result, "result") ?? stream.lastText,
    ...(structured === undefined ? {} : { summary: structured }),
  };
}

/** `is_error` is believed over the subtype: an API failure has the subtype "success". */
function terminalOf(stream: ClaudeStream, result: unknown): Terminal {
  const subtype = textField(result, "subtype") ?? "success";
  if (field(result, "is_error") !== true && subtype === "success") return { good: true };
  const evidence = evidenceOf(stream, result, subtype);
  return { good: false, reason: reasonOf(stream, result, evidence), evidence };
}

function evidenceOf(stream: ClaudeStream, result: unknown, subtype: string): string {
  const told = [textField(result, "result") ?? "", ...listField(result, "errors").map(asText)].filter(
    (text) => text.trim() !== "",
  );
  return told[0] ?? stream.apiError ?? subtype.replaceAll("_", " ");
}

/** What is structured is asked first, from the most telling on, then the words. */
function reasonOf(stream: ClaudeStream, result: unknown, evidence: string): FailureReason {
  const byWord = (word: string | undefined): FailureReason | undefined =>
    word !== undefined && Object.hasOwn(BY_WORD, word) ? BY_WORD[word] : undefined;
  const status =
    numberField(result, "api_error_status") ?? (stream.apiError === "invalid_request" ? 400 : undefined);
  return (
    byWord(textField(result, "subtype")) ??
    byWord(textField(result, "terminal_reason")) ??
    (status === undefined ? undefined : classifyStatus(status, evidence)) ??
    byWord(stream.apiError) ??
    classifyText(evidence) ??
    "exited"
  );
}

/** Denials the stream had no event for (2.0.76 has none at all). */
function denials(stream: ClaudeStream, result: unknown): AgentEvent[] {
  return listField(result, "permission_denials")
    .filter((denial) => !stream.denied.has(textField(denial, "tool_use_id") ?? ""))
    .map((denial) => ({
      type: "error",
      error: `${textField(denial, "tool_name") ?? "a tool"}: denied`,
      reason: "refused",
    }));
}

/** Counted as codex does: `input_tokens` includes what came from the cache. */
function usage(result: unknown): AgentEvent[] {
  const models: unknown[] = Object.values(field(result, "modelUsage") ?? {});
  const sums = models.length > 0 ? models.map(byModel) : [whole(field(result, "usage"))];
  const sum = (pick: (one: Tokens) => number): number => sums.reduce((total, one) => total + pick(one), 0);
  const cost = numberField(result, "total_cost_usd");
  const cached = sum((one) => one.cached);
  const input = sum((one) => one.input);
  const output = sum((one) => one.output);
  if (input === 0 && output === 0 && cost === undefined) return [];
  return [
    {
      type: "usage",
      input_tokens: input,
      output_tokens: output,
      ...(cached === 0 ? {} : { cached_input_tokens: cached }),
      ...(cost === undefined ? {} : { cost_usd: cost }),
    },
  ];
}

interface Tokens {
  input: number;
  output: number;
  cached: number;
}

function byModel(model: unknown): Tokens {
  const count = (key: string): number => numberField(model, key) ?? 0;
  const cached = count("cacheReadInputTokens");
  return {
    input: count("inputTokens") + cached + count("cacheCreationInputTokens"),
    output: count("outputTokens"),
    cached,
  };
}

function whole(used: unknown): Tokens {
  const count = (key: string): number => numberField(used, key) ?? 0;
  const cached = count("cache_read_input_tokens");
  return {
    input: count("input_tokens") + cached + count("cache_creation_input_tokens"),
    output: count("output_tokens"),
    cached,
  };
}
