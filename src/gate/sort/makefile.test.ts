// The recipes that make runs for its goals.
import { expect, test } from "vitest";
import { listRecipes } from "./makefile.js";

test.each<[string, string, string[], string[]]>([
  ["a goal", "check:\n\t@sh a.sh\n\tsh b.sh\nother:\n\tsh c.sh\n", ["check"], ["sh a.sh", "sh b.sh"]],
  ["a recipe behind a semicolon", "check: x; sh a.sh; sh b.sh\n", ["check"], ["sh a.sh; sh b.sh"]],
  ["… over more than one line", "check: ; sh a.sh \\\n  -v\n", ["check"], ["sh a.sh \\\n  -v"]],
  ["… and below", "check:;sh a.sh\n\tsh b.sh\n", ["check"], ["sh a.sh", "sh b.sh"]],
  ["a recipe over more than one line", "check:\n\tsh a.sh \\\n\t  -v\n", ["check"], ["sh a.sh \\\n\t  -v"]],
  ["a recipe after a blank line and a remark", "check:\n\ta\n\n# b\n\tc\n", ["check"], ["a", "c"]],
  ["what the goal needs", "check: one  two\n\tc\none: two ; a\ntwo:\n\tb\n", ["check"], ["c", "a", "b"]],
  [
    "what is needed over more than one line",
    "check: one \\\n  two\none: ; a\ntwo: ; b\n",
    ["check"],
    ["a", "b"],
  ],
  ["no remark", "check: one # two\none: ; a\ntwo: ; b\n", ["check"], ["a"]],
  ["rules that need each other", "one: two ; a\ntwo: one ; b\n", ["one"], ["a", "b"]],
  ["one of more targets", "one two: ; a\n", ["two"], ["a"]],
  ["one of a group", "one two&: ; a\n", ["two"], ["a"]],
  ["a target with two colons, twice", "one:: ; a\none::\n\tb\n", ["one"], ["a", "b"]],
  [
    "more than one goal, as they stand in the file",
    "one: ; a\ntwo: ; b\nthree: ; c\n",
    ["three", "one"],
    ["a", "c"],
  ],
  ["words that are not goals", "one: ; a\ntwo: ; b\n", ["2", "two"], ["b"]],
  ["the first where none is named", "one:\n\ta\ntwo:\n\tb\n", [], ["a"]],
  ["the first where only other words are named", "one:\n\ta\ntwo:\n\tb\n", ["4"], ["a"]],
  ["the first of the first", "one two: x\nx: ; a\none: ; b\ntwo: ; c\n", [], ["a", "b"]],
  ["the first is none of make's own", ".PHONY: two\n.SUFFIXES:\none: ; a\ntwo: ; b\n", [], ["a"]],
  ["the first is not a pattern", "%.o: %.c\n\tcc\none: ; a\n", [], ["a"]],
  ["a target that ends in a dot may be the first", "one.: ; a\ntwo: ; b\n", [], ["a"]],
  ["nothing without rules", "A = 1\n\n# a: b\n", ["a"], []],
  ["nothing of an empty file", "", [], []],
  ["no variable is a rule", "one := two\none: ; a\n", ["one"], ["a"]],
  ["no assignment is a rule", "a b := c ; d\none: ; a\n", ["a"], ["a"]],
])("make runs the lines of its goals: %s", (_, text, goals, lines) => {
  expect(listRecipes(text, goals)).toEqual(lines);
});

test.each([
  ["A = sh a.sh", "$(A) -v", "sh a.sh -v"],
  ["A := sh a.sh", "${A} -v", "sh a.sh -v"],
  ["A=sh a.sh", "$(A)", "sh a.sh"],
  ["A ?=   sh a.sh", "$(A)", "sh a.sh"],
  ["export A = a=b sh a.sh", "$(A)", "a=b sh a.sh"],
  ["export\t A = x", "$(A)", "x"],
  ["override  A = x", "$(A)", "x"],
  ["A::=x", "$(A)", "x"],
  ["A:::=x", "$(A)", "x"],
  ["A.B-c_1 = x", "$(A.B-c_1)$(A.B-c_1)", "xx"],
  ["A = x\nA = y", "$(A)", "y"],
  ["A = $(B) a\nB = ${C} b\nC = sh", "$(A)", "sh b a"],
  ["", "$(MAKE) -C sub", "make -C sub"],
  ["MAKE = gmake", "$(MAKE) check", "gmake check"],
  ["A = x", "$(NONE) $A $(shell a) $$A $(A", "$(NONE) $A $(shell a) $$A $(A"],
  ["A = x", "$[A) $(A.) A)", "$[A) $(A.) A)"],
  ["A = b=c", "$(A)", "b=c"],
  ["myexport A = x", "$(A)", "$(A)"],
])("variables are expanded: %s", (variables, line, expected) => {
  expect(listRecipes(`${variables}\ncheck:\n\t${line}\n`, ["check"])).toEqual([expected]);
});

test("variables that name each other are expanded five levels deep", () => {
  const chain = "A = $(B)\nB = $(C)\nC = $(D)\nD = $(E)\nE = $(F)\nF = end\n";
  expect(listRecipes(`${chain}check:\n\t$(B)\n\t$(A)\n`, ["check"])).toEqual(["end", "$(F)"]);
  expect(listRecipes("A = $(A)a\ncheck:\n\t$(A)\n", ["check"])).toEqual(["$(A)aaaaa"]);
});

test.each([
  ["@sh a.sh", "sh a.sh"],
  ["@-+ sh a.sh", "sh a.sh"],
  [" - @sh a.sh -v", "sh a.sh -v"],
  ["sh a.sh @x +y -z", "sh a.sh @x +y -z"],
  ["$(Q)sh a.sh", "sh a.sh"],
  ["# @sh a.sh", "# @sh a.sh"],
])("the prefixes of make are removed from a line: %s", (line, expected) => {
  expect(listRecipes(`Q = @\ncheck:\n\t${line}\n`, ["check"])).toEqual([expected]);
});
