// Children: each in a group of its own, marked, drained before its end is believed.
// Leaves /proc to proc.ts and the ending of leftovers to sweep.ts.
import { execa, type Options } from "execa";
import { hostname } from "node:os";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import { errorCode, errorMessage } from "./errors.js";
import type {
  Clock,
  ProcessEnd,
  Processes,
  ProcessIdentity,
  ProcessResult,
  ProcessSpec,
  RunningProcess,
} from "./ports.js";
import { bootId, lookAt, pidNamespace } from "./proc.js";
import { Descendants, markedProcesses, markName, sweepRun } from "./sweep.js";

/** How long a pipe may stay open and silent after the end of the process that was started, and how long at all. */
const PIPE_SILENT_MS = 2_000;
const PIPE_OPEN_MS = 10_000;
const SAMPLE_MS = 1_000;
const TERM_GRACE_MS = 5_000;

/** The machine's processes. */
export function nodeProcesses(clock: Clock): Processes {
  let mark: { run: string; descendants: Descendants } | undefined;
  // Who this process is does not change; a lock asks for it again and again.
  let self: Promise<ProcessIdentity> | undefined;
  const marks: Record<string, string> = {};
  return {
    start: (spec) => startProcess(clock, spec, marks),
    run: (spec, options) => runProcess(clock, spec, marks, options ?? {}),
    mark: (run) => {
      const descendants = new Descendants();
      mark = { run, descendants };
      marks[markName(run)] = "1";
      clock.every(SAMPLE_MS, () => void descendants.sample());
    },
    sweep: (run) => sweepRun(clock, run, mark?.run === run ? mark.descendants : undefined),
    marked: async (run) => (await markedProcesses(run)).map(({ pid }) => pid),
    identity: () => (self ??= identity()),
    fate: async (owner) => fate(owner, await (self ??= identity())),
    which,
  };
}

function startProcess(clock: Clock, spec: ProcessSpec, marks: Record<string, string>): RunningProcess {
  const child = execa(spec.command, spec.args, optionsFor(spec, marks));
  const pipes = openPipes(clock, child, spec);
  const pid = child.pid ?? -1;
  return {
    pid,
    ended: awaitEnd(clock, child, pipes),
    signal: (signal, target) => {
      if (pid > 0) signalQuietly(target === "group" ? -pid : pid, signal);
    },
  };
}

type Child = ReturnType<typeof execa>;

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
    stdin: spec.input === undefined ? "ignore" : "pipe",
    ...(spec.input === undefined ? {} : { input: spec.input }),
    stripFinalNewline: false,
  };
}

async function awaitEnd(clock: Clock, child: Child, pipes: Pipes): Promise<ProcessEnd> {
  const end = await exitOf(child);
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
function exitOf(child: Child): Promise<ProcessEnd> {
  return new Promise((resolveEnd) => {
    child.once("exit", (code: number | null, signal: string | null) => {
      if (code !== null) resolveEnd({ how: "exited", code });
      else resolveEnd({ how: "killed", signal: signal ?? "unknown" });
    });
    child.once("error", (error: Error) => {
      resolveEnd({ how: "not-found", message: error.message });
    });
    // A command that cannot be started at all never becomes a child: execa then only answers through its promise.
    child.then(
      (result) => {
        if (child.pid === undefined)
          resolveEnd({ how: "not-found", message: errorMessage(result.cause ?? result) });
      },
      (error: unknown) => {
        resolveEnd({ how: "not-found", message: errorMessage(error) });
      },
    );
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

/** Reads a pipe to its end. What nobody wants is read all the same: a full pipe would stop the child. */
async function drain(stream: NodeJS.ReadableStream | null | undefined, sink: Sink): Promise<void> {
  if (stream === null || stream === undefined) return;
  try {
    for await (const chunk of stream) {
      if (sink !== undefined) await sink(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    }
  } catch (error) {
    // A destroyed pipe ends here; anything else is the sink's own failure and belongs to whoever passed it.
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE" && errorCode(error) !== "ERR_STREAM_DESTROYED")
      throw error;
  }
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

async function runProcess(
  clock: Clock,
  spec: ProcessSpec,
  marks: Record<string, string>,
  options: { timeoutMs?: number; maxBytes?: number },
): Promise<ProcessResult> {
  const stdout = new Collected(options.maxBytes ?? Infinity);
  const stderr = new Collected(options.maxBytes ?? Infinity);
  const child = startProcess(
    clock,
    {
      ...spec,
      onStdout: (chunk) => {
        stdout.add(chunk);
      },
      onStderr: (chunk) => {
        stderr.add(chunk);
      },
    },
    marks,
  );
  let timedOut = false;
  const timers: { cancel(): void }[] = [];
  if (options.timeoutMs !== undefined) {
    timers.push(
      clock.after(options.timeoutMs, () => {
        timedOut = true;
        child.signal("SIGTERM", "group");
        timers.push(
          clock.after(TERM_GRACE_MS, () => {
            child.signal("SIGKILL", "group");
          }),
        );
      }),
    );
  }
  const end = await child.ended;
  for (const timer of timers) timer.cancel();
  return { end, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString("utf8"), timedOut };
}

class Collected {
  readonly #chunks: Uint8Array[] = [];
  readonly #most: number;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Uint8Array): void {
    const room = this.#most - this.#size;
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(part);
    this.#size += part.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

async function identity(): Promise<ProcessIdentity> {
  const self = await lookAt(process.pid);
  return {
    pid: process.pid,
    started: self?.started ?? "",
    boot: await bootId(),
    host: hostname(),
    namespace: await pidNamespace(),
  };
}

async function fate(owner: ProcessIdentity, self: ProcessIdentity): Promise<"alive" | "gone" | "unknown"> {
  if (owner.host !== self.host) return "unknown";
  if (owner.boot !== self.boot) return "gone";
  if (owner.namespace !== self.namespace) return "unknown";
  if (self.started === "") return aliveByPid(owner.pid);
  const now = await lookAt(owner.pid);
  return now?.started === owner.started ? "alive" : "gone";
}

/** Without /proc only the pid can be asked for; a recycled one looks alive, which errs on the safe side. */
function aliveByPid(pid: number): "alive" | "gone" {
  try {
    process.kill(pid, 0);
    return "alive";
  } catch (error) {
    return errorCode(error) === "ESRCH" ? "gone" : "alive";
  }
}

async function which(command: string, path: string, cwd: string): Promise<string | undefined> {
  const places = command.includes("/")
    ? [resolve(cwd, command)]
    : path
        .split(delimiter)
        .filter((folder) => folder !== "")
        .map((folder) => resolve(cwd, folder, command));
  for (const place of places) {
    if (isAbsolute(place) && (await isExecutable(place))) return place;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
