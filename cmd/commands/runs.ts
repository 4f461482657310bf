// `looper runs`: lists past runs with ending, result and cost. Leaves reading the logs to run-summaries.ts.
import { Option } from "commander";
import { summarizeRuns } from "../../src/logging/run-summaries.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { runRow, wasRefused } from "../../src/ui/answers/runs/runs.js";
import type { RunsAnswer } from "../../src/ui/shapes/runs.js";
import { right, tableLines } from "../../src/ui/terminal/columns.js";
import { showCostOf, showCount, showDuration, showMoment } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readCount } from "../context/words.js";
import { listOwnRuns } from "../lookup/find-run.js";
import { lookOf, projectOf } from "../lookup/project.js";

type Row = RunsAnswer["runs"][number];

export const command: AnsweringCommand<{ n?: string }, CommandAnswer & { json: RunsAnswer }> = {
  options: [new Option("-n <n>", "only the newest n"), JSON_OPTION],
  examples: [["looper runs", "list each run with its ending, result and cost"]],
  answer: async (context, { n }) => {
    const most = readCount("-n", n, "looper runs -n 10") ?? 1_000_000;
    const project = await projectOf(context);
    const live = await findLiveRun(context.ports, project);
    const own = await listOwnRuns(context, project);
    const summaries = await summarizeRuns(context.ports, project.logDir, { runs: own, most });
    const runs = summaries.map((one) => runRow(one, live?.run === one.run));
    return { json: { runs }, lines: linesOf(context, runs) };
  },
};

function linesOf({ out, ports }: CommandContext, rows: readonly Row[]): string[] {
  if (rows.length === 0) return ["no runs yet"];
  const now = ports.clock.now();
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
    ];
  });
  const columns = ["run", "started", "ending", ...["done", "took", "tokens", "cost"].map(right)];
  return tableLines(columns, cells, lookOf(out));
}

/** A release has no tasks. */
function doneText(row: Row): string {
  if (wasRefused(row)) return "refused";
  const { done, tasks } = row;
  return done === null || tasks === null || tasks === 0 ? "" : `${done} of ${tasks}`;
}
