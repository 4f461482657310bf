// Finds the files that import or name a file of the project: at the reference, and as the attempt leaves it. Pure.
// Leaves which of these files are the program's to classify.ts. Each text is read once, so 10,000 changes stay a matter of seconds.
import { posix } from "node:path";
import { aliasesOf } from "./aliases.js";
import { extensionsOf, familyIn, familyOf } from "./families.js";
import { importsOf, type Import } from "./imports.js";
import { GONE, type ChangedFile, type ReferenceFiles } from "./kinds.js";
import { folderOf } from "./project-paths.js";
import { resolveImport, type Lookup, type SearchPath } from "./resolve-imports.js";

/** An import with the files that it leads to. */
export interface ResolvedImport {
  what: Import;
  leads: readonly string[];
}

/** One state of the project: its files, and their imports as far as they were asked for. */
interface State {
  lookup: Lookup;
  resolved: Map<string, readonly ResolvedImport[]>;
}

/** The imports of a project, by the files that they lead to. */
export class ImportGraph {
  readonly #changes: ReadonlyMap<string, ChangedFile>;
  readonly #before: State;
  readonly #now: State;
  /** Importers of each path among the texts that the attempt leaves. */
  #byTarget: ReadonlyMap<string, readonly string[]> | undefined;
  /** Changed files whose text, as the attempt leaves it, has a word. */
  #byWord: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(
    changes: readonly ChangedFile[],
    private readonly reference: ReferenceFiles,
    search: SearchPath,
  ) {
    this.#changes = new Map(changes.map((change) => [change.path, change]));
    const aliases = aliasesOf(reference);
    const sources = [...search, ...javaSources(reference.paths)];
    const state = (has: (path: string) => boolean): State => ({
      lookup: { files: { has }, search: sources, aliases },
      resolved: new Map(),
    });
    this.#before = state((path) => reference.has(path));
    this.#now = state((path) => {
      const change = this.#changes.get(path);
      return change === undefined ? reference.has(path) : change.to.mode !== GONE;
    });
  }

  /** Whether a path is a file as the attempt leaves it. */
  stays(path: string): boolean {
    return this.#now.lookup.files.has(path);
  }

  /** Packages that a manifest at the reference depends on. */
  get packages(): ReadonlySet<string> {
    return this.#before.lookup.aliases.packages;
  }

  /** Files that import a path: of one that was there at the reference, of a new one as the attempt leaves them. */
  importersOf(path: string): string[] {
    const isNew = !this.reference.has(path);
    const state = isNew ? this.#now : this.#before;
    const found = this.#candidates(path).filter((one) =>
      this.#importsAt(one, this.reference.text(one), state).some(({ leads }) => leads.includes(path)),
    );
    const added = isNew ? (this.#targets().get(path) ?? []) : [];
    return [...new Set([...found, ...added])].filter((one) => one !== path);
  }

  /** The imports of a file, as it is at the reference, that lead to a new path now, with what they led to before. */
  takenOver(path: string, by: string): { what: Import; before: readonly string[] }[] {
    const text = this.reference.text(by);
    const before = this.#importsAt(by, text, this.#before);
    return this.#importsAt(by, text, this.#now).flatMap(({ what, leads }, at) =>
      leads.includes(path) ? [{ what, before: before[at]?.leads ?? [] }] : [],
    );
  }

  /** The project's files that a file imports at the reference. */
  importsOf(path: string): readonly string[] {
    const found = this.#importsAt(path, this.reference.text(path), this.#before);
    return found.flatMap(({ leads }) => leads);
  }

  /** Files at the reference that may import a path, by a word of its name. */
  candidatesFor(path: string): readonly string[] {
    return this.#candidates(path);
  }

  /**
   * Files, at the reference or as the attempt leaves them, whose text passes; each has at least one of the words. `isLeft`: it is the
   * text of the attempt.
   */
  filesWith(
    words: readonly string[],
    passes: (text: string, path: string, isLeft: boolean) => boolean,
  ): string[] {
    const before = words
      .flatMap((word) => this.reference.mentions(word))
      .filter((one) => passes(this.reference.text(one) ?? "", one, false));
    const now = words
      .flatMap((word) => this.#words().get(probeOf(word)) ?? [])
      .filter((one) => passes(this.#changes.get(one)?.after ?? "", one, true));
    return [...new Set([...before, ...now])];
  }

  #candidates(path: string): readonly string[] {
    return [...new Set(namesOf(path).flatMap((word) => this.reference.mentions(word)))];
  }

  #importsAt(path: string, text: string | undefined, state: State): readonly ResolvedImport[] {
    if (text === undefined) return [];
    const known = state.resolved.get(path);
    if (known !== undefined) return known;
    const found = resolveAll(path, text, state.lookup);
    state.resolved.set(path, found);
    return found;
  }

  #targets(): ReadonlyMap<string, readonly string[]> {
    if (this.#byTarget !== undefined) return this.#byTarget;
    const found = new Map<string, string[]>();
    for (const { path, after } of this.#changes.values()) {
      if (after === undefined) continue;
      for (const { leads } of resolveAll(path, after, this.#now.lookup))
        for (const target of leads) addTo(found, target, path);
    }
    return (this.#byTarget = found);
  }

  #words(): ReadonlyMap<string, readonly string[]> {
    if (this.#byWord !== undefined) return this.#byWord;
    const found = new Map<string, string[]>();
    for (const { path, after } of this.#changes.values())
      for (const word of wordsOf(after ?? "")) addTo(found, word, path);
    return (this.#byWord = found);
  }
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** The words of a text, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(WORD));
}

/** The longest part of a name that is one word in any text with it. */
export function probeOf(name: string): string {
  return (name.match(WORD) ?? []).reduce((longest, one) => (one.length > longest.length ? one : longest), "");
}

function resolveAll(path: string, text: string, lookup: Lookup): ResolvedImport[] {
  const family = familyOf(path) ?? familyIn(path, text);
  if (family === undefined) return [];
  return importsOf(family, text).map((what) => ({
    what,
    leads: resolveImport({ path, family }, what, lookup),
  }));
}

function addTo(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Words by which texts may name a file that they import. */
function namesOf(path: string): string[] {
  const family = familyOf(path);
  const name = posix.basename(path);
  if (family === undefined) return [name];
  const extension = extensionsOf(family).find((one) => name.toLowerCase().endsWith(one)) ?? "";
  const stem = name.slice(0, name.length - extension.length);
  const isIndex = /^(?:index|__init__|__main__|mod|init)$/.test(stem);
  const folder = posix.basename(folderOf(path));
  return isIndex && folder !== "" ? [folder, stem] : [stem];
}

/** The folders of sources by Maven's and Gradle's layout: `src/main/java`. */
function javaSources(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    if (!path.includes("src/")) continue;
    const [folder] = /^(?:.*\/)?src\/\w+\/(?:java|kotlin|scala|groovy)(?=\/)/.exec(path) ?? [];
    if (folder !== undefined) found.add(folder);
  }
  return [...found];
}
