// Runs of commands as values, for the tests of this floor.
import { given } from "../../system/given.js";
import type { GateOrder } from "../verdict/compare.js";
import type { CommandEnd, Ran, TestStatus } from "../verdict.js";

export type Tests = Record<string, TestStatus>;

export const timedOut: CommandEnd = { how: "timed-out" };
export const killed: CommandEnd = { how: "killed", signal: "SIGSEGV" };

/** A run of `npm test`; it exits with 1 if a test failed, unless an end is given. */
export function run(tests: Tests | undefined, end?: CommandEnd | number, more: Partial<Ran> = {}): Ran {
  const code = Object.values(tests ?? {}).includes("failed") ? 1 : 0;
  return {
    command: "npm test",
    own: false,
    end: typeof end === "object" ? end : { how: "exited", code: end ?? code },
    duration_ms: 12,
    tail: "its output\n",
    ...given({ tests }),
    ...more,
  };
}

/** A run without a report. */
export const bare = (end: CommandEnd | number, more: Partial<Ran> = {}): Ran => run(undefined, end, more);

/** A gate of one command, with its run before. */
export function order(base: Ran | undefined, ran: Ran, more: Partial<GateOrder> = {}): GateOrder {
  const baseline = base === undefined ? undefined : { commands: [base] };
  return { baseline, ran: [ran], again: [], strict: false, cold: false, tampered: [], ...more };
}
