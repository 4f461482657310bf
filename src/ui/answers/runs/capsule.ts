// The answer of `looper capsule --json`. Pure. Leaves packing the log to src/loop/replay/make-capsule.ts.
import type { MadeCapsule } from "../../../loop/replay/make-capsule.js";
import type { CapsuleAnswer } from "../../shapes/runs.js";

/** A capsule that was written to `file`. */
export function capsuleAnswer(made: MadeCapsule, run: string, file: string): CapsuleAnswer {
  const { replayed, lines, indexes, namesLeft, text } = made;
  return {
    file,
    run,
    bytes: Buffer.byteLength(text),
    lines,
    indexes,
    ...("decisions" in replayed ? { decisions: replayed.decisions } : { difference: replayed.difference }),
    names_left: namesLeft,
  };
}
