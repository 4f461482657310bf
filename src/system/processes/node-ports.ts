import { randomBytes } from "node:crypto";
import { nodeClock } from "../clock.js";
import { nodeFiles } from "../files/files.js";
import type { Ports } from "../ports.js";
import { nodeProcesses } from "./processes.js";

/** The real world, as Node gives it. */
export function nodePorts(): Ports {
  const clock = nodeClock();
  const random = { hex: (bytes: number) => randomBytes(bytes).toString("hex") };
  return { clock, files: nodeFiles(), processes: nodeProcesses(clock), random };
}
