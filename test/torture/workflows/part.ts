// The part `workflows` of the torture: a SIGKILL at each call of a session with each workflow, of the runs and of the commands that
// answer, one at a time. Leaves a session to session.ts and what it must come to to outcome.ts.
import { seeded } from "../../rig/chance.js";
import { Place } from "../place.js";
import type { Deed } from "../fault.js";
import { playIn, type Ground, type Point, type Sample } from "../points.js";
import type { Scene } from "../scenario.js";
import { outcomeOf, sessionProblems, type Outcome } from "./outcome.js";
import { playSession, type Before, type Harm } from "./session.js";

export const WORKFLOWS = ["implement-review", "plan-approve-execute", "tdd"] as const;
type Name = (typeof WORKFLOWS)[number];

function sceneOf(workflow: Name): Scene {
  // Without questions no run goes from one task to the other and back.
  const ids = workflow === "implement-review" ? ["T1"] : ["T1", "T2"];
  const tasks = ids.map((id) => ({ id, behaviour: "done" as const }));
  return { tasks, tracked: true, hooks: false, gate: true, workflow };
}

/** A start of a session and the number of one of its calls. */
interface Call {
  start: number;
  at: number;
}

/** A copy of the place before a run of the undisturbed session. */
interface Snapshot extends Before {
  place: Place;
}

/** So many calls a start makes in any case, or nearly: the later kills are among them. */
const SOON = 700;

interface Undisturbed {
  outcome: Outcome;
  calls: Call[];
  snapshots: Snapshot[];
}

/**
 * Each point is at a call of the undisturbed session, and with `kills` at random calls of the starts after it. Half of the kills
 * take all that the program has started with it.
 */
export async function killedSessions({ bins }: Ground, sample: Sample): Promise<Point[]> {
  const all: Point[] = [];
  for (const workflow of WORKFLOWS) {
    const [only, start] = sample.session?.split(":") ?? [workflow];
    if (only !== workflow) continue;
    const undisturbed = await playUndisturbed(workflow, bins);
    const one = sample.at !== undefined && start !== undefined;
    const chosen = one ? [{ start: Number(start), at: sample.at ?? 1 }] : spread(undisturbed.calls, sample);
    all.push(...chosen.map((call) => pointAt(call, { workflow, kills: sample.kills ?? 1 }, undisturbed)));
  }
  return all;
}

function spread(calls: readonly Call[], { every, from }: Sample): Call[] {
  return calls.slice(from - 1).filter((_, index) => index % every === 0);
}

async function playUndisturbed(workflow: Name, bins: string): Promise<Undisturbed> {
  const place = await Place.make(sceneOf(workflow), bins);
  const snapshots: Snapshot[] = [];
  const beforeRun = (before: Before) => snapshots.push({ ...before, place: place.copy() });
  const session = await playSession(place, { beforeRun });
  const problems = await sessionProblems(place, session, { kills: 0 });
  if (problems.length > 0) throw new Error(`${workflow}, in ${place.root}: ${problems.join("\n")}`);
  const outcome = await outcomeOf(place, session);
  const calls = session.starts.flatMap(({ calls }, start) =>
    calls.map((_, at) => ({ start: start + 1, at: at + 1 })),
  );
  place.dispose();
  return { outcome, calls, snapshots };
}

function pointAt(
  { start, at }: Call,
  { workflow, kills }: { workflow: Name; kills: number },
  { outcome, snapshots }: Undisturbed,
): Point {
  const later = seeded(at);
  const calls = [at, ...Array.from({ length: kills - 1 }, () => 1 + Math.floor(later() * SOON))];
  const deed = (call: number): Deed => (call % 2 === 0 ? "kill" : "kill-group");
  const faults = calls.map((call) => ({ at: call, when: "before" as const, deed: deed(call) }));
  const harm: Harm = { start, faults };
  return {
    again: `--only workflows --session ${workflow}:${String(start)} --at ${String(at)}${kills === 1 ? "" : ` --kills ${String(kills)}`}`,
    run: () => {
      const from = snapshots.findLast(({ starts }) => starts < start);
      if (from === undefined) throw new Error(`no snapshot before start ${String(start)} of ${workflow}`);
      return playIn(from.place.copy(), async (place) => {
        const session = await playSession(place, { harm, from });
        const struck = session.struck.length;
        const problems = await sessionProblems(place, session, { undisturbed: outcome, kills: struck });
        return { problems, struck, starts: session.starts.length, last: session.struck };
      });
    },
  };
}
