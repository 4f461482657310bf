// Reads from git what classifying an attempt's changes asks for, as far as it asks. Leaves the judgement to classify.ts.
import { toBytes, toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/diff.js";
import { pathsWith } from "../../git/base/grep.js";
import { readBlobs } from "../../git/base/objects.js";
import { classify, type ChangedFile, type Classified, type NameRules } from "../influence/classify.js";
import type { ColdPlaces } from "./cold-room.js";

/** Bigger files name nothing. */
const MOST_BYTES = 1024 * 1024;

/** Changes to a base, to which a person's changes belong. `blobs`: the bytes of small changed blobs, by id. */
interface ChangesToClassify {
  base: string;
  persons: readonly DiffEntry[];
  baseFiles: ReadonlyMap<string, Version>;
  changes: readonly DiffEntry[];
  blobs: ReadonlyMap<string, string>;
}

/** Classifies every change. Throws a `GitError`. */
export async function classifyChanges(
  { rooms }: ColdPlaces,
  { base, persons, baseFiles, changes, blobs }: ChangesToClassify,
  rules: NameRules,
): Promise<Classified[]> {
  const place = rooms.repo;
  const files = changes.map((entry) => changedFile(entry, blobs));
  const personal = new Set(persons.map(({ path }) => path));
  const texts = new Map<string, string | undefined>();
  const holders = new Map<string, readonly string[]>();
  const paths = [...baseFiles.keys()].map(toText);
  // What a person changed since the commit is read as a whole: a search in the commit would not see it.
  const own = await readBlobs(
    place,
    persons.filter(({ to }) => isFile(to)).map(({ to }) => to.oid),
    MOST_BYTES,
  );
  const ownTexts = persons.map(({ path, to }) => ({
    path: toText(path),
    text: toText(own.get(to.oid) ?? ""),
  }));
  for (;;) {
    const words = new Set<string>();
    const wanted = new Map<string, string>();
    const text = (path: string): string | undefined => {
      const version = baseFiles.get(toBytes(path));
      if (version !== undefined && isFile(version) && !texts.has(path)) wanted.set(path, version.oid);
      return texts.get(path);
    };
    const mentions = (word: string): readonly string[] => {
      const known = holders.get(word);
      if (known === undefined) words.add(word);
      return known ?? [];
    };
    const reference = { paths, has: (path: string) => baseFiles.has(toBytes(path)), text, mentions };
    const found = classify(files, reference, rules);
    if (words.size + wanted.size === 0) return found;
    const holding = await pathsWith(place, base, [...words].map(toBytes));
    const candidates = [...holding].filter((path) => baseFiles.has(path) && !personal.has(path)).map(toText);
    for (const path of candidates) {
      const version = baseFiles.get(toBytes(path));
      if (version !== undefined && isFile(version) && !texts.has(path)) wanted.set(path, version.oid);
    }
    const read = await readBlobs(place, wanted.values(), MOST_BYTES);
    for (const [path, oid] of wanted) {
      const content = read.get(oid);
      texts.set(path, content === undefined ? undefined : toText(content));
    }
    const all = [...candidates.map((path) => ({ path, text: texts.get(path) })), ...ownTexts];
    for (const word of words)
      holders.set(
        word,
        all.flatMap((one) => (one.text?.includes(word) === true ? [one.path] : [])),
      );
  }
}

function changedFile({ path, from, to }: DiffEntry, blobs: ReadonlyMap<string, string>): ChangedFile {
  const textOf = (version: Version): string | undefined => {
    const content = exists(version) ? blobs.get(version.oid) : undefined;
    return content === undefined ? undefined : toText(content);
  };
  return { path: toText(path), from, to, before: textOf(from), after: textOf(to) };
}

function isFile({ mode }: Version): boolean {
  return mode.startsWith("100");
}
