// `looper runs`: lists past runs with ending, result and cost. Leaves reading the logs to run-summaries.ts.
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { summarizeRuns } from "../../../src/logging/run-summaries.js";
import { UserError } from "../../../src/system/errors.js";
import { showCostOf, showCount, showDuration, showMoment } from "../../../src/ui/view/words/amounts.js";
import { runRow, wasRefused } from "../../../src/ui/answers/runs/runs.js";
import type { RunsAnswer } from "../../../src/ui/shapes/runs.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { tableLines, type Column } from "../../../src/ui/terminal/columns.js";
import { clean } from "../../../src/ui/text.js";
import { listOwnRuns, projectOfRun, runFilter } from "../../lookup/own-runs.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

type Row = RunsAnswer["runs"][number];

/** Lists the runs, newest first. */
export async function runs(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const most = textFlag(typed, "-n") ?? "1000000";
  if (!/^\d{1,9}$/.test(most))
    throw new UserError(
      "usage",
      `-n is ${most}; allowed: a whole number, at least 0`,
      "e.g. looper runs -n 10",
    );
  const project = await projectOf(context);
  const live = await findLiveRun(context.ports, project);
  const summaries = await summarizeRuns(context.ports, project.logDir, {
    runs: await listOwnRuns(context, project, runFilter(context, project, typed)),
    most: Number(most),
  });
  const rows: Row[] = [];
  for (const one of summaries) {
    const named = await projectOfRun(context, typed, one.folder);
    rows.push(runRow(one, { isLive: live?.run === one.run, project: named }));
  }
  if (hasFlag(typed, "--json")) await printJson(context, { runs: rows } satisfies RunsAnswer);
  else await printLines(context.out, linesOf(context, rows));
  return "ok";
}

function linesOf({ out, ports }: CommandContext, rows: readonly Row[]): string[] {
  if (rows.length === 0) return ["no runs yet"];
  const colours = coloursFor(out.colour);
  const now = ports.clock.now();
  const several = rows.some(({ project }) => project !== undefined);
  const cells = rows.map((row) => {
    const { duration_ms: ms, tokens, cost_usd: cost, cost_partly: partly } = row;
    return [
      row.run,
      row.started === null ? "" : showMoment(Date.parse(row.started), now),
      row.ending ?? row.state,
      doneText(row),
      ms === null ? "" : showDuration(ms),
      tokens === null || tokens === 0 ? "" : showCount(tokens),
      cost === null ? "" : showCostOf({ tokens: tokens ?? 0, cost, ...(partly ? { partly } : {}) }),
      ...(several ? [clean(row.project ?? "")] : []),
    ];
  });
  const columns: readonly Column[] = [
    { title: "run" },
    { title: "started" },
    { title: "ending" },
    { title: "done", right: true },
    { title: "took", right: true },
    { title: "tokens", right: true },
    { title: "cost", right: true },
    ...(several ? [{ title: "project" }] : []),
  ];
  const { header, lines } = tableLines(columns, cells);
  return [colours.dim(header), ...lines];
}

/** A release has no tasks. */
function doneText(row: Row): string {
  if (wasRefused(row)) return "refused";
  const { done, tasks } = row;
  return done === null || tasks === null || tasks === 0 ? "" : `${done} of ${tasks}`;
}
