// The answer of `looper undo --json`. Pure.
import type { Undoing } from "../../../loop/undo/undo.js";
import { haveAllPassed, type GateEnd } from "../../../loop/undo/undo-gate.js";
import { never } from "../../../system/never.js";
import type { UndoAnswer } from "../../shapes/work.js";

type Refusal = Extract<UndoAnswer, { outcome: "refused" }>;

/** The result of undoing a task. */
export function undoAnswer(task: string, undoing: Undoing): UndoAnswer {
  if (undoing.outcome === "refused") return refusalOf(task, undoing);
  const { undone, counts, warnings } = undoing;
  const isWork = !("paths" in undoing);
  const all = [...counts.created, ...counts.modified, ...counts.deleted].sort();
  const { paths, reopened } = isWork ? { paths: all, reopened: [task] } : undoing;
  const told = {
    task,
    undone: undone.map(({ commit = null, ...one }) => ({ ...one, commit })),
    paths: [...paths],
    ...{ created: [...counts.created], modified: [...counts.modified], deleted: [...counts.deleted] },
    reopened: [...reopened],
    warnings: [...warnings],
  };
  if (isWork) {
    const { outcome, rescue } = undoing;
    return { outcome, ...told, rescue: rescue?.replace(/^refs\/looper\/rescue\//u, "") };
  }
  if (undoing.outcome === "planned") return { outcome: "planned", ...told };
  return { outcome: "undone", ...told, commit: undoing.commit ?? null, gate: gateOf(undoing.gate) };
}

function gateOf(gate: GateEnd): Extract<UndoAnswer, { outcome: "undone" }>["gate"] {
  if ("not" in gate) return { verdict: gate.not === "no-commands" ? "none" : gate.not, commands: [] };
  return {
    verdict: haveAllPassed(gate.ran) ? "passed" : "failed",
    commands: gate.ran.map((one) => ({
      command: one.command,
      passed: haveAllPassed([one]),
      end: one.end.how,
      ...(one.end.how === "exited" ? { exit_code: one.end.code } : {}),
      duration_ms: one.duration_ms,
      tail: one.tail,
    })),
  };
}

function refusalOf(task: string, refused: Extract<Undoing, { outcome: "refused" }>): Refusal {
  const answer: Refusal = {
    outcome: "refused",
    task,
    why: refused.why,
    tasks: [],
    paths: [],
    conflicts: [],
  };
  switch (refused.why) {
    case "dependents":
    case "in-hand":
      return { ...answer, tasks: refused.tasks.map(({ task: id, title }) => ({ task: id, title })) };
    case "conflicts": {
      const conflicts = refused.conflicts.map(({ path, later }) => ({ path, later: [...later] }));
      return { ...answer, paths: conflicts.map(({ path }) => path), conflicts };
    }
    case "changes":
    case "foreign":
      return { ...answer, paths: [...refused.paths] };
    case "interrupted":
      return answer;
    default:
      return never(refused);
  }
}
