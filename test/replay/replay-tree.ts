// Replays a run with its tree, offline: compares decisions as replay.ts does, and performs the effects on backlog, tree and
// commits in a temporary clone, with recorded changes in place of agents. replay-world.ts makes the clone; redo.ts performs and
// compares.
import { readRecords } from "../../src/git/commit/run-refs.js";
import type { Sealed, StepEvent } from "../../src/logging/events/events.js";
import { readLines, readStepEvent } from "../../src/logging/read.js";
import { errorMessage } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { isEnvironmentFailure } from "../../src/loop/step/drive.js";
import type { Effect } from "../../src/loop/step/effects.js";
import { TreeReplay, type ReplayScene } from "./redo.js";
import { makeDifference, replayRun, type Difference, type Replayed } from "../../src/loop/replay/replay.js";
import { openReplayWorld, type AskTrust, type ReplaySource } from "./replay-world.js";
import type { Next } from "../../src/loop/step/decision.js";

/** The result of a replay with its tree. */
export interface TreeReplayed {
  replayed: Replayed;
  /** How many commits have the same tree. */
  commits: number;
  /** How many changes gave the same bytes of the task file. */
  backlogs: number;
  /** How many verdicts of the gate are the same; 0 unless it ran again. */
  gates: number;
  /** Changes by others that were taken over from the repository. */
  notes: readonly string[];
  /** The line from which only decisions were compared, and why. */
  stopped?: { seq: number; why: string };
}

/** Replays a run with its tree. Changes nothing in the project, starts no agent, and runs commands only if `gate` is given. */
export async function replayTree(
  source: ReplaySource,
  folder: string,
  gate?: AskTrust,
): Promise<TreeReplayed> {
  const { ports } = source;
  const scene = await readScene(source, folder);
  if ("why" in scene) {
    const replayed = await replayRun(ports, folder);
    const none = { replayed, commits: 0, backlogs: 0, gates: 0 };
    if (scene.idle === true) return { ...none, notes: [scene.why] };
    return { ...none, notes: [], stopped: { seq: 1, why: scene.why } };
  }
  const opened = await openReplayWorld(source, scene, gate);
  try {
    const follower = new Follower(new TreeReplay(opened, scene, gate !== undefined));
    const replayed = await replayRun(ports, folder, (event, next) => follower.follow(event, next));
    const { commits, backlogs, gates, notes, stopped } = follower.redone;
    return { replayed, commits, backlogs, gates, notes, ...given({ stopped }) };
  } finally {
    await opened.close();
  }
}

/** Why a run has no tree to replay. `idle`: it changed neither tree nor backlog, so nothing is missed. */
interface NoScene {
  why: string;
  idle?: boolean;
}

/** Reads the facts the replay needs, or why the tree cannot be replayed. */
async function readScene({ ports, repo }: ReplaySource, folder: string): Promise<ReplayScene | NoScene> {
  let idle = true;
  let started: Extract<StepEvent, { type: "run_started" }> | undefined;
  let first: Extract<StepEvent, { type: "checkpoint" }> | undefined;
  for await (const line of readLines(ports, folder)) {
    if (!READ_FIRST.has(line.type)) continue;
    const event = await readStepEvent(ports, folder, line);
    if (event?.type === "run_started") started = event;
    if (event?.type === "checkpoint") first ??= event;
    if (event?.type === "backlog_changed" || event?.type === "committed")
      idle &&= event.updated.length === 0 && !("commit" in event && event.commit !== undefined);
  }
  if (started === undefined) return { why: "the log has no start of the run" };
  if (!started.git) return { why: "the run had no git repository, so its tree was not kept" };
  if (first === undefined) return { why: "the run made no attempt, so it changed no tree", idle };
  if (await repo.todoFiltered()) return { why: "git filters the task file, and filters are not run again" };
  const records = await readRecords(repo, started.run);
  if (records === undefined) return { why: "no attempts of this run are kept in the repository" };
  return { run: started.run, rules: started.rules, head: first.head, ...records };
}

/** The types of lines that the scene is read from. */
const READ_FIRST: ReadonlySet<string> = new Set([
  "run_started",
  "backlog_changed",
  "committed",
  "checkpoint",
]);

/** An effect that was decided and has not ended yet. */
interface Pending {
  effect: Effect;
  /** Epoch ms. */
  at: number;
}

/** Performs a decided effect when its end comes in the log, and compares both. */
class Follower {
  private pending: Pending[] = [];

  constructor(readonly redone: TreeReplay) {}

  async follow(event: Sealed<StepEvent>, next: Next): Promise<Difference | undefined> {
    this.redone.note(event);
    const ended = this.pending.find(({ effect }) => isEndOf(effect, event));
    this.pending = this.pending.filter((one) => one !== ended);
    const at = Date.parse(event.timestamp);
    this.pending.push(...next.effects.map((effect) => ({ effect, at })));
    if (ended === undefined || this.redone.stopped !== undefined) return undefined;
    if (event.type === "effect_failed") {
      const why = `${event.effect} failed then: ${event.error}`;
      this.redone.stopped = { seq: event.seq, why };
      return undefined;
    }
    try {
      return await this.redone.redo(ended.effect, ended.at, event);
    } catch (error) {
      if (!isEnvironmentFailure(error)) throw error;
      return makeDifference(event.seq, event.type, errorMessage(error));
    }
  }
}

const ENDS: Readonly<Partial<Record<Effect["kind"], StepEvent["type"]>>> = {
  "change-backlog": "backlog_changed",
  checkpoint: "checkpoint",
  "run-baseline": "baseline_finished",
  snapshot: "snapshot",
  "run-gate": "gate_finished",
  restore: "restored",
  "save-work": "work_saved",
  commit: "committed",
  "commit-backlog": "committed",
};

/** Whether the event ends the effect; only for effects that are performed again. Contract: a job has one effect besides `stop`. */
function isEndOf(effect: Effect, event: StepEvent): boolean {
  const ends = ENDS[effect.kind];
  if (ends === undefined) return false;
  const job = "job" in effect ? effect.job?.job : undefined;
  const ofJob = "job" in event ? event.job : undefined;
  if (job !== ofJob) return false;
  return event.type === ends || (event.type === "effect_failed" && event.effect !== "stop");
}
