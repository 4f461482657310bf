// Decides whether a changed path is part of the program (source), part of what checks it (check), or neither for certain (doubt).
// A path counts as source only by positive evidence that it is part of the program. Pure.
// Leaves which names are tests and settings to name-rules.ts, imports to import-graph.ts, and what becomes of each kind to the rooms.
import { posix } from "node:path";
import { DataJudge } from "./data.js";
import { FAMILIES, familyIn, familyOf, type Family } from "./program/families.js";
import { isHeaderOfChecks } from "./program/headers.js";
import { ImportGraph } from "./program/import-graph.js";
import { isOfEntry, isOfSpecification } from "./program/imported-names.js";
import { importsTestLibrary } from "./program/imports.js";
import {
  unchanged,
  type ChangedFile,
  type Classified,
  type NameRules,
  type ReferenceFiles,
} from "./program/kinds.js";
import { Links } from "./program/links.js";
import { findMoves } from "./program/moves.js";
import { isNamedAfter } from "./program/named-after.js";
import {
  packagesForChecks,
  programRoots,
  rootOf,
  topOf,
  type ProgramRoots,
} from "./program/program-roots.js";
import { Oddities } from "./program/oddity.js";
import { folderOf, headersOf, isBelow, isForeign, isTestish, relative } from "./program/project-paths.js";
import { isSettingsCode, loadedBySettings, type Loaded } from "./checks/runner-settings.js";
import { isStartHook, Shadows } from "./shadowing.js";

/** Classifies every changed path. */
export function classify(
  changes: readonly ChangedFile[],
  reference: ReferenceFiles,
  rules: NameRules,
): Classified[] {
  const judge = new Classifier(changes, reference, rules);
  return changes.map((change) => ({ path: change.path, ...judge.classify(change) }));
}

type Judgement = Omit<Classified, "path">;

const source = (why: string): Judgement => ({ kind: "source", why });
const check = (why: string): Judgement => ({ kind: "check", why });
const doubt = (why: string): Judgement => ({ kind: "doubt", why });

class Classifier {
  private readonly roots: ProgramRoots;
  private readonly checkFolders: readonly string[];
  private readonly checkPackages: readonly string[];
  private readonly families = new Map<Family, boolean>();
  private readonly graph: ImportGraph;
  private readonly shadows: Shadows;
  private readonly data: DataJudge;
  private readonly links: Links;
  private readonly linked = new Map<string, boolean>();
  private readonly rules: NameRules;
  private readonly loaded: Loaded;
  private readonly oddities: Oddities;
  private readonly facts: Parameters<typeof isOfEntry>[1];
  /** Where new files were at the reference. */
  private readonly moves: ReadonlyMap<string, string>;
  private readonly known = new Map<string, boolean>();
  private readonly reached = new Map<string, boolean>();

  constructor(
    changes: readonly ChangedFile[],
    private readonly reference: ReferenceFiles,
    private readonly given: NameRules,
  ) {
    this.links = new Links(changes, reference);
    const rules = { ...given, isHeld: (path: string) => given.isHeld(path) || this.isLinkedByChecks(path) };
    this.rules = rules;
    this.roots = programRoots({
      ...reference,
      home: rules.home ?? "",
      isHeld: given.isHeld,
      isRunByChecks: (path) => rules.runOf?.(path) !== undefined,
    });
    this.graph = new ImportGraph(changes, reference, rules.search);
    this.facts = { reference, rules, graph: this.graph, entries: this.roots.entries };
    this.moves = findMoves(changes);
    this.oddities = new Oddities(reference.paths, (path) => this.graph.stays(path));
    this.checkFolders = [
      ...rules.checkFolders.filter((folder) => !this.holdsRoot(folder)),
      ...(rules.testFolders ?? []).filter((folder) => !this.holdsRoot(folder) && !this.isInDeepRoot(folder)),
    ];
    this.checkPackages = packagesForChecks(reference);
    this.loaded = loadedBySettings(reference, rules.isHeld, (folder) => this.holdsRoot(folder));
    const known = {
      isHeld: (path: string) => this.isHeld(path),
      isProgram: (path: string) => this.isProgram(path),
    };
    this.shadows = new Shadows(this.graph, reference, rules, known);
    const isRooted = (path: string): boolean => this.isRooted(path);
    this.data = new DataJudge(this.graph, reference, rules, {
      ...known,
      ...this.roots,
      isRooted,
      isCheck: (path) => this.isCheck(path),
      links: this.links,
    });
  }

  classify(change: ChangedFile): Judgement {
    const { path } = change;
    const named = this.rules.kindOf(change);
    if (named === "source") return source("verify.protected takes it out");
    if (isStartHook(path)) return check("it is loaded before any test");
    if (named === "check" || this.roots.tests.has(path)) return check("it is part of the checks");
    if (this.isLinkedByChecks(path)) return check("a link of the checks leads to it");
    const byUse = this.byUse(change, named);
    if (byUse !== undefined) return byUse;
    const shadowed = this.shadows.shadowedBy(change);
    if (shadowed !== undefined) return check(shadowed);
    const oddity = this.oddities.of(change);
    if (oddity !== undefined) return doubt(oddity);
    const family = this.familyOf(change);
    if (family === undefined) return this.data.classify(change);
    if (this.shadows.replacesProgram(change)) return source("it takes the place of a file of the program");
    return this.classifyCode(change, family);
  }

  /** The judgement that follows from how a file is run or loaded, and from the files beside it. */
  private byUse({ path }: ChangedFile, named: string): Judgement | undefined {
    const isImported = this.isImportedByProgram(path);
    if (named === "test" && !(isImported && this.isNamedLikeTestInProgram(path)))
      return check("it is a test");
    if (named === "command" && !this.isProgram(path)) return check("a command runs it");
    if (named === "script" && !this.isProgram(path)) return check("a check runs it");
    if (this.rules.optional?.has(path) === true) return check("a check takes it in where it is there");
    if (named === "settings" && !(isImported && (this.isInside(path) || isOfEntry(path, this.facts))))
      return check("it is named like settings");
    const served = this.checkPackages.find((folder) => isBelow(path, folder));
    if (served !== undefined) return check(`${served} is a package for checks alone`);
    const isOwn = this.roots.entries.has(path) || isImported;
    const isNew = !this.reference.has(path);
    const beside = this.checkFolders.find((folder) => isBelow(path, folder));
    if (beside !== undefined && (isNew || !isOwn) && !this.isCompiledWithProgram(path))
      return check(`it is beside the checks in ${beside}`);
    const loader = this.loaderOf(path);
    if (loader !== undefined && !isOwn) return check(`${loader} loads it`);
    return undefined;
  }

  /** Whether a file is a check under the path of a link: not one that the program uses, nor by a link to all of the program. */
  private isLinkedByChecks(path: string): boolean {
    const known = this.linked.get(path);
    if (known !== undefined) return known;
    const isLinked = this.links
      .aliasesOf(path)
      .some(
        ({ path: alias, target }) =>
          (this.given.isHeld(alias) || this.given.runOf?.(alias) !== undefined) &&
          (target === path || !this.holdsRoot(target)) &&
          !this.isPlainlyUsed(path),
      );
    this.linked.set(path, isLinked);
    return isLinked;
  }

  /** Code that is an entry point of the program, or that a file in one of its folders imports. */
  private isPlainlyUsed(path: string): boolean {
    if (this.roots.entries.has(path)) return true;
    const importers = this.graph.importersOf(path);
    return importers.some((one) => rootOf(this.roots, one) !== undefined && !this.given.isHeld(one));
  }

  /** The settings that load a file: by a key, or by an import. */
  private loaderOf(path: string): string | undefined {
    const importers = (): string[] => this.graph.importersOf(path).filter((one) => this.rules.isHeld(one));
    return this.loaded.loaderOf(path) ?? importers().find(isSettingsCode);
  }

  private classifyCode(change: ChangedFile, family: Family): Judgement {
    const { path } = change;
    if (!this.hasFamily(family)) return doubt("the program had no file of this language");
    if (this.isImportedByProgram(path)) return source("the program imports it");
    if (this.roots.entries.has(path)) return source("it is an entry point of the program");
    const root = rootOf(this.roots, path);
    if (root === undefined) {
      if (this.isMoved(path)) return source("it was in the program, at another place");
      if (this.isNamesake(path)) return source("a test is named after it");
      return this.usesProgram(change)
        ? source("it is beside the program and uses it")
        : doubt("the program does not import it, and it is in none of its folders");
    }
    if (isTestish(relative(root, path)) && !this.isNamedFreely(path))
      return doubt("its name says test, mock or helper");
    const isClosed = this.roots.closed.has(topOf(this.roots, path)) && this.reference.has(path);
    if (isClosed && !this.isReachable(path) && this.isReadByHeld(path))
      return doubt("the checks import it, and no entry point of the program does");
    // A program of Go or Java never imports a library for tests.
    const isPlain = this.roots.guessed.has(root) || family === "go" || family === "java";
    if (isPlain && this.usesTestLibrary(path)) return doubt("it uses a library for tests");
    const isWeak = this.roots.weak.has(root) && this.reference.has(path) && !this.isNamesake(path);
    if (isWeak && this.isReadByHeld(path) && !this.usesProgram(change))
      return doubt("the checks import it, and no package of the program does");
    const isIncluded = this.isReadByHeld(path) && !this.isNamesake(path);
    if (
      isIncluded &&
      isHeaderOfChecks(path, this.graph, { ...this.reference, isProgram: (one) => this.isProgram(one) })
    )
      return doubt("the checks include it, and no file of the program does");
    const lister = this.shadows.listedBy(path);
    if (lister !== undefined) return doubt(`${lister} loads all that is in its folder`);
    return source("it is in a folder of the program");
  }

  /** Whether a folder is a root of the program, or has one in it: what is in it serves more than checks. */
  private holdsRoot(folder: string): boolean {
    const { deep, flat } = this.roots;
    return folder === "" || [...deep, ...flat].some((root) => isBelow(root, folder));
  }

  private isInDeepRoot(folder: string): boolean {
    return this.roots.deep.some((root) => root !== "" && isBelow(folder, root));
  }

  /** Whether the program has a file of a language at the reference. */
  private hasFamily(family: Family): boolean {
    const known = this.families.get(family);
    if (known !== undefined) return known;
    const found = this.reference.paths.some((path) => {
      const isPlain = posix.extname(path) === "" && rootOf(this.roots, path) !== undefined;
      const own = familyOf(path) ?? (isPlain ? familyIn(path, this.reference.text(path)) : undefined);
      return (
        own === family && !isTestish(path, this.rules.home) && !isForeign(path) && !this.rules.isHeld(path)
      );
    });
    this.families.set(family, found);
    return found;
  }

  private familyOf({ path, before, after }: ChangedFile): Family | undefined {
    return familyOf(path) ?? familyIn(path, before ?? after);
  }

  /** A file of the program may be named like a test, where neither its folder says so nor a runner's settings. */
  private isNamedLikeTestInProgram(path: string): boolean {
    const root = rootOf(this.roots, path);
    return (
      root !== undefined &&
      (!isTestish(relative(root, folderOf(path))) || isOfSpecification(path, this.facts)) &&
      this.loaded.loaderOf(path) === undefined &&
      !/\.(?:test|spec)\.\w+$/.test(posix.basename(path)) &&
      !(this.roots.tops.includes(folderOf(path)) && /^tests?\./.test(posix.basename(path)))
    );
  }

  /** Where the language's own rule tells tests, the name of a file says nothing else. */
  private isNamedFreely(path: string): boolean {
    const root = rootOf(this.roots, path) ?? "";
    const isTold = path.endsWith(".go") || /(?:^|\/)src\/main\/(?:java|kotlin|scala|groovy)\//.test(path);
    return isTold && !isTestish(relative(root, folderOf(path)));
  }

  /** Inside a folder of the program, and not where a package begins. */
  private isInside(path: string): boolean {
    const folder = folderOf(path);
    return rootOf(this.roots, path) !== undefined && !this.roots.tops.includes(folder);
  }

  /** Where whole folders are compiled together, a file is the program's by files of the program beside it. */
  private isCompiledWithProgram(path: string): boolean {
    const family = familyOf(path);
    if (family !== "go" && family !== "java" && family !== "csharp" && family !== "swift") return false;
    const folder = folderOf(path);
    return this.reference.paths.some(
      (one) => folderOf(one) === folder && familyOf(one) === family && !this.isHeld(one),
    );
  }

  /** A file that existed beside the program's folders, and imports the program. */
  private usesProgram({ path }: ChangedFile): boolean {
    if (
      !this.reference.has(path) ||
      !this.roots.tops.includes(folderOf(path)) ||
      isTestish(path, this.rules.home)
    )
      return false;
    return this.graph
      .importsOf(path)
      .some((one) => rootOf(this.roots, one) !== undefined && !this.isHeld(one));
  }

  /** A file at the reference that checks: by its name, or run by checks and not plainly the program's. */
  private isHeld(path: string): boolean {
    if (this.rules.isHeld(path)) return !this.isNamedLikeTestAndUsed(path);
    return this.rules.runOf?.(path) !== undefined && !this.isProgram(path);
  }

  /** A check whatever else is in the project: by its name, or run by a command itself. */
  private isCheck(path: string): boolean {
    return this.rules.isHeld(path) || this.rules.runOf?.(path) === "command";
  }

  private isNamedLikeTestAndUsed(path: string): boolean {
    return (
      this.reference.has(path) &&
      this.isNamedLikeTestInProgram(path) &&
      familyOf(path) !== undefined &&
      this.rules.kindOf(unchanged(path)) === "test" &&
      this.isImportedByProgram(path)
    );
  }

  private isImportedByProgram(path: string): boolean {
    const files = [path, ...headersOf(path)];
    return files.some((file) =>
      this.graph.importersOf(file).some((one) => one !== path && this.isProgram(one)),
    );
  }

  /** Whether a file is part of the program: in one of its folders by its name, or imported by one that is. */
  private isProgram(path: string): boolean {
    return this.leads(path, this.known, (one) => this.isRooted(one));
  }

  private isReachable(path: string): boolean {
    return this.leads(path, this.reached, (one) => this.roots.entries.has(one));
  }

  /** Whether a file, or one of those that import it through files that check nothing, passes. */
  private leads(path: string, known: Map<string, boolean>, passes: (path: string) => boolean): boolean {
    const seen = new Set([path]);
    for (const one of seen) {
      const answer = known.get(one) ?? (this.isCode(one) && passes(one) ? true : undefined);
      if (answer === true) {
        known.set(path, true);
        return true;
      }
      if (answer === false || !this.isCode(one)) continue;
      for (const importer of this.graph.importersOf(one)) seen.add(importer);
    }
    // None of them leads anywhere: all that could be reached from them was looked at.
    for (const one of seen) known.set(one, false);
    return false;
  }

  /** Whether the file is code, but neither a test nor a setting. How it is run does not matter. */
  private isCode(path: string): boolean {
    const isKnown = familyOf(path) !== undefined || familyIn(path, this.reference.text(path)) !== undefined;
    return isKnown && !isForeign(path) && !this.rules.isHeld(path);
  }

  /** Part of the program by its place alone. */
  private isRooted(path: string): boolean {
    if (this.roots.tests.has(path)) return false;
    if (this.roots.entries.has(path)) return true;
    const root = rootOf(this.roots, path);
    if (root === undefined) return this.isNamesake(path) || this.isMoved(path);
    if (isTestish(relative(root, path))) return false;
    const run = this.rules.runOf?.(path);
    if (run === undefined) return this.loaderOf(path) === undefined;
    // A check may run the program; a shell script in a program of another language is part of the check.
    return (
      run === "script" && this.roots.deep.includes(root) && root !== "" && this.mayBeProgramOfChecks(path)
    );
  }

  /** In no folder of the program, but the subject of a test that is named after it: a helper of tests has none. */
  private isNamesake(path: string): boolean {
    return (
      this.reference.has(path) &&
      !isTestish(path, this.rules.home) &&
      !isForeign(path) &&
      this.rules.runOf?.(path) === undefined &&
      this.loaderOf(path) === undefined &&
      !this.usesTestLibrary(path) &&
      [path, ...headersOf(path)]
        .flatMap((file) => this.graph.importersOf(file))
        .some((one) => isNamedAfter(one, path) && this.rules.isHeld(one))
    );
  }

  /** A file of the program that is at another place now, where nothing says that it serves checks. */
  private isMoved(path: string): boolean {
    const origin = this.moves.get(path);
    if (origin === undefined || isTestish(path, this.rules.home)) return false;
    return this.rules.runOf?.(path) === undefined && this.isProgram(origin);
  }

  private usesTestLibrary(path: string): boolean {
    return importsTestLibrary(path, this.reference.text(path) ?? "");
  }

  private mayBeProgramOfChecks(path: string): boolean {
    const family = familyOf(path) ?? familyIn(path, this.reference.text(path));
    return family !== "shell" || !FAMILIES.some((one) => one !== "shell" && this.hasFamily(one));
  }

  private isReadByHeld(path: string): boolean {
    return this.graph.importersOf(path).some((one) => this.isHeld(one));
  }
}
