// The shape of an agent's own events where they come from outside as JSON: the hosts, and commands with jsonl output.
import { z } from "zod";
import { given } from "../system/given.js";
import type { AgentEvent } from "./agent.js";
import { believeTokens, believeUsd } from "./fields.js";
import { toUsed } from "./usage.js";

const parent = z.exactOptional(z.string());
/** A number of any size: one beyond all numbers (1e400) is read as Infinity. */
const amount = (fits: (number: number) => boolean) =>
  z.custom<number>((value) => typeof value === "number" && value >= 0 && fits(value));
const tokens = z.exactOptional(amount((count) => Number.isInteger(count) || count === Infinity));
const usd = z.exactOptional(amount(() => true));

/** A usage event may hold dollars alone. Impossible figures are ignored. */
const usage = z
  .object({
    type: z.literal("usage"),
    input_tokens: tokens,
    output_tokens: tokens,
    cached_input_tokens: tokens,
    cost_usd: usd,
  })
  .transform(({ type, input_tokens, output_tokens, cached_input_tokens, cost_usd = Infinity }) => {
    const [input = 0, output = 0, cached = 0] = [input_tokens, output_tokens, cached_input_tokens].map(
      (count) => believeTokens(count ?? 0),
    );
    const cost = believeUsd(cost_usd);
    return { type, ...toUsed({ input, output, cached, ...given({ cost }) }) };
  });

/** An event as it is written on a line of its own. Unknown keys are dropped. */
export const AgentEventLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    role: z.enum(["assistant", "user", "system", "reasoning"]),
    content: z.string(),
    parent,
  }),
  z.object({
    type: z.literal("tool_use"),
    name: z.string(),
    input: z.unknown(),
    id: z.exactOptional(z.string()),
    parent,
  }),
  z.object({
    type: z.literal("tool_result"),
    id: z.exactOptional(z.string()),
    output: z.string(),
    is_error: z.boolean(),
    parent,
  }),
  z.object({
    type: z.literal("command"),
    command: z.string(),
    exit_code: z.exactOptional(z.int()),
    duration_ms: z.exactOptional(z.number().min(0)),
    parent,
  }),
  z.object({ type: z.literal("error"), error: z.string(), reason: z.exactOptional(z.string()) }),
  usage,
]) satisfies z.ZodType<AgentEvent>;
