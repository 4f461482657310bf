// The laws of docs/LAWS.md as checks on a simulated run, from its events and effects alone. Each returns the violations.
import { isGreen } from "../../gate/verdict/compare.js";
import { fallsShort } from "../../gate/verdict/reasons.js";
import { PersistentMap } from "../../system/persistent-map.js";
import { compareIds } from "../../todo/model/order.js";
import { closure } from "../../todo/model/select.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import type { Effect, JobFacts } from "../step/effects.js";
import { causesBackoff } from "../step/schedule/backoff.js";
import type { Work } from "../step/state.js";
import type { Taken } from "./world/sim.js";
import { effects, eventOf, type Law, mustLook, workOf } from "./trace.js";

/** L1 */
export const claimedAndChecked: Law = ({ trace }) =>
  effects(trace, "run-agent").flatMap(({ at, effect: { job } }) => {
    const before = trace.slice(0, at + 1);
    if (job.phase === "bootstrap" || job.phase === "repair") return [];
    const claim = eventOf(before, "backlog_changed", job.job);
    const claimed = claim?.type === "backlog_changed" && claim.refused.length === 0;
    const checked = eventOf(before, "checkpoint", job.job) !== undefined;
    if (job.phase === "iteration" && !claimed) return [`job ${job.job} was not claimed`];
    return checked ? [] : [`job ${job.job} has no checkpoint`];
  });

/** L2 without crashes, which explore.test.ts covers. */
export const doneIsCommitted: Law = ({ start, trace, end }) => {
  const broke = trace.some(({ event }) => event.type === "effect_failed" && event.effect === "publish");
  if (broke || !end.rules.apply_summary || end.state.phase !== "ended") return [];
  const before = new Set(start.rows.filter((row) => row.status === "done").map((row) => row.id));
  const late = trace.some(
    ({ event, before: state }) => event.type === "run_interrupted" && state.phase === "working",
  );
  return end.disk.rows.flatMap(({ id, status, marker }) => {
    const commits = end.disk.commits.filter(({ task }) => task === id).length;
    if (before.has(id) || marker === true) return [];
    if (commits > 1) return [`${id} has ${commits} commits`];
    if ((status === "done") === (commits === 1)) return [];
    // The third signal does not wait for a commit: the next start finishes it. A person may undo what is done.
    if (late && end.disk.pending?.commit.task === id) return [];
    return status === "done" || end.seen.finished.has(id)
      ? []
      : [`${id} is ${status} with ${commits} commits`];
  });
};

/** L3 */
export const inOrder: Law = ({ trace }) =>
  trace.flatMap((taken) => {
    const work = workOf(taken);
    const before = taken.before.phase === "working" ? taken.before.work : undefined;
    return taken.next.effects.flatMap((effect) => {
      if (effect.kind !== "change-backlog" || work === undefined) return [];
      return effect.changes.flatMap((change) => {
        if (change.op !== "claim") return [];
        const inHand = (before?.jobs ?? []).flatMap(({ facts }) => facts.task_id ?? []);
        if (inHand.includes(change.id)) return [`${change.id} is in hand already`];
        const [first] = candidates({ ...work, attempts: before?.attempts ?? PersistentMap.of() }, inHand);
        return first?.id === change.id
          ? []
          : [`${change.id} was taken, ${first?.id ?? "nothing"} comes first`];
      });
    });
  });

/** The tasks that could be selected, next one first: contract §3.4 word by word. */
function candidates(work: Work, inHand: readonly TaskId[]): IndexRow[] {
  const rows = [...work.index.values];
  const suspected = [...(work.suspects?.values() ?? [])].flatMap(({ id }) =>
    work.held?.has(id) === true ? [id] : [],
  );
  const only = work.rules.only === undefined ? undefined : closure(work.rules.only, rows);
  const rank = ["doing", "todo", "blocked"];
  return rows
    .filter(({ id, status }) => status !== "done" && !inHand.includes(id) && !work.final.has(id))
    .filter(({ id }) => only === undefined || only.has(id))
    .filter(({ id, status }) => !(work.blockedByHand.has(id) && status === "blocked"))
    .filter((row) => row.depends_on.every((id) => work.index.get(id)?.status === "done"))
    .filter(({ id }) => {
      const most = work.blockedAtStart.has(id) ? 1 : work.rules.max_attempts;
      return (work.attempts.get(id) ?? 0) < most;
    })
    .sort((a, b) => {
      const byDoubt = Number(suspected.includes(a.id)) - Number(suspected.includes(b.id));
      if (byDoubt !== 0) return byDoubt;
      const byRank = rank.indexOf(a.status) - rank.indexOf(b.status);
      const byPriority = a.status === "doing" ? 0 : a.priority - b.priority;
      return byRank !== 0 ? byRank : byPriority !== 0 ? byPriority : compareIds(a.id, b.id);
    });
}

/** L4 */
export const attemptsBounded: Law = ({ trace, end }) => {
  const read = trace.findLast(({ event }) => event.type === "backlog_read")?.event;
  const rows = read?.type === "backlog_read" ? (read.rows ?? []) : [];
  const most = (id: TaskId): number =>
    rows.some((row) => row.id === id && row.status === "blocked") ? 1 : end.rules.max_attempts;
  const tried = new Map<TaskId, number>();
  return trace.flatMap(({ event, before, next }) => {
    const tries =
      event.type === "agent_finished" &&
      counts(event.reason) &&
      !endsRun(event) &&
      !isHeld(trace, event.job) &&
      !isReleased(trace, event.job);
    const id = tries ? event.task_id : undefined;
    if (id !== undefined) tried.set(id, (tried.get(id) ?? 0) + 1);
    const often = id !== undefined && (tried.get(id) ?? 0) > most(id) ? [`${id} was tried too often`] : [];
    const wrong = next.notes.flatMap((note) => {
      if (note.type !== "attempt_failed" || note.task_id === undefined || !counts(note.reason)) return [];
      if (note.next === "end" || note.next === "later") return [];
      const tokens = workOf({ event, before, next })?.spentOn.get(note.task_id)?.tokens ?? 0;
      const isSpent = tokens >= (end.rules.budget.task_tokens ?? Infinity);
      const last = isSpent || (tried.get(note.task_id) ?? 0) >= most(note.task_id);
      const blocks = next.effects.some(
        (effect) => effect.kind === "change-backlog" && effect.changes.some(({ op }) => op === "block"),
      );
      if (mustLook({ trace, end }, event)) {
        const isOver = note.next === "blocked" && blocks;
        return isOver ? [] : [`a person must look at ${note.task_id}, then ${note.next}`];
      }
      if (next.state.phase !== "working") return [`a failed attempt at ${note.task_id} ended the run`];
      const says = note.next === (last ? "blocked" : "retry") && blocks === last;
      return says
        ? []
        : [`${note.task_id} failed for the ${tried.get(note.task_id)}th time, then ${note.next}`];
    });
    return [...often, ...wrong];
  });
};

/** L12: whether the attempt says more of the agent than of the task. */
function isHeld(trace: readonly Taken[], job: number): boolean {
  return trace.some(({ next }) =>
    failures(next.notes).some(
      (note) => note.job === job && (note.next === "later" || note.reason === "unusable"),
    ),
  );
}

/** Whether a person edited the job's task, so that it does not count as an attempt. */
function isReleased(trace: readonly Taken[], job: number): boolean {
  return trace.some(({ next: { state } }) => {
    const jobs = state.phase === "working" ? state.work.jobs : [];
    return jobs.some(({ facts, released }) => facts.job === job && released === true);
  });
}

/** Whether an end with this reason counts as an attempt. */
function counts(reason: string | undefined = ""): boolean {
  return !["not-found", "not-signed-in", "no-credit", "unusable"].includes(reason) && !causesBackoff(reason);
}

/** Whether the run stopped the agent because its budget was spent. */
function endsRun(event: Taken["event"]): boolean {
  return event.type === "agent_finished" && event.reason === "budget" && event.stopped_for === "run";
}

/** L5 */
export const doneByReport: Law = ({ trace, end: { rules } }) =>
  effects(trace, "commit").flatMap(({ at, effect: { job, changes } }) => {
    const before = trace.slice(0, at + 1);
    const finish = changes.find(({ op }) => op === "finish");
    const end = eventOf(before, "agent_finished", job.job);
    const snapshot = eventOf(before, "snapshot", job.job);
    const gate = eventOf(before, "gate_finished", job.job);
    if (gate?.type !== "gate_finished" || !isGreen(gate))
      return [`${job.task_id} was committed without the gate's leave`];
    if (fallsShort(rules.accept, gate)) return [`${job.task_id} was committed before a person looked at it`];
    if (finish === undefined) return [];
    const verdict = gate.verdict === "passed" ? "verified" : gate.verdict;
    if (finish.op === "finish" && finish.verdict !== verdict)
      return [`${job.task_id} is said to be ${finish.verdict}, and is ${verdict}`];
    const report = end?.type === "agent_finished" && end.outcome === "ok" ? end.report : undefined;
    const found = report !== undefined && "found" in report ? report.found : undefined;
    if (found?.status !== "done") return [`${job.task_id} was finished without a summary that says done`];
    if (found.task_id !== null && found.task_id !== job.task_id)
      return [`${job.task_id} was finished by another's`];
    const moved = snapshot?.type !== "snapshot" || snapshot.head === "moved";
    return moved ? [`${job.task_id} was finished with HEAD elsewhere`] : [];
  });

/** L6 */
export const reviewsBounded: Law = ({ trace, end }) => {
  const found: string[] = [];
  let failed = 0;
  let added = 0;
  for (const { next } of trace) {
    for (const effect of next.effects) {
      if (effect.kind === "change-backlog" && effect.job?.phase === "review") {
        const adds = effect.changes.some(({ op }) => op === "add");
        if (adds) added++;
      }
      if (effect.kind !== "run-agent" || effect.job.phase === "bootstrap" || effect.job.phase === "repair")
        continue;
      if (effect.job.phase === "iteration") failed = 0;
      else if (!end.rules.review || end.rules.only !== undefined)
        found.push("a review that the rules do not allow");
      else if (failed >= 2) found.push("a third review after two failed ones");
      else if (added >= end.rules.max_reviews) found.push("one review too many");
    }
    const failure = next.notes.some(
      (note) => note.type === "attempt_failed" && note.phase === "review" && note.next !== "wait",
    );
    if (failure) failed++;
  }
  return found;
};

/** L7 */
export const interruptedStaysDoing: Law = ({ trace }) => {
  const told = new Map(effects(trace, "stop").map(({ at, effect }) => [effect.job.job, at]));
  return trace.flatMap(({ event }, at) => {
    if (event.type !== "agent_finished" || event.reason !== "interrupted") return [];
    const since = told.get(event.job);
    if (since === undefined || since > at) return [];
    return trace.slice(at).flatMap(({ next }) =>
      next.effects.flatMap((effect) => {
        if (effect.kind !== "change-backlog" || effect.job?.job !== event.job) return [];
        return effect.changes.map(({ op }) => `job ${event.job} was interrupted, and then: ${op}`);
      }),
    );
  });
};

/** L8 */
export const nothingStartsAfterStop: Law = ({ trace }) => {
  const stopped = trace.findIndex((taken) => stops(taken.event) || workOf(taken)?.closing !== undefined);
  if (stopped === -1) return [];
  return trace.slice(stopped).flatMap(({ next }) =>
    next.effects.flatMap((effect) => {
      const starts =
        effect.kind === "run-agent" ||
        (effect.kind === "checkpoint" && isOfAgent(effect)) ||
        effect.kind === "ask" ||
        (effect.kind === "change-backlog" &&
          (effect.job === undefined || effect.changes.some(({ op }) => op === "claim"))) ||
        (effect.kind === "run-hook" && effect.hook === "pre_iteration");
      return starts ? [`${effect.kind} after the run was stopped`] : [];
    }),
  );
};

function stops(event: Taken["event"]): boolean {
  if (event.type === "run_interrupted") return event.signal !== "SIGHUP" || event.terminal;
  return event.type === "effect_failed" && !["commit", "stop", "run-hook"].includes(event.effect);
}

/** L9 */
export const iterationsBounded: Law = ({ trace, end }) => {
  const asked = effects(trace, "run-agent").filter(({ effect: { job } }) => {
    const ended = eventOf(trace, "agent_finished", job.job);
    const isIteration = job.phase === "iteration" || job.phase === "review";
    return isIteration && !(ended?.type === "agent_finished" && !counts(ended.reason));
  });
  const most = end.rules.max_iterations;
  return asked.length <= most ? [] : [`${asked.length} iterations, and ${most} were allowed`];
};

/** L10, the half a trace can show: a job has one effect in progress besides stops, and so has the run. */
export const oneEffectAtATime: Law = ({ trace }) => {
  const open = new Map<number, string>();
  const found: string[] = [];
  for (const { event, next } of trace) {
    const job = "job" in event ? event.job : undefined;
    if (!isAside(event)) open.delete(job ?? 0);
    for (const effect of next.effects) {
      if (effect.kind === "stop") continue;
      const of = "job" in effect ? (effect.job?.job ?? 0) : 0;
      const other = open.get(of);
      // The third signal waits for nothing, and no signal waits for the answer to a question.
      if (other !== undefined && other !== "ask" && effect.kind !== "finish")
        found.push(`${effect.kind} while ${other} is under way`);
      open.set(of, effect.kind);
    }
  }
  return found;
};

function isAside(event: Taken["event"]): boolean {
  if (event.type === "edited") return true;
  const isStop = event.type === "stop_sent" || (event.type === "effect_failed" && event.effect === "stop");
  return isStop || event.type === "run_interrupted" || event.type === "woke";
}

/** L12 */
export const droppedStaysDropped: Law = ({ trace }) => {
  const dropped = new Set<string>();
  return trace.flatMap(({ next }) => {
    for (const note of failures(next.notes)) if (note.next === "drop-agent") dropped.add(note.agent ?? "");
    return next.effects.flatMap((effect) =>
      effect.kind === "run-agent" && dropped.has(effect.job.agent)
        ? [`${effect.job.agent} was asked again`]
        : [],
    );
  });
};

/** L12: an agent is dropped as not working only after another task was held for it, or the same one failed before. */
export const heldOnce: Law = ({ trace }) => {
  const held = new Map<string, string>();
  let last = "";
  return trace.flatMap(({ next }) =>
    failures(next.notes).flatMap(({ next: then, agent = "", task_id: id = "", reason }) => {
      const isAgain = last === `${agent} at ${id}`;
      last = `${agent} at ${id}`;
      const blocks = next.effects.some(
        (effect) => effect.kind === "change-backlog" && effect.changes.some(({ op }) => op === "block"),
      );
      if (then === "later") {
        const again = held.has(id);
        held.set(id, agent);
        return again || blocks ? [`${id} was held ${again ? "twice" : "and blocked"}`] : [];
      }
      if (reason !== "unusable") return [];
      const other = [...held].some(([one, by]) => one !== id && by === agent);
      return (other || isAgain) && !blocks
        ? []
        : [`${agent} was dropped for ${id} alone, or ${id} was blocked`];
    }),
  );
};

function failures(notes: Taken["next"]["notes"]): Extract<ToldEvent, { type: "attempt_failed" }>[] {
  return notes.filter((note) => note.type === "attempt_failed");
}

/** L16 */
export const putBackFirst: Law = ({ trace, end }) => {
  if (!end.git || end.rules.on_failure !== "restore") return [];
  return effects(trace, "change-backlog").flatMap(({ at, effect: { job, changes } }) => {
    const leaves = changes.some(({ op }) => op === "block" || op === "return");
    const before = trace.slice(0, at + 1);
    const snapshot = job === undefined ? undefined : eventOf(before, "snapshot", job.job);
    const isIdle = snapshot?.type === "snapshot" && snapshot.changed === 0;
    if (job === undefined || !leaves || (isIdle && isHeld(trace, job.job))) return [];
    const broke = before.some(
      ({ next: { state } }) => state.phase === "working" && state.work.closing?.broken,
    );
    const restored = eventOf(before, "restored", job.job) !== undefined;
    return restored || broke ? [] : [`${job.task_id} was abandoned with its work in the tree`];
  });
};

/** Whether the effect's job has an agent; a job that only saves work has none. */
function isOfAgent(effect: Effect): effect is Extract<Effect, { job: JobFacts }> {
  return "job" in effect && effect.job !== undefined && effect.job.agent !== "looper";
}

/** L18, from the usage that agents reported, and the time. */
export const budgetsKept: Law = ({ trace, end }) => {
  const { max_tokens = Infinity, task_tokens = Infinity, max_duration_ms = Infinity } = end.rules.budget;
  const began = Date.parse(trace[0]?.event.timestamp ?? "");
  const used = new Map<TaskId | undefined, number>([[undefined, 0]]);
  const begun = new Set<number>();
  return trace.flatMap(({ event, next }) => {
    if (event.type === "agent_finished" && event.usage !== undefined) {
      const tokens = event.usage.input_tokens + event.usage.output_tokens;
      for (const key of new Set([undefined, event.task_id])) used.set(key, (used.get(key) ?? 0) + tokens);
    }
    return next.effects.flatMap((effect) => {
      if (!isOfAgent(effect) || begun.has(effect.job.job)) return [];
      begun.add(effect.job.job);
      const { task_id: id, job } = effect.job;
      const found = [];
      if (Date.parse(event.timestamp) - began >= max_duration_ms) found.push(`job ${job} began too late`);
      if ((used.get(undefined) ?? 0) >= max_tokens)
        found.push(`job ${job} began with the run's budget spent`);
      if (id !== undefined && (used.get(id) ?? 0) >= task_tokens)
        found.push(`job ${job} began with the budget of ${id} spent`);
      return found;
    });
  });
};

/** L17: each backoff is logged and long enough, and no job starts with an agent that is backing off. */
export const leftAlone: Law = ({ trace }) => {
  const times = new Map<string, number>();
  const until = new Map<string, number>();
  const begun = new Set<number>();
  return trace.flatMap(({ event, next }, index) => {
    const at = Date.parse(event.timestamp);
    if (event.type === "agent_finished" && event.outcome === "ok") {
      times.delete(event.agent ?? "");
      until.delete(event.agent ?? "");
    }
    const short = next.notes.flatMap((note) => {
      if (note.type !== "attempt_failed" || note.next !== "wait") return [];
      const { agent = "", job, until: said = "" } = note;
      const end = eventOf(trace.slice(0, index + 1), "agent_finished", job);
      const often = (times.get(agent) ?? 0) + 1;
      const named = end?.type === "agent_finished" ? Date.parse(end.retry_at ?? "") : Number.NaN;
      const least = named > at ? named : at + Math.min(2 ** (often - 1), 30) * 60_000;
      times.set(agent, often);
      until.set(agent, least);
      return Date.parse(said) >= least ? [] : [`${agent} is left alone until ${said}, which is too soon`];
    });
    const early = next.effects.flatMap((effect) => {
      if (!isOfAgent(effect) || begun.has(effect.job.job)) return [];
      begun.add(effect.job.job);
      const { agent, job } = effect.job;
      return at < (until.get(agent) ?? 0) ? [`${agent} was given job ${job} at ${event.timestamp}`] : [];
    });
    return [...short, ...early];
  });
};

/** L13 */
export const itEnds: Law = ({ trace, end }) =>
  end.state.phase === "ended"
    ? []
    : [`after ${trace.length} events it is ${end.state.phase}, and nothing more happens`];

/** L14 */
export const theEndIsFinal: Law = ({ trace }) => {
  const finishes = effects(trace, "finish");
  const [first] = finishes;
  if (first === undefined) return [];
  const after = trace
    .slice(first.at + 1)
    .flatMap(({ next }) => next.effects.map(({ kind }) => `${kind} after the end`));
  return finishes.length === 1 ? after : [`it ended ${finishes.length} times`, ...after];
};
