// What the host of the built-in engine is asked to do, and what its session is called.
import { z } from "zod";
import { ChapoSettings } from "../../config/read/chapo-settings.js";
import { HostRequest } from "./hosted.js";

/** What it reads on stdin. The environment is its own. */
export const ChapoRequest = HostRequest.extend({
  /** `provider/model`. */
  model: z.string(),
  chapo: ChapoSettings,
  /** Of the attempt; 0 = as the engine's settings say. */
  maxTurns: z.int(),
  /** The session to go on with. */
  resume: z.exactOptional(z.string()),
});
export type ChapoRequest = z.infer<typeof ChapoRequest>;
