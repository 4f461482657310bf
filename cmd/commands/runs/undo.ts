// `looper undo ID`: reverts the changes of a done task and reopens it. Leaves the work to src/loop/undo/undo.ts.
import { undo as undoTask } from "../../../src/loop/undo/undo.js";
import { UserError } from "../../../src/system/errors.js";
import { undoAnswer } from "../../../src/ui/answers/runs/undo.js";
import type { UndoAnswer } from "../../../src/ui/shapes/work.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean } from "../../../src/ui/text.js";
import { refusalLines, undoLines } from "../../../src/ui/terminal/lines/undo-lines.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
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

type Undone = Exclude<UndoAnswer, { outcome: "refused" }>;

/** Undoes a task, with `--cascade` those that depend on it, then runs the verify commands. `lead`: lines above the result. */
export async function undo(
  context: CommandContext,
  typed: Typed,
  lead: (answer: Undone) => string[] = () => [],
): Promise<CommandOutcome> {
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
    dryRun: hasFlag(typed, "--dry-run"),
    trust: hasFlag(typed, "--trust") || env["CI"] === "true",
    stop: stop.signal,
  });
  const answer = undoAnswer(id, undoing);
  await print(context, answer, { json: hasFlag(typed, "--json"), lead });
  const [signal] = stop.seen;
  if (signal !== undefined) return { ending: "interrupted", signal };
  return answer.outcome === "refused" || (answer.outcome === "undone" && answer.gate.verdict === "failed")
    ? "no"
    : "ok";
}

async function print(
  context: CommandContext,
  answer: UndoAnswer,
  { json, lead }: { json: boolean; lead: (answer: Undone) => string[] },
): Promise<void> {
  const { out } = context;
  if (answer.outcome !== "refused")
    for (const text of answer.warnings)
      await context.report({ level: "warn", lines: [`looper: ${clean(text)}`] });
  if (json) return printJson(context, answer);
  if (answer.outcome !== "refused")
    return printLines(out, [...lead(answer), ...undoLines(answer, coloursFor(out.colour))]);
  const [first = "", ...rest] = refusalLines(answer);
  return context.report({ level: "error", lines: [`looper: ${first}`, ...rest] });
}
