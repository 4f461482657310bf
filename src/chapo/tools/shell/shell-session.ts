// The shell of a session: it keeps the state for the next command, the commands in the foreground and background, and their files.
// The output of a command goes to two files, so that processes it leaves in the background can still write; stopping it also ends
// all processes it started. shell.ts defines the tools.
import path from "node:path";
import { waitForEnd } from "../../../system/processes/wait-for-end.js";
import { markName } from "../../../system/processes/sweep.js";
import type { Ports, ProcessEnd, RunningProcess } from "../../../system/ports.js";
import type { Redact } from "../../../system/text/secrets/redact.js";
import type { ProgramWorld } from "../program.js";
import type { Sandbox } from "../sandbox.js";
import { redactFile } from "../../redact-file.js";
import { fail } from "../../tool.js";
import { buildShellScript, STATE_END } from "./shell-script.js";

/** Limits the state, which every command reads and writes. */
const MOST_STATE_BYTES = 8 * 1024 * 1024;
const MOST_IN_BACKGROUND = 16;
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The ports, folders and environment of a shell. A fresh one starts in the root. */
export interface ShellWorld extends ProgramWorld {
  ports: ProgramWorld["ports"] & Pick<Ports, "random">;
  /** The absolute folder for output that is too long for a result; created when it is needed. */
  folder: string;
  redact: Redact;
  /** Encloses the commands. */
  sandbox?: Sandbox;
}

/** A command that runs in the background. */
export interface Background {
  id: string;
  text: string;
  command: CommandProcess;
  /** The bytes of each stream that were already reported. */
  told: { stdout: number; stderr: number };
}

/** A command that was started in the shell, and the file of the state it saves. */
export interface Foreground {
  command: CommandProcess;
  after: string | undefined;
}

/** The shell of one session. */
export class ShellSession {
  readonly #world: ShellWorld;
  /** Inherited by every process the shell starts. */
  readonly #mark: string;
  /** The prefix of file names; a resumed session gets a new one. */
  readonly #name: string;
  /** The variables that hold secrets. Each command gets them from the environment, so that no state file holds them. */
  readonly #secrets: readonly string[];
  readonly #running = new Set<CommandProcess>();
  /** All commands that were started in the background, oldest first. */
  readonly background: Background[] = [];
  #count = 0;
  #states: string | undefined;
  #state: string | undefined;
  #wasUsed = false;

  constructor(world: ShellWorld) {
    this.#world = world;
    this.#name = world.ports.random.hex(4);
    this.#mark = `shell_${world.ports.random.hex(8)}`;
    this.#secrets = Object.entries(world.env)
      .filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && world.redact(value) !== value)
      .map(([name]) => name);
  }

  /**
   * Starts a command. `none`: in a fresh state. `read`: in the state that the last command saved. `kept`: in that state, and
   * the command saves its own for the next one.
   */
  async start(text: string, state: "kept" | "read" | "none"): Promise<Foreground> {
    const { ports, root, env, folder } = this.#world;
    const shell = await this.#findShell();
    const states = await this.#findStates();
    await ports.files.makeFolder(folder, 0o700);
    this.#count += 1;
    const name = `${this.#name}-${this.#count}`;
    const [stdout, stderr] = [path.join(folder, `${name}.out`), path.join(folder, `${name}.err`)];
    const command = path.join(states, `${this.#count}.command`);
    await ports.files.writeNew(command, text, { mode: 0o600 });
    const before = state === "none" ? undefined : this.#state;
    const after = state === "kept" ? path.join(states, `${this.#count}.state`) : undefined;
    const mark = `${this.#mark}_${this.#count}`;
    const script = buildShellScript(shell.kind, { command, stdout, stderr, before, after }, [
      markName(mark),
      markName(this.#mark),
      ...this.#secrets,
    ]);
    const marked = { ...env, [markName(this.#mark)]: "1" };
    // The last argument is the name the shell uses in its error messages.
    const bare = { command: shell.path, args: ["-c", script, path.basename(shell.path)] };
    const { sandbox } = this.#world;
    const words = (await sandbox?.wrap(bare.command, bare.args, [states, folder])) ?? bare;
    const isEnclosed = sandbox !== undefined;
    const start: CommandStart = { ...words, isEnclosed, cwd: root, env: marked, mark, stdout, stderr };
    const started = new CommandProcess(ports, start);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    if (state === "kept") this.#wasUsed = true;
    return { command: started, after };
  }

  /** Adopts the state that a command saved. Returns `false` if it is incomplete; then the previous state stays. */
  async adopt(after: string): Promise<boolean> {
    const { files } = this.#world.ports;
    const size = (await files.stat(after))?.size ?? 0;
    const end = new TextEncoder().encode(STATE_END);
    const from = Math.max(0, size - end.length);
    const last = size === 0 ? new Uint8Array() : await files.readRange(after, from, end.length);
    const isWhole = size <= MOST_STATE_BYTES && new TextDecoder().decode(last) === STATE_END;
    const old = isWhole ? this.#state : after;
    if (isWhole) this.#state = after;
    if (old !== undefined) await files.remove(old);
    return isWhole;
  }

  /** Starts a command in the background, in the current state. */
  async startBackground(text: string): Promise<Background> {
    const running = this.background.filter(({ command }) => command.end === undefined).length;
    if (running >= MOST_IN_BACKGROUND)
      fail(`${running} commands are already running in the background: end one with bash_kill first`);
    const started = await this.start(text, "read");
    const id = `bash_${this.background.length + 1}`;
    const background = { id, text, command: started.command, told: { stdout: 0, stderr: 0 } };
    this.background.push(background);
    return background;
  }

  /** Ends the shell and all its processes; the next command starts a fresh shell. Returns `false` if there was none. */
  async end(): Promise<boolean> {
    const there = this.#wasUsed || this.background.some(({ command }) => command.end === undefined);
    await Promise.all([...this.#running].map((command) => command.stop("killed")));
    await this.#world.ports.processes.sweep(this.#mark);
    this.#state = undefined;
    this.#wasUsed = false;
    return there;
  }

  /** Ends the shell for good: removes its processes and state, and redacts secrets in its output files. */
  async close(): Promise<void> {
    const { ports, folder, redact } = this.#world;
    await this.end();
    if (this.#states !== undefined) await ports.files.removeTree(this.#states);
    this.#states = undefined;
    for (const name of await ports.files.list(folder))
      if (name.startsWith(`${this.#name}-`)) await redactFile(ports.files, path.join(folder, name), redact);
  }

  /** Returns the folder of the states; creates a new one if a command has removed it. */
  async #findStates(): Promise<string> {
    const { files } = this.#world.ports;
    if (this.#states !== undefined && (await files.stat(this.#states))?.kind === "folder")
      return this.#states;
    this.#state = undefined;
    return (this.#states = await files.makeTempFolder("looper-shell-"));
  }

  async #findShell(): Promise<{ kind: "bash" | "sh"; path: string }> {
    const { ports, env, root } = this.#world;
    for (const kind of ["bash", "sh"] as const) {
      const found = await ports.processes.which(kind, env["PATH"] ?? USUAL_PATH, root);
      if (found !== undefined) return { kind, path: found };
    }
    return fail("cannot run a command: neither bash nor sh is on PATH");
  }
}

/** How long a command may take to end after SIGTERM before it gets SIGKILL. */
const GRACE_MS = 1_000;
const LOOK_MS = 250;
const LONGEST_COMPLAINT = 2_000;
/** The most bytes of each stream. A command that prints more is ended, to protect the disk. */
const MOST_BYTES = 256 * 1024 * 1024;

type CommandPorts = Pick<Ports, "clock" | "files" | "processes">;

/** Why a command was ended. */
type Stop = "timeout" | "killed" | "too-much";

/** A command to start. */
interface CommandStart {
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
class CommandProcess {
  /** Resolves (never rejects) when its shell has ended; processes it started may still be running. */
  readonly ended: Promise<ProcessEnd>;
  readonly stdout: string;
  readonly stderr: string;
  readonly #ports: CommandPorts;
  readonly #start: CommandStart;
  #complaint = "";
  readonly #running: RunningProcess;
  readonly #watch: { cancel(): void };
  /** How its shell ended; `undefined` while it is running. */
  end: ProcessEnd | undefined;
  /** Why `stop` ended it; `undefined` if it ended by itself. */
  stopped: Stop | undefined;

  constructor(ports: CommandPorts, start: CommandStart) {
    const { command, args, cwd, env, mark, stdout, stderr } = start;
    this.#ports = ports;
    this.#start = start;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#running = ports.processes.start({
      ...{ command, args, cwd, env: { ...env, [markName(mark)]: "1" } },
      onStderr: start.isEnclosed ? this.#hear : undefined,
    });
    this.ended = this.#running.ended.then((end) => (this.end = end));
    this.#watch = ports.clock.every(LOOK_MS, () => void this.#lookAtSize());
  }

  /** The messages before the script redirects the output, such as the reason why a sandbox cannot be made. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  /** Ends the command and all processes it started; resolves when none is left. */
  async stop(why: Stop): Promise<void> {
    if (this.end === undefined) {
      this.stopped ??= why;
      const { clock } = this.#ports;
      await waitForEnd(this.#running, { clock, signal: AbortSignal.abort(), graceMs: GRACE_MS });
      await this.ended;
    }
    this.#watch.cancel();
    await this.#ports.processes.sweep(this.#start.mark);
  }

  /** Counts the processes it started that are still running, without its shell. Stops the watchdog when there are none. */
  async countLeft(): Promise<number> {
    // They are dying already; this waits.
    if (this.#start.isEnclosed) await this.#ports.processes.sweep(this.#start.mark);
    const { length } = await this.#ports.processes.marked(this.#start.mark);
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
