// Sorts each changed path by its place: source, check, or doubt. Thirteen rows, in order, the first that
// matches. No program is read: only the tree, the changes, settings, commands with the scripts they run,
// settings of runners, manifests, and whether a check contains the name of a document or of data. Pure.
// names.ts has the lists; the rooms prove the rest by running.
import { posix } from "node:path";
import { exists } from "../../git/base/read/diff.js";
import { COMPILED, familyOf, languageOf, type Family } from "./languages.js";
import {
  folderOf,
  foldersAbove,
  isBelow,
  isForeign,
  isNew,
  isTestish,
  matchPatterns,
  relative,
  type ChangedFile,
  type FileKind,
  type ReferenceFiles,
} from "./files.js";
import { foundBefore } from "./found-first.js";
import { Loads, type Commands } from "./loads.js";
import {
  foldersForTests,
  influenceOf,
  influenceOfLock,
  isLock,
  isManifest,
  isOfNewPackage,
  onlyGainsFiles,
} from "./manifests.js";
import {
  BUILD_FILE,
  BY_NAME,
  DOCUMENT,
  NO_TEST,
  OF_LOOPER,
  SETTINGS,
  SETTINGS_AT_TOP,
  TEST_FOLDER,
  TESTS,
  matcherOf,
} from "./names.js";
import { listHomeMade, type HomeMade } from "./home-made.js";
import { isBeside, programFolders, type ProgramFolders } from "./program-folders.js";
import { loadedBySettings } from "./runner-settings.js";

/** The kind of a path, the row that decided, and the reason in a few words for a person. */
export interface Sorted {
  path: string;
  kind: FileKind;
  row: number;
  why: string;
}

/** `verify.protected`, `verify.source`, and the folders of the project and of the commands, from the top. */
export interface SortSettings {
  protected: readonly string[];
  source: readonly string[];
  project: string;
  work: string;
}

export interface SortOrder {
  changes: readonly ChangedFile[];
  files: ReferenceFiles;
  commands: Commands;
  settings: SortSettings;
  /** Whether the machine has a program of this name. */
  hasProgram: (name: string) => boolean;
}

type Answer = Omit<Sorted, "path">;

const isOfLooper = matcherOf(OF_LOOPER);
const isLoadedByName = matcherOf(BY_NAME);
const isSetting = matcherOf(SETTINGS);
const isSettingAtTop = matcherOf(SETTINGS_AT_TOP);
const isTestName = matcherOf(TESTS);
const isNoTest = matcherOf(NO_TEST);

/** A pattern; with `!` (`takesOut`) what it matches is source. One list could not exclude a file again. */
interface UserRule {
  takesOut: boolean;
  /** Whether it names a path, as it is written from the project's folder. */
  matches: (path: string) => boolean;
}

function userRule(pattern: string): UserRule {
  const takesOut = pattern.startsWith("!");
  return { takesOut, matches: matchPatterns([takesOut ? pattern.slice(1) : pattern]) };
}

/**
 * Whether a path is named like a test or the settings of checks, whatever else is in the project: enough for
 * a question to a person. `patterns`: `verify.protected`, which come last.
 */
export function namesCheck(patterns: readonly string[]): (path: string) => boolean {
  const users = patterns.map(userRule);
  return (path) => {
    const last = users.findLast(({ matches }) => matches(path));
    if (last !== undefined) return !last.takesOut;
    const folders = posix.dirname(path).split("/");
    const isInTests = folders.some((folder) => TEST_FOLDER.test(folder) || /^(?:specs?|t)$/.test(folder));
    if ((isTestName(path) || isInTests) && !isNoTest(path)) return true;
    return [isOfLooper, isLoadedByName, isSetting, isSettingAtTop, isManifest].some((is) => is(path));
  };
}

/** Sorts the changes of an attempt; answers the same questions about other paths. */
export class Sorter {
  readonly #program: ProgramFolders;
  readonly #loads: Loads;
  readonly #settingsThatLoad: (path: string) => string | undefined;
  readonly #forTests: ReadonlySet<string>;
  readonly #users: readonly UserRule[];
  readonly #checks = new Map<string, boolean>();
  readonly #sorted = new Map<string, Answer>();
  #languages: ReadonlySet<Family> | undefined;
  #hasTestFolders: boolean | undefined;
  #newPackages: readonly string[] | undefined;

  constructor(private readonly order: SortOrder) {
    const { files, commands, settings } = order;
    this.#program = programFolders(files, { home: settings.project, said: settings.source });
    this.#loads = new Loads(commands, settings.work, files);
    this.#settingsThatLoad = loadedBySettings(files, (folder) => this.#holdsProgram(folder));
    this.#forTests = foldersForTests(files);
    this.#users = settings.protected.map(userRule);
  }

  sort(change: ChangedFile): Sorted {
    const { path } = change;
    const found = this.#sorted.get(path) ?? this.#firstRow(change);
    this.#sorted.set(path, found);
    return { path, ...found };
  }

  /** The rows, in order. */
  #firstRow(change: ChangedFile): Answer {
    const { path } = change;
    return (
      (isOfLooper(this.#local(path)) ? check(1, "it is a setting of Looper") : undefined) ??
      this.#saidByUser(path) ??
      (isLoadedByName(path) ? check(3, "it is loaded because of its name") : undefined) ??
      this.#manifest(change) ??
      (this.#isSetting(path) ? check(5, "it is named like settings of tools") : undefined) ??
      (this.isTest(path) ? check(6, "it is named like a test") : undefined) ??
      this.#loadedByCheck(path) ??
      this.#odd(change) ??
      this.#foundFirst(change) ??
      this.#document(path) ??
      this.#code(change) ??
      this.#data(change) ??
      this.#rest(change)
    );
  }

  /** Whether a file at the reference is a check: by rows 1 to 7. */
  isCheck(path: string): boolean {
    const known = this.#checks.get(path);
    if (known !== undefined) return known;
    const said = this.#saidByUser(path);
    const is =
      isOfLooper(this.#local(path)) ||
      (said === undefined
        ? isLoadedByName(path) || isManifest(path) || this.#isSetting(path) || this.reads(path)
        : said.kind === "check");
    this.#checks.set(path, is);
    return is;
  }

  /** Whether it is a check that reads what it names: a test, or loaded by a check. */
  reads(path: string): boolean {
    return this.isTest(path) || this.#loadedByCheck(path) !== undefined;
  }

  /** Row 6: named like a test, fixture, snapshot or helper. */
  isTest(path: string): boolean {
    const local = this.#local(path);
    if (isNoTest(local) || /(?:^|\/)src\/main\/(?:java|kotlin|scala|groovy)\//.test(path)) return false;
    const name = posix.basename(path);
    const isGo = name.endsWith(".go");
    if (isGo ? name.endsWith("_test.go") : isTestName(name)) return true;
    const root = this.#program.folderOf(path);
    if (root === undefined) return isTestish(local);
    const folders = relative(root, folderOf(path) === root ? "" : folderOf(path)).split("/");
    if (folders.some((folder) => TEST_FOLDER.test(folder))) return true;
    if (isGo) return false;
    if (this.#program.isFlat(root) && AT_TOP.test(name)) return true;
    return /[-_](?:tests?|spec)\.\w+$/.test(name) && !this.#testsHaveFolders();
  }

  /** Whether a check command runs a file, or hands it to a test runner. */
  isRun(path: string): boolean {
    const { files, globs, handed, handedGlobs } = this.#loads;
    return (
      files.has(path) ||
      handed.has(path) ||
      [...globs.map(({ matches }) => matches), ...handedGlobs].some((one) => one(path))
    );
  }

  /** The task's own commands that run a file and judge it by its exit code. */
  ownCommandsWith(path: string): readonly string[] {
    return this.#loads.own.flatMap((one) => (one.path === path ? [one.command] : []));
  }

  /** Check scripts that look for their tests in folders of the program. */
  homeMade(): HomeMade[] {
    return listHomeMade(this.#loads, this.order.files, (path) => this.sort(unchanged(path)).row === 11);
  }

  #saidByUser(path: string): Answer | undefined {
    const local = this.#local(path);
    const isInside = isBelow(path, this.order.settings.project);
    const last = isInside ? this.#users.findLast(({ matches }) => matches(local)) : undefined;
    if (last === undefined) return undefined;
    return last.takesOut
      ? source(2, "verify.protected says that it is source")
      : check(2, "verify.protected names it");
  }

  #manifest(change: ChangedFile): Answer | undefined {
    const { path } = change;
    const { changes } = this.order;
    if (isLock(path)) {
      const isSourceOrSame = (manifest: string): boolean =>
        changes.every((one) => one.path !== manifest || this.sort(one).kind === "source");
      const why = influenceOfLock(change, isSourceOrSame, this.#foldersOfNewPackages());
      return why === undefined
        ? source(4, "its manifest is source, and it names no new place")
        : check(4, why);
    }
    if (isOfNewPackage(change, this.order.files, this.order.settings.project))
      return source(4, "it is the manifest of a new package");
    if (isManifest(path)) {
      const why = influenceOf(change);
      return why === undefined ? source(4, "it only gains or raises dependencies") : check(4, why);
    }
    if (!BUILD_FILE.test(path)) return undefined;
    const work = changes
      .filter((one) => isNew(one) && isCompiled(one) && this.sort(one).kind === "source")
      .map((one) => one.path);
    return onlyGainsFiles(change, work) ? source(4, "its lines only gain files of the work") : undefined;
  }

  #foldersOfNewPackages(): readonly string[] {
    const { changes, settings } = this.order;
    return (this.#newPackages ??= changes
      .filter((one) => isOfNewPackage(one, this.order.files, settings.project))
      .map(({ path }) => folderOf(path)));
  }

  #isSetting(path: string): boolean {
    if (isSetting(this.#local(path))) return true;
    const root = this.#program.folderOf(path);
    const isDeep =
      root !== undefined && !this.#program.packages.has(folderOf(path)) && !this.#program.isFlat(root);
    if (isDeep) return false;
    const stem = /^[._]?([\w-]+?)(?:rc)?\.\w+$/.exec(posix.basename(path))?.[1] ?? "";
    const isOfProgram =
      familyOf(path) === undefined && !DOCUMENT.test(path) && this.#loads.programs.has(stem);
    return isOfProgram || isSettingAtTop(posix.basename(path));
  }

  #loadedByCheck(path: string): Answer | undefined {
    const loaded = this.#loads.files.get(path) ?? this.#loads.globs.find(({ matches }) => matches(path));
    if (loaded !== undefined && !this.#isProgramUnderTest(path, loaded.by))
      return check(7, `${loaded.who} loads it`);
    const settings = this.#program.entries.has(path) ? undefined : this.#settingsThatLoad(path);
    if (settings !== undefined) return check(7, `${settings} loads it`);
    const folder = [...this.#forTests].find((one) => isBelow(path, one));
    return folder === undefined ? undefined : check(7, `a manifest takes in ${folder} for tests`);
  }

  /** A check may start the program; a shell script in a program of other languages is the check's. */
  #isProgramUnderTest(path: string, by: "command" | "script"): boolean {
    if (this.#program.entries.has(path)) return true;
    const root = this.#program.folderOf(path);
    if (by === "command" || root === undefined || root === "" || this.#program.isFlat(root)) return false;
    const isShell = languageOf(path, this.order.files.text(path)) === "shell";
    return !isShell || this.#allLanguages().size === 1;
  }

  #odd({ path, from, to }: ChangedFile): Answer | undefined {
    const modes = [from, to].filter(exists).map(({ mode }) => mode);
    if (modes.includes("120000")) return doubt(8, "it is a link");
    if (modes.includes("160000")) return doubt(8, "it is a submodule");
    if (modes.length === 2 && modes[0] !== modes[1]) return doubt(8, "its mode changed");
    if (isForeign(path)) return doubt(8, "it is in a folder of outputs or of others' code");
    return posix.basename(path).startsWith(".") ? doubt(8, "its name begins with a dot") : undefined;
  }

  #foundFirst(change: ChangedFile): Answer | undefined {
    if (!isNew(change)) return undefined;
    const { work } = this.order.settings;
    const customs = SEARCHED.flatMap((name) => [name, posix.join(work, name)]);
    const scripts = [...this.#loads.files.keys()].map(folderOf);
    const before = foundBefore(change, {
      ...{ files: this.order.files, hasProgram: this.order.hasProgram },
      ...{ language: languageOf(change.path, change.after) },
      searched: [...new Set(["", work, ...customs, ...scripts])],
      isProgram: (path) => this.#program.folderOf(path) !== undefined,
    });
    return before === undefined ? undefined : check(9, `it would be found before ${before}`);
  }

  #document(path: string): Answer | undefined {
    if (!DOCUMENT.test(path)) return undefined;
    const folders = foldersAbove(path)
      .filter((one) => !this.#holdsProgram(one))
      .slice(-1);
    const holder =
      this.#holderOf(path, (one) => this.reads(one), { name: posix.basename(path), folders }) ??
      this.#holderOf(path, (one) => this.isCheck(one), { name: `*${posix.extname(path)}` });
    return holder === undefined ? source(10, "it is documentation") : doubt(10, `${holder} names it`);
  }

  #code(change: ChangedFile): Answer | undefined {
    const { path } = change;
    const language = languageOf(path, change.before ?? change.after);
    if (language === undefined) return undefined;
    // A project without any code yet may begin in any language.
    const languages = this.#allLanguages();
    if (languages.size > 0 && !languages.has(language)) return undefined;
    const root = this.#program.folderOf(path);
    if (root !== undefined) return source(11, "it is code in a folder of the program");
    if (this.#program.isSaid) return undefined;
    if (this.#program.entries.has(path)) return source(11, "a manifest names it");
    if (posix.basename(folderOf(path)) === "bin") return source(11, "it is a program in bin/");
    return isNew(change) && !isBeside(this.#local(folderOf(path)))
      ? source(11, "it is new code of the program's language")
      : undefined;
  }

  #data({ path, before, after, to }: ChangedFile): Answer | undefined {
    if (languageOf(path, before ?? after) !== undefined || to.mode === "100755") return undefined;
    if (this.#program.isSaid && this.#program.folderOf(path) === undefined) return undefined;
    const folders = foldersAbove(path).filter((one) => !this.#holdsProgram(one));
    const holder =
      this.#holderOf(path, (one) => this.reads(one), { name: posix.basename(path), folders }) ??
      this.#holderOf(path, (one) => this.isCheck(one) && !isManifest(one), { name: posix.basename(path) });
    return holder === undefined
      ? source(12, "it is data that no check names")
      : doubt(12, `${holder} names it`);
  }

  #rest(change: ChangedFile): Answer {
    const isNewCode = isNew(change) && languageOf(change.path, change.after) !== undefined;
    return (isNewCode ? check : doubt)(
      13,
      "it is in no folder of the program, or of a language that the program has not",
    );
  }

  /** A check that has a name in it, the nearest folder as `docs/` or `"../docs"`, or lists one above: `"a/*"`. */
  #holderOf(
    path: string,
    isHolder: (path: string) => boolean,
    { name, folders = [] }: { name: string; folders?: readonly string[] },
  ): string | undefined {
    const { named } = this.#loads;
    if ([path, `*${posix.extname(path)}`, ...folders].some((one) => named.has(one))) return "a check command";
    const holds = (word: string, texts: readonly string[]): string | undefined =>
      this.order.files.mentions(word).find((one) => {
        const text = isHolder(one) ? this.order.files.text(one) : undefined;
        return text !== undefined && texts.some((each) => hasName(text, each));
      });
    const ofFolders = folders.map((one, at) => {
      const folder = posix.basename(one);
      const quoted = [`"${folder}"`, `'${folder}'`, `/${folder}"`, `/${folder}'`];
      return [
        folder,
        [...quoted, ...(at === 0 ? [`${folder}/`] : [`${folder}/*`, `${folder}/"`, `${folder}/'`])],
      ] as const;
    });
    for (const [word, texts] of [[name, [name]] as const, ...ofFolders]) {
      const holder = holds(word, texts);
      if (holder !== undefined) return holder;
    }
    return undefined;
  }

  #local(path: string): string {
    return relative(this.order.settings.project, path);
  }

  #holdsProgram(folder: string): boolean {
    const { folderOf: rootOf, packages } = this.#program;
    return (
      folder === "" ||
      rootOf(`${folder}/x`) !== undefined ||
      [...packages].some((one) => isBelow(one, folder)) ||
      this.order.files.paths.some((path) => isBelow(path, folder) && rootOf(path) !== undefined)
    );
  }

  /** The languages that the program has at the reference. */
  #allLanguages(): ReadonlySet<Family> {
    if (this.#languages !== undefined) return this.#languages;
    const found = new Set<Family>();
    /** Endings of which no further file says more. */
    const known = new Set<string>();
    for (const path of this.order.files.paths) {
      const ending = posix.extname(path);
      if (known.has(ending)) continue;
      const isPlain =
        ending === "" &&
        (this.#program.folderOf(path) !== undefined || posix.basename(folderOf(path)) === "bin");
      const language = languageOf(path, isPlain ? this.order.files.text(path) : undefined);
      if (ending !== "" && (language === undefined || found.has(language))) known.add(ending);
      if (language === undefined || found.has(language) || isForeign(path) || this.isTest(path)) continue;
      if (!this.#isSetting(path)) found.add(language);
    }
    return (this.#languages = found);
  }

  /** Whether all tests of the project are in folders of their own. */
  #testsHaveFolders(): boolean {
    return (this.#hasTestFolders ??=
      this.order.files.paths.some((path) => TESTED.test(path)) &&
      !this.order.files.paths.some((path) => isTestName(posix.basename(path)) && !TESTED.test(path)));
  }
}

/** Row 6, beside the files of a program at the top of a package. */
const AT_TOP =
  /(?:^|[^A-Za-z])(?:tests?|specs?|checks?|fixtures?|mocks?|expected|golden|selftest)(?=[^A-Za-z]|$)/i;
const TESTED = /(?:^|\/)(?:tests?|__tests__|specs?|t)\//;
/** Folders in which modules are looked up by custom. */
const SEARCHED = ["src", "lib", "test", "tests"];

const answer =
  (kind: FileKind) =>
  (row: number, why: string): Answer => ({ kind, row, why });
const source = answer("source");
const check = answer("check");
const doubt = answer("doubt");

/** Whether a text has a name that is not part of a longer one: `one` is not in `done`. */
function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = /\w/.test(name.charAt(0)) ? text.charAt(at - 1) : "";
    const after = /\w/.test(name.charAt(name.length - 1)) ? text.charAt(at + name.length) : "";
    if (!/[\w-]/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}

/** Whether a file has to be built before it can run: any other might take the place of a check in a command of a build file. */
function isCompiled({ path, after, to }: ChangedFile): boolean {
  const language = languageOf(path, after);
  return language !== undefined && COMPILED.has(language) && to.mode !== "100755";
}

/** A regular file as if it had been written again without a change. */
function unchanged(path: string): ChangedFile {
  const version = { mode: "100644", oid: "" };
  return { path, from: version, to: version, before: undefined, after: undefined };
}
