// One child: in a group of its own, marked, drained before its end is believed. Leaves what becomes of its leftovers to
// contain.ts and sweep.ts.
import { ChildProcess, spawn } from "node:child_process";
import { pipeline, Readable, type Writable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { errorCode, errorMessage } from "../errors.js";
import { startFailure } from "../exhausted.js";
import type { Clock, ProcessEnd, ProcessSpec, RunningProcess } from "../ports.js";
import { sendSignal } from "./signal.js";

/** How long a pipe may stay open and silent after the end of the process that was started, and how long at all. */
const PIPE_SILENT_MS = 2_000;
const PIPE_OPEN_MS = 10_000;

/** Starts it; `marks` are added to its environment. Throws a `UserError` if a limit of the system keeps it from starting. */
export function startProcess(clock: Clock, spec: ProcessSpec, marks: Record<string, string>): RunningProcess {
  const child = trySpawn(spec, marks);
  if (!(child instanceof ChildProcess))
    return { pid: -1, ended: Promise.resolve(child), signal: () => undefined };
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

/** Some errors come with the call, such as arguments that are too long; the others are emitted by the child. */
function trySpawn(spec: ProcessSpec, marks: Record<string, string>): ChildProcess | ProcessEnd {
  try {
    return spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, ...marks },
      detached: true,
      stdio: [spec.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    const failure = startFailure(spec.command, error);
    if (failure !== error) throw failure;
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
  { child, command }: { child: ChildProcess; command: string },
  pipes: Pipes,
): Promise<ProcessEnd> {
  const end = await exitOf(child, command);
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

/** The end of the process itself: `exit` fires although a grandchild still holds a pipe, `close` would not. */
function exitOf(child: ChildProcess, command: string): Promise<ProcessEnd> {
  return new Promise((resolveEnd, reject) => {
    // A program that a limit keeps from starting may well be there.
    const failed = (error: unknown): void => {
      const failure = startFailure(command, error);
      if (failure === error) resolveEnd({ how: "not-found", message: errorMessage(error) });
      else reject(failure instanceof Error ? failure : new Error(String(failure)));
    };
    child.once("exit", (code: number | null, signal: string | null) => {
      if (code !== null) resolveEnd({ how: "exited", code });
      else resolveEnd({ how: "killed", signal: signal ?? "unknown" });
    });
    child.on("error", failed);
  });
}

type Sink = ((chunk: Uint8Array) => void | Promise<void>) | undefined;

interface Pipes {
  drained: Promise<unknown>;
  /** Monotonic time of the last chunk. */
  lastChunk: number;
  /** A sink is still at work on a chunk. */
  busy: boolean;
}

function openPipes(clock: Clock, child: ChildProcess, spec: ProcessSpec): Pipes {
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
