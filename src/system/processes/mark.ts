import { basename } from "node:path";
import { digest } from "../text/digest.js";

/**
 * The mark of a run's processes: the run's id, and a digest of its folder's absolute path. Two runs that start in the same
 * second in two projects have the same id, and must not end each other's processes.
 */
export function markOf(folder: string): string {
  return `${basename(folder)}-${digest([folder])}`;
}
