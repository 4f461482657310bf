// Listens to other processes while the run works: stops, and edits of the task file. logging/control.ts reads the lines; the store
// takes the edits.
import { openControl } from "../../logging/control.js";
import type { Sealed, StepEvent } from "../../logging/events/events.js";
import { AN_ANSWER } from "../../logging/events/told-events.js";
import type { Ports, Timer } from "../../system/ports.js";
import { sha256Hex } from "../../system/text/sha256.js";

const LOOK_EVERY_MS = 250;
const SHARE_EVERY_MS = 60_000;

/** Notices what no command reports to a run that sleeps until there is an answer: a save of the task file by an editor. */
export class TaskFileWatch {
  #seen = "";
  #known: string | undefined;
  #isAsleep = false;
  /** A person at the terminal is asked, who may be away. */
  #isAsking = false;
  #asked = false;

  constructor(
    private readonly ports: Pick<Ports, "files">,
    private readonly file: string,
  ) {}

  /** Takes a line of the run's log. */
  see(line: Sealed): void {
    if (line.type === "backlog_changed") this.#known = line.sha256 ?? this.#known;
    if (line.type === "asked") this.#asked = true;
    if (line.type === "decided") {
      this.#isAsleep = line.effects.some(({ kind }) => kind === "ask-person");
      this.#isAsking ||= this.#isAsleep;
    }
    if (line.type === "person_asked") this.#isAsking = false;
    if (line.type === "waiting") this.#isAsleep = line.reason === AN_ANSWER;
  }

  /** Whether only answers move the run on, as far as it knows. */
  get waits(): boolean {
    return this.#isAsleep || this.#isAsking;
  }

  /** Whether a question was asked since the last look, so that others are to know of it. */
  takeAsked(): boolean {
    const isAsked = this.#asked;
    this.#asked = false;
    return isAsked;
  }

  /** Whether the file has changed since the run last read it. Looks at the content only of a file that was saved since the last look. */
  async isChanged(): Promise<boolean> {
    const { files } = this.ports;
    const stat = await files.stat(this.file);
    const now = JSON.stringify([stat?.mtimeMs, stat?.size, stat?.inode]);
    if (!this.#isAsleep || now === this.#seen) return false;
    this.#seen = now;
    const bytes = await files.read(this.file);
    return bytes !== undefined && sha256Hex(bytes) !== this.#known;
  }
}

/** Puts what `looper stop` and editing commands say to the run that logs into `folder`, until the returned function is called. */
export function listenToOthers(
  ports: Pick<Ports, "files" | "clock">,
  { folder, watch, share }: { folder: string; watch?: TaskFileWatch; share?: () => Promise<void> },
  put: (event: StepEvent) => void,
): () => void {
  const readControl = openControl(ports, folder);
  const sharing = watch && share && shareWhileOpen(ports, watch, share);
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    // Lines that cannot be read now are read the next time.
    const lines = await readControl().catch(() => []);
    const isSaved = (await watch?.isChanged().catch(() => false)) === true;
    looking = false;
    for (const line of lines)
      if (line.type === "stop") {
        const signal = line.now ? "SIGTERM" : "SIGINT";
        put({ type: "run_interrupted", signal, terminal: false, by: "stop" });
      }
    if (isSaved || lines.some(({ type }) => type === "edit")) put({ type: "edited" });
  };
  const timer = ports.clock.every(LOOK_EVERY_MS, () => void look());
  return () => {
    timer.cancel();
    sharing?.cancel();
  };
}

/** Shares what is asked at once, and asks the remote for answers once a minute while the run sleeps. */
function shareWhileOpen(
  { clock }: Pick<Ports, "clock">,
  watch: TaskFileWatch,
  share: () => Promise<void>,
): Timer {
  let isSharing = false;
  let next = 0;
  return clock.every(LOOK_EVERY_MS, () => {
    if (isSharing) return;
    const isAsked = watch.takeAsked();
    if (!isAsked && !(watch.waits && clock.monotonic() >= next)) return;
    isSharing = true;
    next = clock.monotonic() + SHARE_EVERY_MS;
    void share().finally(() => {
      isSharing = false;
    });
  });
}
