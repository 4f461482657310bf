// Listens to other processes while the run works: stops and requested edits. logging/control.ts reads the lines; the store takes
// edits that were already made.
import { openControl } from "../../logging/control.js";
import type { StepEvent } from "../../logging/events/events.js";
import type { Ports } from "../../system/ports.js";
import type { PersonChange } from "../../todo/model/changes/person-change.js";

const LOOK_EVERY_MS = 250;

/** Called with each requested edit, unredacted. */
export type EditListener = (request: string, changes: readonly PersonChange[]) => void;

/**
 * Puts the requests of `looper stop` and of editing commands to the run that logs into `folder`, until the returned function is
 * called. `asked` gets an edit before the run does.
 */
export function listenToOthers(
  ports: Pick<Ports, "files" | "clock">,
  folder: string,
  { put, asked }: { put: (event: StepEvent) => void; asked: EditListener },
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
      if (line.type !== "ask") continue;
      const { request, at, changes } = line;
      asked(request, changes);
      put({ type: "edit_asked", request, at, changes });
    }
  };
  const timer = ports.clock.every(LOOK_EVERY_MS, () => void look());
  return () => {
    timer.cancel();
  };
}
