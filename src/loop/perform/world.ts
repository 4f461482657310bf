import type { AttemptTail } from "./attempt-tail.js";
import type { Agent, Used } from "../../agents/agent.js";
import { NOTHING_USED } from "../../agents/usage.js";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Project } from "../../config/project/open-project.js";
import type { ColdPlaces } from "../../gate/rooms/cold-room.js";
import type { Trust } from "../../gate/influence/reference.js";
import type { Baseline } from "../../gate/verdict.js";
import type { Checkpoint } from "../../git/checkpoint/checkpoint.js";
import type { DiffEntry } from "../../git/base/diff.js";
import type { Repository } from "../../git/base/repository.js";
import type { Snapshot } from "../../git/attempt/snapshot.js";
import type { RunLog } from "../../logging/run-log.js";
import type { Ports } from "../../system/ports.js";
import type { CheckOptions } from "../../todo/check/check.js";
import type { PersonChange } from "../../todo/model/person-change.js";
import type { Store } from "../../todo/store/store.js";
import type { NewTask, Summary } from "../../todo/model/summary.js";
import type { Backlog, TaskId } from "../../todo/model/task.js";
import type { ReleaseFacts } from "../../release/survey.js";
import type { Trusted } from "./ask-trust.js";

/** An agent the run may use. */
export interface ConfiguredAgent {
  agent: Agent;
  settings: AgentSettings;
}

/** Everything effects are done to and with. What is remembered here is only what an effect needs of an earlier one. */
export interface World {
  ports: Ports;
  project: Project;
  log: RunLog;
  store: Store;
  /** What the backlog is held against. */
  check: CheckOptions;
  /** Absent without git, and with a reason for it in the run's warnings. */
  repo?: Repository;
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>;
  /** Environment of agents and hooks: the real one over the env file's. */
  env: Readonly<Record<string, string>>;
  promptsFolder: string;
  /** What to bootstrap from, where it was given. */
  idea?: string;
  /** Epoch and monotonic ms of the run's start. */
  began: { at: number; monotonic: number };
  /** HEAD when the run began. */
  head?: string;
  trusted: Trusted;
  confirm?: (question: string) => Promise<boolean>;
  /** What was found out of the release that is made; absent in a run over the backlog. */
  release?: ReleaseFacts;
  memory: RunMemory;
}

/** What passed and what failed on one tree: the checkpoint's, with what a task that is done since then did to it. */
export interface KnownBaseline {
  baseline: Baseline;
  /** Where it lies, absolute. */
  file: string;
  /** The checkpoint's commit; absent without git. */
  base?: string;
  changes: readonly DiffEntry[];
}

/** By job number, and dropped with it. */
export interface RunMemory {
  checkpoints: Map<number, Checkpoint>;
  snapshots: Map<number, Snapshot>;
  stops: Map<number, AbortController>;
  /** The folder of the job's last agent step. */
  steps: Map<number, string>;
  /** Where a drafting or mending agent writes. */
  drafts: Map<number, string>;
  /** The new tasks a drafting agent reported. */
  newTasks: Map<number, readonly NewTask[]>;
  /** What the job's agent reported, for its hooks. */
  summaries: Map<number, Summary>;
  /** The last lines an attempt at a task left in the log, for the next one's prompt. */
  tails: Map<TaskId, AttemptTail>;
  /** How cold rooms are made; absent where the checks run in the project. */
  cold?: ColdPlaces;
  /** What a cold gate holds attempts against. */
  trust?: Trust | undefined;
  /** What holds for the task at hand. */
  baseline?: KnownBaseline | undefined;
  /** What holds once a job's task is done. */
  nextBaselines: Map<number, KnownBaseline>;
  baselineCount: number;
  finished: Set<TaskId>;
  /** The backlog's bytes before the first claim or review, and whether they are kept for a replay already. */
  start?: { backlog: Uint8Array; kept: boolean };
  /** As last read or written. */
  backlog?: Backlog;
  /** Over once the last change of the backlog that was begun is. */
  writing: Promise<unknown>;
  /** Edits that were asked for, word for word: in the log secrets are redacted. By their request. */
  asked: Map<string, readonly PersonChange[]>;
  stepCount: number;
  indexCount: number;
  /** By all agents of the run. */
  used: Used;
  /** An agent worked at an unknown cost. */
  unpriced: boolean;
}

export function emptyMemory(): RunMemory {
  return {
    checkpoints: new Map(),
    snapshots: new Map(),
    stops: new Map(),
    steps: new Map(),
    drafts: new Map(),
    newTasks: new Map(),
    summaries: new Map(),
    tails: new Map(),
    nextBaselines: new Map(),
    baselineCount: 0,
    finished: new Set(),
    asked: new Map(),
    writing: Promise.resolve(),
    stepCount: 0,
    indexCount: 0,
    used: NOTHING_USED,
    unpriced: false,
  };
}
