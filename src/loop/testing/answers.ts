// Answers effects in the simulation with the one event each ends in.
import type { AgentResult, Used } from "../../agents/agent.js";
import type { Because, GateVerdict } from "../../gate/verdict.js";
import type { StepEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import { TaskId } from "../../todo/model/task.js";
import type { Effect, JobFacts } from "../step/effects.js";
import type { ChangeResult } from "../step/jobs.js";
import { changeByPerson, computeDigest, toEventRow, type Disk } from "./world/disk.js";
import { withoutWork, write } from "./operations.js";
import { feed, type Fed, type OpenEffect, type Sim } from "./world/sim.js";

/** The end of an agent, with the fields that `step` reads. */
export type AgentAnswer = { usage?: Used; duration_ms?: number } & (
  | Pick<Extract<AgentResult, { outcome: "ok" }>, "outcome" | "report">
  | (Pick<Extract<AgentResult, { outcome: "failed" }>, "outcome" | "reason" | "evidence"> & {
      retry_at?: string;
      stopped_for?: "run" | "task";
    })
);

/** The answers the simulation can choose. */
export interface WorldReply {
  end?: AgentAnswer;
  yes?: boolean;
  adopted?: boolean;
  head?: "same" | "put-back" | "moved";
  baseline?: "measured" | "interrupted";
  /** A check cannot run. */
  broken?: boolean;
  gate?: GateVerdict;
  /** Why the gate's verdict is "unverified" or "unbroken". */
  because?: Because;
  hook?: "ok" | "failed" | "timed-out";
  /** The answer of the person at the terminal; absent: they leave the question open. */
  says?: string;
}

/** Answers an effect that has no operations left. */
export function answer(sim: Sim, open: OpenEffect, reply: WorldReply = {}): Fed {
  if (open.ops.length > 0) throw new Error(`${open.effect.kind} still has to do ${open.ops.join(", ")}`);
  const rest: Sim = { ...sim, open: sim.open.filter((one) => one !== open) };
  const { effect } = open;
  if (effect.kind === "run-agent") return answerAgent(rest, effect, reply.end ?? DONE);
  if (effect.kind === "read-backlog") return answerRead(rest);
  if (effect.kind === "adopt" && reply.adopted !== false) {
    const row = { id: TaskId.parse("T1"), status: "todo" as const, priority: 3, depends_on: [] };
    const disk = rest.disk.rows.length === 0 ? { ...rest.disk, rows: [row] } : rest.disk;
    return feed(
      { ...rest, file: "ok", disk, journal: [disk] },
      { type: "adopted", ...effect.job, adopted: true },
    );
  }
  if (effect.kind === "restore") {
    const { task_id: task, stage } = effect.job;
    const isAside =
      isAnalysis(rest, effect.job) && task !== undefined && rest.disk.works?.[task] !== undefined;
    const tree = rest.tree.filter((id) => id !== task || isAside);
    const isEnd = task !== undefined && (stage === "block" || stage === "finish");
    const disk = isEnd ? { ...rest.disk, ...withoutWork(rest.disk, task) } : rest.disk;
    const after = disk === rest.disk ? rest : write(rest, disk);
    return feed({ ...after, tree }, plainAnswer(open, rest.disk, reply));
  }
  if (effect.kind === "save-work") return feed(rest, savedAnswer(rest, effect));
  if (effect.kind === "ask-person") return answerPerson(rest, effect.task_id, reply);
  if (effect.kind === "snapshot") return feed(rest, snapshotAnswer(rest, effect, reply));
  return feed(rest, plainAnswer(open, rest.disk, reply));
}

function snapshotAnswer(
  { tree }: Sim,
  { job }: Extract<Effect, { kind: "snapshot" }>,
  { head = "same" }: WorldReply,
): StepEvent {
  const changed = job.task_id === undefined || tree.includes(job.task_id) ? 1 : 0;
  return { type: "snapshot", ...job, changed, head, warnings: [] };
}

function isAnalysis({ state }: Sim, { job }: JobFacts): boolean {
  const jobs = state.phase === "working" ? state.work.jobs : [];
  return jobs.some(({ facts, route }) => facts.job === job && route === "analyze");
}

/** The end of a visit: an output of the stage, and the work that is saved. The base of all work is the newest commit. */
function savedAnswer({ disk, run }: Sim, effect: Extract<Effect, { kind: "save-work" }>): StepEvent {
  const { job, outcome, shelve } = effect;
  const { task_id: task = "", stage = "", visit = 1, agent } = job;
  const visits = disk.works?.[task];
  const file = `${task}/${String(visit)}-${stage}.json`;
  const at = new Date(0).toISOString();
  const output = { stage, visit, outcome, file, sha256: "0f", agent, run: `run-${String(run)}`, at };
  return {
    type: "work_saved",
    ...job,
    ...(agent === "looper" ? {} : { output }),
    ...(visits === undefined ? {} : { work: { commit: visits.join("+"), base: headOf(disk) } }),
    shelved: shelve,
    paths: visits?.length ?? 0,
    warnings: [],
  };
}

function headOf({ commits }: Disk): string {
  return `head-${String(commits.length)}`;
}

/** The person at the terminal answers with an edit of the row, or leaves the question open. */
function answerPerson(sim: Sim, id: TaskId, { says }: WorldReply): Fed {
  const change = { op: "answer" as const, id, question: "", by: "ada", via: "terminal" as const };
  const disk = says === undefined ? undefined : changeByPerson(sim.disk, { ...change, outcome: says });
  const outcome = disk === undefined ? ("left" as const) : ("answered" as const);
  const after = disk === undefined ? sim : { ...sim, disk, journal: [disk] };
  return feed(after, { type: "person_asked", task_id: id, outcome });
}

/** Fails an effect; `as` names the part that failed. */
export function fail(
  sim: Sim,
  open: OpenEffect,
  as: string = open.effect.kind,
  error = `${as} does not work`,
): Fed {
  const { effect } = open;
  return feed(
    { ...sim, open: sim.open.filter((one) => one !== open) },
    {
      type: "effect_failed",
      ...("job" in effect ? effect.job : {}),
      effect: as,
      error,
    },
  );
}

const DONE: AgentAnswer = {
  outcome: "ok",
  report: { found: { task_id: null, status: "done", summary: "did it" } },
};

/** An agent that ends at once has changed nothing: the tree holds what it held before. */
function leaveIdle(sim: Sim, { job, task_id: id }: JobFacts, ms: number): Sim {
  const jobs = sim.state.phase === "working" ? sim.state.work.jobs : [];
  const isFirst = jobs.some(({ facts, from }) => facts.job === job && from !== "doing");
  const isIdle = ms < 10_000 && isFirst && id !== undefined && sim.disk.works?.[id] === undefined;
  return isIdle ? { ...sim, tree: sim.tree.filter((one) => one !== id) } : sim;
}

function answerAgent(before: Sim, { job }: Extract<Effect, { kind: "run-agent" }>, end: AgentAnswer): Fed {
  // An agent that works takes a minute; only those that are told to take time move the clock.
  const { duration_ms = 60_000 } = end;
  const event: StepEvent = { type: "agent_finished", ...job, ...end, duration_ms };
  const sim = { ...leaveIdle(before, job, duration_ms), now: before.now + (end.duration_ms ?? 0) };
  const said = end.outcome === "ok" && "found" in end.report ? end.report.found.status : undefined;
  if (sim.rules.apply_summary || (said !== "done" && said !== "blocked")) return feed(sim, event);
  // Without applied summaries the agent edits its row itself.
  const rows = sim.disk.rows.map((row) => (row.id === job.task_id ? { ...row, status: said } : row));
  return feed(write(sim, { ...sim.disk, rows }), event);
}

function answerRead(sim: Sim): Fed {
  if (sim.file !== "ok") {
    const problem = { rule: "json", pointer: "", line: 3, column: 1, message: "a comma is missing" };
    const problems = sim.file === "broken" ? [problem] : [];
    const known = sim.known === undefined ? {} : { known: sim.known };
    return feed(sim, { type: "backlog_invalid", what: sim.file, problems, count: problems.length, ...known });
  }
  const { rows } = sim.disk;
  const seen = { ...sim.seen, rows };
  const isDoing = (id: TaskId): boolean => rows.some((row) => row.id === id && row.status === "doing");
  const left_behind = sim.git ? sim.tree.find((id) => !isDoing(id)) : undefined;
  const event = {
    type: "backlog_read" as const,
    digest: computeDigest(rows),
    tasks: rows.length,
    rows: rows.map(toEventRow),
    ...given({ left_behind }),
  };
  return feed({ ...sim, seen }, event);
}

function rescueOf({ task_id, attempt }: JobFacts): { rescue?: string } {
  return task_id === undefined ? {} : { rescue: `refs/looper/rescue/run/${task_id}-${attempt}` };
}

function changedAnswer(
  effect: Extract<Effect, { kind: "change-backlog" }>,
  outcome: ChangeResult,
): StepEvent {
  return { type: "backlog_changed", ...effect.job, ...outcome };
}

function gateAnswer({ job }: Extract<Effect, { kind: "run-gate" }>, reply: WorldReply): StepEvent {
  const verdict = reply.gate ?? "unverified";
  const evidence = verdict === "failed" || verdict === "tampered" ? "a test fails" : "";
  const found = { verdict, cold: false, commands: [], tampered: [], evidence };
  const isDoubtful = verdict === "unverified" || verdict === "unbroken";
  const because = isDoubtful ? given({ because: reply.because }) : {};
  return { type: "gate_finished", ...job, ...found, ...because, warnings: [], duration_ms: 0 };
}

function preflightAnswer(reply: WorldReply): StepEvent {
  const red = { how: "exit code 127", line: "sh: 1: nothing: not found", cannot_run: true };
  const broken = { command: "nothing", passed: false, red };
  const outcome = reply.baseline ?? "measured";
  const commands = reply.broken === true ? [broken] : [];
  return { type: "preflight_finished", outcome, commands, duration_ms: 0 };
}

function baselineAnswer({ job }: Extract<Effect, { kind: "run-baseline" }>, reply: WorldReply): StepEvent {
  const outcome = reply.baseline ?? "measured";
  return { type: "baseline_finished", ...job, outcome, commands: [], duration_ms: 0 };
}

function hookAnswer(effect: Extract<Effect, { kind: "run-hook" }>, reply: WorldReply): StepEvent {
  const { hook, command } = effect;
  const outcome = reply.hook ?? "ok";
  return { type: "hook_finished", ...effect.job, hook, command, outcome, output: "", duration_ms: 0 };
}

function plainAnswer(
  { effect, outcome }: Pick<OpenEffect, "effect" | "outcome">,
  disk: Disk,
  reply: WorldReply,
): StepEvent {
  switch (effect.kind) {
    case "ask":
      return { type: "answered", yes: reply.yes ?? true };
    case "change-backlog":
      return changedAnswer(effect, outcome);
    case "checkpoint":
      return {
        type: "checkpoint",
        ...effect.job,
        ...(effect.apply_work === true ? { head: headOf(disk) } : {}),
        reused: effect.reuse,
        dirty: 0,
      };
    case "adopt":
      return { type: "adopted", ...effect.job, adopted: false, why: "it holds no tasks" };
    case "run-baseline":
      return baselineAnswer(effect, reply);
    case "preflight":
      return preflightAnswer(reply);
    case "run-gate":
      return gateAnswer(effect, reply);
    case "restore":
      return { type: "restored", ...effect.job, paths: [], ...rescueOf(effect.job) };
    case "commit":
      return { type: "committed", ...effect.job, commit: "c0ffee", ...outcome };
    case "finish-pending":
    case "commit-backlog":
      return { type: "committed", commit: "c0ffee", ...outcome };
    case "run-hook":
      return hookAnswer(effect, reply);
    case "stop":
      return { type: "stop_sent", ...effect.job, how: effect.how };
    case "pick-agent": {
      const { task_id, iteration, agents, failed } = effect;
      return { type: "agent_picked", task_id, iteration, agent: agents[failed.length % agents.length] ?? "" };
    }
    case "finish": {
      const { ending, done, tasks, iterations } = effect;
      const totals = { done, tasks, iterations, duration_ms: 0, input_tokens: 0, output_tokens: 0 };
      return { type: "run_ended", ending, totals };
    }
    case "save-work":
    case "ask-person":
      throw new Error(`${effect.kind} is not answered yet`);
    case "read-backlog":
    case "run-agent":
    case "snapshot":
      throw new Error(`${effect.kind} is answered elsewhere`);
    default:
      return never(effect);
  }
}
