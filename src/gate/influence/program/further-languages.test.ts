// Projects in languages whose imports are not read: their source by place, and what of them must not count as source.
import { expect, test } from "vitest";
import { classified, kindsOf, type Texts } from "../../testing/classified.js";
import { withTestsOf } from "../tests-in-source.js";
import { withoutAddedSuppressions } from "../suppressions.js";

test.each<[string, Texts, Record<string, string>]>([
  [
    "awk",
    { "bin/sum.awk": "", "test/run.sh": 'test "$(awk -f bin/sum.awk)" = 3', "lib/a.awk": "" },
    { "bin/sum.awk": "source", "lib/new.awk": "source", "test/same.awk": "check", "tools/x.awk": "doubt" },
  ],
  [
    "awk without an extension",
    { "bin/sum": "#!/usr/bin/awk -f\n{ print }\n", "test/run.sh": "bin/sum | grep 3" },
    { "bin/sum": "source" },
  ],
  [
    "Haskell",
    { "p.cabal": "", "src/Calc.hs": "", "app/Main.hs": "", "Setup.hs": "", "test/Spec.hs": "" },
    { "src/Calc.hs": "source", "app/Main.hs": "source", "Setup.hs": "check", "test/Spec.hs": "check" },
  ],
  [
    "Dart",
    { "pubspec.yaml": "", "lib/calc.dart": "", "bin/calc.dart": "", "test/calc_test.dart": "" },
    { "lib/calc.dart": "source", "bin/calc.dart": "source", "pubspec.yaml": "check", "tool/x.dart": "doubt" },
  ],
  [
    "Zig",
    { "build.zig": "", "build.zig.zon": "", "src/main.zig": "" },
    { "src/main.zig": "source", "build.zig": "check", "build.zig.zon": "check" },
  ],
  [
    "R",
    { DESCRIPTION: "", "R/add.R": "", "tests/testthat/test-add.R": "", "tests/testthat.R": "" },
    { "R/add.R": "source", "R/new.R": "source", DESCRIPTION: "check", "tests/testthat.R": "check" },
  ],
  [
    "Julia",
    { "Project.toml": "", "src/Calc.jl": "", "test/runtests.jl": "" },
    { "src/Calc.jl": "source", "test/runtests.jl": "check" },
  ],
  [
    "OCaml",
    { "dune-project": "", "bin/dune": "", "bin/main.ml": "", "lib/calc.ml": "", "test/test_calc.ml": "" },
    { "lib/calc.ml": "source", "lib/calc.mli": "source", "bin/dune": "check", "test/test_calc.ml": "check" },
  ],
  [
    "Clojure",
    { "deps.edn": "", "src/calc/core.clj": "", "test/calc/core_test.clj": "" },
    { "src/calc/core.clj": "source", "deps.edn": "check", "src/user.clj": "check" },
  ],
  [
    "Elixir, Erlang, Lua and Kotlin",
    { "lib/a.ex": "", "src/a.erl": "", "lua/a.lua": "", "src/main/kotlin/A.kt": "" },
    { "lib/b.ex": "source", "lua/b.lua": "source", "src/main/kotlin/B.kt": "source" },
  ],
  [
    "Solidity",
    { "foundry.toml": "", "contracts/A.sol": "", "test/A.t.sol": "" },
    { "contracts/A.sol": "source", "foundry.toml": "check", "test/A.t.sol": "check" },
  ],
])("a project in %s has its source, its tests and its build told apart", (_name, before, kinds) => {
  const after = Object.fromEntries(Object.keys(kinds).map((path) => [path, "new"]));
  expect(kindsOf({}, before, after)).toEqual(kinds);
});

test.each([
  ["Rscript check.R", "check.R", "main.R"],
  ["julia --project=. check.jl", "check.jl", "main.jl"],
  ["runghc Check.hs", "Check.hs", "Main.hs"],
  ["awk -f check.awk out.txt", "check.awk", "main.awk"],
  ["elixir check.exs", "check.exs", "main.ex"],
  ["dart run check.dart", "check.dart", "main.dart"],
])("a script that a command runs is a check: %s", (command, script, program) => {
  const before = { [script]: "", [program]: "" };
  expect(kindsOf({ commands: [command] }, before, { [script]: "new", [program]: "new" })).toEqual({
    [script]: "check",
    [program]: "source",
  });
});

test("a language that the program does not have is in doubt", () => {
  const [found] = classified({}, { "src/a.js": "", "test/a.test.js": "" }, { "src/a.hs": "main = pure ()" });
  expect(found).toMatchObject({ kind: "doubt", why: "the program had no file of this language" });
});

const none = { runsExamples: false };
test.each([
  ["a.hs", "-- >>> add 2 3\n-- 5\nadd a b = a - b\n", "5", "-1"],
  ["a.clj", "(defn add [a b] (- a b))\n(deftest t (is (= 5 (add 2 3))))\n", "5", "-1"],
  ["a.ml", "let add a b = a - b\nlet%test _ = add 2 3 = 5\n", "5", "-1"],
  ["a.d", "int add(int a, int b) { return a - b; }\nunittest { assert(add(2, 3) == 5); }\n", "5", "-1"],
  ["a.nim", "when isMainModule:\n  doAssert add(2, 3) == 5\n", "5", "-1"],
  ["a.zig", 'const A = struct {\n    test "adds" {\n        try eq(5, add(2, 3));\n    }\n};\n', "5", "-1"],
])("a file with tests in it that cannot be told apart is a check: %s", (path, before, from, to) => {
  expect(withTestsOf({ path, before, after: before.replace(from, to) }, none)).toBe("check");
});

test("tests of Zig stay as they were", () => {
  const before = 'fn add() i32 {\n    return 1;\n}\n\ntest "adds" {\n    try eq(5, add());\n}\n';
  const after = before.replace("1;", "5;").replace("eq(5", "eq(-1");
  expect(withTestsOf({ path: "a.zig", before, after }, none)).toEqual({ text: before.replace("1;", "5;") });
  // A test that is cut short leaves its rest behind, which does not compile.
  const cut = after.replace("    try", "if (true) {\n}\n    try");
  expect(withTestsOf({ path: "a.zig", before, after: cut }, none)).not.toEqual({ text: cut });
});

test.each([
  ["a.dart", "// ignore: unused_import"],
  ["a.hs", "{-# OPTIONS_GHC -w #-}"],
  ["a.r", "x <- 1 # nolint"],
  ["a.clj", "#_:clj-kondo/ignore"],
  ["a.sol", "// solhint-disable-next-line"],
])("marks that silence a tool are found: %s", (path, line) => {
  expect(withoutAddedSuppressions(path, "", `${line}\n`)?.count).toBe(1);
});

test("a comment of a program does not make data its own", () => {
  const before = { "src/Calc.hs": "", "cases/add.json": "5", "test/run.sh": "cat cases/*" };
  const after = { "src/Calc.hs": "-- add.json\n", "cases/add.json": "-1" };
  expect(kindsOf({}, before, after)).toMatchObject({ "cases/add.json": "doubt" });
});
