// One child: in a group of its own, marked, drained before its end is believed. Leaves what becomes of its leftovers to
// contain.ts and sweep.ts.
import { execa, type Options } from "execa";
import { errorCode, errorMessage } from "../errors.js";
import { startFailure } from "../exhausted.js";
import type { Clock, ProcessEnd, ProcessSpec, RunningProcess } from "../ports.js";
import { sendSignal } from "./signal.js";

/** How long a pipe may stay open and silent after the end of the process that was started, and how long at all. */
const PIPE_SILENT_MS = 2_000;
const PIPE_OPEN_MS = 10_000;

/** Starts it; `marks` are added to its environment. */
export function startProcess(clock: Clock, spec: ProcessSpec, marks: Record<string, string>): RunningProcess {
  const child = spawn(spec, marks);
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

type Child = ReturnType<typeof execa>;

function spawn(spec: ProcessSpec, marks: Record<string, string>): Child {
  try {
    return execa(spec.command, spec.args, optionsFor(spec, marks));
  } catch (error) {
    throw startFailure(spec.command, error);
  }
}

function optionsFor(spec: ProcessSpec, marks: Record<string, string>): Options {
  return {
    cwd: spec.cwd,
    env: { ...spec.env, ...marks },
    extendEnv: false,
    // execa's own buffer ends a child that prints 100 MB, and its timeout hangs while a grandchild holds the pipe.
    buffer: false,
    detached: true,
    cleanup: false,
    reject: false,
    ...stdinOf(spec.input),
    stripFinalNewline: false,
  };
}

function stdinOf(input: ProcessSpec["input"]): Pick<Options, "stdin" | "input"> {
  if (input === undefined) return { stdin: "ignore" };
  return typeof input === "string" || input instanceof Uint8Array
    ? { stdin: "pipe", input }
    : { stdin: input };
}

async function awaitEnd(
  clock: Clock,
  { child, command }: { child: Child; command: string },
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
function exitOf(child: Child, command: string): Promise<ProcessEnd> {
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
    child.once("error", failed);
    // A command that cannot be started at all never becomes a child: execa then only answers through its promise.
    child.then((result) => {
      if (child.pid === undefined) failed(result.cause ?? result);
    }, failed);
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

function openPipes(clock: Clock, child: Child, spec: ProcessSpec): Pipes {
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
