import { nodeClock } from "../clock.js";
import { nodeFiles } from "../files/files.js";
import type { Ports } from "../ports.js";
import { nodeProcesses } from "./processes.js";
import { nodeRandom } from "../random.js";

/** The real world, as Node gives it. */
export function nodePorts(): Ports {
  const clock = nodeClock();
  return { clock, files: nodeFiles(), processes: nodeProcesses(clock), random: nodeRandom() };
}
