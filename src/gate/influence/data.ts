// Decides whether a changed file that is not code is part of the program: data, documentation, resources. Pure.
// By the texts that name it. Leaves how texts name a file to program/naming.ts, and code to classify.ts.
import { posix } from "node:path";
import { hasExample, isDocumentation, runsExamples } from "./program/documentation.js";
import { familyIn, familyOf } from "./program/families.js";
import type { ImportGraph } from "./program/import-graph.js";
import type { ChangedFile, Classified, NameRules, ReferenceFiles } from "./program/kinds.js";
import type { Links } from "./program/links.js";
import { isMarkupProgram } from "./program/markup-programs.js";
import { namingOf, WALKING, WALKS, type Naming, type FilesAround } from "./program/naming.js";
import { folderOf, foldersAbove } from "./program/project-paths.js";

type Judgement = Omit<Classified, "path">;

const source = (why: string): Judgement => ({ kind: "source", why });
const doubt = (why: string): Judgement => ({ kind: "doubt", why });

/** The answers of classify.ts. */
interface Known {
  /** Folders whose files are the program's, with those below them; and the folders where packages begin. */
  deep: readonly string[];
  tops: readonly string[];
  isHeld: (path: string) => boolean;
  isProgram: (path: string) => boolean;
  /** A test or a setting by its name, or run by a command. */
  isCheck: (path: string) => boolean;
  /** Part of the program by its place alone. */
  isRooted: (path: string) => boolean;
  links: Links;
}

/** Judges files that are not code. */
export class DataJudge {
  #folders: ReadonlySet<string> | undefined;
  #names: ReadonlyMap<string, number> | undefined;
  #walking: readonly { by: string; text: string }[] | undefined;
  readonly #own = new Map<string, boolean>();
  readonly #around: FilesAround;

  constructor(
    private readonly graph: ImportGraph,
    private readonly reference: ReferenceFiles,
    private readonly rules: NameRules,
    private readonly known: Known,
  ) {
    this.#around = {
      isOwn: (folder) => this.#isOwn(folder),
      has: reference.has,
      hasFolder: (folder) => this.#allFolders().has(folder),
      isAlone: (name) => (this.#allNames().get(name) ?? 0) < 2,
    };
  }

  classify({ path, before, after }: ChangedFile): Judgement {
    const paths = [path, ...this.known.links.aliasesOf(path).map((alias) => alias.path)];
    const namers = paths.flatMap((one) => this.#namersOf(one)).filter((one) => one !== path);
    const holders = namers.filter((one) => this.known.isHeld(one));
    if (isMarkupProgram(path, holders, { ...this.reference, isHeld: this.known.isCheck }))
      return source("the project is written in this language alone");
    const [first] = holders;
    if (first !== undefined) return doubt(`${first} names it`);
    if (this.rules.isNamedByCommands?.(path) === true) return doubt("a command names it");
    const runs = (one: string): boolean => runsExamples(familyOf(one)) && this.known.isProgram(one);
    if (isDocumentation(path) && hasExample(before ?? after ?? "") && namers.some(runs))
      return doubt("the program takes it in, and its examples may run as tests");
    if (isDocumentation(path)) return source("it is documentation");
    // Maven and Gradle put these into the program.
    if (/(?:^|\/)src\/main\/resources\//.test(path)) return source("it is a resource of the program");
    const isNamed = namers.some((one) => this.known.isProgram(one));
    return isNamed ? source("the program names it") : doubt("the program does not name it");
  }

  /** Files whose text names a file. Of the program only as it was, where the file was there: an attempt can write down any name. */
  #namersOf(path: string): string[] {
    const naming: Naming = namingOf(path, this.#around);
    const wasThere = this.reference.has(path);
    const walkers = this.#walkers().filter(({ text }) => naming.isWalkedIn(text));
    const found = this.graph
      .filesWith(naming.words, (text, by, isLeft) =>
        this.known.isProgram(by)
          ? !(isLeft && wasThere) && naming.isUsedIn(text, by, familyOf(by) ?? familyIn(by, text))
          : naming.isNamedIn(text),
      )
      .filter((one) => one !== path);
    return [...found, ...walkers.map(({ by }) => by)];
  }

  /** The checks that walk through folders. */
  #walkers(): readonly { by: string; text: string }[] {
    if (this.#walking !== undefined) return this.#walking;
    const found: { by: string; text: string }[] = [];
    this.graph.filesWith(WALKING, (text, by) => {
      if (this.known.isHeld(by) && WALKS.test(text)) found.push({ by, text });
      return false;
    });
    return (this.#walking = found);
  }

  /** The whole of a program's folder is named by much that reads none of its files. */
  #isOwn(folder: string): boolean {
    const known = this.#own.get(folder);
    if (known !== undefined) return known;
    const { deep, tops } = this.known;
    const isOwn =
      folder === "" || deep.includes(folder) || tops.includes(folder) || this.#holdsProgram(folder);
    this.#own.set(folder, isOwn);
    return isOwn;
  }

  /** Whether a file of the program is in a folder itself. */
  #holdsProgram(folder: string): boolean {
    const { isRooted, isHeld } = this.known;
    return this.reference.paths.some(
      (one) => folderOf(one) === folder && familyOf(one) !== undefined && isRooted(one) && !isHeld(one),
    );
  }

  #allFolders(): ReadonlySet<string> {
    if (this.#folders !== undefined) return this.#folders;
    const found = new Set<string>();
    for (const path of this.reference.paths) for (const one of foldersAbove(path)) found.add(one);
    return (this.#folders = found);
  }

  #allNames(): ReadonlyMap<string, number> {
    if (this.#names !== undefined) return this.#names;
    const found = new Map<string, number>();
    for (const path of this.reference.paths) {
      const name = posix.basename(path);
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    return (this.#names = found);
  }
}
