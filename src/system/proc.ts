// What /proc tells about processes: who lives, since when, whose child, which run's mark. Linux; elsewhere every question
// is answered with nothing, and `doctor` says what that costs.
import { readdir, readFile, readlink } from "node:fs/promises";
import { errorCode } from "./errors.js";

/** One process: `started` in clock ticks since boot, as /proc prints it. Pid and start name a process for good. */
export interface Seen {
  pid: number;
  parent: number;
  started: string;
}

/** Every process visible here; `undefined` where there is no /proc. */
export async function listProcesses(): Promise<Seen[] | undefined> {
  const names = await quietly(() => readdir("/proc"));
  if (names === undefined || !names.includes("self")) return undefined;
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(lookAt));
  return all.filter((seen) => seen !== undefined);
}

/** One process, or `undefined` once it is gone. A zombie counts as gone: it runs nothing any more. */
export async function lookAt(pid: number): Promise<Seen | undefined> {
  const stat = await quietly(() => readFile(`/proc/${String(pid)}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The name in brackets may hold spaces and brackets: the fields begin behind its last one (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(fields[1]), started: fields[19] ?? "" };
}

/** Whether a process carries `NAME=1` in the environment it was started with. */
export async function carriesMark(pid: number, mark: string): Promise<boolean> {
  const environ = await quietly(() => readFile(`/proc/${String(pid)}/environ`, "latin1"));
  return environ?.split("\0").includes(`${mark}=1`) === true;
}

/** The boot's id, or "" where the system does not tell. */
export async function bootId(): Promise<string> {
  return (await quietly(() => readFile("/proc/sys/kernel/random/boot_id", "utf8")))?.trim() ?? "";
}

/** This process's pid namespace, or "" where the system does not tell. */
export async function pidNamespace(): Promise<string> {
  return (await quietly(() => readlink("/proc/self/ns/pid"))) ?? "";
}

/** A process may be gone, or another user's, between two looks: both mean there is nothing to see. */
async function quietly<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
