// The result of a clean: which runs and sessions were removed, and why the others are kept. Pure.
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural, showBytes } from "../../view/words/amounts.js";
import type { CleanAnswer } from "../../shapes/runs.js";
import type { Colours } from "../../colours.js";
import { clean, cut } from "../../text.js";

type Sessions = CleanAnswer["sessions"];
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
  const { sessions } = answer;
  const lines = [
    ...removed.map(({ run, bytes: own }) => fit(`${verb} ${run}  ${showBytes(own)}`)),
    ...stay.map(({ run, why }) => colours.yellow(fit(`stays ${run}: ${whyText(why)}`))),
    ...sessions.removed.map(({ session, bytes: own }) =>
      fit(`${verb} session ${clean(session)}  ${showBytes(own)}`),
    ),
    ...sessions.stay.map(({ session, why }) =>
      colours.yellow(fit(`stays session ${clean(session)}: ${sessionWhyText(why)}`)),
    ),
    ...asides(answer).map((line) => colours.dim(fit(line))),
  ];
  const what = removed.length === 0 ? "no run" : `${plural(removed.length, "run")}, ${showBytes(bytes)}`;
  const left = dry ? "would stay" : "left";
  return [
    ...lines,
    ...sessionsTotal(sessions, { verb, left }).map(fit),
    fit(`${verb} ${what}; ${plural(answer.kept, "run")} ${left}`),
  ];
}

/** Nothing in a project without sessions. */
function sessionsTotal(
  { removed, bytes, kept }: Sessions,
  { verb, left }: { verb: string; left: string },
): string[] {
  if (removed.length + kept === 0) return [];
  const what =
    removed.length === 0 ? "no session" : `${plural(removed.length, "session")}, ${showBytes(bytes)}`;
  return [`${verb} ${what}; ${plural(kept, "session")} ${left}`];
}

function sessionWhyText(why: Sessions["stay"][number]["why"]): string {
  switch (why) {
    case "running":
      return "it is open";
    case "question":
      return "a call or question in it waits for you; see looper chapo sessions";
    case "in-hand":
      return "a task continues from it";
    case "unreadable":
      return "this version cannot read it";
    default:
      return never(why);
  }
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
    default:
      return never(why);
  }
}

function asides({ refs, finished, foreign, others, copies, sessions }: CleanAnswer): string[] {
  const lines: string[] = [];
  if (finished.length > 0)
    lines.push(`${plural(finished.length, "run")} an earlier clean had begun to remove`);
  if (refs !== null && refs > 0)
    lines.push(`${plural(refs, "ref")} of attempts went with them; git gc frees what only they held`);
  if (sessions.finished.length > 0)
    lines.push(`${plural(sessions.finished.length, "session")} an earlier clean had begun to remove`);
  if (sessions.refs !== null && sessions.refs > 0)
    lines.push(`${plural(sessions.refs, "ref")} of checkpoints went with their sessions`);
  if (foreign > 0) lines.push(`${plural(foreign, "run")} of other projects: not touched`);
  if (others.length > 0) lines.push(`not a run, not touched: ${named(others)}`);
  if (copies.length > 0) lines.push(`copies of the task file, yours to remove: ${named(copies)}`);
  return lines;
}

function named(names: readonly string[]): string {
  return listSome(names.map(clean), MOST_NAMED);
}
