// The language of a file, by its ending or by the interpreter in its first line.
import { expect, test } from "vitest";
import { extensionsOf, familyOf, languageOf } from "./languages.js";

test.each([
  ["js", "a.js a.mjs a.tsx a.vue A.TS"],
  ["c", "a.c a.h a.c++ a.mm"],
  ["python", "a.py a.pyi"],
  ["perl", "a.pl a.pm a.t"],
  ["ruby", "a.rb"],
  ["php", "a.php"],
  ["java", "A.java a.kt a.scala"],
  ["go", "a.go"],
  ["rust", "a.rs"],
  ["csharp", "A.cs a.fs a.vb"],
  ["swift", "a.swift"],
  ["elixir", "a.ex a.exs a.erl"],
  ["lua", "a.lua"],
  ["shell", "a.sh a.bash a.bats"],
  ["awk", "a.awk"],
  ["dart", "a.dart"],
  ["haskell", "a.hs a.elm"],
  ["zig", "a.zig"],
  ["r", "a.r a.R"],
  ["julia", "a.jl"],
  ["ocaml", "a.ml a.mli"],
  ["lisp", "a.clj a.el a.rkt"],
  ["d", "a.d"],
  ["nim", "a.nim a.cr"],
  ["solidity", "a.sol"],
  ["fortran", "a.f90 a.f"],
  ["pascal", "a.pas a.adb"],
  ["tcl", "a.tcl"],
  ["powershell", "a.ps1"],
])("the ending of %s: %s", (family, paths) => {
  for (const path of paths.split(" ")) {
    expect(familyOf(path)).toBe(family);
    expect(languageOf(path, undefined)).toBe(family);
  }
});

test.each([
  ["js", "node nodejs deno bun tsx"],
  ["python", "python pypy"],
  ["perl", "perl"],
  ["ruby", "ruby"],
  ["php", "php"],
  ["java", "kotlin scala groovy"],
  ["swift", "swift"],
  ["elixir", "elixir escript"],
  ["lua", "lua luajit"],
  ["shell", "sh bash dash zsh ksh"],
  ["awk", "awk gawk"],
  ["dart", "dart"],
  ["haskell", "runghc stack"],
  ["r", "Rscript"],
  ["julia", "julia"],
  ["ocaml", "ocaml"],
  ["lisp", "clojure guile racket"],
  ["d", "rdmd"],
  ["nim", "nim crystal"],
  ["tcl", "tclsh expect"],
  ["powershell", "pwsh"],
])("an interpreter of %s: %s", (family, programs) => {
  for (const program of programs.split(" "))
    expect(languageOf("run", `#!/usr/bin/${program}\n`)).toBe(family);
});

test.each([
  ["without a folder", "#!sh\n", "shell"],
  ["after a space", "#! /bin/sh\n", "shell"],
  ["with an option", "#!/bin/sh -e\n", "shell"],
  ["alone in the file", "#!/bin/sh", "shell"],
  ["with a version", "#!/usr/bin/python3.12\n", "python"],
  ["behind env", "#!/usr/bin/env node\n", "js"],
  ["behind env, alone in the file", "#!/usr/bin/env node", "js"],
  ["behind env and two spaces", "#!/usr/bin/env  node\n", "js"],
  ["behind env and an option", "#!/usr/bin/env -S node --no-warnings\n", "js"],
  ["behind env and a longer option", "#!/usr/bin/env -iS  node\n", "js"],
  ["behind env and two options", "#!/usr/bin/env -i -S node\n", "js"],
  ["behind env, with its folder", "#!/usr/bin/env /usr/local/bin/node\n", "js"],
  ["behind env, with a version", "#!/usr/bin/env python3.12\n", "python"],
  ["before another word", "#!/usr/bin/ruby node\n", "ruby"],
  ["of a longer name", "#!/usr/bin/python-config\n", undefined],
  ["that no language has", "#!/usr/bin/make -f\n", undefined],
  ["behind env, that no language has", "#!/usr/bin/env make\n", undefined],
  ["in the second line", "\n#!/bin/sh\n", undefined],
  ["behind a word", "x #!/bin/sh\n", undefined],
  ["without the sign", "/bin/sh\n", undefined],
])("an interpreter %s: %j", (_, text, family) => {
  expect(languageOf("bin/run", text)).toBe(family);
});

test.each([
  ["a.json", undefined],
  ["a.txt", "#!/bin/sh\n"],
  ["Makefile", undefined],
  ["LICENSE", ""],
])("data has no language: %s, %j", (path, text) => {
  expect(languageOf(path, text)).toBeUndefined();
  expect(familyOf(path)).toBeUndefined();
});

test("an ending counts before the interpreter", () => {
  expect(languageOf("a.py", "#!/bin/sh\n")).toBe("python");
});

test("the endings of a language have their dots", () => {
  expect(extensionsOf("python")).toEqual([".py", ".pyi", ".pyx", ".pxd"]);
});
