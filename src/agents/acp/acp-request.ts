// What the host of an agent of the Agent Client Protocol is asked to do, and what it says itself between the agent's messages.
import { z } from "zod";
import { HostRequest } from "../hosted/hosted.js";

/** What it reads on stdin. */
export const AcpRequest = HostRequest.extend({
  args: z.array(z.string()),
  model: z.exactOptional(z.string()),
  reasoning: z.exactOptional(z.string()),
  /** The session to go on with. */
  resume: z.exactOptional(z.string()),
});
export type AcpRequest = z.infer<typeof AcpRequest>;

/** What the host says itself. A line of the agent's has `jsonrpc`, and is none of these. */
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
  /** What comes until the next answer was said in the session before. */
  z.object({ type: z.literal("replay") }),
  z.object({ type: z.literal("killed"), signal: z.string() }),
]);
export type AcpHostLine = z.infer<typeof AcpHostLine>;
