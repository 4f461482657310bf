// `looper undo ID`: reverts the changes of a done task and reopens it, or takes the work of an unfinished one
// back. Leaves the work to src/loop/undo/undo.ts.
import { Option } from "commander";
import type { ChangeCounts } from "../../src/loop/undo/plan-undo.js";
import { undo } from "../../src/loop/undo/undo.js";
import { usageError } from "../../src/system/errors.js";
import { undoAnswer } from "../../src/ui/answers/runs/work.js";
import { coloursFor } from "../../src/ui/colours.js";
import type { UndoAnswer } from "../../src/ui/shapes/work.js";
import {
  countLine,
  pathLines,
  refusalLines,
  undoLines,
  workLines,
} from "../../src/ui/terminal/lines/undo-lines.js";
import { FILE, JSON_OPTION, TASK, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { checkOptionsOf } from "../lookup/read-tasks.js";
import { personOf, stopOnSignal } from "../lookup/caller.js";
import { projectOf, warn } from "../lookup/project.js";

interface Request {
  id: string;
  file?: string;
  cascade?: boolean;
  reason?: string;
  dryRun?: boolean;
  y?: true;
}

/** Undoes a task, with `--cascade` those that depend on it. */
export const command: AnsweringCommand<Request, CommandAnswer & { json: UndoAnswer }> = {
  arguments: [TASK, FILE],
  options: [
    new Option("--cascade", "also undo done tasks that depend on it"),
    new Option("--reason <text>", "the reason, for the prompt of the next attempt"),
    new Option("--dry-run", "show what would be undone; change nothing"),
    new Option("-y", "do not ask about the work of a task that is not done"),
    JSON_OPTION,
  ],
  examples: [
    [
      "looper undo T3 --reason 'dates are wrong in leap years'",
      "revert T3 and pass the reason to its next attempt",
    ],
    ["looper undo T3 --cascade --dry-run", "show which tasks would be undone"],
  ],
  refused: ["undo tasks", "report what is wrong in the summary"],
  answer: async (context, { id, file, cascade = false, reason, dryRun = false, y }) => {
    const { ports, env } = context;
    if (reason !== undefined && !/\S/u.test(reason))
      throw usageError("--reason is empty", "give a reason, or leave it out");
    const project = await projectOf(context, { file });
    const stop = stopOnSignal(context);
    const undone = await undo({
      ports,
      project,
      env,
      check: await checkOptionsOf(context, project),
      wish: { id, cascade, reason: reason?.trim() ?? "" },
      who: personOf(context),
      dryRun,
      confirm: async (counts) => y === true || confirm(context, id, counts),
      stop: stop.signal,
    });
    const json = undoAnswer(id, undone);
    if (json.outcome !== "refused") for (const text of json.warnings) await warn(context, text);
    const [signal] = stop.seen;
    const isNo = json.outcome === "refused" || json.outcome === "declined";
    const end = signal === undefined ? (isNo ? "no" : "ok") : { ending: "interrupted" as const, signal };
    return { json, end, ...said(context, json) };
  },
};

function said({ out }: CommandContext, json: UndoAnswer): Pick<CommandAnswer, "lines" | "note"> {
  if (json.outcome === "refused") {
    const [first = "", ...rest] = refusalLines(json);
    return { lines: [], note: { level: "error", lines: [`looper: ${first}`, ...rest] } };
  }
  if (json.outcome === "undone" || json.outcome === "planned")
    return { lines: undoLines(json, coloursFor(out.colour)) };
  const lines = workLines(json);
  return json.outcome === "declined" ? { lines: [], note: { level: "info", lines } } : { lines };
}

async function confirm(context: CommandContext, id: string, counts: ChangeCounts): Promise<boolean> {
  if (!context.stdin.isTerminal)
    throw usageError(
      `cannot undo ${id}, which is not done: no terminal to ask on`,
      "confirm with -y, or look first with --dry-run",
    );
  return context.confirm(`Take back ${id}: ${countLine(counts)}?`, pathLines(counts));
}
