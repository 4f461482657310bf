import { listenInto } from "../logging/control.js";
import type { StepEvent } from "../logging/events.js";
import type { Ports } from "../system/ports.js";

const LOOK_EVERY_MS = 250;

/** Puts what `looper stop` says to the run that logs into `folder` before the run, as long as it goes on; answers how to end that. */
export function listenForStops(
  ports: Pick<Ports, "files" | "clock">,
  folder: string,
  put: (event: StepEvent) => void,
): () => void {
  const hear = listenInto(ports, folder);
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    // What cannot be read now is read with the next look.
    const lines = await hear().catch(() => []);
    looking = false;
    for (const line of lines) {
      if (line.type !== "stop") continue;
      put({ type: "run_interrupted", signal: line.now ? "SIGTERM" : "SIGINT", terminal: false, by: "stop" });
    }
  };
  const timer = ports.clock.every(LOOK_EVERY_MS, () => void look());
  return () => {
    timer.cancel();
  };
}
