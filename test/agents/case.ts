// The shape of a case. Leaves the cases to their own files, and running them to stage.ts.
import type { ModelServer } from "../model-server/model-server.js";
import type { Scenario, Step } from "../model-server/scenario.js";
import type { Program } from "../rig/program.js";
import type { Rig, TaskDraft } from "../rig/rig.js";
import type { AgentName } from "./clis.js";

/** The tools of a case while it runs. */
export interface Scene {
  rig: Rig;
  server: ModelServer;
  /** The one it is about; the first, where several are in it together. */
  agent: AgentName;
  /** Starts looper as the case is started. */
  start: () => Program;
}

export interface Case {
  name: string;
  /** One sentence: what happens. */
  about: string;
  /** The answers of the model to the agent; without them, no server listens at the model's address. */
  scenario?: Scenario | ((agent: AgentName) => Scenario);
  /** One plain task, unless told. */
  tasks?: readonly TaskDraft[];
  /** Those it is for; each of all, unless told. */
  only?: readonly AgentName[];
  /** They are in it together; else each one is alone in it. */
  together?: readonly AgentName[];
  /** Flags of looper's `run`, beside --no-review and --max-attempts 1. */
  args?: readonly string[];
  /** Settings of the agent, by its name where they differ. */
  agent?: (agent: AgentName) => Record<string, unknown>;
  /** Further settings; without a schedule among them the agent is that of every task. */
  settings?: Record<string, unknown>;
  /** An action on the running program. */
  meanwhile?: (program: Program, scene: Scene) => Promise<void>;
  /** Further checks beside the outcome: a sentence for each that fails. */
  check?: (scene: Scene) => string[];
  /** The run's ending, and the reasons of its failed attempts: `blocked: network`. */
  wanted: string;
  /** Of those for whom it must end otherwise. */
  wantedOf?: Readonly<Partial<Record<AgentName, string>>>;
}

/** A sentence that is a problem, unless it is not true. */
export function unless(truth: boolean, sentence: string): string[] {
  return truth ? [] : [sentence];
}

/** Each of these tasks is done, in one commit of its own with the file it made. */
export function madeAll({ rig }: Scene, ids: readonly string[]): string[] {
  const commits = rig.commitsByTask();
  const files = rig.git("ls-files").split("\n");
  return ids.flatMap((id) => [
    ...unless(commits[id] === 1, `${id} has ${commits[id] ?? 0} commits`),
    ...unless(files.includes(`made-${id}.txt`), `made-${id}.txt is in no commit`),
  ]);
}

/** It was stopped with the task in hand. */
export function inHand({ rig }: Scene): string[] {
  const { T1 } = rig.statuses();
  return unless(T1 === "doing", `T1 is ${T1 ?? "gone"}, not in hand`);
}

/** Makes the file of the task at hand. */
export const MAKE: Step = { do: "shell", command: "echo made > made-$LOOPER_TASK_ID.txt" };

/** A report with every key the clients' schema flags ask for. */
export function report(status: "done" | "blocked", blockers: readonly string[] = []): Step {
  const value = {
    task_id: null,
    status,
    summary: "said by the test",
    files: [],
    blockers,
    new_tasks: [],
    changes_checks: null,
  };
  return { do: "structured", value };
}

/** The step of an agent that did its task. */
export const DONE = report("done");
