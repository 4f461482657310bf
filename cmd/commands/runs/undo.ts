// `looper undo ID`: reverts the changes of a done task and reopens it. Leaves the work to src/loop/undo/undo.ts.
import { undo as undoTask, type Undoing } from "../../../src/loop/undo/undo.js";
import { allPassed, type GateEnd } from "../../../src/loop/undo/undo-gate.js";
import { UserError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import type { UndoAnswer } from "../../../src/ui/shapes/work.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean } from "../../../src/ui/text.js";
import { refusalLines, undoLines } from "../../../src/ui/terminal/undo-lines.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandEnd,
  type CommandContext,
  type Signal,
  type Typed,
} from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

type Refusal = Extract<UndoAnswer, { outcome: "refused" }>;

/** Undoes a task, with `--cascade` those that depend on it, then runs the verify commands. */
export async function undo(context: CommandContext, typed: Typed): Promise<CommandEnd> {
  const { ports, env, home } = context;
  const [id = "", file] = typed.operands;
  await refuseAgents(context, {
    what: "an agent of a run may not undo tasks",
    instead: "report what is wrong in the summary",
    file,
  });
  const reason = textFlag(typed, "--reason");
  if (reason !== undefined && !/\S/u.test(reason))
    throw new UserError("usage", "--reason is empty", "give a reason, or leave it out");
  const project = await projectOf(context, { file });
  const stop = stopOnSignal(context);
  const undoing = await undoTask({
    ...{ ports, project, env, home },
    check: await checkOptionsOf(context, project),
    wish: { id, cascade: hasFlag(typed, "--cascade"), reason: reason?.trim() ?? "" },
    dryRun: hasFlag(typed, "--dry-run"),
    trust: hasFlag(typed, "--trust") || env["CI"] === "true",
    stop: stop.signal,
  });
  const answer = answerOf(id, undoing);
  await print(context, answer, hasFlag(typed, "--json"));
  const [signal] = stop.seen;
  if (signal !== undefined) return { ending: "interrupted", signal };
  return answer.outcome === "refused" || (answer.outcome === "undone" && answer.gate.verdict === "failed")
    ? "no"
    : "ok";
}

/** Finishes an undo that has begun, in spite of signals; the third one ends the program. */
function stopOnSignal(context: CommandContext): { signal: AbortSignal; seen: readonly Signal[] } {
  const stop = new AbortController();
  const seen: Signal[] = [];
  context.onSignal((signal) => {
    seen.push(signal);
    stop.abort();
    return seen.length < 3;
  });
  return { signal: stop.signal, seen };
}

async function print(context: CommandContext, answer: UndoAnswer, json: boolean): Promise<void> {
  const { out } = context;
  if (answer.outcome !== "refused")
    for (const text of answer.warnings)
      await context.report({ level: "warn", lines: [`looper: ${clean(text)}`] });
  if (json) return printJson(context, answer);
  if (answer.outcome !== "refused") return printLines(out, undoLines(answer, coloursFor(out.colour)));
  const [first = "", ...rest] = refusalLines(answer);
  return context.report({ level: "error", lines: [`looper: ${first}`, ...rest] });
}

function answerOf(task: string, undoing: Undoing): UndoAnswer {
  if (undoing.outcome === "refused") return refusalOf(task, undoing);
  const { undone, paths, reopened, warnings } = undoing;
  const told = {
    task,
    undone: undone.map(({ commit = null, ...one }) => ({ ...one, commit })),
    paths: [...paths],
    reopened: [...reopened],
    warnings: [...warnings],
  };
  if (undoing.outcome === "planned") return { outcome: "planned", ...told };
  return { outcome: "undone", ...told, commit: undoing.commit ?? null, gate: gateOf(undoing.gate) };
}

function gateOf(gate: GateEnd): Extract<UndoAnswer, { outcome: "undone" }>["gate"] {
  if ("not" in gate) return { verdict: gate.not === "no-commands" ? "none" : gate.not, commands: [] };
  return {
    verdict: allPassed(gate.ran) ? "passed" : "failed",
    commands: gate.ran.map((one) => ({
      command: one.command,
      passed: allPassed([one]),
      end: one.end.how,
      ...(one.end.how === "exited" ? { exit_code: one.end.code } : {}),
      duration_ms: one.duration_ms,
      tail: one.tail,
    })),
  };
}

function refusalOf(task: string, refused: Extract<Undoing, { outcome: "refused" }>): Refusal {
  const answer: Refusal = {
    ...{ outcome: "refused", task, why: refused.why },
    ...{ tasks: [], paths: [], conflicts: [] },
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
      return { ...answer, paths: [...refused.paths] };
    case "interrupted":
      return answer;
    default:
      return never(refused);
  }
}
