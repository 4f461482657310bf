// The port of processes. Leaves one child to child.ts, what must leave nothing behind to contain.ts, what the system tells
// to proc.ts, and the ending of leftovers to sweep.ts.
import { hostname } from "node:os";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import { startProcess } from "./child.js";
import { Container, type StartProcess } from "./contain.js";
import { errorCode } from "../errors.js";
import type { Clock, Processes, ProcessIdentity, ProcessResult, ProcessSpec } from "../ports.js";
import { bootId, lookAt, readPidNamespace } from "./proc.js";
import { waitForEnd } from "./wait-for-end.js";
import { descendsFrom, environmentAbove, endLeftovers, findLeftovers, markName } from "./sweep.js";

const TERM_GRACE_MS = 5_000;

/** The machine's processes. */
export function nodeProcesses(clock: Clock): Processes {
  // The identity of this process does not change, and locks ask for it often.
  let self: Promise<ProcessIdentity> | undefined;
  let marked: string | undefined;
  const marks: Record<string, string> = {};
  // Made for the first process that is started: most commands start none.
  let made: Container | undefined;
  // The program that embeds this one has children of its own.
  const started = new Set<number>();
  const start: StartProcess = (spec, more = {}) => {
    const child = startProcess(clock, spec, { ...marks, ...more });
    started.add(child.pid);
    void child.ended.then(() => started.delete(child.pid));
    return child;
  };
  const container = (): Container => (made ??= new Container(clock, { start, started, marks, which }));
  return {
    start: (spec) => start(spec),
    contain: (spec, how) => container().start(spec, how),
    containment: () => container().containment(),
    run: (spec, options) => runProcess(clock, spec, start, options ?? {}),
    mark: (run) => {
      marked = run;
      marks[markName(run)] = "1";
      container().beginRun();
    },
    sweep: async (run) => {
      const descendants = run === marked ? container().watchDescendants() : undefined;
      if (descendants !== undefined) await container().closeNext();
      return endLeftovers(clock, { mark: markName(run), descendants });
    },
    marked: async (run) => (await findLeftovers({ mark: markName(run) })).map(({ pid }) => pid),
    descendsFrom: (run) => descendsFrom(run),
    environmentAbove: (name) => environmentAbove(name),
    identity: () => (self ??= identity()),
    fate: async (owner) => fate(owner, await (self ??= identity())),
    which,
  };
}

async function runProcess(
  clock: Clock,
  spec: ProcessSpec,
  start: StartProcess,
  options: { timeoutMs?: number; maxBytes?: number },
): Promise<ProcessResult> {
  const stdout = new Collected(options.maxBytes ?? Infinity);
  const stderr = new Collected(options.maxBytes ?? Infinity);
  const child = start({
    ...spec,
    onStdout: (chunk) => {
      stdout.add(chunk);
    },
    onStderr: (chunk) => {
      stderr.add(chunk);
    },
  });
  const { timeoutMs } = options;
  const { end, timedOut } = await waitForEnd(child, { clock, timeoutMs, graceMs: TERM_GRACE_MS });
  return { end, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString("utf8"), timedOut };
}

class Collected {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly most: number) {}

  add(chunk: Uint8Array): void {
    const room = this.most - this.#size;
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
    boot: bootId(),
    host: hostname(),
    namespace: readPidNamespace(),
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
