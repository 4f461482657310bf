// Reads from git what sorting an attempt's changes asks for, as far as it asks. Leaves the judgement to sort/sort.ts.
import { posix } from "node:path";
import { toBytes, toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/read/diff.js";
import { pathsWith } from "../../git/base/read/grep.js";
import { readBlobs } from "../../git/base/objects.js";
import { isNew, type ChangedFile, type ReferenceFiles } from "../sort/files.js";
import { mayBeProgram } from "../sort/found-first.js";
import { Sorter, type SortOrder } from "../sort/sort.js";
import type { ColdPlaces } from "./cold-room.js";

/** Bigger files name nothing. */
const MOST_BYTES = 1024 * 1024;

/** Changes to a base, to which a person's changes belong. `blobs`: the bytes of small changed blobs, by id. */
export interface ChangesToSort extends Pick<SortOrder, "commands" | "settings"> {
  base: string;
  persons: readonly DiffEntry[];
  baseFiles: ReadonlyMap<string, Version>;
  changes: readonly DiffEntry[];
  blobs: ReadonlyMap<string, string>;
}

/** Asks again with all texts that the last answer missed, which are read together. Throws a `GitError`. */
export async function askSorter<T>(
  places: ColdPlaces,
  study: ChangesToSort,
  ask: (sorter: Sorter, changes: readonly ChangedFile[], files: ReferenceFiles) => T,
): Promise<T> {
  const { blobs, commands, settings } = study;
  const changes = study.changes.map((entry) => changedFile(entry, blobs));
  const texts = new ReferenceTexts(places, study);
  const files = texts.reference;
  const programs = await findPrograms(places, changes);
  const hasProgram = (name: string): boolean => programs.has(name);
  for (;;) {
    const answer = ask(new Sorter({ changes, files, commands, settings, hasProgram }), changes, files);
    if (!(await texts.read())) return answer;
  }
}

/** The names of new files that are names of programs on PATH as well. */
async function findPrograms(
  { rooms, env, workDir }: ColdPlaces,
  changes: readonly ChangedFile[],
): Promise<ReadonlySet<string>> {
  const { processes } = rooms.repo.ports;
  const names = new Set(
    changes.filter((one) => isNew(one) && mayBeProgram(one)).map(({ path }) => posix.basename(path)),
  );
  const found = new Set<string>();
  for (const name of names)
    if ((await processes.which(name, env["PATH"] ?? "", workDir)) !== undefined) found.add(name);
  return found;
}

/** More words than these are looked up one set after the other: git compares each line with each word. */
const MOST_WORDS = 50;

/** The texts of the project at the reference, as far as they are asked for. */
class ReferenceTexts {
  readonly reference: ReferenceFiles;
  readonly #texts = new Map<string, string | undefined>();
  readonly #holders = new Map<string, readonly string[]>();
  readonly #words = new Set<string>();
  readonly #wanted = new Map<string, string>();

  constructor(
    private readonly places: ColdPlaces,
    private readonly study: ChangesToSort,
  ) {
    const { baseFiles, changes, blobs } = study;
    for (const { path, from } of changes) {
      const content = isFile(from) ? blobs.get(from.oid) : undefined;
      if (content !== undefined) this.#texts.set(toText(path), toText(content));
    }
    this.reference = {
      paths: [...baseFiles.keys()].map(toText),
      has: (path) => baseFiles.has(toBytes(path)),
      text: (path) => {
        this.#want(path);
        return this.#texts.get(path);
      },
      mentions: (word) => {
        const found = this.#holders.get(word);
        if (found === undefined) this.#words.add(word);
        return found ?? [];
      },
    };
  }

  /** Reads what was asked for; `false` if nothing was. */
  async read(): Promise<boolean> {
    const words = [...this.#words];
    if (words.length + this.#wanted.size === 0) return false;
    this.#words.clear();
    for (let at = 0; at < words.length; at += MOST_WORDS)
      await this.#search(words.slice(at, at + MOST_WORDS));
    await this.#readWanted();
    return true;
  }

  #want(path: string): void {
    if (this.#texts.has(path)) return;
    const version = this.study.baseFiles.get(toBytes(path));
    if (version !== undefined && isFile(version)) this.#wanted.set(path, version.oid);
  }

  /** Notes which files hold a word. Those that a person changed are all read: a search in the commit would not see the changes. */
  async #search(words: readonly string[]): Promise<void> {
    const { base, baseFiles, persons } = this.study;
    const found = await pathsWith(this.places.rooms.repo, base, words.map(toBytes));
    const paths = [...new Set([...found, ...persons.map(({ path }) => path)])]
      .filter((path) => baseFiles.has(path))
      .map(toText);
    for (const path of paths) this.#want(path);
    await this.#readWanted();
    for (const word of words)
      this.#holders.set(
        word,
        paths.filter((path) => this.#texts.get(path)?.includes(word) === true),
      );
  }

  async #readWanted(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    const read = await readBlobs(
      this.places.rooms.repo,
      wanted.map(([, oid]) => oid),
      MOST_BYTES,
    );
    for (const [path, oid] of wanted) {
      const content = read.get(oid);
      this.#texts.set(path, content === undefined ? undefined : toText(content));
    }
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
