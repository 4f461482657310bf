// Studies the changes of an attempt before any command runs: which files are protected, and whether existing tests were
// tampered with. protected.ts judges paths, tamper.ts judges texts, and cold-gate.ts runs the commands.
import { posix } from "node:path";
import { toBytes, toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/diff.js";
import { readBlobs } from "../../git/base/objects.js";
import { baseFilesOf, pathFromTop, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { protect, type Protection } from "../influence/protected.js";
import {
  findNamedFiles,
  type BaseFiles,
  type Commands,
  type Named,
} from "../influence/protected-commands.js";
import { mergeManifest } from "../influence/protected-manifests.js";
import { followMoves } from "../influence/protected-imports.js";
import type { Pass, RoomPlan } from "./protected-room.js";
import { findTampering, type ChangedFile } from "../influence/tamper.js";
import type { Tampering } from "../verdict.js";

/** Bigger files are compared as a whole and are not searched for further files. */
const MOST_BYTES = 1024 * 1024;

/** The facts about an attempt that its files show. */
export interface Study {
  base: string;
  persons: readonly DiffEntry[];
  baseFiles: ReadonlyMap<string, Version>;
  changes: readonly DiffEntry[];
  protection: Protection;
  named: Named;
  tampered: readonly Tampering[];
  /** The bytes of small changed blobs, by id. */
  blobs: ReadonlyMap<string, string>;
}

/** Studies an attempt. `commands`: all commands of the gate. Throws a `GitError`. */
export async function studyAttempt(
  places: ColdPlaces,
  order: {
    base: string;
    /** Changes that a person made to the base; they count as part of it. */
    persons: readonly DiffEntry[];
    changes: readonly DiffEntry[];
    commands: Commands;
    patterns: readonly string[];
  },
): Promise<Study> {
  const { repo } = places.rooms;
  const { base, persons, changes } = order;
  const baseFiles = await baseFilesOf(places, { base, persons });
  const [project, work] = [places.projectDir, places.workDir].map((folder) =>
    pathFromTop(places.rooms, folder),
  );
  const named = await nameFiles(places, baseFiles, order.commands, work ?? "");
  const protection = protect({
    patterns: order.patterns,
    project: project ?? "",
    work: work ?? "",
    named,
  });
  const oids = changes.flatMap(({ from, to }) => [from, to].filter(isBlob).map(({ oid }) => oid));
  const blobs = await readBlobs(repo, oids, MOST_BYTES);
  const files = changes.map((entry): ChangedFile => {
    const textOf = (version: Version): string | undefined => blobs.get(version.oid);
    return { ...entry, path: toText(entry.path), before: textOf(entry.from), after: textOf(entry.to) };
  });
  const tampered = findTampering(
    files,
    protection,
    oursAmong([...baseFiles.keys(), ...changes.map(({ path }) => path)]),
  );
  return { base, persons, baseFiles, changes, protection, named, tampered, blobs };
}

/** Whether a module that a test imports is the project's own: by its path, or by a file or folder of its name. */
function oursAmong(paths: readonly string[]): (module: string) => boolean {
  const names = new Set(paths.flatMap((path) => path.split("/").map((part) => part.replace(/\.\w+$/, ""))));
  return (module) => /^(?:[./#~]|@\/)/.test(module) || names.has(module.replace(/[./].*$/, ""));
}

/** The content of a room with the base alone. */
export function baseOrder({ base, persons, baseFiles }: Study): RoomOrder {
  return { base, persons, baseFiles, entries: [], texts: [] };
}

/** The content of a room by this plan. */
export function roomOrder(places: ColdPlaces, study: Study, plan: RoomPlan, pass: Pass): RoomOrder {
  const { blobs } = study;
  const texts = plan.manifests.flatMap(({ path, from, to }) => {
    const [old, now] = [blobs.get(from.oid), blobs.get(to.oid)];
    if (old === undefined || now === undefined) return [];
    const name = posix.basename(toText(path));
    const text = mergeManifest(name, { base: toText(old), now: toText(now) }, pass !== "work");
    return text === undefined ? [] : [{ path, mode: to.mode, text }];
  });
  const followed = pass === "work" ? testsWithMovedImports(places, study) : [];
  return { ...baseOrder(study), entries: plan.entries, texts: [...texts, ...followed] };
}

/** Old tests with updated imports of moved files. */
function testsWithMovedImports(places: ColdPlaces, study: Study): RoomOrder["texts"] {
  const { baseFiles, changes, protection, blobs } = study;
  const gone = new Set(changes.filter(({ to }) => !exists(to)).map(({ path }) => path));
  if (gone.size === 0) return [];
  const added = new Set(
    changes.filter(({ from, to }) => !exists(from) && exists(to)).map(({ path }) => path),
  );
  const isTest = (path: string): boolean => protection.kindOf(path) === "test";
  const work = pathFromTop(places.rooms, places.workDir);
  const files = {
    isGone: (path: string) => gone.has(toBytes(path)) && !isTest(path),
    isWork: (path: string) => {
      const bytes = toBytes(path);
      return (added.has(bytes) || (baseFiles.has(bytes) && !gone.has(bytes))) && !isTest(path);
    },
    roots: ["", work, "src", posix.join(work, "src"), posix.join(work, "lib")],
  };
  return changes.flatMap(({ path: bytes, from, to }) => {
    const path = toText(bytes);
    const [before, after] = [blobs.get(from.oid), blobs.get(to.oid)];
    if (before === undefined || after === undefined || !isTest(path)) return [];
    const text = followMoves(path, { before: toText(before), after: toText(after) }, files);
    return text === undefined ? [] : [{ path: bytes, mode: from.mode, text }];
  });
}

function isBlob({ mode }: Version): boolean {
  return mode.startsWith("100") || mode === "120000";
}

/** Finds the files that commands name; reads the scripts of each level at once. */
async function nameFiles(
  { rooms }: ColdPlaces,
  files: ReadonlyMap<string, Version>,
  commands: Commands,
  work: string,
): Promise<Named> {
  const texts = new Map<string, string | undefined>();
  for (;;) {
    const wanted = new Map<string, string>();
    const base: BaseFiles = {
      has: (path) => exists(files.get(toBytes(path)) ?? { mode: "000000", oid: "" }),
      text: (path) => {
        const version = files.get(toBytes(path));
        if (version !== undefined && isBlob(version) && !texts.has(path)) wanted.set(path, version.oid);
        return texts.get(path);
      },
    };
    const named = findNamedFiles(commands, work, base);
    if (wanted.size === 0) return named;
    const blobs = await readBlobs(rooms.repo, wanted.values(), MOST_BYTES);
    for (const [path, oid] of wanted) {
      const content = blobs.get(oid);
      texts.set(path, content === undefined ? undefined : toText(content));
    }
  }
}
