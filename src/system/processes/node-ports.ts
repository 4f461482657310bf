import { randomBytes } from "node:crypto";
import { nodeClock } from "../clock.js";
import { nodeFiles } from "../files/files.js";
import type { Ports, Random } from "../ports.js";
import { nodeProcesses } from "./processes.js";

/** The real world, as Node gives it. */
export function nodePorts(): Ports {
  const clock = nodeClock();
  return { clock, files: nodeFiles(), processes: nodeProcesses(clock), random: nodeRandom() };
}

/** Randomness from the operating system. */
export function nodeRandom(): Random {
  return { hex: (bytes) => randomBytes(bytes).toString("hex") };
}
