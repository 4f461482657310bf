// The kinds of stages: a row for each, with all that the program asks about a kind. Pure, and without zod. A new kind has its keys in
// workflow.ts and its row here; the compiler names whatever is missing.
import type { StageKind } from "./workflow.js";

/** The activities of a job, in order. */
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
  | "aside"
  | "commit"
  | "restore"
  | "save"
  | "settle"
  | "after";

interface StageKindRow {
  /** The doer of the stage, who gives its outcome. */
  by: "agent" | "commands" | "person";
  /** The changes that are in the tree at its end are the work of the task: judged and saved. Those of other agents are undone. */
  changes: boolean;
  /** The activities of its job (loop/step/jobs.ts); without any, it is entered without a job. */
  activities: readonly Activity[];
  /** The outcomes that it always has; without any, those of its `next` that the runner does not give. */
  outcomes: readonly string[];
  /** The outcome of success, which its `next` must map. A report of success that names none means it. */
  success: string | undefined;
  /** The flag that passes it. */
  flag: "--skip" | "--auto-approve" | undefined;
  /** Its box in a diagram; without words, with its question. */
  box: { open: string; words: string; close: string };
}

/** The first activities of a job whose agent changes the tree. */
export const BY_AGENT = ["claim", "checkpoint", "baseline", "before", "agent", "snapshot"] as const;

export const STAGE_KINDS: Readonly<Record<StageKind, StageKindRow>> = {
  work: {
    by: "agent",
    changes: true,
    activities: [...BY_AGENT, "gate", "save", "restore", "settle", "after"],
    outcomes: [],
    success: "done",
    flag: undefined,
    box: { open: "[", words: "an agent works", close: "]" },
  },
  analyze: {
    by: "agent",
    changes: false,
    activities: ["claim", "checkpoint", "before", "agent", "restore", "save", "settle", "after"],
    outcomes: [],
    success: undefined,
    flag: "--skip",
    box: { open: "[", words: "an agent looks", close: "]" },
  },
  check: {
    by: "commands",
    changes: false,
    activities: ["claim", "checkpoint", "gate", "save", "settle", "after"],
    outcomes: ["passed", "failed"],
    success: "passed",
    flag: undefined,
    box: { open: "(", words: "commands", close: ")" },
  },
  ask: {
    by: "person",
    changes: false,
    activities: [],
    outcomes: [],
    success: undefined,
    flag: "--auto-approve",
    box: { open: "{{", words: "", close: "}}" },
  },
};

/** The kinds for which this holds, in the order of the table. */
export function listKinds(holds: (row: StageKindRow) => boolean): StageKind[] {
  return (Object.keys(STAGE_KINDS) as StageKind[]).filter((kind) => holds(STAGE_KINDS[kind]));
}

/** Whether a stage changes the tree for its task. */
export function isWork(kind: StageKind | undefined): boolean {
  return kind !== undefined && STAGE_KINDS[kind].changes;
}

/** The doer of a stage; `undefined`: there is no such stage. */
export function doneBy(kind: StageKind | undefined): StageKindRow["by"] | undefined {
  return kind && STAGE_KINDS[kind].by;
}

/** Whether the agent of a stage only reads. */
export function isReader(kind: StageKind | undefined): boolean {
  return doneBy(kind) === "agent" && !isWork(kind);
}
