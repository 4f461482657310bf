// `looper undo ID`: reverts the changes of a done task and reopens it, or takes the work of an unfinished one
// back. Leaves the work to src/loop/undo/undo.ts.
import { Option } from "commander";
import type { ChangeCounts } from "../../src/loop/undo/plan-undo.js";
import { undo } from "../../src/loop/undo/undo.js";
import { usageError } from "../../src/system/errors.js";
import { undoAnswer } from "../../src/ui/answers/runs/undo.js";
import { coloursFor } from "../../src/ui/colours.js";
import type { UndoAnswer } from "../../src/ui/shapes/work.js";
import {
  countLine,
  pathLines,
  refusalLines,
  undoLines,
  workLines,
} from "../../src/ui/terminal/lines/undo-lines.js";
import { FILE, JSON_OPTION, TASK, type AnsweringCommand } from "../context/command.js";
import type { CommandContext, CommandOutcome } from "../context/command-context.js";
import { checkOptionsOf } from "../lookup/check-options.js";
import { personOf } from "../lookup/name-of-user.js";
import { printLines, projectOf, warn } from "../lookup/project.js";
import { stopOnSignal } from "../lookup/stop-on-signal.js";
import { refuseAgents } from "../lookup/under-an-agent.js";

interface Request {
  id: string;
  file?: string;
  cascade?: boolean;
  reason?: string;
  dryRun?: boolean;
  y?: true;
}

/** Undoes a task, with `--cascade` those that depend on it. */
export const command: AnsweringCommand<Request, { json: UndoAnswer; end: CommandOutcome }> = {
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
  answer: async (context, { id, file, cascade = false, reason, dryRun = false, y }) => {
    const { ports, env } = context;
    await refuseAgents(context, "undo tasks", "report what is wrong in the summary", { file });
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
    if (signal !== undefined) return { json, end: { ending: "interrupted", signal } };
    return { json, end: json.outcome === "refused" || json.outcome === "declined" ? "no" : "ok" };
  },
  print: ({ out, report }, { json }) => {
    switch (json.outcome) {
      case "refused": {
        const [first = "", ...rest] = refusalLines(json);
        return report({ level: "error", lines: [`looper: ${first}`, ...rest] });
      }
      case "undone":
      case "planned":
        return printLines(out, undoLines(json, coloursFor(out.colour)));
      case "declined":
        return report({ level: "info", lines: workLines(json) });
      default:
        return printLines(out, workLines(json));
    }
  },
};

async function confirm(context: CommandContext, id: string, counts: ChangeCounts): Promise<boolean> {
  if (!context.stdin.isTerminal)
    throw usageError(
      `cannot undo ${id}, which is not done: no terminal to ask on`,
      "confirm with -y, or look first with --dry-run",
    );
  return context.confirm(`Take back ${id}: ${countLine(counts)}?`, pathLines(counts));
}
