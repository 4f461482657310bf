// Studies the changes of an attempt before any command runs: which of them are source, checks, or in doubt.
// sort/sort.ts judges, sort-study.ts reads what it asks for, and judge-work.ts runs the rooms.
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/read/diff.js";
import { readBlobs } from "../../git/base/objects.js";
import { baseFilesOf, pathFromTop, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import type { FileKind } from "../sort/files.js";
import type { Commands } from "../sort/loads.js";
import type { Sorted, Sorter } from "../sort/sort.js";
import { withoutAddedSuppressions } from "../influence/suppressions.js";
import { testTexts, withTestsOf } from "../influence/tests-in-source.js";
import { testsThatRun, type TestsThatRun } from "../influence/tests-that-run.js";
import { askSorter, type ChangesToSort } from "./sort-study.js";
import type { HomeMade } from "../sort/home-made.js";

/** Bigger files are compared as a whole and are not searched for further files. */
const MOST_BYTES = 1024 * 1024;

/** The text of a file in a room, in place of its version. `path`, `text`: bytes. */
export type RoomText = RoomOrder["texts"][number];

/** The facts about changes that their files show. */
export interface Study {
  base: string;
  persons: readonly DiffEntry[];
  baseFiles: ReadonlyMap<string, Version>;
  changes: readonly DiffEntry[];
  /** Answers of paths (text), also of those that did not change. */
  sorter: Pick<Sorter, "isCheck" | "isTest" | "isOfOwnCommand">;
  /** The kind of each changed path (text). */
  kinds: ReadonlyMap<string, Sorted>;
  /** Source files that have tests in them, with these as at the base. */
  withOldTests: readonly RoomText[];
  /** The same files as at the base, with the tests in them as the changes left them. */
  withNewTests: readonly RoomText[];
  /** Source files (text) that count as checks: tests in them cannot be told apart from the program, or went with a removed file. */
  mixed: ReadonlySet<string>;
  /** The bytes of small changed blobs, by id. */
  blobs: ReadonlyMap<string, string>;
}

interface StudyOrder {
  base: string;
  /** Changes that a person made to the base; they count as part of it. */
  persons: readonly DiffEntry[];
  changes: readonly DiffEntry[];
  /** All commands of the gate. */
  commands: Commands;
}

/** Check scripts that look for their tests in folders of the program. Throws a `GitError`. */
export async function studyRunners(places: ColdPlaces, order: StudyOrder): Promise<HomeMade[]> {
  return askSorter(places, await toSort(places, order), (sorter) => sorter.homeMade());
}

/** Studies changes. Throws a `GitError`. */
export async function studyChanges(places: ColdPlaces, order: StudyOrder): Promise<Study> {
  const { base, persons, changes } = order;
  const study = await toSort(places, order);
  const { baseFiles, blobs } = study;
  const commands = [...order.commands.project, ...order.commands.own];
  const { sorter, sorted, tests } = await askSorter(places, study, (sorter, all, files) => ({
    sorter,
    sorted: all.map((change) => sorter.sort(change)),
    tests: testsThatRun(all, files, { sorter, commands }),
  }));
  const kinds = new Map(sorted.map((one) => [one.path, one]));
  const separated = separateTests(study, kinds, tests);
  return { base, persons, baseFiles, changes, sorter, kinds, ...separated, blobs };
}

async function toSort(places: ColdPlaces, order: StudyOrder): Promise<ChangesToSort> {
  const { base, persons, changes, commands } = order;
  const baseFiles = await baseFilesOf(places, { base, persons });
  const [project = "", work = ""] = [places.projectDir, places.workDir].map((folder) =>
    pathFromTop(places.rooms, folder),
  );
  const oids = changes.flatMap(({ from, to }) => [from, to].filter(isBlob).map(({ oid }) => oid));
  const blobs = await readBlobs(places.rooms.repo, oids, MOST_BYTES);
  const settings = { protected: places.protected, source: places.source, project, work };
  return { base, persons, baseFiles, changes, blobs, commands, settings };
}

/** The kind of a changed path (text). */
export function kindOf({ kinds }: Pick<Study, "kinds">, path: string): FileKind {
  return kinds.get(path)?.kind ?? "doubt";
}

/** Tells program and tests apart in changed source files; a file where that cannot be done becomes a check. */
function separateTests(
  { changes, blobs }: Pick<Study, "changes" | "blobs">,
  kinds: Map<string, Sorted>,
  { runsExamples, isRun }: TestsThatRun,
): Pick<Study, "withOldTests" | "withNewTests" | "mixed"> {
  const [withOldTests, withNewTests, mixed] = [[] as RoomText[], [] as RoomText[], new Set<string>()];
  const textOf = (version: Version): string | undefined => (exists(version) ? blobs.get(version.oid) : "");
  const testsOf = (bytes: string, version: Version): string[] => {
    const path = toText(bytes);
    return testTexts({ path, text: textOf(version) ?? "" }, isRun(path));
  };
  const moved = new Set(changes.flatMap(({ path, from }) => testsOf(path, from)));
  const left = new Set(changes.flatMap(({ path, to }) => testsOf(path, to)));
  for (const { path: bytes, from, to } of changes) {
    const path = toText(bytes);
    const [before, after] = [textOf(from), textOf(to)];
    if (kindOf({ kinds }, path) !== "source" || before === undefined || after === undefined) continue;
    const usage = { runsExamples, isRun: isRun(path), moved };
    const losesTests = !exists(to) && testsOf(bytes, from).some((one) => !left.has(one));
    const kept = exists(to) ? withTestsOf({ path, before, after }, usage) : undefined;
    if (losesTests || kept === "check") {
      mixed.add(path);
      kinds.set(path, { path, kind: "check", row: 6, why: "it holds tests that cannot be told apart" });
    } else if (kept !== undefined) {
      withOldTests.push({ path: bytes, mode: to.mode, text: kept.text });
      const turned = withTestsOf({ path, before: after, after: before }, { ...usage, moved: left });
      if (typeof turned === "object") withNewTests.push({ path: bytes, mode: to.mode, text: turned.text });
    }
  }
  return { withOldTests, withNewTests, mixed };
}

/** The source of a room with the suppressions blanked that it adds; empty if it adds none. */
export function blankSuppressions({ changes, blobs }: Study, room: RoomOrder): RoomText[] {
  const texts = new Map(room.texts.map((one) => [one.path, one.text]));
  const inRoom = new Set(room.entries.map(({ path }) => path));
  return changes.flatMap(({ path, from, to }) => {
    const after = texts.get(path) ?? blobs.get(to.oid);
    if (!inRoom.has(path) || after === undefined) return [];
    const blanked = withoutAddedSuppressions(toText(path), blobs.get(from.oid), after);
    return blanked === undefined ? [] : [{ path, mode: to.mode, text: blanked }];
  });
}

/** The content of a room: the base with these changes. `hasOldTests`: tests stay as at the base, also those in source. */
export function roomOrder(
  { base, persons, baseFiles, withOldTests }: Study,
  entries: readonly DiffEntry[] = [],
  hasOldTests = false,
): RoomOrder {
  const inRoom = new Set(entries.map(({ path }) => path));
  const texts = hasOldTests ? withOldTests.filter(({ path }) => inRoom.has(path)) : [];
  return { base, persons, baseFiles, entries, texts };
}

function isBlob({ mode }: Version): boolean {
  return mode.startsWith("100") || mode === "120000";
}
