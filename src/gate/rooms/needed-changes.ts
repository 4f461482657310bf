// Finds and shows the changes to checks without which an attempt does not pass.
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";
import { diffVersions } from "../../git/base/read/file-diff.js";
import { given } from "../../system/given.js";
import { keepStart, listSome, shorten } from "../../system/text/cut.js";
import { passesAlone, runPass, type ColdOrder, type Gate, type PassResult } from "./cold-pass.js";
import { orderWith } from "./room-orders.js";
import type { Need } from "../verdict.js";

/** The longest diff of one file, in characters, and how many files have one. */
const MOST_DIFF = 4 * 1024;
const MOST_DIFFS = 20;
const SHOWN_LINE = 60;

/**
 * The changes that the checks do not pass without: earlier tasks with changes to checks, or else paths of
 * this attempt. `own`: its paths (text) that are not source; `kept`: those in the room which did not pass.
 * Contract: the checks pass with all. Throws a `GitError`.
 */
export async function findNeeds(
  gate: Gate,
  { own, kept, whole }: { own: readonly string[]; kept: ReadonlySet<string>; whole: PassResult | undefined },
): Promise<{ tasks: string[]; paths: string[] }> {
  const { study, order } = gate;
  const earlier = earlierInfluence(gate, kept);
  const passesWith = async (paths: ReadonlySet<string>): Promise<boolean> =>
    passesAlone(await runPass(gate, orderWith(gate, paths, earlier)), whole);
  if (earlier.length > 0 && (own.length === 0 || (await passesWith(kept)))) {
    const tasks = earlier.flatMap((entry) => order.reference.taskOf(entry) ?? []);
    return { tasks: [...new Set(tasks)], paths: [] };
  }
  const candidates = study.changes.flatMap(({ path, from }): Candidate[] => {
    const text = toText(path);
    if (!own.includes(text) || kept.has(text)) return [];
    return [{ path: text, isTest: study.sorter.isTest(text), isNew: !exists(from) }];
  });
  const { clock } = gate.places.rooms.repo.ports;
  const { spent, thorough } = gate.places;
  const most = thorough === true ? Infinity : MOST_ATTRIBUTION_MS;
  const paths = await findNeeded(candidates, async (some) => {
    if (spent.attributionMs > most || gate.stop.aborted) return undefined;
    const began = clock.monotonic();
    const passes = await passesWith(new Set([...kept, ...some]));
    spent.attributionMs += clock.monotonic() - began;
    return passes;
  });
  return { tasks: [], paths };
}

/** How long a run searches for the smallest sets, ms; `looper show --explain` has no limit. */
const MOST_ATTRIBUTION_MS = 60_000;

/** The changes that earlier tasks of the run made and that are not source. */
export function earlierInfluence({ study, order }: Gate, kept: ReadonlySet<string>): readonly DiffEntry[] {
  const changed = new Set(study.changes.map(({ path }) => path));
  const isHeld = (path: string): boolean => !kept.has(path) || study.heldManifests.has(path);
  return order.reference.since.filter(({ path }) => changed.has(path) && isHeld(toText(path)));
}

/** The paths with the diffs that the attempt made, redacted. */
export async function showNeeds(
  { places, study, order }: Pick<Gate, "places" | "study"> & { order: Pick<ColdOrder, "changes"> },
  paths: readonly string[],
): Promise<Need[]> {
  const entries = new Map([...study.changes, ...order.changes].map((entry) => [toText(entry.path), entry]));
  const needs: Need[] = [];
  const isWhole = places.thorough === true;
  for (const path of paths) {
    const entry = entries.get(path);
    const isShown = entry !== undefined && (isWhole || needs.length < MOST_DIFFS);
    const diff = isShown ? await diffVersions(places.rooms.repo, entry.from, entry.to) : "";
    const { row, why } = study.kinds.get(path) ?? {};
    const shown = places.redact(isWhole ? diff : keepStart(diff, MOST_DIFF));
    needs.push({ path, diff: shown, ...given({ row, why }) });
  }
  return needs;
}

/** "it passes only with" these files, and the first changed line of a single one. */
export function explainNeeds(needs: readonly Need[], what = ""): string {
  const [first] = needs;
  const lines = first?.diff.split("\n") ?? [];
  const line = lines.find((one) => /^\+\s*\S/.test(one)) ?? lines.find((one) => /^-\s*\S/.test(one));
  const shown = needs.length === 1 && line !== undefined ? ` (${shorten(line, SHOWN_LINE)})` : "";
  return `it passes only with ${what}${listSome(needs.map(({ path }) => path))}${shown}`;
}

// Finds a smallest set of changes with which the checks pass: QuickXplain (Junker, "Preferred Explanations
// and Relaxations for Over-Constrained Problems", 2004) on the most suspect group of paths that suffices.

/** A changed path (text) that is not source. `isTest`: by its name. `isNew`: not at the reference. */
export interface Candidate {
  path: string;
  isTest: boolean;
  isNew: boolean;
}

/** Whether the checks pass with these changes beside the source; `undefined`: the time is over. */
type Ask = (paths: readonly string[]) => Promise<boolean | undefined>;

/** Finds them. Contract: the checks pass with all and fail with none. Without time the best so far. */
export async function findNeeded(candidates: readonly Candidate[], ask: Ask): Promise<string[]> {
  const all = candidates.map(({ path }) => path);
  if (all.length <= 1) return all;
  // By how often a change of their kind turns a check: changed tests, other changes, new files.
  const rankOf = ({ isTest, isNew }: Candidate): number => (isNew ? 2 : isTest ? 0 : 1);
  const groups = [0, 1, 2]
    .map((rank) => candidates.filter((one) => rankOf(one) === rank).map(({ path }) => path))
    .filter((paths) => paths.length > 0);
  for (const group of groups.length > 1 ? groups : []) {
    const passes = await ask(group);
    if (passes === undefined) return all;
    if (passes) return reduce({ beside: [], among: group, isNew: false }, ask);
  }
  return reduce({ beside: [], among: groups.flat(), isNew: false }, ask);
}

/** The smallest part of `among` that passes `beside` others. `isNew`: whether these suffice is not known. */
async function reduce(
  { beside, among, isNew }: { beside: readonly string[]; among: readonly string[]; isNew: boolean },
  ask: Ask,
): Promise<string[]> {
  if (isNew && (await ask(beside)) === true) return [];
  if (among.length <= 1) return [...among];
  const half = Math.ceil(among.length / 2);
  const [first, second] = [among.slice(0, half), among.slice(half)];
  const later = await reduce({ beside: [...beside, ...first], among: second, isNew: true }, ask);
  const sooner = await reduce({ beside: [...beside, ...later], among: first, isNew: later.length > 0 }, ask);
  return [...sooner, ...later];
}
