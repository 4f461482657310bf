// The input of a restore to a checkpoint, and its result.
import type { Checkpoint } from "../checkpoint/checkpoint.js";

export interface Restored {
  /** The restored paths, as text. */
  paths: readonly string[];
  /** The ref that keeps the replaced content; `undefined` if nothing differed. */
  rescue: string | undefined;
  warnings: readonly string[];
}

export interface RestoreOrder {
  checkpoint: Checkpoint;
  run: string;
  /** The name of the rescue, for example "T1-2": task and attempt. */
  label: string;
  /** The ref that keeps what is replaced, instead of a rescue: the work is saved already. */
  shelf?: string;
  /** The caller has just staged the tree, and it is that of the checkpoint. */
  unchanged?: boolean;
}
