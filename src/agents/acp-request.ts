// What the host of an agent of the Agent Client Protocol is asked to do.
import { z } from "zod";
import { HostRequest } from "./hosted.js";

/** What it reads on stdin. */
export const AcpRequest = HostRequest.extend({
  args: z.array(z.string()),
  model: z.exactOptional(z.string()),
  reasoning: z.exactOptional(z.string()),
  /** The session to go on with. */
  resume: z.exactOptional(z.string()),
});
export type AcpRequest = z.infer<typeof AcpRequest>;
