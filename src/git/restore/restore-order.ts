// What is asked of a way back to a checkpoint, and what came of it.
import type { Checkpoint } from "../checkpoint/checkpoint.js";

export interface Restored {
  /** The paths that were put back, as text. */
  paths: readonly string[];
  /** Paths that were put back inside repositories of their own, which the rescue does not hold. */
  inside: readonly string[];
  /** The ref that keeps what was there; `undefined` when nothing differed. */
  rescue: string | undefined;
  warnings: readonly string[];
}

export interface RestoreOrder {
  checkpoint: Checkpoint;
  run: string;
  /** Names the rescue, e.g. "T1-2": task and attempt. */
  label: string;
}
