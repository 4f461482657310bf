// What a changed path is to the verdict: part of the program (source), part of what checks it (check), or neither for certain
// (doubt). By positive evidence alone: what is not plainly part of the program is not taken for it. Pure.
// Leaves which names are tests and settings to protected.ts, and what becomes of each kind to the rooms.
import { posix } from "node:path";
import type { Version } from "../../git/base/diff.js";
import { extensionsOf, familyOf, isDocumentation, type Family } from "./families.js";
import { importsOf, resolveImport, type FileNames, type SearchPath } from "./imports.js";
import {
  folderOf,
  isBelow,
  isForeign,
  isInRoots,
  isTestish,
  packagesForChecks,
  programRoots,
  type ProgramRoots,
  type ProjectFiles,
} from "./program-roots.js";

/** Part of the program; of what checks it; or neither for certain. */
export type Influence = "source" | "check" | "doubt";

/** A path that an attempt changed, with its texts: `undefined` where it is not there, or no small text. */
export interface ChangedFile {
  /** Text, from the top of the repository. */
  path: string;
  from: Version;
  to: Version;
  before: string | undefined;
  after: string | undefined;
}

/** The project at the reference. */
export interface Reference extends ProjectFiles {
  /** Files whose text contains a word; may be more than these. */
  mentions: (word: string) => readonly string[];
}

/** What is known of a path by its name, by the commands, and by what a person says. */
export interface NameRules {
  /** `test`: a test by its name. `check`: anything else that checks, and what a person names as a check. */
  kindOf: (change: ChangedFile) => "source" | "test" | "check" | "unknown";
  /** A file at the reference that is a test, a setting or a script of checks. */
  isHeld: (path: string) => boolean;
  /** Folders of scripts that check: what else is in them serves these. Neither the top nor a folder of the program. */
  checkFolders: readonly string[];
  /** Where modules are looked up besides the folder of the file that imports them. */
  search: SearchPath;
}

/** The kind of a path, and the reason in a few words for a person. */
export interface Classified {
  path: string;
  kind: Influence;
  why: string;
}

/** Classifies every changed path. */
export function classify(
  changes: readonly ChangedFile[],
  reference: Reference,
  rules: NameRules,
): Classified[] {
  const judge = new Classifier(changes, reference, rules);
  return changes.map((change) => ({ path: change.path, ...judge.classify(change) }));
}

type Judgement = Omit<Classified, "path">;

const source = (why: string): Judgement => ({ kind: "source", why });
const check = (why: string): Judgement => ({ kind: "check", why });
const doubt = (why: string): Judgement => ({ kind: "doubt", why });

const GONE = "000000";
const REGULAR = /^100/;

class Classifier {
  private readonly roots: ProgramRoots;
  private readonly checkFolders: readonly string[];
  private readonly families: ReadonlySet<Family>;
  private readonly byPath: ReadonlyMap<string, ChangedFile>;
  /** The files as the attempt leaves them. */
  private readonly now: FileNames;
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly changes: readonly ChangedFile[],
    private readonly reference: Reference,
    private readonly rules: NameRules,
  ) {
    this.roots = programRoots(reference);
    this.byPath = new Map(changes.map((change) => [change.path, change]));
    this.checkFolders = [
      ...rules.checkFolders.filter(
        (folder) => folder !== "" && !this.roots.deep.some((root) => isBelow(root, folder)),
      ),
      ...packagesForChecks(reference),
    ];
    this.now = {
      has: (path) => {
        const change = this.byPath.get(path);
        return change === undefined ? reference.has(path) : change.to.mode !== GONE;
      },
    };
    const program = reference.paths.filter(
      (path) => !rules.isHeld(path) && !isTestish(path) && !isForeign(path),
    );
    this.families = new Set(program.map(familyOf).filter((family) => family !== undefined));
  }

  classify(change: ChangedFile): Judgement {
    const named = this.rules.kindOf(change);
    if (named === "source") return source("verify.protected takes it out");
    if (named === "check") return check("it is part of the checks");
    const isImported = this.isImportedByProgram(change.path);
    if (named === "test" && !isImported) return check("it is a test");
    const serves = this.checkFolders.find((folder) => isBelow(change.path, folder));
    if (serves !== undefined && !isImported) return check(`it is beside the checks in ${serves}`);
    const shadowed = this.shadowedBy(change);
    if (shadowed !== undefined) return check(`${shadowed} would read it in place of what it reads now`);
    const oddity = oddityOf(change);
    if (oddity !== undefined) return doubt(oddity);
    const family = familyOf(change.path);
    if (family === undefined) return this.classifyData(change);
    if (this.replacesProgram(change)) return source("it takes the place of a file of the program");
    return this.classifyCode(change.path, family, isImported);
  }

  private classifyCode(path: string, family: Family, isImported: boolean): Judgement {
    if (!this.families.has(family)) return doubt("the program had no file of this language");
    if (isImported) return source("the program imports it");
    const root = this.rootOf(path);
    if (root === undefined) return doubt("the program does not import it, and it is in none of its folders");
    if (isTestish(root === "" ? path : path.slice(root.length + 1)))
      return doubt("its name says test, mock or helper");
    if (this.roots.entries.length > 0 && !this.isReachable(path) && this.isReadByHeld(path))
      return doubt("the checks import it, and no entry point of the program does");
    return source("it is in a folder of the program");
  }

  private classifyData({ path }: ChangedFile): Judgement {
    const held = this.namersOf(path).filter((one) => this.rules.isHeld(one));
    const [first] = held;
    if (first !== undefined) return doubt(`${first} names it`);
    if (isDocumentation(path)) return source("it is documentation");
    const namers = this.namersOf(path).filter((one) => this.isProgram(one));
    return namers.length > 0 ? source("the program names it") : doubt("the program does not name it");
  }

  private rootOf(path: string): string | undefined {
    const deep = this.roots.deep.find((root) => isBelow(path, root));
    return deep ?? (isInRoots(this.roots, path) ? folderOf(path) : undefined);
  }

  /** Files, at the reference or as the attempt leaves them, whose text names a file, or its folder as a whole. */
  private namersOf(path: string): string[] {
    const name = posix.basename(path);
    const folder = posix.basename(folderOf(path));
    const whole = new RegExp(`(?<![\\w.-])${escapeRegExp(folder)}/?["'\`*$]`);
    const names = (text: string | undefined): boolean =>
      text !== undefined && (text.includes(name) || (folder !== "" && whole.test(text)));
    const words = folder === "" ? [name] : [name, folder];
    const before = words.flatMap((word) => this.reference.mentions(word));
    const found = [
      ...before.filter((one) => names(this.reference.text(one))),
      ...this.changes.filter(({ after }) => names(after)).map((change) => change.path),
    ];
    return [...new Set(found)].filter((one) => one !== path);
  }

  /** Whether a file is part of the program: in one of its folders by its name, or imported by one that is. */
  private isProgram(path: string): boolean {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    // Files that import each other are not part of the program by that.
    this.known.set(path, false);
    const root = this.rootOf(path);
    const isNamedSo = root !== undefined && !isTestish(root === "" ? path : path.slice(root.length + 1));
    const isIt =
      !this.rules.isHeld(path) &&
      !isForeign(path) &&
      familyOf(path) !== undefined &&
      (this.roots.entries.includes(path) || isNamedSo || this.isImportedByProgram(path));
    this.known.set(path, isIt);
    return isIt;
  }

  private isImportedByProgram(path: string): boolean {
    return this.importersOf(path).some((one) => one !== path && this.isProgram(one));
  }

  private isReachable(path: string, seen = new Set<string>()): boolean {
    if (this.roots.entries.includes(path)) return true;
    if (seen.has(path)) return false;
    seen.add(path);
    return this.importersOf(path).some((one) => this.isReachable(one, seen));
  }

  private isReadByHeld(path: string): boolean {
    return this.importersOf(path).some((one) => this.rules.isHeld(one));
  }

  /** Files that import a path: of one that was there at the reference, of a new one with the attempt. */
  private importersOf(path: string): string[] {
    const isNew = !this.reference.has(path);
    const candidates = new Set(namesOf(path).flatMap((word) => this.reference.mentions(word)));
    const texts = [...candidates].map((one): [string, string | undefined] => [one, this.reference.text(one)]);
    const changed = isNew
      ? this.changes.map((one): [string, string | undefined] => [one.path, one.after])
      : [];
    const files = isNew ? this.now : this.reference;
    const found = [...texts, ...changed].filter(
      ([one, text]) => text !== undefined && this.imports(one, text, files).has(path),
    );
    return [...new Set(found.map(([one]) => one))];
  }

  private imports(path: string, text: string, files: FileNames): ReadonlySet<string> {
    const family = familyOf(path);
    if (family === undefined) return new Set();
    const { search } = this.rules;
    return new Set(importsOf(family, text).flatMap((one) => resolveImport(path, one, { files, search })));
  }

  /** The held file that would read a new file in place of what a name came from before: from outside the project. */
  private shadowedBy(change: ChangedFile): string | undefined {
    return this.takenOver(change).find(({ before }) => before.length === 0)?.by;
  }

  /** Whether a held file reads a new file in place of one of the program. */
  private replacesProgram(change: ChangedFile): boolean {
    return this.takenOver(change).some(({ before }) => before.some((one) => this.isProgram(one)));
  }

  /** The imports of held files that lead to a new file, with the files they led to at the reference. */
  private takenOver({ path, from, to }: ChangedFile): { by: string; before: readonly string[] }[] {
    if (from.mode !== GONE || to.mode === GONE) return [];
    const candidates = new Set(namesOf(path).flatMap((word) => this.reference.mentions(word)));
    return [...candidates].flatMap((by) => {
      const text = this.reference.text(by);
      const family = familyOf(by);
      if (text === undefined || family === undefined || !this.rules.isHeld(by)) return [];
      const { search } = this.rules;
      return importsOf(family, text)
        .filter((name) => resolveImport(by, name, { files: this.now, search }).includes(path))
        .map((name) => ({ by, before: resolveImport(by, name, { files: this.reference, search }) }));
    });
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Why a path cannot be source, whatever else is known of it. */
function oddityOf({ path, from, to }: ChangedFile): string | undefined {
  for (const { mode } of [from, to]) {
    if (mode === GONE) continue;
    if (mode === "120000") return "it is a link";
    if (mode === "160000") return "it is a submodule";
    if (!REGULAR.test(mode)) return "it is no regular file";
  }
  if (from.mode !== GONE && to.mode !== GONE && from.mode !== to.mode) return "its mode changed";
  if (isForeign(path)) return "it is in a folder of outputs or of others' code";
  return posix.basename(path).startsWith(".") ? "its name begins with a dot" : undefined;
}

/** Words by which texts may name a file that they import. */
function namesOf(path: string): string[] {
  const family = familyOf(path);
  const name = posix.basename(path);
  if (family === undefined) return [name];
  const stem = name.slice(
    0,
    -(extensionsOf(family).find((one) => name.toLowerCase().endsWith(one)) ?? "").length,
  );
  const isIndex = /^(?:index|__init__|__main__|mod)$/.test(stem);
  const folder = posix.basename(folderOf(path));
  return isIndex && folder !== "" ? [folder, stem] : [stem];
}
