// The states of a run. Each phase has one key of its own, so that no field outlives its phase.
import type { Budget } from "../../agents/agent.js";
import type { Rules } from "../../logging/rules.js";
import type { Ending, EventOf } from "../../logging/events/events.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { PersistentMap } from "../../system/persistent-map.js";
import type { ById } from "../../todo/model/indexed-list.js";
import type { IndexRow, Status, TaskId } from "../../todo/model/task.js";
import type { Verdict } from "../../todo/model/verified.js";
import type { Spending, TaskSpending } from "./job/spending.js";
import type { Backoffs } from "./schedule/backoff.js";
import type { Earlier, JobFacts, PlannedHook } from "./effects.js";
import type { Advance, Change } from "../../todo/model/changes/change.js";
import type { SavedWork, Spent } from "../../workflow/progress.js";
import type { Activity } from "../../workflow/stage-kinds.js";
import type { StageKind } from "../../workflow/workflow.js";

export type RunState =
  | { phase: "new" }
  | { phase: "opening"; opening: Opening }
  | { phase: "working"; work: Work }
  | { phase: "ending"; close: Close }
  | { phase: "ended"; ending: Ending };

/** 0: running; 1: nothing new starts; 2: agents are stopped; 3: the run ends at once. */
export type Stopping = 0 | 1 | 2 | 3;

/** The part of the state that lasts for the whole run. */
export interface Frame {
  rules: Rules;
  git: boolean;
  stopping: Stopping;
  signal?: string;
  /** When the run began, epoch ms. */
  began: number;
  /** The names of the agents that stages can name; only with workflows. */
  agents?: readonly string[];
  /** L12: the names of the agents that are clients of a model: all but those of kind `command`. */
  clients?: ReadonlySet<string>;
  spent: Spending;
}

/** The phase before a usable backlog was read. */
export interface Opening extends Frame {
  pending: boolean;
  /** How many drafts and repairs count so far. */
  asked: Readonly<Record<"bootstrap" | "repair", number>>;
  /** The drafts or repairs that failed so far, for the next one's prompt. */
  failed?: readonly Earlier[];
  nextJob: number;
  dropped: ReadonlySet<string>;
  backoffs: Backoffs;
  /** The knowledge of earlier runs about the work of unfinished tasks. */
  earlierResults?: EventOf<"recovered">["results"];
  /** The kind of job that waits for an agent to end its backoff. */
  waits?: "bootstrap" | "repair" | undefined;
  /** The project's checks are running, before anything else of the run. */
  checking?: true | undefined;
  /** The failing checks that were reported; absent: the checks did not run yet. */
  reportedChecks?: ReadonlySet<string>;
  /** The user is being asked whether an agent may draft a backlog. */
  asking: boolean;
  job?: Job | undefined;
}

export type JobKind = Exclude<JobFacts["phase"], "push">;

/** One attempt, visit of a stage, review, draft or repair in progress. */
export interface Job {
  facts: JobFacts & { phase: JobKind };
  /** Its activities; jobs.ts lists those of each route. */
  route: Route;
  activity: Activity;
  /** The status the task had when it was claimed. */
  from?: Status;
  /** Hook commands still to run in this activity, the running one first. */
  hooks: readonly PlannedHook[];
  end?: EventOf<"agent_finished">;
  /** The verdict, where the end says more of the agent than of the task. */
  failed?: AttemptVerdict;
  /** The work of earlier attempts at its task is in the tree. */
  leavesWork?: true;
  verdict?: AttemptVerdict;
  /** The job's process was told to stop. */
  stopped?: true | undefined;
  /** Its task was blocked because this was the last attempt. */
  gaveUp?: true | undefined;
  /** Its task is not tried again in this run, once the backlog holds the result. */
  final?: true;
  /** The verdict on its work, once the gate let it pass; absent: `unverified`. */
  worth?: Verdict;
  /** The ref that keeps the abandoned work. */
  rescue?: string;
  /** A person edited its task: its work is saved as a rescue, and it does not count. */
  released?: true;
  /** The lines that the log gets once the task has entered its workflow. */
  entering?: readonly ToldEvent[];
  /** The limits of its stage and its workflow, as budgets of its agent. */
  limits?: readonly Budget[];
  /** How long its gate took. */
  gate_ms?: number;
  /** How the visit of the stage ends; set from `save` on. */
  visitEnd?: VisitEnd;
}

/** The result of an attempt or a review. */
export type AttemptVerdict =
  | { kind: "done"; summary: string }
  /** `evidence`: the gate's, if its verdict blocks the task and not the agent's report. */
  | { kind: "blocked"; blockers: readonly string[]; evidence?: string }
  | { kind: "skipped"; why: string }
  | { kind: "failed"; reason: string; evidence: string }
  /** Perhaps not the task failed, but the agent: another task goes first. */
  | { kind: "held"; reason: string; evidence: string }
  | { kind: "interrupted" }
  | { kind: "reviewed"; added: number }
  /** In a workflow: an outcome that the stage declares, or that the runner gives. */
  | { kind: "outcome"; outcome: string };

export type Index = ById<IndexRow>;

/** How an agent failed at its last task, if it failed as a client does that cannot work. */
export interface Suspect {
  id: TaskId;
  evidence: string;
  /** The evidence without what differs between two attempts. */
  like: string;
}

/** The phase with a backlog to work on. */
export interface Work extends Frame {
  index: Index;
  jobs: readonly Job[];
  nextJob: number;
  /** How many attempts and reviews were started. */
  iterations: number;
  attempts: PersistentMap<TaskId, number>;
  spentOn: PersistentMap<TaskId, TaskSpending>;
  blockedAtStart: ReadonlySet<TaskId>;
  /** Tasks that this run does not try again. */
  final: PersistentMap<TaskId, true>;
  earlier: PersistentMap<TaskId, readonly Earlier[]>;
  dropped: ReadonlySet<string>;
  backoffs: Backoffs;
  /** L12: by agent, its last failure, if it may be one of the agent and not of the task. */
  suspects?: ReadonlyMap<string, Suspect>;
  /** L12: tasks that went back in the queue for such a failure. Each does so once. */
  held?: ReadonlySet<TaskId>;
  reviews: { added: number; failed: number; clean: boolean };
  /** The failing checks that were reported. */
  reportedChecks: ReadonlySet<string>;
  /** The backlog is being read again. */
  rereading: boolean;
  /** A command has edited the task file since. */
  unread?: true | undefined;
  /** Tasks whose status a person changed while their work was in the tree; that work is still to be saved. */
  toPutAside: readonly TaskId[];
  /** Tasks a person blocked: not selected as long as they are blocked. */
  blockedByHand: ReadonlySet<TaskId>;
  /** Epoch ms until which the next iteration waits. */
  resumeAt?: number;
  /** In workflows: the run's memory of each task's visit. */
  visits?: PersistentMap<TaskId, VisitMemory>;
  /** The last report on the work of each task, for its commit. */
  results?: PersistentMap<TaskId, TaskResult>;
  /** Rows that are being moved without a job, and the lines that the log gets once they are. */
  moving?: readonly PlannedMove[];
  /** The choice of the user's module for the next iteration; without `agent` it was asked for. */
  pick?: { id: TaskId; iteration: number; agent?: string } | undefined;
  /** The task whose question the person at the terminal is being asked, and those whose question was left. */
  askingAbout?: TaskId | undefined;
  leftOpen?: ReadonlySet<TaskId>;
  /** The warnings about tasks that the run made before they started; each is made once. */
  warned?: ReadonlySet<string>;
  /** How the run ends once its running jobs have ended. `broken`: the environment failed, so nothing more is written. */
  closing?: { ending: Ending; message: string | undefined; broken?: true };
}

/** The phase that ends the run: the backlog's own commit, the hooks, the last line. */
export interface Close extends Frame {
  ending: Ending;
  message?: string;
  hooks: readonly string[];
  activity: "commit" | "hooks" | "finish";
  done: number;
  tasks: number;
  iterations: number;
}

/**
 * The kind of a job, which decides about its activities. `attempt` is the one stage of the workflow `default`, from the claim to
 * the commit; `draft` is a draft or a repair of the backlog, and `rescue` only saves what earlier attempts left in the tree.
 * The others are visits of stages: `deliver` and `give-up` are the two ends, `discard` drops the changes of a stage that a
 * person rejected, and `shelve` takes the work of a paused task out of the tree.
 */
export type Route = "attempt" | "review" | "draft" | "rescue" | VisitRoute;

type VisitRoute = StageKind | "deliver" | "give-up" | "discard" | "shelve";

/** The run's memory of a task's visit; an advance begins it anew. */
export interface VisitMemory {
  /** Failed attempts whose agent failed. */
  errors: number;
  /** The usage of attempts in this visit that did not end it. */
  spent: Spent;
}

/** The text of a task's commit. */
export type TaskResult = Omit<NonNullable<EventOf<"recovered">["results"]>[number], "task_id">;

/** How a visit ends: the changes of the row, and the lines of the log that follow once they are made. */
export interface VisitEnd {
  outcome: string;
  /** The first of them gets the output, the work and the usage of the visit. */
  advances: readonly Advance[];
  /** Changes that come with them, such as new tasks of the agent. */
  more: readonly Change[];
  notes: readonly ToldEvent[];
  /** The gate's verdict on the saved work. */
  verdict?: SavedWork["verdict"];
  /** The count of attempts continues: the agent skipped the task, or it was paused. */
  keepsCount?: true;
  /** For the next attempt's prompt, where the task is sent back. */
  evidence?: { reason: string; evidence: string };
}

/** A row that is moved without a job. */
export interface PlannedMove {
  id: TaskId;
  notes: readonly ToldEvent[];
  /** As it was when the move was decided. */
  row: IndexRow;
}
