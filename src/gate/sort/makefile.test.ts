// The recipes that make runs for its goals, and the commands that it runs beside them.
import { expect, test } from "vitest";
import { commandsForFlags, commandsInRules, listRecipes } from "./makefile.js";

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
  ["… with a rule in its value", "A = one: ; z\none: ; a\n", ["one"], ["a"]],
  ["… with two colons", "one ::= two\none: ; a\ntwo: ; b\n", ["one"], ["a"]],
  ["no line after a tab is a rule", "\tone: ; z\none: ; a\n", ["one"], ["a"]],
  ["a recipe after a line of blanks", "one:\n\ta\n  \n\tb\n\t \n\tc\n", ["one"], ["a", "b", "c"]],
  ["lines that end as on Windows", "one:\r\n\ta\r\ntwo: ; b\r\n", ["one"], ["a"]],
  ["no rule for the blanks around a need", "one: x\ntwo : ; b\n three: ; c\n", ["one"], []],
  ["the first behind assignments", "A = 1\nifdef B\nendif\none: ; a\n", [], ["a"]],
  [
    "a recipe with conditions",
    "one:\nifdef A\n\ta\nelse\n\tb\nendif\n\tc\ntwo: ; d\n",
    ["one"],
    ["a", "b", "c"],
  ],
  [
    "a recipe with a comparison",
    "one:\nifeq ($(A),1)\n\ta\nendif\nifneq (b,c)\n\td\nendif\n",
    ["one"],
    ["a", "d"],
  ],
  ["a target that is called like a condition", "ifdef-a: ; a\n", ["ifdef-a"], ["a"]],
  ["a target that begins like a directive", "include-all: ; a\n", [], ["a"]],
  ["a target that ends like a directive", "my-include: ; a\n", [], ["a"]],
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

test.each([
  "include a:b",
  "-include a:b",
  "sinclude a:b",
  "load a:b",
  "-load a:b",
  "export a:b",
  "unexport a:b",
  "override a:b",
  "private a:b",
  "define a:b",
  "undefine a:b",
  "ifdef a:b",
  "ifndef a:b",
  "ifeq (a:b,c)",
  "ifneq (a:b,c)",
  "else a:b",
  "vpath %.c a:b",
])("the first rule comes after a directive of make: %s", (line) => {
  expect(listRecipes(`${line}\none: ; a\nb: ; b\n`, [])).toEqual(["a"]);
});

test.each([
  ["A = $(shell sh a.sh -v)", ["sh a.sh -v"]],
  ["A = ${shell sh a.sh}", ["sh a.sh"]],
  ["A = $(shell\tsh a.sh)", ["sh a.sh"]],
  ["A = $(shell sh $(DIR)/a.sh ${ARGS}) b", ["sh $(DIR)/a.sh ${ARGS}"]],
  ["one: $(shell sh a.sh) $(shell sh b.sh)", ["sh a.sh", "sh b.sh"]],
  ["AB != sh a.sh\nC!=sh b.sh", ["sh a.sh", "sh b.sh"]],
  ["A.b-c  !=  sh a.sh", ["sh a.sh"]],
  ["A != sh a.sh\nB = $(shell sh b.sh)", ["sh b.sh", "sh a.sh"]],
  ["one:\n\tA != b", []],
  ["A = $(shellsh a.sh) (shell b) $(sh c)", []],
])("make runs commands while it reads its rules: %j", (text, commands) => {
  expect(commandsInRules(text)).toEqual(commands);
});

test.each([
  ["\tcc $(sh a.sh) -o a", ["sh a.sh"]],
  ["gcc `sh a.sh`", ["sh a.sh"]],
  ["cc `sh a.sh` $(sh b.sh)", ["sh a.sh", "sh b.sh"]],
  ["g++ -O2 $(sh a.sh)", ["sh a.sh"]],
  ["clang $(sh a.sh)", ["sh a.sh"]],
  ["clang++ $(sh a.sh)", ["sh a.sh"]],
  ["gcc-12 $(sh a.sh)", ["sh a.sh"]],
  ["$(CXX)\t$(sh a.sh)", ["CXX", "sh a.sh"]],
  ["cc $(sh a.sh) || echo $(sh b.sh)", ["sh a.sh"]],
  ["cc a.c ; echo $(sh a.sh)", []],
  ["cc a.c\necho $(sh a.sh)", []],
  ["my-cc $(sh a.sh)", []],
  ["ccache $(sh a.sh)", []],
])("a compiler takes the output of commands as its arguments: %j", (text, commands) => {
  expect(commandsForFlags(text)).toEqual(commands);
});
