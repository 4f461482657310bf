// Counts the calls of the ports, and does to the program what a plan says of one. Leaves the calls themselves to faulty-files.ts
// and faulty-processes.ts.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync, writeSync } from "node:fs";
import path from "node:path";
import { never } from "../../src/system/never.js";
import type { Fault } from "./fault.js";
import type { JumpingClock } from "./jumping-clock.js";

const HOUR_MS = 3_600_000;

export class Calls {
  #count = 0;
  readonly #faults: ReadonlyMap<number, Fault>;
  readonly #trace: number;
  readonly #clock: JumpingClock;
  readonly #folder = process.cwd();

  /** `trace`: a file that is open for writing. */
  constructor(faults: readonly Fault[], trace: number, clock: JumpingClock) {
    this.#faults = new Map(faults.map((fault) => [fault.at, fault]));
    this.#trace = trace;
    this.#clock = clock;
  }

  /** Numbers a call and writes it down; what is to happen at it, if anything. */
  count(method: string, what: string): Fault | undefined {
    this.#count++;
    const place = path.isAbsolute(what) ? path.relative(this.#folder, what) || "." : what;
    // By the system, not by a stream: what is killed in a moment has said it.
    writeSync(this.#trace, `${this.#count} ${method} ${place}\n`);
    return this.#faults.get(this.#count);
  }

  /** Applies the fault to the program, which then makes the call; a kill never returns, an error is thrown. */
  strike({ deed, line = "" }: Fault, method: string): void {
    switch (deed) {
      case "kill":
        die(false);
        return;
      case "kill-group":
        die(true);
        return;
      case "stop":
        standStill();
        return;
      case "ENOSPC":
        throw systemError(deed, "no space left on device", method);
      case "EIO":
        throw systemError(deed, "i/o error", method);
      case "forward":
        this.#clock.jump(HOUR_MS);
        return;
      case "back":
        this.#clock.jump(-HOUR_MS);
        return;
      case "shell":
        execFileSync("/bin/sh", ["-c", line], { cwd: this.#folder });
        return;
      default:
        return never(deed);
    }
  }
}

function systemError(code: string, words: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${words}, ${syscall}`), { code, syscall });
}

/** As a container that is torn down: every process below this one goes in the same moment, each having a group of its own. */
function die(withAll: boolean): void {
  if (withAll) for (const pid of descendants()) killQuietly(pid);
  process.kill(process.pid, "SIGKILL");
  for (;;); // The signal is on its way.
}

function standStill(): void {
  const wake = `sleep 0.5; kill -CONT ${process.pid}`;
  spawn("/bin/sh", ["-c", wake], { detached: true, stdio: "ignore" }).unref();
  process.kill(process.pid, "SIGSTOP");
}

function descendants(): number[] {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  const found: number[] = [];
  const queue = [process.pid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const below = children.get(pid) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // gone meanwhile
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone meanwhile: what was wanted.
    return;
  }
}
