// The shape of an agent's own events where they come from outside as JSON: the hosts, and commands with jsonl output.
import { z } from "zod";
import type { AgentEvent } from "./agent.js";

const parent = z.exactOptional(z.string());
const count = z.int().min(0);

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
  z.object({
    type: z.literal("usage"),
    input_tokens: count,
    output_tokens: count,
    cached_input_tokens: z.exactOptional(count),
    cost_usd: z.exactOptional(z.number().min(0)),
  }),
]) satisfies z.ZodType<AgentEvent>;
