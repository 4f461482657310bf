// `looper undo ID`: reverts the changes of a done task and reopens it, or takes the work of an unfinished one back. Leaves the
// work to src/loop/undo/undo.ts.
import type { ChangeCounts } from "../../../src/loop/undo/change-counts.js";
import { undo as undoTask } from "../../../src/loop/undo/undo.js";
import { UserError } from "../../../src/system/errors.js";
import { undoAnswer } from "../../../src/ui/answers/runs/undo.js";
import type { UndoAnswer } from "../../../src/ui/shapes/work.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean } from "../../../src/ui/text.js";
import {
  countLine,
  pathLines,
  refusalLines,
  undoLines,
  workLines,
} from "../../../src/ui/terminal/lines/undo-lines.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { personOf } from "../../lookup/name-of-user.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { stopOnSignal } from "../../lookup/stop-on-signal.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** Undoes a task, with `--cascade` those that depend on it, then runs the verify commands. */
export async function undo(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
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
    ports,
    project,
    env,
    home,
    check: await checkOptionsOf(context, project),
    wish: { id, cascade: hasFlag(typed, "--cascade"), reason: reason?.trim() ?? "" },
    who: personOf(context),
    dryRun: hasFlag(typed, "--dry-run"),
    confirm: (counts) => confirm(context, typed, { id, counts }),
    trust: hasFlag(typed, "--trust") || env["CI"] === "true",
    stop: stop.signal,
  });
  const answer = undoAnswer(id, undoing);
  await print(context, answer, hasFlag(typed, "--json"));
  const [signal] = stop.seen;
  if (signal !== undefined) return { ending: "interrupted", signal };
  return ["refused", "declined"].includes(answer.outcome) ||
    (answer.outcome === "undone" && answer.gate.verdict === "failed")
    ? "no"
    : "ok";
}

/** Asks before unfinished work is taken back. */
async function confirm(
  context: CommandContext,
  typed: Typed,
  { id, counts }: { id: string; counts: ChangeCounts },
): Promise<boolean> {
  if (hasFlag(typed, "-y")) return true;
  if (!context.stdin.isTerminal)
    throw new UserError(
      "usage",
      `cannot undo ${id}, which is not done: no terminal to ask on`,
      "confirm with -y, or look first with --dry-run",
    );
  return context.confirm(`Take back ${id}: ${countLine(counts)}?`, pathLines(counts));
}

async function print(context: CommandContext, answer: UndoAnswer, json: boolean): Promise<void> {
  const { out } = context;
  if (answer.outcome !== "refused")
    for (const text of answer.warnings)
      await context.report({ level: "warn", lines: [`looper: ${clean(text)}`] });
  if (json) return printJson(context, answer);
  if (answer.outcome === "undone" || answer.outcome === "planned")
    return printLines(out, undoLines(answer, coloursFor(out.colour)));
  if (answer.outcome !== "refused") {
    const lines = workLines(answer);
    return answer.outcome === "declined" ? context.report({ level: "info", lines }) : printLines(out, lines);
  }
  const [first = "", ...rest] = refusalLines(answer);
  return context.report({ level: "error", lines: [`looper: ${first}`, ...rest] });
}
