// Starts every program, with execa. A child of a run is in a group of its own, marked, and drained before its end is believed.
// Leaves what becomes of its leftovers to contain.ts and sweep.ts.
import { pipeline, Readable, type Writable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { execa, type Subprocess } from "execa";
import { errorCode, errorMessage } from "../errors.js";
import { startFailure } from "../exhausted.js";
import type { Clock, ProcessEnd, ProcessSpec, RunningProcess } from "../ports.js";

/** How long a pipe may stay open and silent after the end of the process that was started, and how long at all. */
const PIPE_SILENT_MS = 2_000;
const PIPE_OPEN_MS = 10_000;

type Stdio = "ignore" | "inherit" | "pipe";

interface ProgramOptions {
  cwd?: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  stdio: readonly [Stdio, Stdio, Stdio];
  /** In a session of its own. */
  detached?: boolean;
  timeout?: number;
}

/** A program that was started. */
export interface Started {
  pid: number | undefined;
  stdin: Writable | null;
  stdout: Readable | null;
  stderr: Readable | null;
  /** The end of the process itself, though a grandchild may hold its pipes; rejects if it could not be started. */
  exited: Promise<{ code: number | null; signal: string | null }>;
}

/** Throws for words that no program can be given. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Started {
  const child = execa(command, args, {
    ...options,
    // The environment is what the caller gives; execa adds ours by default.
    extendEnv: false,
    buffer: false,
    encoding: "buffer",
    stripFinalNewline: false,
    cleanup: false,
    reject: false,
  });
  const { pid, stdin, stdout, stderr } = child;
  return { pid, stdin, stdout, stderr, exited: exitOf(child) };
}

/** By `exit`: execa's promise also waits for the pipes. One that did not start has none that anybody could hold. */
function exitOf(child: Subprocess & PromiseLike<{ cause?: unknown }>): Started["exited"] {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      resolve({ code, signal });
    });
    child.on("error", reject);
    if (child.pid === undefined)
      child.then(({ cause }) => {
        reject(cause instanceof Error ? cause : new Error(String(cause)));
      }, reject);
  });
}

/** Signals a process, or its whole group; nothing happens once it is gone. */
export function sendSignal(pid: number, ...[signal, target]: Parameters<RunningProcess["signal"]>): void {
  try {
    process.kill(target === "group" ? -pid : pid, signal);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Starts it; `marks` are added to its environment. */
export function startProcess(clock: Clock, spec: ProcessSpec, marks: Record<string, string>): RunningProcess {
  const child = tryStart(spec, marks);
  if ("how" in child) return { pid: -1, ended: Promise.resolve(child), signal: () => undefined };
  feed(child.stdin, spec.input);
  const pipes = openPipes(clock, child, spec);
  const pid = child.pid ?? -1;
  return {
    pid,
    ended: awaitEnd(clock, { child, command: spec.command }, pipes),
    signal: (signal, target) => {
      if (pid > 0) sendSignal(pid, signal, target);
    },
  };
}

function tryStart(spec: ProcessSpec, marks: Record<string, string>): Started | ProcessEnd {
  try {
    return startProgram(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, ...marks },
      detached: true,
      stdio: [spec.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Node gives a child no pipes once the limit of open files is reached, and execa expects them.
    if (error instanceof TypeError && errorCode(error) === undefined)
      throw startFailure(spec.command, Object.assign(error, { code: "EMFILE" }));
    return { how: "not-found", message: errorMessage(error) };
  }
}

/** Writes all of the input and closes stdin. A child may end before it has read it all. */
function feed(stdin: Writable | null | undefined, input: ProcessSpec["input"]): void {
  if (stdin === null || stdin === undefined || input === undefined) return;
  if (typeof input === "string" || input instanceof Uint8Array) stdin.on("error", () => undefined).end(input);
  else pipeline(Readable.fromWeb(input as NodeReadableStream), stdin, () => undefined);
}

async function awaitEnd(
  clock: Clock,
  { child, command }: { child: Started; command: string },
  pipes: Pipes,
): Promise<ProcessEnd> {
  const end = await endOf(child, command);
  const exited = clock.monotonic();
  pipes.lastChunk = exited;
  const watch = clock.every(100, () => {
    const now = clock.monotonic();
    if (pipes.busy || (now - pipes.lastChunk < PIPE_SILENT_MS && now - exited < PIPE_OPEN_MS)) return;
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
  await pipes.drained;
  watch.cancel();
  return end;
}

/** Throws a `UserError` if a limit of the system keeps the program from starting: it may well be there. */
async function endOf({ exited }: Started, command: string): Promise<ProcessEnd> {
  try {
    const { code, signal } = await exited;
    return code === null ? { how: "killed", signal: signal ?? "unknown" } : { how: "exited", code };
  } catch (error) {
    const failure = startFailure(command, error);
    if (failure !== error) throw failure;
    return { how: "not-found", message: errorMessage(error) };
  }
}

type Sink = ((chunk: Uint8Array) => void | Promise<void>) | undefined;

interface Pipes {
  drained: Promise<unknown>;
  /** Monotonic time of the last chunk. */
  lastChunk: number;
  /** A sink is still at work on a chunk. */
  busy: boolean;
}

function openPipes(clock: Clock, child: Started, spec: ProcessSpec): Pipes {
  const pipes: Pipes = { drained: Promise.resolve(), lastChunk: clock.monotonic(), busy: false };
  const watched =
    (sink: Sink): Sink =>
    async (chunk) => {
      pipes.busy = true;
      await sink?.(chunk);
      pipes.busy = false;
      pipes.lastChunk = clock.monotonic();
    };
  pipes.drained = Promise.all([
    drain(child.stdout, watched(spec.onStdout)),
    drain(child.stderr, watched(spec.onStderr)),
  ]);
  return pipes;
}

/** Reads a pipe to its end, also when the output is not used: a full pipe would block the child. */
async function drain(stream: NodeJS.ReadableStream | null | undefined, sink: Sink): Promise<void> {
  if (stream === null || stream === undefined) return;
  try {
    for await (const chunk of stream) {
      if (sink !== undefined) await sink(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    }
  } catch (error) {
    // A destroyed pipe ends here; any other error is the sink's, and the caller handles it.
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE" && errorCode(error) !== "ERR_STREAM_DESTROYED")
      throw error;
  }
}
