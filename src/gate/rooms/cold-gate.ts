// The gate in cold rooms, where no file of the project's folder is read. study.ts tells source from checks, and
// judge-work.ts runs the rooms.
import { toText } from "../../git/base/bytes.js";
import { listSome } from "../../system/text/cut.js";
import type { ColdOrder, Gate } from "./cold-pass.js";
import { pathFromTop, type ColdPlaces } from "./cold-room.js";
import { kindOf, studyChanges, type Study } from "./study.js";
import { judgeWork, type JudgedWork } from "./judge-work.js";
import { matchAllowed } from "../influence/allowed.js";
import type { Sorted } from "../sort/sort.js";
import type { Commands } from "../sort/loads.js";
import { joinChanges } from "../influence/reference.js";
import { showNeeds } from "./needed-changes.js";
import type { GatePlan } from "../commands/run-commands.js";
import type { GateReport } from "../verdict.js";
import { NOT_VERIFIED } from "../verdict/reasons.js";

/** Runs the gate on an attempt. Throws a `GitError`. */
export async function runColdGate(
  places: ColdPlaces,
  order: ColdOrder,
  stop: AbortSignal,
): Promise<JudgedWork> {
  const study = await studyAttempt(places, order);
  const gate: Gate = { places, order, study, isAllowed: allowedBy(places, order), stop, count: { rooms: 0 } };
  const judged = await judgeWork(gate);
  return { ...judged, report: { ...judged.report, rooms: gate.count.rooms } };
}

/** The kinds of the paths that an attempt changed, without running anything. Throws a `GitError`. */
export async function sortAttempt(places: ColdPlaces, order: ColdOrder): Promise<Sorted[]> {
  const { kinds } = await studyAttempt(places, order);
  return order.changes.map(({ path: bytes }) => {
    const path = toText(bytes);
    return kinds.get(path) ?? { path, kind: "source", row: 0, why: "it is as it was when the run began" };
  });
}

/** The script of a task's own command may be what the task is about; a stage's commands are as much the checks as the project's. */
function commandsOf({ commands, own, isOfStage }: GatePlan): Commands {
  return isOfStage === true ? { project: own, own: [] } : { project: commands, own };
}

/** Studies all changes by agents since the start of the run. */
function studyAttempt(places: ColdPlaces, { reference, changes, plan }: ColdOrder): Promise<Study> {
  const { start: base, persons, since } = reference;
  return studyChanges(places, {
    ...{ base, persons, changes: joinChanges(since, changes) },
    commands: commandsOf(plan),
  });
}

/**
 * The verdict on an attempt that passed in the project's folder: unverified if it changed anything but source, since nothing
 * shows what made it pass. Throws a `GitError`.
 */
export async function judgeWithoutRooms(
  places: ColdPlaces,
  order: ColdOrder,
  report: GateReport,
): Promise<Pick<JudgedWork, "report" | "warnings">> {
  const { base, changes, plan, reference } = order;
  const study = await studyChanges(places, { base, persons: [], changes, commands: commandsOf(plan) });
  const isAllowed = allowedBy(places, order);
  const paths = changes
    .map(({ path }) => toText(path))
    .filter((path) => kindOf(study, path) !== "source" && !isAllowed(path));
  if (paths.length === 0) {
    const isNothing = report.verdict === "unbroken" && changes.length === 0;
    const on = reference.onTopOf.length === 0 ? {} : { on: [...reference.onTopOf] };
    return {
      report: { ...report, ...(isNothing ? { because: "nothing-changed" } : {}), ...on },
      warnings: [],
    };
  }
  const needs = await showNeeds({ places, study, order }, paths);
  const why = `it changed ${listSome(paths)}, and the checks ran in the project, where nothing shows what made them pass`;
  return {
    report: { ...report, verdict: "unverified", because: "influence", needs },
    warnings: [`${NOT_VERIFIED}${why}`],
  };
}

/** Whether a task allows changes of a path (text, from the top). */
export function allowedBy(
  places: ColdPlaces,
  { allowed }: Pick<ColdOrder, "allowed">,
): (path: string) => boolean {
  return matchAllowed(allowed, pathFromTop(places.rooms, places.projectDir));
}
