// Code that a check finds by listing a folder of the program, and loads by a name that it makes: data of the check as much as its
// subject. Pure; texts are read by patterns. Leaves names that a check writes out to program/import-graph.ts.
import { familyOf } from "./program/families.js";
import type { ImportGraph } from "./program/import-graph.js";
import type { ReferenceFiles } from "./program/kinds.js";
import { placesNaming, WALKING, WALKS } from "./program/naming.js";
import { folderOf, foldersAbove } from "./program/project-paths.js";

/** Loads a module by a name that is not written out: `import(f)`, `import_module(f"a.{b}")`, `require $file;`. */
const LOADS_MADE_NAME =
  /\b(?:import|require(?:_relative|_once)?|import_module|__import__|run_path|load)\s*\((?!\s*[fr]?(["'`])[^"'`${%\n]*\1\s*[,)])|\brequire(?:_relative|_once)?\s+\$?[a-z_]\w*\s*(?:[;}\n]|$)|\bspec_from_file_location\b|\biter_modules\b/;
/** A listing goes into the folders below. */
const IS_DEEP = /\brecursive\b|walk|rglob|\*\*\/|File::Find|\bfind\b/i;

const LOADING = "import require require_relative require_once import_module __import__ run_path load".split(
  " ",
);

/** The answers of classify.ts. */
interface Known {
  isHeld: (path: string) => boolean;
  isProgram: (path: string) => boolean;
}

/** Finds the checks that load what they find in a folder. */
export class ListedLoads {
  #listers: readonly string[] | undefined;
  #loaders: readonly string[] | undefined;
  readonly #used = new Map<string, boolean>();

  constructor(
    private readonly graph: ImportGraph,
    private readonly reference: ReferenceFiles,
    private readonly known: Known,
  ) {}

  /** The check that lists the folder of a file, and loads what it finds there; `undefined`: the file is written out somewhere. */
  listerOf(path: string): string | undefined {
    const folder = folderOf(path);
    if (folder === "") return undefined;
    this.#listers ??= this.#filesWith(WALKING, WALKS).filter((one) => this.known.isHeld(one));
    const lister = this.#listers.find((one) => this.#lists(one, path));
    if (lister === undefined || this.graph.importersOf(path).length > 0) return undefined;
    // A folder of which other files are used is the program's; a new file in it may be anything.
    if (this.reference.has(path) && this.#isUsed(folder)) return undefined;
    this.#loaders ??= this.#filesWith(LOADING).filter((one) => this.known.isProgram(one));
    return this.#loaders.some((one) => this.#loadsFrom(one, path)) ? undefined : lister;
  }

  #filesWith(words: readonly string[], also?: RegExp): string[] {
    const found = new Set(words.flatMap((word) => this.reference.mentions(word)));
    return [...found].filter((one) => {
      const text = this.reference.text(one) ?? "";
      return also?.test(text) !== false && LOADS_MADE_NAME.test(text);
    });
  }

  #lists(by: string, path: string): boolean {
    const text = this.reference.text(by) ?? "";
    const folders = foldersAbove(path).slice(0, IS_DEEP.test(text) ? undefined : 1);
    return folders.some((one) => placesNaming(text, path, one).length > 0);
  }

  /** Whether a file of the program loads files of a folder by names that it makes. */
  #loadsFrom(by: string, path: string): boolean {
    if (by === path || !isLike(by, path)) return false;
    const text = this.reference.text(by) ?? "";
    return folderOf(by) === folderOf(path) || placesNaming(text, path, folderOf(path)).length > 0;
  }

  #isUsed(folder: string): boolean {
    const known = this.#used.get(folder);
    if (known !== undefined) return known;
    const isUsed = this.reference.paths.some(
      (one) =>
        folderOf(one) === folder && familyOf(one) !== undefined && this.graph.importersOf(one).length > 0,
    );
    this.#used.set(folder, isUsed);
    return isUsed;
  }
}

function isLike(one: string, path: string): boolean {
  return familyOf(one) !== undefined && familyOf(one) === familyOf(path);
}
