// Ends a process that takes too long, says nothing for too long, says too much, or shall stop. Leaves why it ended to the caller.
import type { Clock, RunningProcess } from "../../system/ports.js";
import type { Budget } from "../agent.js";
import type { CleanStop } from "./client.js";
import type { LimitedUse, Stopped } from "./stopped.js";

const GRACE_MS = 5_000;
/** How long it may be silent after the event that ends its work, before it is ended itself. */
const LEAVE_MS = 10_000;
const MAX_TICK_MS = 250;
const MIN_TICK_MS = 5;

export interface WatchRules {
  /** Milliseconds; 0 = none. */
  timeoutMs: number;
  idleTimeoutMs: number;
  /** 0 = any number. */
  most: Readonly<Record<LimitedUse, number>>;
  cleanStop: CleanStop;
  stop: AbortSignal;
  /** Whether its silence means nothing now: a tool of its own is at work, or we hold its output back. */
  silenceIsFine(): boolean;
  /** By its own word its work has ended, well or not: only its process is still there. */
  hasEnded(): boolean;
  /** The budget it has gone beyond after so many milliseconds. */
  beyond(elapsedMs: number): Budget | undefined;
}

export interface Watch {
  /** Called when it printed something. Output on stderr, or less than a line, does not count as a sign of life. */
  heard(alive: boolean): void;
  /** Ends it: it asked its provider so many times, and would for ever. */
  asksInVain(times: number): void;
  /** Sees at once whether it has gone beyond a budget. */
  look(): void;
  /** Counts what it spent; ends it once that is more than it may. Answers how much of the amount it still might. */
  spend(what: LimitedUse, amount: number): number;
  /** Kills it: nothing it says from now on is of use. */
  giveUp(message: string): void;
  /** Why it was ended, if it was. */
  stopped(): Stopped | undefined;
  cancel(): void;
}

/** Times are measured on the monotonic clock, in steps of at most 250 ms: neither a jump of the wall clock nor a suspend ends an agent. */
export function watchProcess(running: RunningProcess, rules: WatchRules, clock: Clock): Watch {
  const startedAt = clock.monotonic();
  let heardAt = startedAt;
  let noticedAt = -Infinity;
  let stopped: Stopped | undefined;
  let killAt = Infinity;
  const take = allowance(rules.most);

  const kill = (): void => {
    killAt = Infinity;
    running.signal("SIGKILL", "group");
  };
  const stop = (why: Stopped | undefined): void => {
    if (why === undefined || stopped !== undefined) return;
    stopped = why;
    killAt = clock.monotonic() + GRACE_MS;
    running.signal(rules.cleanStop.signal, rules.cleanStop.target);
  };
  const check = (): void => {
    const now = clock.monotonic();
    if (now >= killAt) kill();
    if (rules.silenceIsFine()) heardAt = now;
    if (now - heardAt >= LEAVE_MS && rules.hasEnded()) stop({ why: "stayed" });
    stop(overTime(rules, { elapsed: now - startedAt, silent: now - heardAt, mute: noticedAt < heardAt }));
    stop(overBudget(rules, now - startedAt));
  };
  const obey = (): void => {
    stop({ why: "interrupted" });
    if (rules.stop.reason === "kill") kill();
  };

  const timer = clock.every(tickOf(rules), check);
  const unheard = onceAborted(rules.stop, obey);
  return {
    heard: (alive) => {
      if (alive) heardAt = clock.monotonic();
      else noticedAt = clock.monotonic();
    },
    asksInVain: (times) => {
      stop({ why: "in-vain", times });
    },
    look: () => {
      stop(overBudget(rules, clock.monotonic() - startedAt));
    },
    spend: (what, amount) => {
      const taken = take(what, amount);
      if (taken < amount) stop({ why: what, most: rules.most[what] });
      return taken;
    },
    giveUp: (message) => {
      stopped ??= { why: "broken", message };
      kill();
    },
    stopped: () => stopped,
    cancel: () => {
      timer.cancel();
      unheard();
    },
  };
}

/** Obeys now if it is aborted already. Answers how to stop listening. */
function onceAborted(signal: AbortSignal, obey: () => void): () => void {
  signal.addEventListener("abort", obey, { once: true });
  if (signal.aborted) obey();
  return () => {
    signal.removeEventListener("abort", obey);
  };
}

/** How much of an amount may still be taken; it is taken. */
function allowance(most: WatchRules["most"]): (what: LimitedUse, amount: number) => number {
  const taken: Record<LimitedUse, number> = { turns: 0, events: 0, output: 0 };
  return (what, amount) => {
    const left = most[what] === 0 ? Infinity : most[what] - taken[what];
    const now = Math.min(amount, left);
    taken[what] += now;
    return now;
  };
}

function overBudget(rules: WatchRules, elapsed: number): Stopped | undefined {
  const budget = rules.beyond(elapsed);
  return budget === undefined ? undefined : { why: "budget", budget };
}

function overTime(
  { timeoutMs, idleTimeoutMs }: WatchRules,
  { elapsed, silent, mute }: { elapsed: number; silent: number; mute: boolean },
): Stopped | undefined {
  if (isOver(timeoutMs, elapsed)) return { why: "timed-out", afterMs: timeoutMs };
  return isOver(idleTimeoutMs, silent) ? { why: "idle", afterMs: idleTimeoutMs, mute } : undefined;
}

function isOver(limit: number, elapsed: number): boolean {
  return limit > 0 && elapsed >= limit;
}

function tickOf({ timeoutMs, idleTimeoutMs }: WatchRules): number {
  const limits = [timeoutMs, idleTimeoutMs].filter((limit) => limit > 0);
  return Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, ...limits.map((limit) => limit / 10)));
}
