// Listens to other processes while the run works: stops, and edits of the task file. logging/control.ts reads the lines; the store
// takes the edits.
import { openControl } from "../../logging/control.js";
import type { StepEvent } from "../../logging/events/events.js";
import type { Ports } from "../../system/ports.js";

const LOOK_EVERY_MS = 250;

/** Puts what `looper stop` and editing commands say to the run that logs into `folder`, until the returned function is called. */
export function listenToOthers(
  ports: Pick<Ports, "files" | "clock">,
  folder: string,
  put: (event: StepEvent) => void,
): () => void {
  const readControl = openControl(ports, folder);
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    // Lines that cannot be read now are read the next time.
    const lines = await readControl().catch(() => []);
    looking = false;
    for (const line of lines) {
      if (line.type === "stop")
        put({
          type: "run_interrupted",
          signal: line.now ? "SIGTERM" : "SIGINT",
          terminal: false,
          by: "stop",
        });
    }
    if (lines.some(({ type }) => type === "edit")) put({ type: "edited" });
  };
  const timer = ports.clock.every(LOOK_EVERY_MS, () => void look());
  return () => {
    timer.cancel();
  };
}
