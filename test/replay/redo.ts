// Performs one effect of a run again in a clone: restores the state the run found then, performs the effect, and compares the
// result with the log. replay-tree.ts decides when.
import type { Records } from "../../src/git/commit/run-refs.js";
import type { DiffEntry } from "../../src/git/base/read/diff.js";
import { diffFromParent, setHead, checkOutTree, resolveObject, listDifferences } from "./checkout-tree.js";
import { setCheckpoint } from "../../src/git/checkpoint/checkpoint.js";
import { attemptRef, checkpointRef } from "../../src/git/base/names.js";
import { isAncestor } from "../../src/git/base/repository/head.js";
import { diffWork } from "../../src/git/saved-work/work-ref.js";
import type { Sealed, StepEvent } from "../../src/logging/events/events.js";
import type { Rules } from "../../src/logging/rules.js";
import { listSome } from "../../src/system/text/cut.js";
import type { Effect } from "../../src/loop/step/effects.js";
import type { ChangeResult } from "../../src/loop/step/jobs.js";
import { nameAttempt, THE_REVIEW } from "../../src/loop/perform/tree/keep-attempt.js";
import { perform } from "../../src/loop/perform/perform.js";
import { REDACTED } from "../../src/system/text/secrets/redact.js";
import { makeDifference, type Difference } from "../../src/loop/replay/replay.js";
import type { ReplayWorld } from "./replay-world.js";
import { setWorldTime } from "../../src/loop/start/open-run.js";

type Of<T extends StepEvent["type"]> = Sealed<Extract<StepEvent, { type: T }>>;

type SavedEvent = Extract<StepEvent, { type: "work_saved" }>;

/** The facts about a run that its replay needs. */
export interface ReplayScene extends Records {
  run: string;
  rules: Rules;
  /** HEAD at the first checkpoint. */
  head: string | undefined;
}

/** Names an attempt as readers know it. */
function nameForReaders({ task_id, attempt = 0, iteration = 0 }: Of<"snapshot"> | Of<"restored">): string {
  return task_id === undefined ? `${THE_REVIEW}-${String(iteration)}` : `${task_id}-${String(attempt)}`;
}

/** How many differing paths are named. */
const NAMED = 5;

/** The state of a replay, and its counts. */
export class TreeReplay {
  commits = 0;
  backlogs = 0;
  gates = 0;
  readonly notes: string[] = [];
  /** Set once no further effect is performed, from this line on. */
  stopped: { seq: number; why: string } | undefined;
  /** Set once an attempt has no record: the next effect stops the replay of the tree. */
  private lost: { seq: number; why: string } | undefined;
  /** HEAD of the run at this point. */
  private head: string | undefined;

  constructor(
    private readonly opened: ReplayWorld,
    private readonly scene: ReplayScene,
    private readonly runsGate: boolean,
  ) {
    this.head = scene.head;
  }

  /** Remembers what an agent reported and what a gate found: the outputs of stages are written from it. */
  note(event: Sealed<StepEvent>): void {
    const { memory } = this.opened.world;
    if (event.type === "agent_finished" && event.report !== undefined && "found" in event.report) {
      const { found } = event.report;
      // The runner's own word, where no agent was started: of it there is no output.
      const isRunners = found.summary !== undefined && found.blockers?.join() === found.summary;
      if (isRunners && event.exit_code === undefined) return;
      memory.of(event.job).summary = found;
    }
    if (event.type === "gate_finished" && event.stage !== undefined) memory.of(event.job).gate = event;
  }

  /** Performs the effect decided at `at` (epoch ms), and compares it with the event it ended in then. */
  async redo(effect: Effect, at: number, event: Sealed<StepEvent>): Promise<Difference | undefined> {
    const isGate = event.type === "baseline_finished" || event.type === "gate_finished";
    if (isGate && !this.runsGate) return undefined;
    if (this.lost !== undefined) {
      this.stopped = this.lost;
      return undefined;
    }
    await this.prepare(event);
    if (this.stopped !== undefined) return undefined;
    const now = await perform(setWorldTime(this.opened.world, at), effect);
    if (now.type === "backlog_changed" && event.type === now.type) return this.compareBacklog(event, now);
    if (now.type === "committed" && event.type === now.type) return this.compareCommit(event, now);
    if (now.type === "restored" && event.type === now.type) return comparePaths(event, now);
    if (now.type === "work_saved" && event.type === now.type) return this.compareWork(event, now);
    if (now.type === "gate_finished" && event.type === now.type) return this.compareVerdict(event, now);
    return now.type === event.type ? undefined : makeDifference(event.seq, event.type, now.type);
  }

  /** Restores the changes that an agent or another process had made before the effect. */
  private async prepare(event: Sealed<StepEvent>): Promise<void> {
    switch (event.type) {
      case "checkpoint":
        await this.restoreCheckpoint(event);
        return;
      case "snapshot":
        await this.restoreAttempt(event, event.changed);
        await this.moveHeadOf(event);
        return;
      case "restored":
        if (event.task_id === undefined || this.opened.world.memory.of(event.job).own !== undefined)
          await this.restoreAttempt(event, event.paths.length);
        await this.moveHeadOf(event);
        return;
      case "work_saved":
        await this.restoreUnfinished(event);
        return;
      case "backlog_changed":
        await this.opened.applyEdits(event.heard ?? []);
        return;
      case "committed":
        await this.opened.applyEdits(event.heard ?? []);
        if (event.commit !== undefined) await this.moveHeadToParent(event, event.commit);
        return;
      default:
        return;
    }
  }

  private async restoreCheckpoint(event: Of<"checkpoint">): Promise<void> {
    const { repo } = this.opened;
    const { base, head } = event;
    const known = base !== undefined && (await this.has(`${base}^{commit}`));
    if (!known && event.reused) {
      this.stop(event.seq, "the checkpoint it continued from is not in the repository any more");
      return;
    }
    const went = head !== undefined && (await this.moveHead(event.seq, head, known ? base : head));
    if (this.stopped !== undefined) return;
    if (event.reused && base !== undefined) {
      const id = event.task_id ?? THE_REVIEW;
      const isOfEarlierRun = (await resolveObject(repo, checkpointRef(repo.tree, id))) === undefined;
      await setCheckpoint(repo, { id, base });
      if (isOfEarlierRun) await this.restoreSavedWork(id, base);
      return;
    }
    const tree = known ? base : went ? head : undefined;
    const moved = tree === undefined ? 0 : await checkOutTree(repo, { base: tree, changes: [] });
    if (moved > 0 && !went) this.notes.push(`line ${event.seq}: others had changed ${moved} paths meanwhile`);
  }

  /** Restores what the stages of an earlier run had left of a task in the tree, on its checkpoint. */
  private async restoreSavedWork(task: string, base: string): Promise<void> {
    const { repo, world } = this.opened;
    const row = world.memory.backlog?.tasks.find(({ id }) => id === task);
    const tip = row?.progress?.work?.commit;
    if (tip === undefined || !(await this.has(`${tip}^{commit}`)) || !(await isAncestor(repo, base, tip)))
      return;
    await checkOutTree(repo, { base, changes: await diffWork(repo, { tip, base }) });
  }

  /** Moves HEAD if a person, a hook or an agent had moved it; returns whether it did. */
  private async moveHead(seq: number, head: string, base: string): Promise<boolean> {
    if (head === this.head) return false;
    if (!(await this.has(`${head}^{commit}`))) {
      this.stop(seq, `others moved HEAD to ${head}, which is not in the repository any more`);
      return false;
    }
    await setHead(this.opened.repo, { head, base });
    this.head = head;
    this.notes.push(`line ${seq}: others had moved HEAD to ${head.slice(0, 12)} meanwhile`);
    return true;
  }

  private async moveHeadOf({ seq, head_commit: head }: Of<"snapshot"> | Of<"restored">): Promise<void> {
    if (head !== undefined && this.lost === undefined) await this.moveHead(seq, head, head);
  }

  private async moveHeadToParent(event: Of<"committed">, commit: string): Promise<void> {
    if (!(await this.has(`${commit}^{commit}`))) {
      this.stop(event.seq, `its commit ${commit} is not in the repository any more`);
      return;
    }
    const parent = await resolveObject(this.opened.repo, `${commit}^1^{commit}`);
    if (parent !== undefined) await this.moveHead(event.seq, parent, parent);
  }

  /** Restores the tree as the agent left it. */
  private async restoreAttempt(event: Of<"snapshot"> | Of<"restored">, changed: number): Promise<void> {
    const { repo, world } = this.opened;
    const base = world.memory.of(event.job).checkpoint?.base;
    if (base === undefined) throw new Error(`job ${event.job} ended without a checkpoint`);
    const changes = changed === 0 ? [] : await this.changesOf(event);
    if (changes === undefined)
      this.lost = { seq: event.seq, why: `what attempt ${nameForReaders(event)} left is not kept` };
    else await checkOutTree(repo, { base, changes });
  }

  /** Restores the tree of a paused task's attempt, which ended without a snapshot. */
  private async restoreUnfinished(event: Of<"work_saved">): Promise<void> {
    const { checkpoint, snapshot, own } = this.opened.world.memory.of(event.job);
    const base = checkpoint?.base;
    if (base === undefined || snapshot !== undefined || own !== undefined) return;
    const changes = await this.changesOf(event);
    if (changes !== undefined) await checkOutTree(this.opened.repo, { base, changes });
  }

  private async compareWork(event: Of<"work_saved">, now: SavedEvent): Promise<Difference | undefined> {
    const [was, is] = [event.output, now.output].map((output) => output && `${output.file} ${output.sha256}`);
    if (was !== is && !isRedacted(event))
      return makeDifference(event.seq, was ?? "no output", is ?? "no output");
    const [saved, here] = [event.work?.commit, now.work?.commit];
    if (saved === undefined || here === undefined) {
      const told = (commit: string | undefined): string =>
        commit === undefined ? "no saved work" : "saved work";
      return saved === here ? undefined : makeDifference(event.seq, told(saved), told(here));
    }
    if (!(await this.has(`${saved}^{commit}`))) return undefined;
    const paths = await listDifferences(this.opened.repo, saved, here);
    if (paths.length === 0) return undefined;
    return makeDifference(
      event.seq,
      `work ${saved}`,
      `other work, which differs in ${listSome(paths, NAMED)}`,
    );
  }

  private async changesOf(event: Pick<Of<"snapshot">, "job" | "task_id">): Promise<DiffEntry[] | undefined> {
    const { run, attempts } = this.scene;
    const { job, task_id } = event;
    const { task, attempt } = nameAttempt(task_id === undefined ? { job } : { job, task_id });
    const commit = attempts.get(attemptRef(run, task, attempt));
    if (commit === undefined) return undefined;
    return await diffFromParent(this.opened.repo, commit);
  }

  private compareBacklog(event: Sealed<StepEvent> & ChangeResult, now: ChangeResult): Difference | undefined {
    const [was, is] = [toComparable(event, event.sha256), toComparable(now, event.sha256 && now.sha256)];
    if (was === is) {
      if (event.sha256 !== undefined) this.backlogs++;
      return undefined;
    }
    if (this.hasRedacted(event)) {
      this.stop(event.seq, "an edit of the task file holds what is redacted in the log");
      return undefined;
    }
    if (event.saved !== true) return makeDifference(event.seq, was, is);
    this.stop(event.seq, "others had saved the task file, and what they wrote is kept nowhere");
    return undefined;
  }

  private async compareCommit(event: Of<"committed">, now: ChangeResult & { commit?: string | undefined }) {
    const difference = this.compareBacklog(event, now);
    if (difference !== undefined || this.stopped !== undefined) return difference;
    if (event.commit === undefined || now.commit === undefined) {
      if (event.commit === now.commit) return undefined;
      return makeDifference(event.seq, event.commit ?? "no commit", now.commit ?? "no commit");
    }
    const { repo } = this.opened;
    const paths = await listDifferences(repo, event.commit, now.commit);
    this.head = event.commit;
    if (paths.length === 0) {
      this.commits++;
      return undefined;
    }
    return makeDifference(
      event.seq,
      `commit ${event.commit}`,
      `another tree, which differs in ${listSome(paths, NAMED)}`,
    );
  }

  private compareVerdict(event: Of<"gate_finished">, now: { verdict: string }): Difference | undefined {
    // Hidden checks are not run again.
    if (event.hidden !== undefined && event.verdict !== now.verdict) return undefined;
    if (event.verdict !== now.verdict) return makeDifference(event.seq, event.verdict, now.verdict);
    this.gates++;
    return undefined;
  }

  private hasRedacted(event: Sealed<StepEvent> & ChangeResult): boolean {
    return isRedacted(event.heard ?? []);
  }

  private async has(name: string): Promise<boolean> {
    return (await resolveObject(this.opened.repo, name)) !== undefined;
  }

  private stop(seq: number, why: string): void {
    this.stopped = { seq, why };
  }
}

/** Whether the value contains a redacted secret. */
function isRedacted(value: unknown): boolean {
  return JSON.stringify(value).includes(REDACTED);
}

/** The result for the task file, in one comparable line. */
function toComparable(outcome: ChangeResult, sha256: string | undefined): string {
  const { updated, refused, removed, digest } = outcome;
  return JSON.stringify({
    updated: updated.map(({ id, from, to }) => [id, from, to]),
    refused: refused.map(({ op, id }) => [op, id]),
    removed,
    digest,
    sha256,
  });
}

function comparePaths(event: Of<"restored">, now: { paths: readonly string[] }): Difference | undefined {
  const [was, is] = [event.paths, now.paths].map((paths) => JSON.stringify([...paths].sort()));
  return was === is ? undefined : makeDifference(event.seq, `put back ${was ?? ""}`, `put back ${is ?? ""}`);
}
