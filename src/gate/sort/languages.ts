// Which language family a file belongs to, by its extension or by the interpreter that its first line names. Pure.
import { posix } from "node:path";

/** The endings of each family's files. Files of one family may import each other; a program that has one may be given more of it. */
const EXTENSIONS = {
  js: "js mjs cjs jsx ts tsx mts cts vue svelte astro",
  c: "c h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp m mm",
  python: "py pyi pyx pxd",
  perl: "pl pm t",
  ruby: "rb",
  php: "php",
  java: "java kt kts scala groovy",
  go: "go",
  rust: "rs",
  csharp: "cs fs vb",
  swift: "swift",
  elixir: "ex exs erl hrl gleam",
  lua: "lua",
  shell: "sh bash zsh bats",
  awk: "awk gawk",
  dart: "dart",
  haskell: "hs lhs hsc purs elm",
  zig: "zig",
  r: "r",
  julia: "jl",
  ocaml: "ml mli mll mly re rei",
  lisp: "clj cljs cljc lisp lsp cl scm ss rkt el janet fnl",
  d: "d",
  nim: "nim nims cr",
  solidity: "sol vy",
  fortran: "f for f77 f90 f95 f03 f08",
  pascal: "pas pp lpr dpr adb ads",
  tcl: "tcl",
  powershell: "ps1 psm1",
};
export type Family = keyof typeof EXTENSIONS;

/** Programs of a first line. */
const INTERPRETERS: Readonly<Partial<Record<Family, string>>> = {
  js: "node nodejs deno bun tsx",
  python: "python pypy",
  shell: "sh bash dash zsh ksh",
  perl: "perl",
  ruby: "ruby",
  php: "php",
  lua: "lua luajit",
  java: "kotlin scala groovy",
  elixir: "elixir escript",
  swift: "swift",
  awk: "awk gawk mawk nawk",
  dart: "dart",
  haskell: "runghc runhaskell stack cabal",
  r: "Rscript r",
  julia: "julia",
  ocaml: "ocaml",
  lisp: "clojure clj bb racket guile sbcl clisp janet",
  d: "rdmd",
  nim: "nim crystal",
  tcl: "tclsh expect",
  powershell: "pwsh",
};

const FAMILY_OF = familiesBy(EXTENSIONS);
const INTERPRETER_OF = familiesBy(INTERPRETERS);

function familiesBy(words: Readonly<Partial<Record<Family, string>>>): ReadonlyMap<string, Family> {
  const families = Object.entries(words) as [Family, string][];
  return new Map(families.flatMap(([family, all]) => all.split(" ").map((word) => [word, family] as const)));
}

/** The family of a path's extension; `undefined`: data, documentation, or a language that is not known here. */
export function familyOf(path: string): Family | undefined {
  return FAMILY_OF.get(posix.extname(path).slice(1).toLowerCase());
}

/** The interpreter that a first line names: `#!/usr/bin/env -S node --no-warnings`. */
const SHEBANG =
  /^#![ \t]*(?:\S*\/)?([A-Za-z]+)[\d.]*(?:[ \t]+(?:-\S+[ \t]+)*(?:\S*\/)?([A-Za-z]+)[\d.]*)?(?=\s|$)/;

/** The family of a program without an extension, by the interpreter that its first line names. */
export function familyIn(path: string, text: string | undefined): Family | undefined {
  if (posix.extname(path) !== "" || text === undefined) return undefined;
  const [, first = "", second = ""] = SHEBANG.exec(text) ?? [];
  return INTERPRETER_OF.get(first === "env" ? second : first);
}

/** The extensions of a family, each with its dot. */
export function extensionsOf(family: Family): readonly string[] {
  return EXTENSIONS[family].split(" ").map((extension) => `.${extension}`);
}
