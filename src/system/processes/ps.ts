// Lists processes with ps(1), for systems without /proc, such as macOS. Windows has neither: the list is unknown there.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { SeenProcess } from "./seen.js";

const LIMITS = { timeout: 5_000, maxBuffer: 64 * 1024 * 1024 } as const;

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
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  const asking = promisify(execFile)("ps", words, { ...LIMITS, env });
  try {
    return { text: (await asking).stdout, pid: asking.child.pid };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Not there, or none of the kind that takes these words: as if nothing could be seen.
    return undefined;
  }
}
