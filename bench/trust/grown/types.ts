// The shapes of the generated cases: ecosystems × operators × two bases. The bench itself is plain JavaScript.
import type { Tree } from "../types.js";

/** `red`: the tests of the work are at the base, and fail. `green`: everything passes at the base. */
export type Color = "red" | "green";

/** The two functions of every project: `edge` is the one to mend, `area` must stay as it is. */
export type Part = "area" | "edge";

/** A function as it is at the base, as the task wants it, or (of `area`) broken. */
export type State = "base" | "done" | "broken";

/** The way in which the case that would show the truth is changed. */
export type Way = "plain" | "skip" | "todo" | "weak" | "early" | "comment" | "expect";

/** A test case: the function is called with 2 and 3, or with 0 and 0; `expected` is what it must return. */
export interface TestCase {
  name: string;
  args: readonly [number, number];
  expected: number;
  way: Way;
}

/** A test file to be written. */
export interface TestSpec {
  part: Part;
  /** The path of the test file, and of the source file that it reads. */
  at: string;
  source: string;
  /** The path of the file of helpers. */
  helper: string;
  cases: readonly TestCase[];
}

/** A small project in one language with one runner. */
export interface Ecosystem {
  name: string;
  /** Programs that must be there, else the ecosystem is skipped. `node:jest` is a package of the bench's cache. */
  tools: readonly string[];
  command: string;
  /** Further settings of `verify`. */
  verify?: Readonly<Record<string, unknown>>;
  /** Files that are neither tests, helpers nor the two functions. */
  files: Tree;
  source: Readonly<Record<Part, string>>;
  test: Readonly<Record<Part, string>>;
  /** A function; `expression` replaces what it returns. */
  sourceText: (part: Part, expression: string) => string;
  /** Nothing where the language has no such way. */
  testText: (spec: TestSpec) => string | undefined;
  /** A test file that reads lines of `2 3 6` from a file. */
  dataTest?: (part: Part, data: string) => string;
  helper?: { file: string; text: string; bent: string };
  /** Elsewhere for the helper: outside of every test folder. */
  helperElsewhere?: string;
  /** A test file in which nothing is tested. */
  vacuous: (part: Part, at?: string) => string;
  /** A name that the runner does not take for a test. */
  lost: (test: string) => string;
  /** Where a test file may be moved honestly. */
  moved: (test: string) => string;
  /** A new name that the runner still takes for a test. */
  renamed: (test: string) => string;
  /** Shell that prints `work is done` where both functions are right; from the top of the project. */
  probe: (source: Readonly<Record<Part, string>>) => string;
  /** The same file, formatted otherwise. */
  format?: (text: string) => string;
  /** A source file more: `edge` made of a function of its own. `named`: the name says test. */
  split?: (named: boolean) => Tree;
  /** Both functions read a file of data, or a template, by its name. */
  data?: Tree;
  /** The other files that change where `area` is removed. */
  without?: Tree;
  /** A comment of the language's. */
  comment: (text: string) => string;
  cheats: readonly CheatOperator[];
  honest: readonly HonestOperator[];
}

/** Where an operator acts. */
export interface On {
  eco: Ecosystem;
  color: Color;
  /** Its target: `edge` on a red base (not mended), `area` on a green one (broken). */
  part: Part;
  base: Tree;
  /** The target's test file with something done to the case that shows the truth. */
  bent: (way: Way | "gone") => string | undefined;
  /** A file of the base. */
  read: (file: string) => string;
}

/** The changes of an attempt. */
export interface Change {
  files: Tree;
  /** Files beside the project. */
  outside?: Tree;
  /** Shell commands, run in the project after the files are written. */
  commands?: readonly string[];
}

/** The files and settings that the base has in addition. */
export interface Setting {
  files?: Tree;
  command?: string;
  verify?: Readonly<Record<string, unknown>>;
  /** Shell commands, run in the base before it is committed. */
  commands?: readonly string[];
}

export interface CheatOperator {
  name: string;
  /** The class of gate.md that it belongs to. */
  kind: string;
  /** Programs it needs besides those of the ecosystem. */
  tools?: readonly string[];
  setting?: ((on: Pick<On, "eco" | "color" | "part">) => Setting | undefined) | undefined;
  apply: (on: On) => Change | Tree | undefined;
  /** The change of the task before. */
  earlier?: (on: On) => Change | Tree | undefined;
  /** Only with these bases. */
  colors?: readonly Color[];
  /** The file whose change turns the checks green, when it is not among those written: for attribution. */
  planted?: readonly string[];
  /** The checks do not become green outside of Looper: what it does is done to git, or only while rooms run. */
  unseen?: true;
  /** The attempt's own work instead of the target's: answers that are hard-coded and the like. */
  instead?: true;
}

export interface HonestOperator {
  name: string;
  /** Whether a test, a setting or a script changes. */
  checks: boolean;
  setting?: CheatOperator["setting"];
  /** The changes it makes besides the work; `source` if they move the work to other files. */
  apply: (
    on: On,
  ) => (Change & { source?: Readonly<Record<Part, string>>; task?: string; unprobed?: true }) | undefined;
  /** The change of the task before. */
  earlier?: (on: On) => Change | Tree | undefined;
  colors?: readonly Color[];
  /** The runner may be red where it finds no tests. */
  anyBase?: true;
}

/** `believed`: answers hard-coded for the visible cases; no room can tell. `hidden`: the same with hidden checks. */
export type CaseKind = "cheat" | "honest" | "believed" | "hidden";

export interface GrownCase {
  /** `ecosystem/operator/color`. */
  name: string;
  ecosystem: string;
  operator: string;
  /** Class of cheat; of honest work `checks` or `source`. */
  group: string;
  color: Color;
  kind: CaseKind;
  tools: readonly string[];
  title: string;
  base: Tree;
  baseCommands: readonly string[];
  command: string;
  verify: Readonly<Record<string, unknown>>;
  attempt: Required<Change>;
  /** The change of a task that is done before it in the same run. */
  earlier?: Required<Change>;
  /** Honest work that touches no check must be verified. */
  checks: boolean;
  planted: readonly string[];
  probe: string;
  unseen: boolean;
  /** Checks of the task's own. */
  taskVerify?: readonly string[];
  /** Of the hand-written cases: not tried outside of Looper. */
  byHand?: true;
  /** With a hidden check: whether the work is done. */
  hidden?: true;
  /** The work is done, though the task contradicts the tests: never verified all the same. */
  honestWork?: boolean;
  /** Whether the command is green at the base; missing where that does not matter. */
  greenAtBase?: boolean;
}

export type { Tree };
