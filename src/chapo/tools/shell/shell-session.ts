// The shell of a session: which state the next command begins in, what runs in the background, and where the files are.
// Leaves what a command is to shell-command.ts, and what a model is told to shell.ts.
import path from "node:path";
import { markName } from "../../../system/processes/sweep.js";
import type { Ports } from "../../../system/ports.js";
import type { Redact } from "../../../system/text/redact.js";
import { redactFile } from "../../redact-file.js";
import { ShellCommand, type CommandStart } from "./shell-command.js";
import { buildShellScript, STATE_END } from "./shell-script.js";

/** A state is read and written with every command. */
const MOST_STATE_BYTES = 8 * 1024 * 1024;
const MOST_IN_BACKGROUND = 16;
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

export interface ShellWorld {
  ports: Pick<Ports, "clock" | "files" | "processes" | "random">;
  /** Where a fresh shell begins, absolute. */
  root: string;
  /** The whole environment of what is started. */
  env: Readonly<Record<string, string>>;
  /** Where output is kept that is too long for a result, absolute; made when it is needed. */
  folder: string;
  redact: Redact;
}

/** A command that goes on while the model does other things. */
export interface Background {
  id: string;
  text: string;
  command: ShellCommand;
  /** Bytes of each stream that were told already. */
  told: { stdout: number; stderr: number };
}

/** A command that was started in the shell, and where it leaves its state. */
export interface Foreground {
  command: ShellCommand;
  after: string | undefined;
}

export class ShellSession {
  readonly #world: ShellWorld;
  /** Carried by all that is started here. */
  readonly #mark: string;
  /** Names files; another for a session that was continued. */
  readonly #name: string;
  /** Names of variables that hold secrets: each command is given them anew, so that no state holds any. */
  readonly #secrets: readonly string[];
  readonly #running = new Set<ShellCommand>();
  readonly #background: Background[] = [];
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

  /** Starts a command: in a fresh state (`none`), in the one the last command left (`read`), or so that it leaves its own for the next (`kept`). */
  async start(text: string, state: "kept" | "read" | "none"): Promise<Foreground | { problem: string }> {
    const { ports, root, env, folder } = this.#world;
    const shell = await this.#findShell();
    if (shell === undefined)
      return { problem: "there is neither bash nor sh on PATH: no command can be run" };
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
    const start: CommandStart = { shell: shell.path, script, cwd: root, env: marked, mark, stdout, stderr };
    const started = new ShellCommand(ports, start);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    if (state === "kept") this.#wasUsed = true;
    return { command: started, after };
  }

  /** Takes over the state a command left; `false` where it left none that is whole: the state before it stays. */
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

  /** Starts a command in the background, in the state the shell is in. */
  async startBackground(text: string): Promise<Background | { problem: string }> {
    const running = this.#background.filter(({ command }) => command.end === undefined).length;
    if (running >= MOST_IN_BACKGROUND)
      return { problem: `${running} commands run in the background already: end one with bash_kill first` };
    const started = await this.start(text, "read");
    if ("problem" in started) return started;
    const id = `bash_${this.#background.length + 1}`;
    const background = { id, text, command: started.command, told: { stdout: 0, stderr: 0 } };
    this.#background.push(background);
    return background;
  }

  /** All that was ever started in the background, oldest first. */
  get background(): readonly Background[] {
    return this.#background;
  }

  /** Ends the shell with all that was started in it; the next command begins a fresh one. `false`: there was none. */
  async end(): Promise<boolean> {
    const there = this.#wasUsed || this.#background.some(({ command }) => command.end === undefined);
    await Promise.all([...this.#running].map((command) => command.stop("killed")));
    await this.#world.ports.processes.sweep(this.#mark);
    this.#state = undefined;
    this.#wasUsed = false;
    return there;
  }

  /** Ends it for good: nothing it started is left, nor is what it remembered, nor a secret in what was printed. */
  async close(): Promise<void> {
    const { ports, folder, redact } = this.#world;
    await this.end();
    if (this.#states !== undefined) await ports.files.removeTree(this.#states);
    this.#states = undefined;
    for (const name of await ports.files.list(folder))
      if (name.startsWith(`${this.#name}-`)) await redactFile(ports.files, path.join(folder, name), redact);
  }

  /** The folder of the states; another where a command took it away with all they held. */
  async #findStates(): Promise<string> {
    const { files } = this.#world.ports;
    if (this.#states !== undefined && (await files.stat(this.#states))?.kind === "folder")
      return this.#states;
    this.#state = undefined;
    return (this.#states = await files.makeTempFolder("looper-shell-"));
  }

  async #findShell(): Promise<{ kind: "bash" | "sh"; path: string } | undefined> {
    const { ports, env, root } = this.#world;
    for (const kind of ["bash", "sh"] as const) {
      const found = await ports.processes.which(kind, env["PATH"] ?? USUAL_PATH, root);
      if (found !== undefined) return { kind, path: found };
    }
    return undefined;
  }
}
