// Lists running processes with their start times, parents and run marks, from /proc or, without it, such as on macOS, from
// ps(1). On a system with neither, the lists are empty, and `doctor` reports the consequences.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { errorCode } from "../errors.js";
import { startProgram } from "./child.js";

const PS_TIMEOUT_MS = 5_000;

/** One process: `started` in clock ticks since boot, or as ps prints it. Pid and start name a process for good. */
export interface SeenProcess {
  pid: number;
  parent: number;
  /** The process group. */
  group: number;
  started: string;
}

/** Whether it was there before the other was; false where that cannot be told. */
export function isOlder({ started }: SeenProcess, other: SeenProcess): boolean {
  return Number(started) < Number(other.started);
}

/** Every process visible here; `undefined` when the system cannot list them. */
export async function listProcesses(): Promise<SeenProcess[] | undefined> {
  if (!hasProc()) return listByPs();
  const names = quietly(() => readdirSync("/proc")) ?? [];
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.map(lookInProc).filter((seen) => seen !== undefined);
}

/** One process, or `undefined` once it is gone. A zombie counts as gone: it runs nothing any more. */
export async function lookAt(pid: number): Promise<SeenProcess | undefined> {
  if (hasProc()) return lookInProc(pid);
  return (await listByPs())?.find((one) => one.pid === pid);
}

/** Those of them that carry `NAME=1` in the environment they were started with. */
export async function withMark(processes: readonly SeenProcess[], mark: string): Promise<SeenProcess[]> {
  if (!hasProc()) {
    const pids = await listMarkedByPs(mark);
    return processes.filter(({ pid }) => pids.has(pid));
  }
  const carry = await Promise.all(processes.map(({ pid }) => carriesMark(pid, mark)));
  return processes.filter((_, index) => carry[index] === true);
}

/** The children of a process; `undefined` where the system does not tell, or it is gone. Linux only. */
export function listChildren(pid: number): number[] | undefined {
  const text = quietly(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1"));
  return text?.split(" ").flatMap((word) => (word === "" ? [] : [Number(word)]));
}

/** The environments, as `NAME=value`, that the processes this one descends from were started with. Linux only. */
export function readEnvironmentsAbove(): string[][] {
  const found: string[][] = [];
  const seen = new Set([process.pid]);
  for (let pid = process.ppid; pid > 0 && !seen.has(pid); pid = lookInProc(pid)?.parent ?? 0) {
    seen.add(pid);
    const environ = quietly(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
    if (environ !== undefined) found.push(environ.split("\0"));
  }
  return found;
}

/** The boot's id, or "" where the system does not tell. */
export function bootId(): string {
  return quietly(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.trim() ?? "";
}

/** This process's pid namespace, or "" where the system does not tell. */
export function readPidNamespace(): string {
  return quietly(() => readlinkSync("/proc/self/ns/pid")) ?? "";
}

function hasProc(): boolean {
  return quietly(() => readlinkSync("/proc/self")) !== undefined;
}

/** These never block, and each is done before a thread of the pool would have been asked. */
function lookInProc(pid: number): SeenProcess | undefined {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  // The name in brackets may hold spaces and brackets: the fields begin behind its last one (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), started: fields[19] ?? "" };
}

/** An environment is memory of the process's own, and can keep its reader waiting. */
async function carriesMark(pid: number, mark: string): Promise<boolean> {
  const environ = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => undefined);
  return environ?.split("\0").includes(`${mark}=1`) === true;
}

/** A process may be gone, or another user's, between two looks: both mean there is nothing to see. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Every process but zombies; `undefined` where ps does not answer. `started` has a grain of one second. */
export async function listByPs(): Promise<SeenProcess[] | undefined> {
  const told = await ask(["-axo", "pid=,ppid=,pgid=,stat=,lstart="]);
  return told?.text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "Z", started = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line.trimEnd()) ?? [];
    if (state.startsWith("Z") || Number(pid) === told.pid) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started }];
  });
}

/** The pids of those that carry `NAME=1` in their environment, as far as the system shows environments. */
export async function listMarkedByPs(mark: string): Promise<Set<number>> {
  // ps prints the environment behind the words of the command; only the letter that asks for it differs.
  const told = await ask([process.platform === "darwin" ? "-axwwEo" : "axewwo", "pid=,command="]);
  const marked = (told?.text ?? "").split("\n").filter((line) => `${line} `.includes(` ${mark}=1 `));
  return new Set(marked.map((line) => Number.parseInt(line)));
}

/** The output of ps, and its own pid, which must not count as a process left behind. */
async function ask(words: readonly string[]): Promise<{ text: string; pid: number | undefined } | undefined> {
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };
  const asked = startProgram("ps", words, {
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PS_TIMEOUT_MS,
  });
  const chunks: Buffer[] = [];
  asked.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const end = await asked.exited.catch(() => undefined);
  // Not there, or none of the kind that takes these words: as if nothing could be seen.
  if (end?.code !== 0 || asked.stdout === null) return undefined;
  await finished(asked.stdout);
  return { text: Buffer.concat(chunks).toString("utf8"), pid: asked.pid };
}
