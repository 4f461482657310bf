// The gate in cold rooms, where no file of the project's folder is read. Judges an attempt: the whole attempt
// first, then the reference with the attempt's source alone, so that no change to a check decides the
// verdict. study.ts tells source from checks, cold-pass.ts runs one room, needed-changes.ts finds what the
// checks do not pass without, prove.ts what the work turned green.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, joinChanges } from "../../git/base/read/diff.js";
import { runPass, passesAlone, type ColdOrder, type Gate, type PassResult } from "./cold-pass.js";
import { pathFromTop, type ColdPlaces } from "./cold-room.js";
import { blankSuppressions, kindOf, studyChanges, type Study } from "./study.js";
import { makeBaseline, reportInterrupted } from "../commands/gate.js";
import type { GatePlan } from "../commands/run-commands.js";
import { mergeManifests } from "../influence/reference.js";
import { given } from "../../system/given.js";
import { listSome } from "../../system/text/cut.js";
import { earlierInfluence, explainNeeds, findNeeds, showNeeds } from "./needed-changes.js";
import { findProof, whyUnbroken } from "./prove.js";
import { orderWith, wholeOrder } from "./room-orders.js";
import { isGreen } from "../verdict/compare.js";
import { findMissingCases } from "../verdict/compare-cases.js";
import { isProven } from "../verdict/proof.js";
import { ranNothing } from "../verdict/runs.js";
import type { Baseline, GateReport } from "../verdict.js";
import { matchAllowed } from "../sort/files.js";
import type { Commands } from "../sort/loads.js";
import { matcherOf, TESTS } from "../sort/names.js";
import type { Sorted } from "../sort/sort.js";
import { NOT_VERIFIED } from "../verdict/reasons.js";

const isTestName = matcherOf(TESTS);

/** The verdict, and the results for the next task. */
export interface JudgedWork {
  report: GateReport;
  /** The next task's baseline; `undefined` if the attempt does not pass. */
  now: Baseline | undefined;
  warnings: readonly string[];
}

/** The paths (text) that are not source and not allowed by the task. */
interface Influence {
  /** Of all agents' changes since the reference. */
  all: readonly string[];
  /** Of this attempt. */
  own: readonly string[];
}

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

/** Studies all changes by agents since the start of the run. */
async function studyAttempt(places: ColdPlaces, { reference, changes, plan }: ColdOrder): Promise<Study> {
  const { start: base, persons, since } = reference;
  return studyChanges(places, {
    ...{ base, persons, changes: joinChanges(since, changes) },
    manifests: await mergeManifests(places.rooms.repo, reference, changes),
    commands: commandsOf(plan),
  });
}

/** A task's own script may be what the task is about; a stage's commands are checks like the project's. */
function commandsOf({ commands, own, isOfStage }: GatePlan): Commands {
  return isOfStage === true ? { project: own, own: [] } : { project: commands, own };
}

/** Whether a task allows changes of a path (text, from the top). */
export function allowedBy(
  { rooms, projectDir }: ColdPlaces,
  { allowed }: Pick<ColdOrder, "allowed">,
): (path: string) => boolean {
  return matchAllowed(allowed, pathFromTop(rooms, projectDir));
}

/**
 * The verdict on an attempt that passed in the project's folder: unverified if it changed anything but
 * source, since nothing shows what made it pass. Throws a `GitError`.
 */
export async function judgeWithoutRooms(
  places: ColdPlaces,
  order: ColdOrder,
  report: GateReport,
): Promise<Pick<JudgedWork, "report" | "warnings">> {
  const { base, changes, plan } = order;
  const study = await studyChanges(places, { base, persons: [], changes, commands: commandsOf(plan) });
  const { own: paths } = findInfluence({ study, order, isAllowed: allowedBy(places, order) });
  if (paths.length === 0) {
    const own = { ...report, ...onTopOf(order) };
    return { report: changes.length === 0 ? asUnchanged(own) : own, warnings: [] };
  }
  const needs = await showNeeds({ places, study, order }, paths);
  const why = `it changed ${listSome(paths)}, and the checks ran in the project, where nothing shows what made them pass`;
  return {
    report: { ...report, verdict: "unverified", because: "influence", needs },
    warnings: [`${NOT_VERIFIED}${why}`],
  };
}

/** Without a change nothing turned green because of the work: what git ignores proves nothing. */
function asUnchanged(report: GateReport): GateReport {
  const { proof } = report;
  const bare = proof === undefined ? {} : { proof: { ...proof, fail_to_pass: [], new_tests: [] } };
  return { ...report, ...bare, verdict: "unbroken", because: "nothing-changed" };
}

/** The unverified tasks that a verdict is on top of. */
function onTopOf({ reference }: ColdOrder): Pick<GateReport, "on"> {
  return reference.onTopOf.length === 0 ? {} : { on: [...reference.onTopOf] };
}

/** Judges an attempt in rooms. */
async function judgeWork(gate: Gate): Promise<JudgedWork> {
  const end = (report: GateReport): JudgedWork => ({ report, now: undefined, warnings: [] });
  const influence = findInfluence(gate);
  const isSourceAlone = influence.all.length === 0 && gate.study.heldManifests.size === 0;
  const whole = isSourceAlone ? undefined : await runPass(gate, wholeOrder(gate));
  if (whole !== undefined && !isGreen(whole.report)) return end(whole.report);
  const alone = await runAlone(gate, influence, whole);
  const { report, now } = alone.source;
  const isOver = report.verdict === "interrupted" || report.verdict === "tampered";
  if (isOver || (whole === undefined && !isGreen(report))) return end(report);
  const settled = await settle(gate, { influence, whole, alone });
  // A room that was stopped did not pass, and says nothing of the attempt.
  if (settled === undefined || gate.stop.aborted) return end(reportInterrupted(true));
  const verdict = { ...(whole?.report ?? report), ...settled.report };
  // With what the work needs, the next task begins on a tree that no room had.
  const isKnown = verdict.verdict !== "failed" && verdict.because !== "influence";
  const all = whole === undefined ? undefined : makeBaseline(whole.now).commands;
  return {
    report: verdict,
    now: isKnown ? { ...makeBaseline(now), ...given({ all }) } : undefined,
    warnings: settled.doubts.map((doubt) => `${NOT_VERIFIED}${doubt}`),
  };
}

/** Finds the changes that are not source, without those that the task's `changes` allow. */
function findInfluence({ study, order, isAllowed }: Pick<Gate, "study" | "order" | "isAllowed">): Influence {
  const all = study.changes
    .map(({ path }) => toText(path))
    .filter((path) => kindOf(study, path) !== "source" && !isAllowed(path));
  const own = new Set(order.changes.map(({ path }) => toText(path)));
  return { all, own: all.filter((path) => own.has(path)) };
}

/** The rooms in which every check is as at the reference. */
interface Alone {
  /** The one with the source alone. */
  source: PassResult;
  /** The last one: all before it passed. */
  last: PassResult;
  /** The changed paths (text) that were in the room. */
  kept: ReadonlySet<string>;
  /** Source that passes only with the suppressions it adds. */
  suppressing?: readonly string[];
}

/**
 * Runs the source alone; with the checks of earlier tasks as this one found them, if it changed any; with the
 * files in doubt, if checks changed as well; and without added suppressions.
 */
async function runAlone(gate: Gate, influence: Influence, whole: PassResult | undefined): Promise<Alone> {
  const { study } = gate;
  const held = new Set(influence.all);
  const kept = new Set(study.changes.map(({ path }) => toText(path)).filter((path) => !held.has(path)));
  const order = orderWith(gate, kept);
  const source = await runPass(gate, order);
  if (!passesAlone(source, whole)) return { source, last: source, kept };
  const earlier = earlierInfluence(gate, kept);
  if (earlier.length > 0 && changesFound(gate, influence)) {
    const asFound = await runPass(gate, orderWith(gate, kept, earlier));
    if (!passesAlone(asFound, whole)) return { source, last: asFound, kept };
  }
  const inDoubt = influence.all.filter((path) => kindOf(study, path) === "doubt");
  if (inDoubt.length > 0 && inDoubt.length < influence.all.length) {
    const withDoubt = new Set([...kept, ...inDoubt]);
    const more = await runPass(gate, orderWith(gate, withDoubt));
    if (!passesAlone(more, whole)) return { source, last: more, kept: withDoubt };
  }
  const blanked = blankSuppressions(study, order.content);
  if (blanked.length === 0) return { source, last: source, kept };
  const replaced = new Set(blanked.map(({ path }) => path));
  const texts = [...order.content.texts.filter(({ path }) => !replaced.has(path)), ...blanked];
  const bare = await runPass(gate, { ...order, content: { ...order.content, texts } });
  if (passesAlone(bare, whole ?? source)) return { source, last: bare, kept };
  return { source, last: bare, kept, suppressing: blanked.map(({ path }) => toText(path)) };
}

/** Whether an attempt changed what earlier checks may read: new files that a runner starts are not. */
function changesFound({ study, order }: Gate, { own }: Influence): boolean {
  const isNew = new Map(order.changes.map(({ path, from }) => [toText(path), !exists(from)]));
  return own.some(
    (path) =>
      isNew.get(path) !== true || study.kinds.get(path)?.row !== 6 || !isTestName(posix.basename(path)),
  );
}

interface Settling {
  influence: Influence;
  whole: PassResult | undefined;
  alone: Alone;
}

interface Settled {
  report: Partial<GateReport>;
  /** Why it is not verified. */
  doubts: string[];
}

/** The verdict on an attempt whose own tree is green; `undefined` if the gate was stopped. */
async function settle(gate: Gate, rooms: Settling): Promise<Settled | undefined> {
  const { plan } = gate.order;
  const { influence, whole, alone } = rooms;
  if (plan.commands.length + plan.own.length === 0) return unverified({ because: "no-checks" });
  const doubt = (await findDoubt(gate, rooms)) ?? findMissing(gate, rooms);
  const strays = [...new Set([...alone.source.strays, ...(whole?.strays ?? [])])];
  if (strays.length > 0) {
    const { report, doubts } = doubt ?? unverified({});
    const stray = `the checked files differ from the commit: ${listSome(strays)} changed while the checks ran`;
    return { report, doubts: [...doubts, stray] };
  }
  if (doubt !== undefined) return doubt;
  const found = await findProof(gate, { source: alone.source, whole });
  if (found === undefined) return undefined;
  if ("failed" in found) return { report: found.failed, doubts: [] };
  const { proof } = found;
  const changed = influence.own.filter((path) => kindOf(gate.study, path) === "check");
  const because = whyUnbroken(gate, (whole ?? alone.source).report);
  return {
    report: {
      proof,
      ...(changed.length === 0 ? {} : { changed_checks: changed }),
      ...onTopOf(gate.order),
      ...(isProven(proof) ? { verdict: "passed" } : { verdict: "unbroken", because }),
    },
    doubts: [],
  };
}

function unverified(report: Partial<GateReport>, ...doubts: string[]): Settled {
  return { report: { ...report, verdict: "unverified" }, doubts };
}

/** The changes beside the source that the pass depends on; `undefined` if on none. */
async function findDoubt(gate: Gate, { influence, whole, alone }: Settling): Promise<Settled | undefined> {
  const { study } = gate;
  const needing = async (paths: readonly string[], why?: string, what = ""): Promise<Settled> => {
    const needs = await showNeeds(gate, paths);
    return unverified({ because: "influence", needs }, why ?? explainNeeds(needs, what));
  };
  if (alone.suppressing !== undefined)
    return needing(alone.suppressing, undefined, "comments that silence a check in ");
  if (!passesAlone(alone.last, whole)) {
    const { tasks, paths } = await findNeeds(gate, { ...influence, kept: alone.kept, whole });
    if (paths.length > 0) return needing(paths);
    const who = tasks.length === 0 ? "earlier tasks" : listSome(tasks);
    return unverified({ because: "influence", on: tasks }, `it passes only with checks that ${who} changed`);
  }
  const mixed = influence.own.filter((path) => study.mixed.has(path));
  if (mixed.length === 0) return undefined;
  return needing(mixed, `program and tests cannot be told apart in what it changed: ${listSome(mixed)}`);
}

/**
 * Cases that ran before and do not run in a room: they fail an attempt that changed no check that could hold
 * them. Or no test runner ran a case against the reference.
 */
function findMissing(
  { order: { baseline } }: Gate,
  { influence, whole, alone }: Settling,
): Settled | undefined {
  const [source, all] = [alone.source.now, whole?.now];
  // Tests that earlier tasks added must still run; those that an earlier one removed are not missed again.
  const missing =
    baseline?.all === undefined
      ? findMissingCases({ before: baseline?.commands, source, whole: all })
      : [
          ...findMissingCases({ before: baseline.commands, source }),
          ...findMissingCases({ before: baseline.all, whole: all }),
        ];
  if (missing.length > 0 && influence.own.length === 0)
    return { report: { verdict: "failed", evidence: missing.join("\n") }, doubts: [] };
  if (missing.length > 0) return unverified({ because: "no-report" }, ...missing);
  if (source.length === 0 || !source.every(ranNothing)) return undefined;
  return unverified({ because: "no-report" }, "the tests that were there before ran no case");
}
