// Finds the process that sent a request from this machine, to refuse the agents of a run. Linux only;
// elsewhere the keys alone keep agents out.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { markOf } from "../../src/system/processes/mark.js";
import { listProcesses } from "../../src/system/processes/proc.js";
import { findNamedFolder } from "../../src/loop/runs/live-run.js";
import type { Project } from "../../src/config/project/open-project.js";
import type { Ports } from "../../src/system/ports.js";

/** Whether a client's address is one of this machine's. */
export function isOfThisMachine(remote: string, local: string | undefined): boolean {
  const [address = ""] = remote.replace("::ffff:", "").split("%");
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
  return /^(?:::1$|127\.)/.test(address) || remote === local || own.includes(address);
}

/** Whether the client behind these ports of this machine belongs to the run in progress or descends from it, or may. */
export async function isAgentOfRun(
  ports: Ports,
  project: Project,
  { theirs, ours }: { theirs: number; ours: number },
): Promise<boolean> {
  const folder = await findNamedFolder(ports, project);
  if (folder === undefined) return false;
  const marked = new Set(await ports.processes.marked(markOf(folder)));
  if (marked.size === 0) return false;
  const inodes = inodesOf(theirs, ours);
  // A client that closed its end has no process that could be asked: it is taken for an agent.
  if (inodes.length === 0 || inodes.includes("0")) return true;
  const all = new Map((await listProcesses())?.map((one) => [one.pid, one.parent]));
  for (const pid of inodes.flatMap((inode) => holdersOf(inode, [...all.keys()])))
    for (let at = pid; at > 1; at = all.get(at) ?? 0) if (marked.has(at)) return true;
  return false;
}

/**
 * The inodes of every connection from one port to the other, by the tables of TCP in /proc. An agent may have bound the port of another
 * client, at another address: all of them count.
 */
function inodesOf(theirs: number, ours: number): string[] {
  return ["tcp", "tcp6"].flatMap((table) => {
    const text = quietly(() => readFileSync(`/proc/net/${table}`, "latin1")) ?? "";
    return text.split("\n").flatMap((line) => {
      const fields = line.trim().split(/ +/);
      const [, local = "", remote = ""] = fields;
      return portOf(local) === theirs && portOf(remote) === ours ? [fields[9] ?? "0"] : [];
    });
  });
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
}

function holdersOf(inode: string, pids: readonly number[]): number[] {
  const wanted = `socket:[${inode}]`;
  return pids.filter((pid) =>
    (quietly(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some(
      (fd) => quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === wanted,
    ),
  );
}

/** Processes come and go while they are looked at. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
