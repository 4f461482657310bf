// The result of a clean: which runs and sessions were removed, and why the others are kept. Pure.
import { listSome } from "../../../system/text/cut.js";
import { plural, showBytes } from "../../view/words/amounts.js";
import type { CleanAnswer } from "../../shapes/runs.js";
import type { Colours } from "../../colours.js";
import { clean, cut } from "../../text.js";

type Sessions = CleanAnswer["sessions"];

const MOST_NAMED = 5;

/** `columns`: lines are truncated to it. `copies`: paths to show. */
export function cleanLines(
  answer: CleanAnswer,
  { colours, columns }: { colours: Colours; columns?: number },
): string[] {
  const { dry_run: dry, removed, stay, sessions } = answer;
  const fit = (line: string): string => cut(line, columns);
  const verb = dry ? "would remove" : "removed";
  const lines = [
    ...removed.map(({ run, bytes: own }) => fit(`${verb} ${run}  ${showBytes(own)}`)),
    ...stay.map(({ run, why }) => colours.yellow(fit(`stays ${run}: ${WHY[why]}`))),
    ...sessions.removed.map(({ session, bytes: own }) =>
      fit(`${verb} session ${clean(session)}  ${showBytes(own)}`),
    ),
    ...sessions.stay.map(({ session, why }) =>
      colours.yellow(fit(`stays session ${clean(session)}: ${SESSION_WHY[why]}`)),
    ),
    ...asides(answer).map((line) => colours.dim(fit(line))),
  ];
  const total = (noun: string, of: Pick<Sessions, "bytes" | "kept">, gone: number): string => {
    const what = gone === 0 ? `no ${noun}` : `${plural(gone, noun)}, ${showBytes(of.bytes)}`;
    return fit(`${verb} ${what}; ${plural(of.kept, noun)} ${dry ? "would stay" : "left"}`);
  };
  const hasSessions = sessions.removed.length + sessions.kept > 0;
  return [
    ...lines,
    ...(hasSessions ? [total("session", sessions, sessions.removed.length)] : []),
    total("run", answer, removed.length),
  ];
}

const SESSION_WHY: Readonly<Record<Sessions["stay"][number]["why"], string>> = {
  running: "it is open",
  question: "a call or question in it waits for you; see looper chapo sessions",
  "in-hand": "a task continues from it",
  unreadable: "this version cannot read it",
};

const WHY: Readonly<Record<CleanAnswer["stay"][number]["why"], string>> = {
  running: "it is in progress",
  rescue: "its abandoned work is kept; see looper rescue",
  "in-hand": "a task is in progress since then; the next run resumes it",
  unfinished: "it was killed; the next run resumes it",
};

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
