import { basename } from "node:path";
import { digest } from "../text/digest.js";

/**
 * What the processes of a run are marked with: the run's id, and a digest of its folder's absolute path. Two runs of one
 * second in two projects have the same id, and must not end each other's processes.
 */
export function markOf(folder: string): string {
  return `${basename(folder)}-${digest([folder])}`;
}
