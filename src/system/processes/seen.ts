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
