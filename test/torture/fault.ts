// The faults of the program at one of its calls, and the way to pass one to a start of the test bin. Pure.
import { z } from "zod";

/** The faults at a call: `stop` is SIGSTOP, and half a second later SIGCONT; `forward` and `back` set the clock by an hour. */
export const DEEDS = ["kill", "kill-group", "stop", "ENOSPC", "EIO", "forward", "back", "shell"] as const;
export type Deed = (typeof DEEDS)[number];

/** `at`: the number of the call, from 1. `half`: once half of it is done (of a write half the bytes, of a process its start). */
export const Fault = z.strictObject({
  at: z.int().min(1),
  when: z.enum(["before", "half"]),
  deed: z.enum(DEEDS),
  /** Of `shell`: a line for sh, run in the project while the program waits. */
  line: z.exactOptional(z.string()),
});
export type Fault = z.infer<typeof Fault>;

/** `trace`: absolute path of a file that gets a line for each call. */
export const Plan = z.strictObject({ faults: z.array(Fault), trace: z.string() });
export type Plan = z.infer<typeof Plan>;

export function kills({ deed }: Fault): boolean {
  return deed === "kill" || deed === "kill-group";
}

/** The variable that holds the plan, as JSON. */
export const PLAN = "TORTURE_PLAN";
