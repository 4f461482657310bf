// Studies the changes of an attempt before any command runs: which of them are source, checks, or in doubt. Reads from git what
// sorting asks for, as far as it asks. sort/sort.ts judges, and judge-work.ts runs the rooms.
import { posix } from "node:path";
import { toBytes, toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/read/diff.js";
import { pathsWith, readBlobs } from "../../git/base/objects.js";
import { pathFromTop, readBase, type BaseTree, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { isNew, type ChangedFile, type FileKind, type ReferenceFiles } from "../sort/files.js";
import { mayBeProgram } from "../sort/found-first.js";
import type { HomeMade } from "../sort/home-made.js";
import type { Commands } from "../sort/loads.js";
import { Sorter, type Sorted, type SortOrder } from "../sort/sort.js";
import { withoutAddedSuppressions } from "../influence/suppressions.js";
import { testTexts, withTestsOf, hasExamples } from "../influence/tests-in-source.js";

/** Bigger files are compared as a whole and are not searched for further files. */
const MOST_BYTES = 1024 * 1024;

/** The text of a file in a room, in place of its version. `path`, `text`: bytes. */
export type RoomText = RoomOrder["texts"][number];

/** Changes to the base. */
interface StudyOrder {
  base: string;
  /** Changes that a person made to the base; they count as part of it. */
  persons: readonly DiffEntry[];
  changes: readonly DiffEntry[];
  /** By path (bytes): what a room of the source has of a changed manifest in place of all its changes. */
  manifests?: ReadonlyMap<string, Version>;
  /** All commands of the gate. */
  commands: Commands;
}

/** The changes as git has them. */
interface Facts {
  base: BaseTree;
  changes: readonly DiffEntry[];
  /** The bytes of small changed blobs, by id. */
  blobs: ReadonlyMap<string, string>;
  manifests: ReadonlyMap<string, Version>;
}

/** The facts about changes that their files show. */
export interface Study extends Facts {
  /** Answers of paths (text), also of those that did not change. */
  sorter: Pick<Sorter, "isCheck" | "isTest" | "ownCommandsWith">;
  /** The kind of each changed path (text). */
  kinds: ReadonlyMap<string, Sorted>;
  /** Source files that have tests in them, with these as at the base; and manifests with new dependencies alone. */
  withOldTests: readonly RoomText[];
  /** The manifests (text) among them: an earlier task changed more of these, which is not in a room of the source. */
  heldManifests: ReadonlySet<string>;
  /** The same files as at the base, with the tests in them as the changes left them. */
  withNewTests: readonly RoomText[];
  /** Source (text) that counts as checks: its tests cannot be told apart, or went with a removed file. */
  mixed: ReadonlySet<string>;
}

/** Check scripts that look for their tests in folders of the program. Throws a `GitError`. */
export async function studyRunners(places: ColdPlaces, order: StudyOrder): Promise<HomeMade[]> {
  return askSorter(places, order, await readFacts(places, order), (sorter) => sorter.homeMade());
}

/** Studies changes. Throws a `GitError`. */
export async function studyChanges(places: ColdPlaces, order: StudyOrder): Promise<Study> {
  const facts = await readFacts(places, order);
  const commands = [...order.commands.project, ...order.commands.own];
  const { sorter, sorted, tests } = await askSorter(places, order, facts, (sorter, all, files) => ({
    sorter,
    sorted: all.map((change) => sorter.sort(change)),
    tests: testsThatRun(all, files, { sorter, commands }),
  }));
  const kinds = new Map(sorted.map((one) => [one.path, one]));
  const { withOldTests, ...separated } = separateTests(facts, kinds, tests);
  const manifests = [...facts.manifests].flatMap(([path, { mode, oid }]): RoomText[] => {
    const text = facts.blobs.get(oid);
    return text !== undefined && kindOf({ kinds }, toText(path)) === "source" ? [{ path, mode, text }] : [];
  });
  return {
    ...{ ...facts, sorter, kinds, ...separated },
    withOldTests: [...withOldTests, ...manifests],
    heldManifests: new Set(manifests.map(({ path }) => toText(path))),
  };
}

async function readFacts(
  places: ColdPlaces,
  { base, persons, changes, manifests = new Map() }: StudyOrder,
): Promise<Facts> {
  const versions = [...changes.flatMap(({ from, to }) => [from, to]), ...manifests.values()];
  const oids = versions.filter(isBlob).map(({ oid }) => oid);
  const [blobs, read] = await Promise.all([
    readBlobs(places.rooms.repo, oids, MOST_BYTES),
    readBase(places, base, persons),
  ]);
  return { base: read, changes, blobs, manifests };
}

/** The kind of a changed path (text). */
export function kindOf({ kinds }: Pick<Study, "kinds">, path: string): FileKind {
  return kinds.get(path)?.kind ?? "doubt";
}

/** Tells program and tests apart in changed source; a file where that cannot be done becomes a check. */
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

/** The base with these changes. `hasOldTests`: tests stay as at the base, also those in source. */
export function roomOrder(
  { base, withOldTests }: Study,
  entries: readonly DiffEntry[] = [],
  hasOldTests = false,
): RoomOrder {
  const inRoom = new Set(entries.map(({ path }) => path));
  return { base, entries, texts: hasOldTests ? withOldTests.filter(({ path }) => inRoom.has(path)) : [] };
}

function isBlob({ mode }: Version): boolean {
  return mode.startsWith("100") || mode === "120000";
}

/** Asks again with all texts that the last answer missed, which are read together. Throws a `GitError`. */
async function askSorter<T>(
  places: ColdPlaces,
  { commands }: StudyOrder,
  facts: Facts,
  ask: (sorter: Sorter, changes: readonly ChangedFile[], files: ReferenceFiles) => T,
): Promise<T> {
  const [project = "", work = ""] = [places.projectDir, places.workDir].map((folder) =>
    pathFromTop(places.rooms, folder),
  );
  const changes = facts.changes.map((entry) => changedFile(entry, facts));
  const { files, read } = readAsAsked(places, facts);
  const programs = await findPrograms(places, changes);
  const sorting: SortOrder = {
    ...{ changes, files, commands },
    settings: { protected: places.protected, source: places.source, project, work },
    hasProgram: (name) => programs.has(name),
  };
  for (;;) {
    const sorter = new Sorter(sorting);
    if (await read()) continue;
    const answer = ask(sorter, changes, files);
    if (!(await read())) return answer;
  }
}

/** The names of new files that are names of programs on PATH as well. */
async function findPrograms(
  { rooms, env, workDir }: ColdPlaces,
  changes: readonly ChangedFile[],
): Promise<ReadonlySet<string>> {
  const { processes } = rooms.repo.ports;
  const found = new Set<string>();
  for (const { path } of changes.filter((one) => isNew(one) && mayBeProgram(one))) {
    const name = posix.basename(path);
    if ((await processes.which(name, env["PATH"] ?? "", workDir)) !== undefined) found.add(name);
  }
  return found;
}

/** More words than these are looked up one set after the other: git compares each line with each word. */
const MOST_WORDS = 50;

/** The project with the texts that were read so far. `read`: reads what was asked for, if anything. */
function readAsAsked(
  { rooms: { repo } }: ColdPlaces,
  { base: { commit, persons, files } }: Facts,
): { files: ReferenceFiles; read: () => Promise<boolean> } {
  const texts = new Map<string, string | undefined>();
  const holders = new Map<string, readonly string[]>();
  const [wanted, words] = [new Map<string, string>(), new Set<string>()];
  const want = (path: string): void => {
    const version = texts.has(path) ? undefined : files.get(toBytes(path));
    if (version !== undefined && isFile(version)) wanted.set(path, version.oid);
  };
  const readWanted = async (): Promise<void> => {
    const asked = [...wanted];
    wanted.clear();
    const oids = asked.map(([, oid]) => oid);
    const blobs = await readBlobs(repo, oids, MOST_BYTES);
    for (const [path, oid] of asked) texts.set(path, textIn(blobs, oid));
  };
  /** Notes which files hold a word. Those that a person changed are all read: they are not in the commit. */
  const search = async (some: readonly string[]): Promise<void> => {
    const found = await pathsWith(repo, commit, some.map(toBytes));
    const all = new Set([...found, ...persons.map(({ path }) => path)]);
    const paths = [...all].filter((path) => files.has(path)).map(toText);
    for (const path of paths) want(path);
    await readWanted();
    for (const word of some) {
      const held = paths.filter((path) => texts.get(path)?.includes(word) === true);
      holders.set(word, held);
    }
  };
  return {
    files: {
      paths: [...files.keys()].map(toText),
      has: (path) => files.has(toBytes(path)),
      text: (path) => {
        want(path);
        return texts.get(path);
      },
      mentions: (word) => {
        if (!holders.has(word)) words.add(word);
        return holders.get(word) ?? [];
      },
    },
    read: async () => {
      const asked = [...words];
      if (asked.length + wanted.size === 0) return false;
      words.clear();
      for (let at = 0; at < asked.length; at += MOST_WORDS) await search(asked.slice(at, at + MOST_WORDS));
      await readWanted();
      return true;
    },
  };
}

function changedFile({ path, from, to }: DiffEntry, { blobs, manifests }: Facts): ChangedFile {
  const after = textIn(blobs, (manifests.get(path) ?? to).oid);
  return { path: toText(path), from, to, before: textIn(blobs, from.oid), after };
}

function textIn(blobs: ReadonlyMap<string, string>, oid: string): string | undefined {
  const bytes = blobs.get(oid);
  return bytes === undefined ? undefined : toText(bytes);
}

function isFile({ mode }: Version): boolean {
  return mode.startsWith("100");
}

// Which tests in source run: whether the checks run the examples in documentation, and which files of the program a
// test runner is given. Read from the commands, and from the settings, scripts and tests at the reference.

/** The tests in source that the checks run. */
export interface TestsThatRun {
  /** They run the examples in documentation. */
  runsExamples: boolean;
  /** Whether a test runner is given a file, or takes it by its name. */
  isRun: (path: string) => boolean;
}

const RUNS_EXAMPLES = /doctest|\bcargo["',]*\s+["']?(?:test|t)\b/i;
/** Words of texts that may match. */
const PROBES = ["doctest", "cargo"];
/** pytest is told to look for tests in every module. */
const TAKES_MODULES = /\bpython_files["']?\s*=[^\n]{0,200}(?<![\w])\*\.py/;

/** Finds out which tests in source run; looks into the project only if a changed file asks for it. */
export function testsThatRun(
  changes: readonly ChangedFile[],
  { mentions, text }: ReferenceFiles,
  { sorter, commands }: { sorter: Pick<Sorter, "isCheck" | "isTest" | "isRun">; commands: readonly string[] },
): TestsThatRun {
  const saidByChecks = (words: readonly string[], what: RegExp): boolean =>
    words.some((word) => mentions(word).some((path) => sorter.isCheck(path) && what.test(text(path) ?? "")));
  const may = changes.some(({ path, before, after }) => hasExamples(path, before ?? after ?? ""));
  const runsExamples =
    may && (commands.some((one) => RUNS_EXAMPLES.test(one)) || saidByChecks(PROBES, RUNS_EXAMPLES));
  const takesModules =
    changes.some(({ path }) => path.endsWith(".py")) && saidByChecks(["python_files"], TAKES_MODULES);
  return {
    runsExamples,
    isRun: (path) => sorter.isRun(path) || sorter.isTest(path) || (takesModules && path.endsWith(".py")),
  };
}
