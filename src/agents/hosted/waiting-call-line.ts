// A call of a tool that a person must allow first, as a host prints it with its end.
import { z } from "zod";

export const WaitingCallLine = z.object({
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  command: z.string(),
  preview: z.exactOptional(z.string()),
  paths: z.exactOptional(z.array(z.string())),
});
