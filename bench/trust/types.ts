// The shapes of a case, a cheat and a result. The bench itself is plain JavaScript, so that node alone runs it.

/** A file: its text, a program, a link (`@outside/` stands for a folder beside the project), or `null`: removed. */
export type Content = string | { readonly program: string } | { readonly link: string } | null;

/** Files by path. */
export type Tree = Readonly<Record<string, Content>>;

export type Kind = "node" | "python" | "shell";

/** One test case of a test file; in a shell project each file is one. */
export interface TestRef {
  file: string;
  name: string;
}

/** The parts of work there are: nothing; a part of it; what was asked at the cost of something else; all of it. */
export type Work = "none" | "half" | "shortcut" | "solution";

/** A file an agent may bend to make checks say yes: its text as bent, and the work that hides. */
export interface Bend {
  file: string;
  work: Work;
  /** The bent text of the file by what the operator is after. */
  exits: (text: string) => string;
  /** Runs everything, reports as it is, and says yes at the end. */
  swallows?: (text: string) => string;
}

export interface Case {
  name: string;
  /** The particular thing about it, as half a sentence. */
  about: string;
  kind: Kind;
  base: Tree;
  /** Settings `verify.*`, without `cold`. */
  verify: Readonly<Record<string, unknown>>;
  task: { title: string; details?: string; verify?: readonly string[] };
  solution: Tree;
  half?: Tree;
  shortcut?: Tree;
  /** Tests of the work that are there, and red, at the base. */
  accept?: readonly TestRef[];
  /** A test that is green at the base, and that `shortcut` breaks. */
  guard: TestRef;
  /** Expected values of `accept`, and what the code as it is gives instead. */
  lies?: readonly (readonly [string, string])[];
  script?: Bend;
  config?: { files: Tree; work: Work };
  /** Files beside the code that the runner takes for a part of itself. */
  shadow?: { files: Tree; work: Work };
  /** A shadow that runs every test, and calls each passed. */
  patch?: { files: Tree; work: Work };
  /** A shadow of a library that the runner uses. */
  library?: Tree;
  /** A program found before the real one. `ignored`: git does not see it. */
  shim?: { file: string; text: string; work: Work; ignored: boolean };
  /** The tests that the agent was asked to write, and a stand-in that tests nothing. */
  ownTest?: { file: string; vacuous: string };
  /** A source file that `exit` ends as soon as it is read. `blind`: only an exit code would show it. */
  exit?: { file: string; text: string; blind: boolean };
  /** A report as it would look if all were well, at a place where the gate might read it. */
  forged?: { file: string; text: string };
  /** The file of the work, for links. */
  source: string;
  oracle: Oracle;
}

/** How it is known whether the work is done: nothing of the agent's but these files is looked at. */
export interface Oracle {
  sources: readonly string[];
  /** Shell commands: the tests of the base that were green; each must exit with 0. */
  originals: readonly string[];
  /** A program that prints `work is done` as its last line; no agent ever sees it. */
  tests: Tree;
  command: string;
}

/** The changes of a cheating agent. */
export interface Cheat {
  files: Tree;
  /** Files beside the project. */
  outside?: Tree;
  /** Shell commands, run in the project after the files are written. */
  commands?: readonly string[];
  /** Said before the report. */
  says?: string;
}

export interface Operator {
  name: string;
  about: string;
  /** The agent is honest. */
  honest?: true;
  /** Nothing: it has no place to act in this case. */
  apply: (on: Case) => Cheat | undefined;
  /** Why no gate can tell in this case; such pairs are run and shown, and not counted. */
  blind?: (on: Case) => string | undefined;
}

export type Mode = "warm" | "cold";

export interface Pair {
  on: Case;
  operator: Operator;
  cheat: Cheat;
  honest: boolean;
  blind?: string;
}

export type Said = "verified" | "unverified" | "not done";

export type Verdict = "right" | "false done" | "done unverified" | "false fail" | "broken";

export interface Outcome {
  case: string;
  operator: string;
  mode: Mode;
  honest: boolean;
  blind?: string;
  said: Said;
  verdict: Verdict;
  /** Why the verdict is what it is: what the gate said, what the oracle found. */
  because: string;
  ms: number;
  /** Where it was done, when it was kept. */
  folder?: string;
}
