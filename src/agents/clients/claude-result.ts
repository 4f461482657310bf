// Reads claude's last result line: success or the reason of the failure, final message, usage, denied calls. Pure.
import { given } from "../../system/given.js";
import type { AgentEvent, Session, Used } from "../agent.js";
import { asText, field, listField, numberField, textField, tokensField, usdField } from "../fields.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import { endFailed } from "../limits/explain-failure.js";
import { errorOf, sessionOf, type Closing, type Terminal } from "../limits/reader.js";
import { addUsed, NOTHING_USED, toUsageEvents, findUsedBefore, toUsed, subtractUsed } from "../usage.js";

/** Facts from the stream that the result line lacks or repeats. */
export interface ClaudeStream {
  result?: unknown;
  lastText: string;
  session?: string;
  apiError?: string;
  /** When the limit that was met ends, by the provider's word; epoch seconds. */
  resetsAt?: number;
  denied: ReadonlySet<string>;
  /** The usage of its messages. */
  spoken: Used;
}

/** Ends the stream. Without a result line the last text is the final message. */
export function closeResult(stream: ClaudeStream, resumed?: Session): Closing {
  const { result } = stream;
  const before = findUsedBefore(resumed, stream.session);
  if (result === undefined)
    return {
      events: toUsageEvents(stream.spoken),
      final: stream.lastText,
      ...sessionOf(stream.session, addUsed(before ?? NOTHING_USED, stream.spoken)),
    };
  const terminal = terminalOf(stream, result);
  const failure: AgentEvent[] = terminal.good ? [] : [errorOf(terminal)];
  const structured = field(result, "structured_output") ?? undefined;
  const { now, total } = countUsed(result, before);
  return {
    events: [...denials(stream, result), ...failure, ...toUsageEvents(now)],
    terminal,
    final: textField(result, "result") ?? stream.lastText,
    ...given({ summary: structured }),
    ...sessionOf(stream.session, total),
  };
}

/** `is_error` is believed over the subtype: an API failure has the subtype "success". */
function terminalOf(stream: ClaudeStream, result: unknown): Terminal {
  const subtype = textField(result, "subtype") ?? "success";
  if (field(result, "is_error") !== true && subtype === "success") return { good: true };
  const evidence = evidenceOf(stream, result, subtype);
  return endFailed(factsOf(stream, result, evidence), evidence);
}

function evidenceOf(stream: ClaudeStream, result: unknown, subtype: string): string {
  const told = [textField(result, "result") ?? "", ...listField(result, "errors").map(asText)].filter(
    (text) => text.trim() !== "",
  );
  return told[0] ?? stream.apiError ?? subtype.replaceAll("_", " ");
}

function factsOf({ apiError, resetsAt }: ClaudeStream, result: unknown, text: string): FailureFacts {
  const named = [textField(result, "subtype"), textField(result, "terminal_reason"), apiError];
  const status = numberField(result, "api_error_status");
  return {
    codes: named.flatMap((code) => (code === undefined || code === "success" ? [] : [code])),
    text,
    ...given({ status, resetsAt }),
  };
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

/** The tokens that an assistant's message reports. */
export function usedOfMessage(message: unknown): Used {
  return toUsed(ofRun(field(message, "usage")));
}

/** `modelUsage` and the cost count a whole session; `usage`, which older versions have alone, counts one run. */
function countUsed(result: unknown, before: Used | undefined): { now: Used; total: Used } {
  const cost = usdField(result, "total_cost_usd");
  const dollars = cost === undefined ? {} : { cost };
  const models: unknown[] = Object.values(field(result, "modelUsage") ?? {});
  if (models.length > 0) {
    const total = toUsed({ ...sumOf(models.map(byModel)), ...dollars });
    return { now: subtractUsed(total, before), total };
  }
  const run = ofRun(field(result, "usage"));
  const now = toUsed(run);
  const total = toUsed({
    input: run.input + (before?.input_tokens ?? 0),
    cached: run.cached + (before?.cached_input_tokens ?? 0),
    output: run.output + (before?.output_tokens ?? 0),
    ...dollars,
  });
  const { cost_usd } = subtractUsed(total, before);
  return { now: { ...now, ...given({ cost_usd }) }, total };
}

interface Tokens {
  input: number;
  output: number;
  cached: number;
}

function sumOf(counts: readonly Tokens[]): Tokens {
  const sum = (pick: (one: Tokens) => number): number => counts.reduce((total, one) => total + pick(one), 0);
  return {
    input: sum((one) => one.input),
    output: sum((one) => one.output),
    cached: sum((one) => one.cached),
  };
}

/** Tokens by model. Tokens written to the cache count as input: the model read them too. */
function byModel(model: unknown): Tokens {
  const count = (key: string): number => tokensField(model, key) ?? 0;
  return {
    input: count("inputTokens") + count("cacheCreationInputTokens"),
    output: count("outputTokens"),
    cached: count("cacheReadInputTokens"),
  };
}

function ofRun(used: unknown): Tokens {
  const count = (key: string): number => tokensField(used, key) ?? 0;
  return {
    input: count("input_tokens") + count("cache_creation_input_tokens"),
    output: count("output_tokens"),
    cached: count("cache_read_input_tokens"),
  };
}
