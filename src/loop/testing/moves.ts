// Lists what can happen next in the simulation: every operation, answer, failure, signal and edit that is possible now.
// The tests choose: one at random (laws.test.ts), or all of them (explore.test.ts).
import type { GateVerdict } from "../../gate/verdict.js";
import type { StepEvent } from "../../logging/events/events.js";
import type { PersonChange } from "../../todo/model/changes/person-change.js";
import { TaskId, type IndexRow } from "../../todo/model/task.js";
import { answer, fail, type AgentAnswer, type WorldReply } from "./answers.js";
import { changeByPerson, type Disk } from "./world/disk.js";
import { advance, mayAdvance } from "./operations.js";
import { feed, wake, type OpenEffect, type Sim, type Taken } from "./world/sim.js";

/** How many signals, failures and edits may still happen. */
export interface MoveBudget {
  signals: number;
  failures: number;
  edits: number;
  /** Edits that commands make. */
  asks?: number;
  /** Changes that people make by commands beside the run: answers, pauses, `complete`. */
  people?: number;
}

/** The moves that a test tries. */
export interface Menu {
  /** How an agent that was not stopped may end. */
  ends: (agent: Extract<OpenEffect["effect"], { kind: "run-agent" }>) => readonly AgentAnswer[];
  signals: readonly Extract<StepEvent, { type: "run_interrupted" }>[];
  /** Whether hooks, drafts and HEAD may fail too. */
  replies: boolean;
  /** The verdicts that the gate may reach. */
  gates?: readonly GateVerdict[];
  /** The changes that people may make by commands beside the run. */
  people?: (rows: readonly IndexRow[]) => readonly PersonChange[];
}

export interface WorldMove {
  spends?: keyof MoveBudget;
  make: () => { sim: Sim; taken?: Taken };
}

/** Every possible move; the first one is free of failures. Empty: the run cannot continue. */
export function listMoves(sim: Sim, budget: MoveBudget, menu: Menu): WorldMove[] {
  if (sim.state.phase === "ended") return [];
  const open = sim.open.toSorted((a, b) => Number(b.begun) - Number(a.begun));
  const moves: WorldMove[] = open.flatMap((one) => progress(sim, one, menu));
  if (sim.timer !== undefined) moves.push({ make: () => wake(sim) });
  if (budget.failures > 0) {
    for (const one of open) {
      const as = findFailureName(one);
      if (as !== undefined) moves.push({ spends: "failures", make: () => fail(sim, one, as) });
    }
  }
  if (budget.signals > 0) {
    for (const event of menu.signals) moves.push({ spends: "signals", make: () => feed(sim, event) });
  }
  if ((budget.asks ?? 0) > 0 && sim.file === "ok") {
    for (const changes of listCommands(sim)) {
      const edited = editByCommand(sim, changes);
      if (edited !== undefined) moves.push({ spends: "asks", make: () => feed(edited, { type: "edited" }) });
    }
  }
  if ((budget.people ?? 0) > 0 && sim.file === "ok") {
    for (const change of menu.people?.(sim.disk.rows) ?? []) {
      const edited = editByCommand(sim, [change]);
      if (edited !== undefined) moves.push({ spends: "people", make: () => ({ sim: edited }) });
    }
  }
  if (budget.edits > 0 && sim.file === "ok") {
    for (const rows of listEdits(sim.disk.rows)) {
      const disk = { ...sim.disk, rows };
      moves.push({ spends: "edits", make: () => ({ sim: { ...sim, disk, journal: [disk] } }) });
    }
  }
  return moves;
}

/** The world after a command, all or none of whose changes were made; `undefined`: they were refused. */
export function editByCommand(sim: Sim, changes: readonly PersonChange[]): Sim | undefined {
  const disk = changes.reduce<Disk | undefined>(
    (made, change) => made && changeByPerson(made, change),
    sim.disk,
  );
  return disk && { ...sim, disk, journal: [disk] };
}

function progress(sim: Sim, open: OpenEffect, menu: Menu): WorldMove[] {
  // A pending commit that is left to the next start must not be replaced by another task's.
  if (open.ops[0] === "pending" && sim.disk.pending !== undefined && isHalfDone(sim.disk)) {
    return [{ make: () => fail(sim, open) }];
  }
  if (open.ops.length > 0) {
    return mayAdvance(sim, open) ? [{ make: () => ({ sim: advance(sim, open) }) }] : [];
  }
  return listReplies(sim, open, menu).map((reply): WorldMove => ({ make: () => answer(sim, open, reply) }));
}

function isHalfDone({ rows, pending, commits }: Disk): boolean {
  const done = rows.some(({ id, status }) => id === pending?.commit.task && status === "done");
  return done && !commits.some(({ made }) => made === pending?.commit.made);
}

const INTERRUPTED: AgentAnswer = { outcome: "failed", reason: "interrupted", evidence: "it was stopped" };

function listReplies(sim: Sim, { effect }: OpenEffect, menu: Menu): WorldReply[] {
  if (effect.kind === "run-agent") {
    const ends = menu.ends(effect);
    return (listReleaseReplies(sim, effect) ? [INTERRUPTED, ...ends.slice(0, 1)] : ends).map(
      (end): WorldReply => ({
        end,
      }),
    );
  }
  if (listReleaseReplies(sim, effect)) {
    if (effect.kind === "run-gate") return [{ gate: "interrupted" }, {}];
    if (effect.kind === "run-baseline" || effect.kind === "preflight")
      return [{ baseline: "interrupted" }, {}];
  }
  if (effect.kind === "ask-person") return [{}, { says: "approve" }];
  if (effect.kind === "run-gate" && menu.gates !== undefined) return menu.gates.map((gate) => ({ gate }));
  if (!menu.replies) return [{}];
  if (effect.kind === "run-gate") {
    const doubts: WorldReply[] =
      sim.rules.accept === undefined
        ? []
        : [{ because: "influence" }, { gate: "unbroken", because: "red-before" }];
    return [{}, { gate: "passed" }, { gate: "failed" }, { gate: "unbroken" }, ...doubts];
  }
  if (effect.kind === "preflight") return [{}, { broken: true }];
  if (effect.kind === "ask") return [{ yes: true }, { yes: false }];
  if (effect.kind === "adopt") return [{}, { adopted: false }];
  if (effect.kind === "snapshot") return [{}, { head: "put-back" }, { head: "moved" }];
  if (effect.kind === "run-hook") return [{}, { hook: "failed" }, { hook: "timed-out" }];
  return [{}];
}

function listReleaseReplies(sim: Sim, effect: OpenEffect["effect"]): boolean {
  const job = "job" in effect ? effect.job : undefined;
  return job !== undefined && sim.told.includes(job.job);
}

/** The name under which an effect would fail now; `undefined` if it cannot or must not fail. */
function findFailureName({ effect, ops, begun }: OpenEffect): string | undefined {
  if (effect.kind === "finish" || effect.kind === "ask") return undefined;
  // Contract: a failed `commit` means the backlog was not written; after that the next start finishes the commit.
  if (effect.kind === "commit" && begun && !ops.includes("backlog"))
    return ops.length > 0 ? "publish" : undefined;
  if (begun && ops.length === 0) return undefined;
  return effect.kind;
}

/** The edits a person may make by a command: each status and the removal of each task, and two tasks at once. */
function listCommands({ disk }: Sim): PersonChange[][] {
  const ids = disk.rows.filter(({ marker }) => marker !== true).map(({ id }) => id);
  const statuses = ["todo", "blocked", "done"] as const;
  const edits = ids.flatMap((id): PersonChange[][] => [
    ...statuses.map((status): PersonChange[] => [{ op: "edit", id, set: { status }, clear: [] }]),
    [{ op: "remove", id }],
  ]);
  const both = ids
    .slice(0, 2)
    .map((id): PersonChange => ({ op: "edit", id, set: { status: "blocked" }, clear: [] }));
  return [...edits, ...(both.length === 2 ? [both] : [])];
}

/** The edits a person might save: a task added, blocked, unblocked, reopened, moved to the front or removed. */
function listEdits(rows: readonly IndexRow[]): IndexRow[][] {
  const added = TaskId.parse(`E${rows.length + 1}`);
  const edits: IndexRow[][] = [];
  if (!rows.some(({ id }) => id === added)) {
    edits.push([...rows, { id: added, status: "todo", priority: 1, depends_on: [] }]);
  }
  const change = (status: IndexRow["status"], to: Partial<IndexRow>) => {
    const row = rows.find((one) => one.status === status && one.marker !== true);
    if (row !== undefined) edits.push(rows.map((one) => (one === row ? { ...row, ...to } : one)));
  };
  change("todo", { status: "blocked" });
  change("blocked", { status: "todo" });
  change("done", { status: "todo" });
  change("doing", { status: "todo" });
  change("todo", { priority: 1 });
  const free = rows.findLast(
    ({ id, status }) => status === "todo" && !rows.some((other) => other.depends_on.includes(id)),
  );
  if (free !== undefined) edits.push(rows.filter((row) => row !== free));
  return edits;
}
