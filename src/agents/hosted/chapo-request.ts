// The request to the host of the built-in engine, and the name of its session.
import { z } from "zod";
import { ChapoSettings } from "../../config/read/chapo-settings.js";
import { HostRequest } from "./hosted.js";

/** The request on its stdin. The environment is its own. */
export const ChapoRequest = HostRequest.extend({
  /** `provider/model`. */
  model: z.string(),
  chapo: ChapoSettings,
  /** Of the attempt; 0 = as the engine's settings say. */
  maxTurns: z.int(),
  /** The agent's name in the settings, for messages. */
  agent: z.exactOptional(z.string()),
  /** The session to resume. */
  resume: z.exactOptional(z.string()),
  /** The task's row in the task file, which is absolute: messages after the first `after` came too late for the prompt. */
  row: z.exactOptional(z.object({ file: z.string(), after: z.int() })),
  /** Absolute; absent: beside the prompt. */
  sessionsFolder: z.exactOptional(z.string()),
});
export type ChapoRequest = z.infer<typeof ChapoRequest>;
