import type { AttemptTail } from "./agent/attempt-tail.js";
import type { Agent, Session, Used } from "../../agents/agent.js";
import { NOTHING_USED } from "../../agents/usage.js";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { ColdPlaces } from "../../gate/rooms/cold-room.js";
import type { HiddenCheck } from "../../gate/rooms/hidden.js";
import type { RunStart } from "../../gate/influence/reference.js";
import type { Baseline, GateReport } from "../../gate/verdict.js";
import type { Checkpoint } from "../../git/checkpoint/checkpoint.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import type { Repository } from "../../git/base/repository/repository.js";
import type { Snapshot } from "../../git/attempt/snapshot.js";
import type { TaskWork } from "../../git/saved-work/work-ref.js";
import type { PushFacts } from "../../prompts/compose.js";
import type { Rules } from "../../logging/rules.js";
import type { Sealed, EventOf } from "../../logging/events/events.js";
import type { RunLog } from "../../logging/run-log.js";
import type { CheckOptions } from "../../todo/check/check.js";
import type { Store } from "../../todo/store/store.js";
import type { StageAgentReport } from "../../todo/model/summary.js";
import type { Backlog, TaskId } from "../../todo/model/task.js";
import type { RunRequest } from "../runs/run-request.js";
import type { Trusted } from "./ask-trust.js";

/** An agent the run may use. */
export interface ConfiguredAgent {
  agent: Agent;
  settings: AgentSettings;
}

/** Everything that effects use. `memory` has only what an effect needs from an earlier one. */
export interface World extends Pick<
  RunRequest,
  "ports" | "project" | "promptsFolder" | "idea" | "askPerson"
> {
  /**
   * Shares open questions with the remote of the settings, one call after another, and returns new warnings; absent: they are not
   * shared. `ends`: with this call, or without another look at the remote.
   */
  share?: (how: { tells: boolean; ends?: "with-this" | "now" }) => Promise<string[]>;
  log: RunLog;
  store: Store;
  /** The options the backlog is checked with. */
  check: CheckOptions;
  /** Absent without git; a warning of the run gives the reason. */
  repo?: Repository;
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>;
  /** The environment of agents and hooks: the real one, which overrides the env file. */
  env: Readonly<Record<string, string>>;
  /** Epoch and monotonic ms of the run's start. */
  began: { at: number; monotonic: number };
  /** HEAD when the run began. */
  head?: string;
  trusted: Trusted;
  confirm?: (question: string) => Promise<boolean>;
  /** The workflows that tasks of this run can go through, as the run's rules have them; absent: only `default`. */
  workflows?: Rules["workflows"];
  /** This program, and the module of `schedule.strategy` (absolute); absent: the strategy is a word. */
  picker?: { self: { command: string; args: readonly string[] }; file: string };
  /** The text of a release's prompt; absent in a run over the backlog. */
  release?: PushFacts;
  /** Absent without hidden checks for this project. */
  hidden?: HiddenOfRun;
  /** Absent without receivers, and in a replay. */
  notifier?: Notifier;
  memory: RunMemory;
}

/** Notifies people of what the log says; nothing but the end of the run waits for it. */
export interface Notifier {
  /** Takes each line of the log. */
  see(line: Sealed): void;
  /** Notifies of the end, and waits for a bounded time until every notice was sent. Never throws. */
  end(end: RunEnding): Promise<void>;
}

/** The end of a run, before it is logged. */
export type RunEnding = Omit<EventOf<"run_ended">, "type">;

/** The results of the checks on one tree: that of a checkpoint, with the changes of a task that was done since. */
export interface StoredBaseline {
  baseline: Baseline;
  /** Absolute path. */
  file: string;
  /** The checkpoint's commit; absent without git. */
  base?: string;
  changes: readonly DiffEntry[];
}

/** The hidden checks of a run, and what it knows of them. */
export interface HiddenOfRun {
  checks: readonly HiddenCheck[];
  /** Absolute: where the output of failed checks is written. */
  folder: string;
  /** Their results on the reference, measured once a run; `unmeasured`: they could not be. */
  baseline?: Baseline | "unmeasured";
  /** The text of the run's file in `folder`. */
  details?: string;
}

/** The values that one activity of a job leaves for the next. */
export interface JobMemory {
  checkpoint?: Checkpoint | undefined;
  /** The task's own checkpoint, where `checkpoint` is one beside it: of a stage that changes nothing. */
  own?: Checkpoint | undefined;
  /** The saved work of the job's task that is in the tree: nothing but the end of the job changes it. */
  work?: TaskWork | undefined;
  /** The refs that only the runner moves, as they were before the job of a workflow. */
  ownRefs?: Map<string, string> | undefined;
  snapshot?: Snapshot | undefined;
  /** The folder of its last agent step. */
  step?: string;
  /** The file that a drafting or repairing agent writes. */
  draft?: string;
  /** The summary of its agent and the report of its gate, for hooks and for the output of its stage. */
  summary?: StageAgentReport;
  gate?: GateReport;
  /** The baseline that becomes current once its task is done. */
  nextBaseline?: StoredBaseline | undefined;
}

/** The state that effects share during a run. */
export interface RunMemory {
  /** By number. */
  jobs: Map<number, JobMemory>;
  /** That of a job; empty before its first activity. */
  of: (job: number) => JobMemory;
  /** Ends the process that runs for a job; 0: for none. */
  stops: Map<number, AbortController>;
  /** The last session of each stage of a task, by `STAGE TASK`. */
  sessions: Map<string, { agent: string; session: Session }>;
  /** The visits of stages whose agent this run has started. */
  begun: Set<string>;
  /** The last output lines of an attempt at a task, for the next attempt's prompt. */
  tails: Map<TaskId, AttemptTail>;
  /** The messages of people to a task, as far as its last agent has had them. */
  messages: Map<TaskId, { file: string; after: number }>;
  /** The job whose agent may only read: until its row is settled, an edit of the task file that no command made is put back. */
  reader?: number | undefined;
  /** How cold rooms are made; absent without git. */
  places?: ColdPlaces;
  /** The same; absent if the checks run in the project. */
  cold?: ColdPlaces | undefined;
  /** Whether the checks were seen to run in a cold room. */
  roomsFit?: boolean;
  /** The state that a cold gate compares attempts with. */
  runStart?: RunStart | undefined;
  /** The baseline of the current task. */
  baseline?: StoredBaseline | undefined;
  baselineCount: number;
  /** The warnings that a task's check passes before the work; absent until the run looked at those of the ready tasks. */
  idle?: Set<string>;
  finished: Set<TaskId>;
  /** The backlog's bytes before the first claim or review, and whether they were recorded for a replay. */
  start?: { backlog: Uint8Array; kept: boolean };
  /** The branch that HEAD was on at the run's first change of the backlog. */
  branch?: string;
  /** The backlog as last read or written. */
  backlog?: Backlog;
  /** Settles when the last started change of the backlog has ended. */
  writing: Promise<unknown>;
  stepCount: number;
  indexCount: number;
  /** The usage of all agents of the run. */
  used: Used;
  /** Whether an agent worked at an unknown cost. */
  unpriced: boolean;
}

export function createMemory(): RunMemory {
  const jobs = new Map<number, JobMemory>();
  return {
    jobs,
    of: (job) => {
      const known = jobs.get(job) ?? {};
      jobs.set(job, known);
      return known;
    },
    stops: new Map(),
    sessions: new Map(),
    begun: new Set(),
    tails: new Map(),
    messages: new Map(),
    baselineCount: 0,
    finished: new Set(),
    writing: Promise.resolve(),
    stepCount: 0,
    indexCount: 0,
    used: NOTHING_USED,
    unpriced: false,
  };
}
