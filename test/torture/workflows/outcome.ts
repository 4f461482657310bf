// The outcome of a session with a workflow, without what differs from one session to the next. A session in which a start was
// killed must come to the same as one without.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { violations } from "../invariants.js";
import type { Place } from "../place.js";
import { linesBeside, type Session } from "./session.js";

export interface Outcome {
  /** The files of the last commit but the task file, each with its blob. */
  files: string[];
  /** The approvals in the commit of each task. */
  approvals: string[];
  /** The answer to every question, in the order of questions. */
  answers: string[];
  /** Every output and document of the tasks. */
  outputs: Record<string, string>;
  /** The visits in which an agent worked. */
  visits: string[];
}

export async function outcomeOf(place: Place, session: Session): Promise<Outcome> {
  const files = (await place.git("ls-tree", "-r", "HEAD"))
    .split("\n")
    .filter((line) => !line.endsWith("\tto-do.json"));
  const format =
    "%(trailers:key=Looper-Task,valueonly,separator=%x20) %(trailers:key=Looper-Approved-By,separator=%x20)";
  const commits = (await place.git("log", `--format=${format}`)).split("\n");
  return {
    files,
    approvals: commits.filter((line) => line.trim() !== "").sort(),
    answers: [...session.answers].sort(),
    outputs: outputsIn(path.join(place.project, ".looper/tasks")),
    visits: [...new Set(linesBeside(place, "visits"))].sort(),
  };
}

function outputsIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}

/** Everything that is wrong after a session: `kills` says how many of its starts were killed. */
export async function sessionProblems(
  place: Place,
  session: Session,
  { undisturbed, kills }: { undisturbed?: Outcome; kills: number },
): Promise<string[]> {
  const found = await outcomeOf(place, session);
  const starts = linesBeside(place, "visits").length;
  return [
    ...session.problems,
    ...linesBeside(place, "wrong"),
    ...(undisturbed === undefined ? [] : differences(found, undisturbed)),
    // A stage is worked in again only if its own job was killed.
    ...(starts > found.visits.length + kills
      ? [`${String(starts)} agents were started for ${String(found.visits.length)} visits`]
      : []),
    ...(await violations(place)),
  ];
}

function differences(found: Outcome, wanted: Outcome): string[] {
  return (Object.keys(wanted) as (keyof Outcome)[]).flatMap((key) =>
    isDeepStrictEqual(found[key], wanted[key])
      ? []
      : [`${key}: ${JSON.stringify(found[key])}, not ${JSON.stringify(wanted[key])}`],
  );
}
