// Answers whether something at a few places may have changed: woken by the system where it reports changes, else by the clock.
import type { FolderWatch, Ports } from "../ports.js";

/** A folder, or one entry of it. Without symlinks in the folder's path: they are not followed. */
export interface WatchedPlace {
  folder: string;
  entry?: string;
}

/** How often to look where nothing reports changes. */
const POLL_MS = 200;
/** How often to look anyway: a network file system reports only what this machine changes. */
const SAFETY_MS = 2000;

export class ChangeWatch {
  #watches: FolderWatch[] = [];
  /** Identifies the watched folder: a folder that was created again is another one. */
  #watched = "";
  /** Every place is watched. */
  #isComplete = false;
  /** The system cannot watch: what failed once is not tried again. */
  #gaveUp = false;
  #changed = true;
  #looked = 0;
  #wake: () => void = () => undefined;

  /** `places` is asked before each look: a symlink may lead elsewhere by then. */
  constructor(
    private readonly ports: Pick<Ports, "clock" | "files">,
    private readonly places: () => Promise<readonly WatchedPlace[]>,
  ) {}

  /** Whether to look again. The first time yes; a change after the answer makes the next one yes. */
  async changed(): Promise<boolean> {
    const now = this.ports.clock.monotonic();
    if (!this.#changed && now - this.#looked < (this.#isComplete ? SAFETY_MS : POLL_MS)) return false;
    this.#changed = false;
    this.#looked = now;
    await this.#watchAll();
    return true;
  }

  /** Resolves at the next change, or after so many milliseconds. */
  async wait(ms: number): Promise<void> {
    if (this.#changed) return;
    await new Promise<void>((resolve) => {
      const timer = this.ports.clock.after(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.splice(0).map((one) => one.close()));
  }

  async #watchAll(): Promise<void> {
    this.#gaveUp ||= this.#watches.some((one) => one.failed());
    const { files } = this.ports;
    const found: WatchedPlace[] = [];
    const names: string[] = [];
    const places = this.#gaveUp ? [] : await this.places();
    for (const place of places) {
      const stat = await files.stat(place.folder);
      if (stat?.kind !== "folder") continue;
      found.push(place);
      names.push(JSON.stringify([place.folder, place.entry, stat.device, stat.inode]));
    }
    this.#isComplete = !this.#gaveUp && found.length > 0 && found.length === places.length;
    if (names.join("\n") === this.#watched) return;
    this.#watched = names.join("\n");
    await this.close();
    const onChange = (): void => {
      this.#changed = true;
      this.#wake();
    };
    for (const { folder, entry } of found)
      this.#watches.push(await files.watchFolder(folder, entry, onChange));
  }
}
