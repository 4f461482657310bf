// Replaces src/system/processes/node-ports.ts in the test bin: the real world, except for the faults of a plan.
import { randomBytes } from "node:crypto";
import { openSync } from "node:fs";
import { nodeClock } from "../../src/system/clock.js";
import { nodeFiles } from "../../src/system/files/files.js";
import type { Ports } from "../../src/system/ports.js";
import { nodeProcesses } from "../../src/system/processes/processes.js";
import { Calls } from "./calls.js";
import { PLAN, Plan } from "./fault.js";
import { faultyFiles } from "./faulty-files.js";
import { faultyProcesses } from "./faulty-processes.js";
import { jumpingClock } from "./jumping-clock.js";

/** The commands that have faults; those that only read have none. */
const FAULTY: ReadonlySet<string | undefined> = new Set(["run", "answer", "approve", "reject"]);

/** The ports of a start: faulty where a plan is set and the command is one of FAULTY; its children inherit the variable, not the plan. */
export function nodePorts(): Ports {
  const clock = jumpingClock(nodeClock());
  const random = { hex: (bytes: number) => randomBytes(bytes).toString("hex") };
  const ports = { clock, files: nodeFiles(), processes: nodeProcesses(clock), random };
  const text = process.env[PLAN];
  if (text === undefined || !FAULTY.has(process.argv[2])) return ports;
  const { faults, trace } = Plan.parse(JSON.parse(text));
  const calls = new Calls(faults, openSync(trace, "w"), clock);
  return {
    ...ports,
    files: faultyFiles(ports.files, calls),
    processes: faultyProcesses(ports.processes, calls),
  };
}
