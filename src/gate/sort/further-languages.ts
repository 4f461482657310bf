// Languages whose imports are not read: a file of one is in the program by its place alone. Each has the endings of its files, and what
// a text of it may hold: tests, and marks that silence a checking tool. Pure. languages.ts has all languages.

/** A language by its files. */
interface Further {
  extensions: string;
  /** The programs of a first line that run it. */
  interpreters?: string;
  /** Tests, or examples that may run as tests, which files of the program have in them. */
  tests?: RegExp;
  /** Marks that its tools obey to report less. */
  suppressions?: RegExp;
}

const LANGUAGES = {
  awk: { extensions: "awk gawk", interpreters: "awk gawk mawk nawk" },
  dart: {
    ...{ extensions: "dart", interpreters: "dart" },
    tests: /\bpackage:(?:flutter_)?test\//,
    suppressions: /\/\/\s*(?:ignore(?:_for_file)?:|coverage:ignore|dart format off)/,
  },
  haskell: {
    ...{ extensions: "hs lhs hsc purs elm", interpreters: "runghc runhaskell stack cabal" },
    tests: /^[ \t]*(?:(?:--|\{-)[ \t]*)?(?:[|>][ \t]*)?>>> |\bprop_\w+|\b(?:hspec|Test\.\w+)\b/m,
    suppressions: /\{-#\s*(?:OPTIONS(?:_GHC)?|ANN|HLINT)\b|\{-\s*HLINT\b|--\s*(?:HLINT|elm-review)\b/i,
  },
  zig: { extensions: "zig", tests: /^[ \t]*test\b[ \t]*(?:[\w"@][^\r\n{]*)?\{/m },
  r: {
    ...{ extensions: "r", interpreters: "Rscript r" },
    tests: /\b(?:test_that|expect_\w+|stopifnot)\s*\(|\btinytest\b/,
    suppressions: /#\s*(?:nolint|nocov|styler:\s*off)/,
  },
  julia: {
    ...{ extensions: "jl", interpreters: "julia" },
    tests: /```jldoctest|@test\w*\b/,
    suppressions: /#\s*(?:COV_EXCL|format:\s*off|lint-disable)/i,
  },
  ocaml: {
    ...{ extensions: "ml mli mll mly re rei", interpreters: "ocaml" },
    tests: /\blet%\w*(?:test|bench)|\blet%expect_test/,
    suppressions: /\[@{1,3}(?:ocaml\.)?(?:warning|alert|coverage)\b/,
  },
  lisp: {
    extensions: "clj cljs cljc lisp lsp cl scm ss rkt el janet fnl",
    interpreters: "clojure clj bb racket guile sbcl clisp janet",

    tests:
      /\(\s*(?:[\w.]+\/)?(?:deftest|with-test|def-test|define-test|ert-deftest)\b|\(module[+*]?\s+test\b|:test\b/,
    suppressions: /#_?\s*:clj-kondo\/ignore|:clj-kondo\/ignore|\bmuffle-warning\b/,
  },
  d: {
    ...{ extensions: "d", interpreters: "rdmd" },
    tests: /^[^\r\n/]{0,200}\bunittest\b/m,
    suppressions: /@nolint\b|\/\/\s*dfmt\s+off/,
  },
  nim: {
    ...{ extensions: "nim nims cr", interpreters: "nim crystal" },
    tests: /\bisMainModule\b|\brunnableExamples\b|^[ \t]*(?:test|suite|describe)\s+"/m,
    suppressions: /\{\.\s*(?:push\s+)?(?:warning|hint)\b|#\s*ameba:disable/,
  },
  solidity: {
    ...{ extensions: "sol vy" },
    tests: /\bforge-std\/|\bfunction\s+(?:test|invariant|echidna)\w*\s*\(/,
    suppressions: /\b(?:solhint|slither)-disable\b/,
  },
  fortran: { extensions: "f for f77 f90 f95 f03 f08" },
  pascal: { extensions: "pas pp lpr dpr adb ads", suppressions: /\{\$(?:WARN|HINTS)\b/i },
  tcl: { extensions: "tcl", interpreters: "tclsh expect", tests: /\btcltest\b/ },
  powershell: {
    ...{ extensions: "ps1 psm1", interpreters: "pwsh" },
    tests: /^[ \t]*Describe\s+["'\w]/im,
    suppressions: /\bSuppressMessage/i,
  },
} as const satisfies Readonly<Record<string, Further>>;

export type FurtherFamily = keyof typeof LANGUAGES;

const ALL: readonly (readonly [FurtherFamily, Further])[] = Object.entries(LANGUAGES) as [
  FurtherFamily,
  Further,
][];

function pick<T>(value: (language: Further) => T): Readonly<Record<FurtherFamily, T>> {
  return Object.fromEntries(ALL.map(([family, language]) => [family, value(language)])) as Record<
    FurtherFamily,
    T
  >;
}

export const FURTHER_EXTENSIONS = pick(({ extensions }) => extensions);
export const FURTHER_TESTS: Readonly<Record<string, RegExp | undefined>> = pick(({ tests }) => tests);
export const FURTHER_SUPPRESSIONS = pick(({ suppressions }) => suppressions);

/** The interpreters of a first line, with their languages. */
export const FURTHER_INTERPRETERS: readonly (readonly [name: string, family: FurtherFamily])[] = ALL.flatMap(
  ([family, { interpreters = "" }]) =>
    interpreters
      .split(" ")
      .filter((name) => name !== "")
      .map((name): [string, FurtherFamily] => [name, family]),
);
