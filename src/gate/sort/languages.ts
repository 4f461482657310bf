// Which language family a file belongs to, by its extension or by the interpreter that its first line names. Pure.
import { posix } from "node:path";

/** Endings and interpreters. A program that has one file of a family may be given more of it. */
const LANGUAGES = {
  js: ["js mjs cjs jsx ts tsx mts cts vue svelte astro", "node nodejs deno bun tsx"],
  c: ["c h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp m mm", ""],
  python: ["py pyi pyx pxd", "python pypy"],
  perl: ["pl pm t", "perl"],
  ruby: ["rb", "ruby"],
  php: ["php", "php"],
  java: ["java kt kts scala groovy", "kotlin scala groovy"],
  go: ["go", ""],
  rust: ["rs", ""],
  csharp: ["cs fs vb", ""],
  swift: ["swift", "swift"],
  elixir: ["ex exs erl hrl gleam", "elixir escript"],
  lua: ["lua", "lua luajit"],
  shell: ["sh bash zsh bats", "sh bash dash zsh ksh"],
  awk: ["awk gawk", "awk gawk mawk nawk"],
  dart: ["dart", "dart"],
  haskell: ["hs lhs hsc purs elm", "runghc runhaskell stack cabal"],
  zig: ["zig", ""],
  r: ["r", "Rscript r"],
  julia: ["jl", "julia"],
  ocaml: ["ml mli mll mly re rei", "ocaml"],
  lisp: ["clj cljs cljc lisp lsp cl scm ss rkt el janet fnl", "clojure clj bb racket guile sbcl clisp janet"],
  d: ["d", "rdmd"],
  nim: ["nim nims cr", "nim crystal"],
  solidity: ["sol vy", ""],
  fortran: ["f for f77 f90 f95 f03 f08", ""],
  pascal: ["pas pp lpr dpr adb ads", ""],
  tcl: ["tcl", "tclsh expect"],
  powershell: ["ps1 psm1", "pwsh"],
} satisfies Record<string, [extensions: string, interpreters: string]>;
export type Family = keyof typeof LANGUAGES;

/** Families that are built before they run. */
export const COMPILED: ReadonlySet<Family> = new Set([
  ...(["c", "java", "go", "rust", "csharp", "swift", "haskell", "zig"] as const),
  ...(["ocaml", "d", "nim", "solidity", "fortran", "pascal", "dart"] as const),
]);

const FAMILY_OF = familiesBy(0);
const INTERPRETER_OF = familiesBy(1);

function familiesBy(column: 0 | 1): ReadonlyMap<string, Family> {
  const families = Object.entries(LANGUAGES) as [Family, [string, string]][];
  return new Map(
    families.flatMap(([family, words]) => (words[column].match(/\S+/g) ?? []).map((word) => [word, family])),
  );
}

/** The family of a path's extension; `undefined`: data, documentation, or an unknown language. */
export function familyOf(path: string): Family | undefined {
  return FAMILY_OF.get(posix.extname(path).slice(1).toLowerCase());
}

/** The interpreter that a first line names: `#!/usr/bin/env -S node --no-warnings`. */
const SHEBANG =
  /^#![ \t]*(?:\S*\/)?([A-Za-z]+)[\d.]*(?:[ \t]+(?:-\S+[ \t]+)*(?:\S*\/)?([A-Za-z]+)[\d.]*)?(?=\s|$)/;

/** The language of code: by its ending, or without one by the interpreter in its first line. */
export function languageOf(path: string, text: string | undefined): Family | undefined {
  if (posix.extname(path) !== "") return familyOf(path);
  const [, first = "", second = ""] = SHEBANG.exec(text ?? "") ?? [];
  return INTERPRETER_OF.get(first === "env" ? second : first);
}

/** The extensions of a family, each with its dot. */
export function extensionsOf(family: Family): readonly string[] {
  return LANGUAGES[family][0].split(" ").map((extension) => `.${extension}`);
}
