// One shell command, while it runs and afterwards. Its output goes to two files, so that processes it leaves in the background
// can still write. Stopping it also ends all processes it started. shell-output.ts and shell.ts report on it.
import { markName } from "../../../system/processes/sweep.js";
import type { Ports, ProcessEnd, RunningProcess } from "../../../system/ports.js";

/** How long a command may take to end after SIGTERM before it gets SIGKILL. */
const GRACE_MS = 1_000;
const LOOK_MS = 250;
const LONGEST_COMPLAINT = 2_000;
/** The most bytes of each stream. A command that prints more is ended, to protect the disk. */
const MOST_BYTES = 256 * 1024 * 1024;

export type CommandPorts = Pick<Ports, "clock" | "files" | "processes">;

/** Why a command was ended. */
export type Stop = "timeout" | "killed" | "too-much";

/** A command to start. */
export interface CommandStart {
  /** The absolute path of a program: a shell, or the one that encloses it. */
  command: string;
  args: readonly string[];
  /** Whether nothing it starts can outlive its shell. */
  isEnclosed: boolean;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Identifies the command; every process it starts inherits the mark. */
  mark: string;
  stdout: string;
  stderr: string;
}

/** A started command. */
export class CommandProcess {
  /** Resolves (never rejects) when its shell has ended; processes it started may still be running. */
  readonly ended: Promise<ProcessEnd>;
  readonly stdout: string;
  readonly stderr: string;
  readonly #ports: CommandPorts;
  readonly #mark: string;
  readonly #isEnclosed: boolean;
  #complaint = "";
  readonly #running: RunningProcess;
  readonly #watch: { cancel(): void };
  #end: ProcessEnd | undefined;
  #stopped: Stop | undefined;

  constructor(ports: CommandPorts, start: CommandStart) {
    const { command, args, cwd, env, mark, stdout, stderr } = start;
    this.#isEnclosed = start.isEnclosed;
    this.#ports = ports;
    this.#mark = mark;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#running = ports.processes.start({
      command,
      args,
      cwd,
      env: { ...env, [markName(mark)]: "1" },
      onStderr: this.#isEnclosed ? this.#hear : undefined,
    });
    this.ended = this.#running.ended.then((end) => (this.#end = end));
    this.#watch = ports.clock.every(LOOK_MS, () => void this.#lookAtSize());
  }

  /** How its shell ended; `undefined` while it is running. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** The messages before the script redirects the output, such as the reason why a sandbox cannot be made. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  /** Why `stop` ended it; `undefined` if it ended by itself. */
  get stopped(): Stop | undefined {
    return this.#stopped;
  }

  /** Ends the command and all processes it started; resolves when none is left. */
  async stop(why: Stop): Promise<void> {
    if (this.#end === undefined) {
      this.#stopped ??= why;
      this.#running.signal("SIGTERM", "group");
      const harder = this.#ports.clock.after(GRACE_MS, () => {
        this.#running.signal("SIGKILL", "group");
      });
      await this.ended;
      harder.cancel();
    }
    this.#watch.cancel();
    await this.#ports.processes.sweep(this.#mark);
  }

  /** Counts the processes it started that are still running, without its shell. Stops the watchdog when there are none. */
  async countLeft(): Promise<number> {
    // They are dying already; this waits.
    if (this.#isEnclosed) await this.#ports.processes.sweep(this.#mark);
    const { length } = await this.#ports.processes.marked(this.#mark);
    if (length === 0) this.#watch.cancel();
    return length;
  }

  readonly #hear = (chunk: Uint8Array): void => {
    if (this.#complaint.length < LONGEST_COMPLAINT) this.#complaint += Buffer.from(chunk).toString("utf8");
  };

  async #lookAtSize(): Promise<void> {
    const sizes = await Promise.all([this.stdout, this.stderr].map((path) => this.#sizeOf(path)));
    if (Math.max(...sizes) > MOST_BYTES) await this.stop("too-much");
  }

  async #sizeOf(path: string): Promise<number> {
    // A command may have removed the folder or its permissions.
    const stat = await this.#ports.files.stat(path).catch(() => undefined);
    return stat?.size ?? 0;
  }
}
