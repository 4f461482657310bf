// One command of a shell while it runs and after: its output goes to two files, so that what it leaves in the background
// can go on writing; it is ended with all it started. Leaves what is told of it to shell-output.ts and shell.ts.
import path from "node:path";
import { markName } from "../../../system/processes/sweep.js";
import type { Ports, ProcessEnd, RunningProcess } from "../../../system/ports.js";

/** How long a command that is to end has before it is ended. */
const GRACE_MS = 1_000;
const LOOK_MS = 250;
/** Of each stream. A command that printed more is ended: a disk is not without end. */
const MOST_BYTES = 256 * 1024 * 1024;

export type CommandPorts = Pick<Ports, "clock" | "files" | "processes">;

/** Why it was ended. */
export type Stop = "timeout" | "killed" | "too-much";

/** What is to be started. */
export interface CommandStart {
  /** Absolute path of a shell. */
  shell: string;
  script: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Names this one; carried by all it starts. */
  mark: string;
  stdout: string;
  stderr: string;
}

export class ShellCommand {
  /** Resolves (never rejects) once its shell ended; what it started may go on. */
  readonly ended: Promise<ProcessEnd>;
  readonly stdout: string;
  readonly stderr: string;
  readonly #ports: CommandPorts;
  readonly #mark: string;
  readonly #running: RunningProcess;
  readonly #watch: { cancel(): void };
  #end: ProcessEnd | undefined;
  #stopped: Stop | undefined;

  constructor(ports: CommandPorts, start: CommandStart) {
    const { shell, script, cwd, env, mark, stdout, stderr } = start;
    this.#ports = ports;
    this.#mark = mark;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#running = ports.processes.start({
      command: shell,
      // The last is what it calls itself when it complains.
      args: ["-c", script, path.basename(shell)],
      cwd,
      env: { ...env, [markName(mark)]: "1" },
    });
    this.ended = this.#running.ended.then((end) => (this.#end = end));
    this.#watch = ports.clock.every(LOOK_MS, () => void this.#lookAtSize());
  }

  /** How its shell ended; `undefined` while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Why it was ended from here; `undefined` where it was not. */
  get stopped(): Stop | undefined {
    return this.#stopped;
  }

  /** Ends it with all it started, and resolves once nothing of it is left. */
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

  /** How many processes it started still run, its shell not among them. Once none does, nothing is watched any more. */
  async countLeft(): Promise<number> {
    const { length } = await this.#ports.processes.marked(this.#mark);
    if (length === 0) this.#watch.cancel();
    return length;
  }

  async #lookAtSize(): Promise<void> {
    const sizes = await Promise.all([this.stdout, this.stderr].map((path) => this.#sizeOf(path)));
    if (Math.max(...sizes) > MOST_BYTES) await this.stop("too-much");
  }

  async #sizeOf(path: string): Promise<number> {
    // A command may have taken the folder away, or what may be done with it.
    const stat = await this.#ports.files.stat(path).catch(() => undefined);
    return stat?.size ?? 0;
  }
}
