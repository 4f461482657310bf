// Ending whatever a run, or one process of it, left behind: processes that carry its mark, and descendants seen while it
// lived. A child in a session of its own survives a group kill; the mark it inherited does not lie.
import type { Clock } from "../ports.js";
import { isOlder, listProcesses, lookAt, readEnvironmentsAbove, withMark, type SeenProcess } from "./proc.js";

const GONE_WITHIN_MS = 10_000;
const LOOKS = 3;

/** The variable every child of a run carries. */
export function markName(run: string): string {
  return `LOOPER_MARK_${run.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
}

/** Whether this process descends from one of a run; a child that cleared its environment does as well. Linux only. */
export function descendsFrom(run: string): boolean {
  const entry = `${markName(run)}=1`;
  return readEnvironmentsAbove().some((entries) => entries.includes(entry));
}

/** The variable's value in the nearest environment above this process that has it. Linux only. */
export function environmentAbove(name: string): string | undefined {
  const found = readEnvironmentsAbove()
    .flat()
    .find((entry) => entry.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** A descendant, and which child of this process it descends from. */
type Descendant = SeenProcess & { under: number };

/** Remembers every process ever seen that was started here, with all that descends from it, by pid and start time. */
export class Descendants {
  readonly #seen = new Map<string, Descendant>();

  /** `started`: the children of this process that count. */
  constructor(private readonly started: ReadonlySet<number>) {}

  /** Looks once; cheap enough to be done every second. */
  async sample(): Promise<void> {
    this.take((await listProcesses()) ?? []);
  }

  take(all: readonly SeenProcess[]): void {
    const there = new Set(all.map(keyOf));
    for (const key of this.#seen.keys()) if (!there.has(key)) this.#seen.delete(key);
    const children = groupByParent(all);
    const queue: { pid: number; under?: number }[] = [{ pid: process.pid }, ...this.#seen.values()];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const child of children.get(next.pid) ?? []) {
        const key = keyOf(child);
        if (child.pid === process.pid || this.#seen.has(key)) continue;
        if (next.pid === process.pid && !this.started.has(child.pid)) continue;
        const found = { ...child, under: next.under ?? child.pid };
        this.#seen.set(key, found);
        queue.push(found);
      }
    }
  }

  /** Those that still lived when it last looked; `under`: only one child of this process, and what descends from it. */
  list(under?: number): SeenProcess[] {
    const all = [...this.#seen.values()];
    return under === undefined ? all : all.filter((one) => one.under === under);
  }
}

function keyOf({ pid, started }: SeenProcess): string {
  return `${pid} ${started}`;
}

function groupByParent(all: readonly SeenProcess[]): Map<number, SeenProcess[]> {
  const children = new Map<number, SeenProcess[]>();
  for (const one of all) {
    const siblings = children.get(one.parent);
    if (siblings === undefined) children.set(one.parent, [one]);
    else siblings.push(one);
  }
  return children;
}

/** The processes to end. */
export interface Leftovers {
  /** The variable they carry, as `markName` gives it. */
  mark: string;
  descendants?: Descendants | undefined;
  /** Only processes that this child started: of the descendants those below it, of the marked ones those younger. */
  child?: SeenProcess | undefined;
}

/** The processes that were left behind; this process and its ancestors are never among them. */
export async function findLeftovers({ mark, descendants, child }: Leftovers): Promise<SeenProcess[]> {
  const all = (await listProcesses()) ?? [];
  descendants?.take(all);
  const spared = ancestors(all);
  const others = all.filter((one) => !spared.has(one.pid) && (child === undefined || !isOlder(one, child)));
  const found = [...(await withMark(others, mark)), ...(descendants?.list(child?.pid) ?? [])];
  return [...new Map(found.map((one) => [one.pid, one])).values()];
}

function ancestors(all: readonly SeenProcess[]): Set<number> {
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
export async function endLeftovers(
  clock: Clock,
  leftovers: Leftovers,
): Promise<{ killed: number[]; left: number[]; marksReadable: boolean }> {
  const killed = new Set<number>();
  const deadline = clock.monotonic() + GONE_WITHIN_MS;
  // A process in the middle of an exec shows an empty environment: one look that finds nothing proves nothing.
  for (let empty = 0; empty < LOOKS;) {
    const targets = await findLeftovers(leftovers);
    empty = targets.length === 0 ? empty + 1 : 0;
    for (const { pid } of targets) {
      killed.add(pid);
      killQuietly(pid);
    }
    if (targets.length > 0 && clock.monotonic() > deadline) {
      return { killed: [...killed], left: targets.map(({ pid }) => pid), marksReadable: true };
    }
    await clock.sleep(10);
  }
  return {
    killed: [...killed].sort((a, b) => a - b),
    left: [],
    marksReadable: (await lookAt(process.pid)) !== undefined,
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // ESRCH: it went by itself. EPERM: not ours to end; it stays in `left`.
    if (!(error instanceof Error)) throw error;
  }
}
