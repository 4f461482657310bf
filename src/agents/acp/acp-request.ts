// The request to the host of an agent of the Agent Client Protocol, and the lines it prints itself between the agent's
// messages.
import { z } from "zod";
import { HostRequest } from "../hosted/hosted.js";

/** The request on its stdin. */
export const AcpRequest = HostRequest.extend({
  args: z.array(z.string()),
  model: z.exactOptional(z.string()),
  reasoning: z.exactOptional(z.string()),
  /** The session to resume. */
  resume: z.exactOptional(z.string()),
});
export type AcpRequest = z.infer<typeof AcpRequest>;

/** The host's own lines. A line of the agent has `jsonrpc`, and is not one of these. */
export const AcpHostLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("refused"), tool: z.string() }),
  z.object({ type: z.literal("not-set"), what: z.string() }),
  z.object({
    type: z.literal("request-failed"),
    method: z.string(),
    message: z.string(),
    code: z.exactOptional(z.number()),
    data: z.exactOptional(z.unknown()),
  }),
  z.object({ type: z.literal("unanswered"), method: z.string(), seconds: z.number() }),
  /** All messages up to the next answer repeat the earlier session. */
  z.object({ type: z.literal("replay") }),
  z.object({ type: z.literal("killed"), signal: z.string() }),
]);
export type AcpHostLine = z.infer<typeof AcpHostLine>;
