// The states of a run. Each lies under one key, so that no field outlives its phase.
import type { ReleaseRules, Rules } from "../../logging/rules.js";
import type { Ending, ReleaseStep, StepEvent } from "../../logging/events.js";
import type { StoppedAttempt } from "../../logging/told-events.js";
import type { PersistentMap } from "../../system/persistent-map.js";
import type { ById } from "../../todo/model/indexed-list.js";
import type { PersonChange } from "../../todo/model/person-change.js";
import type { IndexRow, Status, TaskId } from "../../todo/model/task.js";
import type { TaskSpending, Spending } from "./spending.js";
import type { Backoffs } from "./backoff.js";
import type { Earlier, JobFacts, PlannedHook, PlannedRelease } from "./effects.js";

export type RunState =
  | { phase: "new" }
  | { phase: "opening"; opening: Opening }
  | { phase: "working"; work: Work }
  | { phase: "releasing"; release: Releasing }
  | { phase: "ending"; close: Close }
  | { phase: "ended"; ending: Ending };

/** 0: runs; 1: nothing new starts; 2: agents are ended; 3: at once. */
export type Stopping = 0 | 1 | 2 | 3;

/** What lasts as long as the run. */
export interface Frame {
  rules: Rules;
  git: boolean;
  stopping: Stopping;
  signal?: string;
  /** When the run began, epoch ms. */
  began: number;
  spent: Spending;
}

/** Until a backlog is read that can be worked on. */
export interface Opening extends Frame {
  pending: boolean;
  /** Agents asked so far to draft or to mend. */
  drafts: number;
  repairs: number;
  /** The drafts or repairs that failed so far, for the next one's prompt. */
  failed?: readonly Earlier[];
  nextJob: number;
  dropped: ReadonlySet<string>;
  backoffs: Backoffs;
  /** What waits for an agent that is paused. */
  waits?: "bootstrap" | "repair" | undefined;
  /** Why the run must end before it begins any work. */
  refused?: string;
  /** The project's checks run before anything else of the run. */
  checking?: true | undefined;
  /** The red checks that were named; absent: the checks did not run yet. */
  reportedChecks?: ReadonlySet<string>;
  /** Somebody is being asked whether to draft. */
  asking: boolean;
  /** Edits that were asked for: made once there is a backlog. */
  askedEdits: readonly AskedEdit[];
  job?: Job | undefined;
}

export type JobKind = Exclude<JobFacts["phase"], "push">;

/** The activities of a job, in order; which of them a kind of job has is said in `job.ts`. */
export type Activity =
  | "claim"
  | "checkpoint"
  | "baseline"
  | "before"
  | "agent"
  | "adopt"
  | "snapshot"
  | "reread"
  | "gate"
  | "commit"
  | "restore"
  | "settle"
  | "after";

/** One attempt, review, draft or repair on its way. */
export interface Job {
  facts: JobFacts & { phase: JobKind };
  activity: Activity;
  /** The status the task had when it was claimed. */
  from?: Status;
  /** Hook commands still to run in this activity, the running one first. */
  hooks: readonly PlannedHook[];
  end?: Extract<StepEvent, { type: "agent_finished" }>;
  verdict?: AttemptVerdict;
  /** What runs for it was told to end. */
  stopped?: true | undefined;
  /** Its task was blocked because this was the last attempt. */
  gaveUp?: true;
  /** The gate proved it. */
  verified?: true;
  /** The ref that keeps what was given up. */
  rescue?: string;
  /** A person edited its task: its work is put aside, and it counts for nothing. */
  released?: true;
  /** It has no agent: it only puts aside what earlier attempts left in the tree. */
  putsAside?: true;
}

/** An edit that a command asked for, and that is not made yet. */
export interface AskedEdit {
  request: string;
  changes: readonly PersonChange[];
  /** Tasks it gives another status, or removes: attempts at them end first. */
  ids: readonly TaskId[];
  /** Attempts that were ended for it. */
  stopped: readonly StoppedAttempt[];
}

/** What an attempt came to. */
export type AttemptVerdict =
  | { kind: "done"; summary: string }
  | { kind: "blocked"; blockers: readonly string[] }
  | { kind: "skipped"; why: string }
  | { kind: "failed"; reason: string; evidence: string }
  | { kind: "interrupted" }
  | { kind: "reviewed"; added: number };

export type Index = ById<IndexRow>;

/** While there is a backlog to work on. */
export interface Work extends Frame {
  index: Index;
  digest: string;
  jobs: readonly Job[];
  nextJob: number;
  /** Attempts and reviews begun. */
  iterations: number;
  attempts: PersistentMap<TaskId, number>;
  spentOn: PersistentMap<TaskId, TaskSpending>;
  blockedAtStart: ReadonlySet<TaskId>;
  /** Not taken up again in this run. */
  final: PersistentMap<TaskId, true>;
  earlier: PersistentMap<TaskId, readonly Earlier[]>;
  dropped: ReadonlySet<string>;
  backoffs: Backoffs;
  reviews: { added: number; failed: number; clean: boolean };
  /** The red checks that were named. */
  reportedChecks: ReadonlySet<string>;
  /** A look at the backlog, or an edit that was asked for, is under way. */
  rereading: boolean;
  /** Edits that were asked for, in order. */
  askedEdits: readonly AskedEdit[];
  /** Tasks whose status a person changed while work of theirs was in the tree: it is to be put aside. */
  toPutAside: readonly TaskId[];
  /** Tasks a person blocked: not taken up as long as they are blocked. */
  blockedByHand: ReadonlySet<TaskId>;
  /** Epoch ms until which the next iteration waits. */
  resumeAt?: number;
  /** What ends the run once the jobs in flight have ended; `broken`: the world failed, and nothing more is written into it. */
  closing?: { ending: Ending; message: string | undefined; broken?: true };
}

/** Where a release is; each waits for the one event that moves it on. */
export type ReleaseActivity =
  | "start"
  | "ask-unchecked"
  | "checkpoint"
  | "agent"
  | "snapshot"
  | "ask-strange"
  | "ask-push"
  | "ask-publish"
  | "restore"
  | "finish"
  | ReleaseStep;

/** In place of a run over the backlog: a release on its way. */
export interface Releasing extends Frame {
  order: ReleaseRules;
  job: JobFacts;
  activity: ReleaseActivity;
  /** Once it is known what it is to be. */
  planned?: PlannedRelease;
  /** What it ends with, once the tree is as before. */
  closing?: { ending: Ending; message?: string };
}

/** The last things: the backlog's own commit, the hooks, the end. */
export interface Close extends Frame {
  ending: Ending;
  message?: string;
  hooks: readonly string[];
  activity: "commit" | "hooks" | "finish";
  done: number;
  tasks: number;
  iterations: number;
}
