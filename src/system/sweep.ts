// Ending whatever a run left behind: processes that carry its mark, and descendants seen while it lived.
// A child in a session of its own survives a group kill; the mark it inherited does not lie.
import type { Clock } from "./ports.js";
import { carriesMark, listProcesses, lookAt, type Seen } from "./proc.js";

const GONE_WITHIN_MS = 10_000;
const LOOKS = 3;

/** The variable every child of a run carries. */
export function markName(run: string): string {
  return `LOOPER_MARK_${run.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
}

/** Remembers every descendant of this process ever seen, by pid and start time. */
export class Descendants {
  readonly #seen = new Map<string, Seen>();

  /** Looks once; cheap enough to be done every second. */
  async sample(): Promise<void> {
    const all = (await listProcesses()) ?? [];
    const byPid = new Map(all.map((one) => [one.pid, one]));
    const known = new Set<number>([process.pid]);
    for (const [key, seen] of this.#seen) {
      const still = byPid.get(seen.pid);
      if (still?.started === seen.started) known.add(seen.pid);
      else this.#seen.delete(key);
    }
    const children = groupByParent(all);
    const queue = [...known];
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      for (const child of children.get(pid) ?? []) {
        if (known.has(child.pid)) continue;
        known.add(child.pid);
        this.#seen.set(`${String(child.pid)} ${child.started}`, child);
        queue.push(child.pid);
      }
    }
  }

  list(): Seen[] {
    return [...this.#seen.values()];
  }
}

function groupByParent(all: readonly Seen[]): Map<number, Seen[]> {
  const children = new Map<number, Seen[]>();
  for (const one of all) {
    const siblings = children.get(one.parent);
    if (siblings === undefined) children.set(one.parent, [one]);
    else siblings.push(one);
  }
  return children;
}

/** The processes that carry a run's mark; this process and its ancestors are left out. */
export async function markedProcesses(run: string): Promise<Seen[]> {
  const all = (await listProcesses()) ?? [];
  const spared = ancestors(all);
  const mark = markName(run);
  const marked = await Promise.all(
    all
      .filter((one) => !spared.has(one.pid))
      .map(async (one) => ((await carriesMark(one.pid, mark)) ? one : undefined)),
  );
  return marked.filter((one) => one !== undefined);
}

function ancestors(all: readonly Seen[]): Set<number> {
  const parents = new Map(all.map((one) => [one.pid, one.parent]));
  const spared = new Set<number>();
  for (
    let pid: number | undefined = process.pid;
    pid !== undefined && !spared.has(pid);
    pid = parents.get(pid)
  ) {
    spared.add(pid);
  }
  return spared;
}

/** SIGKILLs them, and what they start meanwhile, until none is left or 10 s have passed. */
export async function sweepRun(
  clock: Clock,
  run: string,
  descendants: Descendants | undefined,
): Promise<{ killed: number[]; left: number[]; marksReadable: boolean }> {
  const killed = new Set<number>();
  const deadline = clock.monotonic() + GONE_WITHIN_MS;
  await descendants?.sample();
  // A process in the middle of an exec shows an empty environment: one look that finds nothing proves nothing.
  for (let empty = 0; empty < LOOKS;) {
    const targets = [...(await markedProcesses(run)), ...(await stillThere(descendants?.list() ?? []))];
    empty = targets.length === 0 ? empty + 1 : 0;
    for (const { pid } of targets) {
      killed.add(pid);
      killQuietly(pid);
    }
    if (targets.length > 0 && clock.monotonic() > deadline) {
      return { killed: [...killed], left: targets.map(({ pid }) => pid), marksReadable: true };
    }
    await clock.sleep(10);
    await descendants?.sample();
  }
  return {
    killed: [...killed].sort((a, b) => a - b),
    left: [],
    marksReadable: (await lookAt(process.pid)) !== undefined,
  };
}

async function stillThere(seen: readonly Seen[]): Promise<Seen[]> {
  const now = await Promise.all(
    seen.map(async (one) => ((await lookAt(one.pid))?.started === one.started ? one : undefined)),
  );
  return now.filter((one) => one !== undefined);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // ESRCH: it went by itself. EPERM: not ours to end; it stays in `left`.
    if (!(error instanceof Error)) throw error;
  }
}
