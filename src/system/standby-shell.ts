// A shell that stays and starts one program after another. Starting one from here copies the tables of all this process's
// memory, 3 ms and more each time; a shell has next to none. Leaves when to use one to processes.ts.
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import { spawn, type ChildProcess } from "node:child_process";
import type { Clock, ProcessEnd, ProcessResult, ProcessSpec } from "./ports.js";
import { sendSignal } from "./signal.js";

const TERM_GRACE_MS = 5_000;
/** A shell's own words for a program that it cannot start. */
const NOT_STARTED = new Set([126, 127]);
/** With 128 git itself says that it failed. */
const MOST_OWN_CODE = 129;

/** What it may take. */
export interface Bounds {
  timeoutMs: number;
  maxBytes: number;
}

/** One program on its way. */
interface Errand {
  /** Said by the shell on both pipes once the program has ended: nothing that it printed comes after that. */
  mark: string;
  out: Gathered;
  err: Gathered;
  done: (end: ProcessEnd) => void;
}

/** Starts programs in one folder, with one environment, one at a time. */
export class StandbyShell {
  readonly #clock: Clock;
  readonly #cwd: string;
  readonly #shell: ChildProcess;
  readonly #gone: Promise<void>;
  #alive = true;
  #errand: Errand | undefined;

  constructor(clock: Clock, { cwd, env }: Pick<ProcessSpec, "cwd" | "env">) {
    this.#clock = clock;
    this.#cwd = cwd;
    const stdio = ["pipe", "pipe", "pipe", "pipe"] as const;
    this.#shell = spawn("sh", ["-s"], { cwd, env, detached: true, stdio: [...stdio] });
    this.#gone = new Promise((resolve) => {
      this.#shell.once("exit", (code, signal) => {
        this.#end(code === null ? { how: "killed", signal: signal ?? "unknown" } : { how: "exited", code });
        resolve();
      });
      this.#shell.once("error", (error) => {
        this.#end({ how: "not-found", message: error.message });
        resolve();
      });
    });
    for (const pipe of this.#shell.stdio) pipe?.on("error", () => undefined);
    this.#listen();
    // A program that is to end is waited for; for the program itself nothing is different.
    this.#say("trap : TERM INT; head -c 0 </dev/null >/dev/null 2>&1 || exit 127\n");
  }

  /** Whether it can be given something to start now; what is neither free nor busy is gone. */
  isFree(): boolean {
    return this.#alive && !this.isBusy();
  }

  isBusy(): boolean {
    return this.#errand !== undefined;
  }

  /** Runs a program to its end; `undefined`: it could not be started so. Contract: it is free, and the input no stream. */
  async run(
    spec: Pick<ProcessSpec, "command" | "args"> & { input?: Uint8Array },
    { timeoutMs, maxBytes }: Bounds,
  ): Promise<ProcessResult | undefined> {
    let timedOut = false;
    const errand = {
      mark: randomBytes(16).toString("hex"),
      out: new Gathered(maxBytes),
      err: new Gathered(maxBytes),
    };
    const ended = new Promise<ProcessEnd>((done) => {
      this.#errand = { ...errand, done };
    });
    // The folder may be another one by the same name: an agent made it anew.
    this.#say(`cd ${quote(this.#cwd)} 2>/dev/null || exit 127\n${scriptFor(spec, errand.mark)}`);
    if (spec.input !== undefined) this.#feed(spec.input);
    const pid = this.#shell.pid ?? -1;
    const timers = [
      this.#clock.after(timeoutMs, () => {
        timedOut = true;
        if (pid > 0) sendSignal(pid, "SIGTERM", "group");
      }),
      this.#clock.after(timeoutMs + TERM_GRACE_MS, () => {
        if (pid > 0) sendSignal(pid, "SIGKILL", "group");
      }),
    ];
    const end = await ended;
    for (const timer of timers) timer.cancel();
    // What it left unread of its input the next one would read.
    if (spec.input !== undefined && (end.how !== "exited" || end.code !== 0)) void this.close();
    if (end.how === "not-found" || (end.how === "exited" && NOT_STARTED.has(end.code))) return undefined;
    const { out, err } = errand;
    return { end, stdout: out.bytes(), stderr: Buffer.from(err.bytes()).toString("utf8"), timedOut };
  }

  /** Lets it go; resolves once it is gone. Contract: it is free. */
  close(): Promise<void> {
    this.#alive = false;
    this.#shell.stdin?.destroy();
    return this.#gone;
  }

  #say(script: string): void {
    this.#shell.stdin?.write(script);
  }

  #feed(input: Uint8Array): void {
    const pipe = this.#shell.stdio[3];
    if (pipe !== null && pipe !== undefined && "write" in pipe) pipe.write(input);
  }

  #listen(): void {
    this.#shell.stdout?.on("data", (chunk: Buffer) => {
      this.#errand?.out.add(chunk);
      this.#look();
    });
    this.#shell.stderr?.on("data", (chunk: Buffer) => {
      this.#errand?.err.add(chunk);
      this.#look();
    });
  }

  #look(): void {
    const { mark, out, err } = this.#errand ?? {};
    if (mark === undefined || out === undefined || err === undefined) return;
    const said = new RegExp(`${mark} (\\d+)\\n$`).exec(out.tail());
    if (said === null || !err.tail().endsWith(`${mark}\n`)) return;
    out.drop(said[0].length);
    err.drop(mark.length + 1);
    this.#end(endOf(Number(said[1])));
  }

  #end(end: ProcessEnd): void {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null || end.how === "not-found")
      this.#alive = false;
    const errand = this.#errand;
    this.#errand = undefined;
    errand?.done(end);
  }
}

/** A shell says of a program that was killed 128 and the signal's number. */
function endOf(code: number): ProcessEnd {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  if (code <= MOST_OWN_CODE || signal === undefined) return { how: "exited", code };
  return { how: "killed", signal };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The input comes by a pipe of its own, which stays open: `head` makes an end of it. */
function scriptFor(
  { command, args, input }: Pick<ProcessSpec, "command" | "args"> & { input?: Uint8Array },
  mark: string,
): string {
  const words = [command, ...args].map(quote).join(" ");
  const call =
    input === undefined ? `${words} </dev/null 3<&-` : `head -c ${input.length} <&3 | ${words} 3<&-`;
  return `${call}\nprintf '%s %s\\n' ${mark} $?; printf '%s\\n' ${mark} >&2\n`;
}

/** What came out of a pipe: the first `most` bytes, and the end. */
class Gathered {
  readonly #most: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #tail = "";

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Uint8Array): void {
    this.#tail = (this.#tail + Buffer.from(chunk.subarray(-TAIL)).toString("latin1")).slice(-TAIL);
    if (this.#size < this.#most) this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  tail(): string {
    return this.#tail;
  }

  /** The last so many bytes do not belong to it. */
  drop(count: number): void {
    this.#size -= count;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks).subarray(0, Math.min(this.#size, this.#most));
  }
}

/** More than a mark and a code are long. */
const TAIL = 64;
