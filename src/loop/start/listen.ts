// What other processes say to the run, heard while it works. Leaves the lines to logging/control.ts, and edits that are only
// told of to the store.
import { openControl } from "../../logging/control.js";
import type { StepEvent } from "../../logging/events.js";
import type { Ports } from "../../system/ports.js";
import type { PersonChange } from "../../todo/model/person-change.js";

const LOOK_EVERY_MS = 250;

/** An edit that is asked for, word for word. */
export type EditListener = (request: string, changes: readonly PersonChange[]) => void;

/**
 * Puts what `looper stop` and the editing commands ask of the run that logs into `folder` before the run, until that is ended;
 * returns how to end it. `asked` hears of an edit before the run does.
 */
export function listenToOthers(
  ports: Pick<Ports, "files" | "clock">,
  folder: string,
  { put, asked }: { put: (event: StepEvent) => void; asked: EditListener },
): () => void {
  const hear = openControl(ports, folder);
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    // What cannot be read now is read with the next look.
    const lines = await hear().catch(() => []);
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
