// The result of a clean: which runs were removed, and why the others are kept. Pure.
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural, showBytes } from "../../view/words/amounts.js";
import type { CleanAnswer } from "../../shapes/runs.js";
import type { Colours } from "../../colours.js";
import { clean, cut } from "../../text.js";

type Why = CleanAnswer["stay"][number]["why"];

const MOST_NAMED = 5;

/** `columns`: lines are truncated to it. `copies`: paths to show. */
export function cleanLines(
  answer: CleanAnswer,
  { colours, columns }: { colours: Colours; columns?: number },
): string[] {
  const { dry_run: dry, removed, bytes, stay } = answer;
  const fit = (line: string): string => (columns === undefined ? line : cut(line, columns));
  const verb = dry ? "would remove" : "removed";
  const lines = [
    ...removed.map(({ run, bytes: own }) => fit(`${verb} ${run}  ${showBytes(own)}`)),
    ...stay.map(({ run, why }) => colours.yellow(fit(`stays ${run}: ${whyText(why)}`))),
    ...asides(answer).map((line) => colours.dim(fit(line))),
  ];
  const what = removed.length === 0 ? "no run" : `${plural(removed.length, "run")}, ${showBytes(bytes)}`;
  return [...lines, fit(`${verb} ${what}; ${plural(answer.kept, "run")} ${dry ? "would stay" : "left"}`)];
}

function whyText(why: Why): string {
  switch (why) {
    case "running":
      return "it is in progress";
    case "rescue":
      return "its abandoned work is kept; see looper rescue";
    case "in-hand":
      return "a task is in progress since then; the next run resumes it";
    case "unfinished":
      return "it was killed; the next run resumes it";
    case "limit":
      return "an agent reported a limit in it that still holds";
    case "backlog":
      return "it shows that the task file had tasks, and now there are none";
    default:
      return never(why);
  }
}

function asides({ refs, finished, foreign, others, copies }: CleanAnswer): string[] {
  const lines: string[] = [];
  if (finished.length > 0)
    lines.push(`${plural(finished.length, "run")} an earlier clean had begun to remove`);
  if (refs !== null && refs > 0)
    lines.push(`${plural(refs, "ref")} of attempts went with them; git gc frees what only they held`);
  if (foreign > 0) lines.push(`${plural(foreign, "run")} of other projects: not touched`);
  if (others.length > 0) lines.push(`not a run, not touched: ${named(others)}`);
  if (copies.length > 0) lines.push(`copies of the task file, yours to remove: ${named(copies)}`);
  return lines;
}

function named(names: readonly string[]): string {
  return listSome(names.map(clean), MOST_NAMED);
}
