// The answer of `looper stop --json`. Pure. Leaves stopping the run to src/loop/runs/live-run.ts.
import type { StoppedRun } from "../../../loop/runs/live-run.js";
import type { StopAnswer } from "../../shapes/runs.js";

/** Which run was stopped, and whether it has ended. */
export function stopAnswer({ live, ended }: StoppedRun): StopAnswer {
  return { run: live.run, ended };
}
