// Finds and shows the changes to checks without which an attempt does not pass. needed.ts has the search.
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";
import { diffVersions } from "../../git/base/read/blob-diff.js";
import { given } from "../../system/given.js";
import { keepStart, listSome, shorten } from "../../system/text/cut.js";
import { passesAlone, runPass, type ColdOrder, type Gate, type PassResult } from "./cold-pass.js";
import type { Study } from "./cold-study.js";
import { findNeeded, type Candidate } from "../influence/needed.js";
import { orderWith } from "./room-orders.js";
import type { Need } from "../verdict.js";

/** The longest diff of one file, in characters, and how many files have one. */
const MOST_DIFF = 4 * 1024;
const MOST_DIFFS = 20;
const SHOWN_LINE = 60;

/** The changes that the checks do not pass without: earlier tasks' changes to checks, or else changes of this attempt. */
export interface NeededChanges {
  tasks: string[];
  needs: Need[];
}

/**
 * Finds it. `all`, `own`: the paths (text) that are not source, of all agents and of this attempt; `kept`: those that were
 * in the room which did not pass. Contract: the checks pass with all of them. Throws a `GitError`.
 */
export async function findNeeds(
  gate: Gate,
  { own, kept, whole }: { own: readonly string[]; kept: ReadonlySet<string>; whole: PassResult | undefined },
): Promise<NeededChanges> {
  const { study } = gate;
  const earlier = earlierInfluence(gate, kept);
  const ownPaths = new Set(own);
  if (earlier.length > 0) {
    const tasks = tasksOf(gate, earlier);
    if (own.length === 0) return { tasks, needs: [] };
    const result = await runPass(gate, orderWith(gate, kept, earlier));
    if (passesAlone(result, whole)) return { tasks, needs: [] };
  }
  const candidates = study.changes.flatMap(({ path, from }): Candidate[] => {
    const text = toText(path);
    if (!ownPaths.has(text) || kept.has(text)) return [];
    return [{ path: text, isTest: study.sorter.isTest(text), isNew: !exists(from) }];
  });
  const { clock } = gate.places.rooms.repo.ports;
  const { spent, thorough } = gate.places;
  const most = thorough === true ? Infinity : MOST_ATTRIBUTION_MS;
  const paths = await findNeeded(candidates, async (some) => {
    if (spent.attributionMs > most || gate.stop.aborted) return undefined;
    const began = clock.monotonic();
    const result = await runPass(gate, orderWith(gate, new Set([...kept, ...some]), earlier));
    spent.attributionMs += clock.monotonic() - began;
    return passesAlone(result, whole);
  });
  return { tasks: [], needs: await showNeeds(gate, paths) };
}

/** How long a run searches for the smallest sets, ms; `looper show --explain` has no limit. */
const MOST_ATTRIBUTION_MS = 60_000;

/** The changes that earlier tasks of the run made and that are not source. */
export function earlierInfluence({ study, order }: Gate, kept: ReadonlySet<string>): readonly DiffEntry[] {
  const changed = new Set(study.changes.map(({ path }) => path));
  return order.reference.since.filter(({ path }) => changed.has(path) && !kept.has(toText(path)));
}

function tasksOf({ order: { reference } }: Gate, entries: readonly DiffEntry[]): string[] {
  return [...new Set(entries.flatMap((entry) => reference.taskOf(entry) ?? []))];
}

/** The paths with the diffs that the attempt made, redacted. */
export async function showNeeds(
  {
    places,
    study,
    order,
  }: Pick<Gate, "places"> & { study: Pick<Study, "changes" | "kinds">; order: Pick<ColdOrder, "changes"> },
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
    needs.push({
      path,
      diff: places.redact(isWhole ? diff : keepStart(diff, MOST_DIFF)),
      ...given({ row, why }),
    });
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
