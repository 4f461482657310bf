// The shells that wait while a run goes on: one for each folder and environment. Leaves what one does to standby-shell.ts.
import type { Clock, ProcessResult, ProcessSpec, RunOptions } from "./ports.js";
import { StandbyShell } from "./standby-shell.js";

/** So many wait at most; a run needs two, one for each index of git's. */
const MOST = 4;

export class StandbyShells {
  readonly #clock: Clock;
  readonly #marks: Readonly<Record<string, string>>;
  readonly #shells = new Map<string, StandbyShell>();
  #inRun = false;

  constructor(clock: Clock, marks: Readonly<Record<string, string>>) {
    this.#clock = clock;
    this.#marks = marks;
  }

  beginRun(): void {
    this.#inRun = process.platform !== "win32";
  }

  /** From now on there are none. */
  async endRun(): Promise<void> {
    this.#inRun = false;
    const shells = [...this.#shells.values()];
    this.#shells.clear();
    await Promise.all(shells.map((shell) => shell.close()));
  }

  /** `undefined`: it must be started otherwise. */
  async run(spec: ProcessSpec, { timeoutMs, maxBytes }: RunOptions): Promise<ProcessResult | undefined> {
    const { command, args, input } = spec;
    if (timeoutMs === undefined || maxBytes === undefined || !isPlain(input)) return undefined;
    const shell = [command, ...args].some((word) => word.includes("\0")) ? undefined : this.#freeShell(spec);
    return shell?.run({ command, args, ...(input === undefined ? {} : { input }) }, { timeoutMs, maxBytes });
  }

  #freeShell({ cwd, env }: ProcessSpec): StandbyShell | undefined {
    if (!this.#inRun) return undefined;
    const all = { ...env, ...this.#marks };
    const key = JSON.stringify([cwd, all]);
    const known = this.#shells.get(key);
    if (known !== undefined) {
      if (known.isFree()) return known;
      if (known.isBusy()) return undefined;
      this.#shells.delete(key);
    }
    if (this.#shells.size >= MOST) return undefined;
    const shell = new StandbyShell(this.#clock, { cwd, env: all });
    this.#shells.set(key, shell);
    return shell;
  }
}

function isPlain(input: ProcessSpec["input"]): input is Uint8Array | undefined {
  return input === undefined || input instanceof Uint8Array;
}
