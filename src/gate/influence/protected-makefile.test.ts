// How make reads rules, variables and other lines, and the additions that an attempt may make to a Makefile of its checks.
import { expect, test } from "vitest";
import { mergeMakefile, listRecipes } from "./protected-makefile.js";

const CHECK = "check:\n\t@node run.mjs $(FLAGS)\n";
/** The lines appended to the base; `undefined`: the attempt's file can stay. */
const behind = (now: string, base = CHECK): string | undefined => {
  const merged = mergeMakefile(base, now);
  expect(merged?.startsWith(base) ?? true).toBe(true);
  return merged?.slice(base.length);
};

test.each([
  ["a rule behind", `${CHECK}\nlint:\n\t@eslint .\n`],
  ["a rule in the middle", `${CHECK}lint: ; eslint .\n\nbuild:\n\tcc -o app main.c\n`],
  ["a rule with words of more than one kind", `${CHECK}build/app.o: src/app.c src/app.h\n\tcc -c $<\n`],
  ["a rule for more than one target", `${CHECK}lint fmt &: tools\n\t@true\n`],
  ["a rule with two colons", `${CHECK}lint:: ; eslint .\n`],
  ["a rule that only says what is needed", `${CHECK}all: check lint\nlint:\n\teslint .\n`],
  ["a rule that says it is phony", `${CHECK}.PHONY: lint\nlint:\n\t@eslint .\n`],
  ["an old rule is said to be phony", `.PHONY: check\n${CHECK}`],
  ["a goal without a recipe is said to be phony", `${CHECK}.PHONY: all\nall: check\n`],
  ["a variable", `OUT = dist\n${CHECK}`],
  [
    "a variable before an old rule",
    `VERSION := 1.2\nOUT ?= dist\nOUT += x\nNOW != date\nDAY ::= 1\n${CHECK}`,
  ],
  ["a variable that is there against the command line", `override OUT = dist\n${CHECK}`],
  ["a recipe over more than one line", `${CHECK}lint:\n\t@eslint \\\n\t  --fix .\n`],
  ["a recipe with blank lines and remarks in it", `${CHECK}lint:\n\t@a\n\n# why\n\t@b\n`],
  ["remarks", `# Checks\n  # FLAGS = -v\n${CHECK}# check: none\n# a long one \\\n  lint: x\n`],
  // make leaves out the rest of such a line.
  ["a zero byte", `${CHECK}OUT = a\0check: ; @true\n`],
  ["blank lines", `\n\n${CHECK}\n \n\t\n`],
  ["ends of lines", CHECK.replaceAll("\n", "\r\n")],
  ["a target named like a directive", `${CHECK}lib include: ; mkdir $@\n`],
  ["a target that begins or ends like a directive", `${CHECK}exports vpaths: ; x\nmy-include else-x: ; x\n`],
  ["a variable that speaks of exports", `${CHECK}OUT = my export a\n`],
  ["a target that has eval in its name", `${CHECK}eval.o: eval.c\n\tcc -c eval.c\n`],
  [
    "a name that only begins like one of make's own",
    `${CHECK}SHELLS = a\nPATHS = b\nVPATHS = c\nHOMES = d\n`,
  ],
  ["a name that only ends like one of make's own", `${CHECK}MY_SHELL = a\nMY_PATH = b\nREMAKE = c\n`],
  ["a name the base has as part of another", `${CHECK}FLAG = a\nMY_FLAGS = b\nrun = c\n`],
])("an addition is allowed: %s", (_, now) => {
  // `run.mjs` and `FLAGS` are words of the base, `run` and `FLAG` are none.
  expect(behind(now)).toBeUndefined();
});

test.each([
  ["the check runs another thing", "check:\n\t@true\n"],
  ["the check is gone", ""],
  ["the check runs another thing too, and that counts", `check:\n\t@node run.mjs $(FLAGS) || true\n`],
  ["the check is said to succeed", "check:\n\t-@node run.mjs $(FLAGS)\n"],
  ["the check once more", `${CHECK}check:\n\t@true\n`],
  ["the check once more, among others", `${CHECK}lint check: ; @true\n`],
  ["the check as one of a group", `${CHECK}check&: ; @true\n`],
  ["the check with what it needs", `${CHECK}check: lint\n`],
  ["a variable for the check alone", `${CHECK}check: FLAGS = --help\n`],
  ["a variable the base leaves to its caller", `FLAGS = --help\n${CHECK}`],
  ["… with another sign", `${CHECK}FLAGS ?= --help\n`],
  ["… at once", `${CHECK}FLAGS ::= --help\n`],
  ["… at once, escaped", `${CHECK}FLAGS:::=--help\n`],
  ["… from a command", `${CHECK}FLAGS != echo --help\n`],
  ["… with more behind", `${CHECK}FLAGS += --help\n`],
  ["… against the command line", `${CHECK}override  FLAGS = --help\n`],
  ["… exported as well", `${CHECK}override export FLAGS ::= --help\n`],
  ["… behind spaces", `${CHECK}  FLAGS ::= --help\n`],
  ["… behind a tab that continues nothing", `OUT = 1\n\tFLAGS = --help\n${CHECK}`],
  ["… line by line", `define FLAGS\n--help\nendef\n${CHECK}`],
  ["… by evaluation", `${CHECK}OUT := $(eval FLAGS = --help)\n`],
  ["… by evaluation in braces", `${CHECK}OUT := \${ eval FLAGS = --help}\n`],
  ["… by a call", `${CHECK}OUT := $(call eval,FLAGS = --help)\n`],
  ["… by a call with more spaces", `${CHECK}OUT := $(call   eval,FLAGS = --help)\n`],
  ["… by evaluation of what a rule needs", `${CHECK}lint: $(eval FLAGS = --help)\n`],
  ["the shell of all rules", `SHELL = /bin/true\n${CHECK}`],
  ["where programs are found", `PATH := bin:$(PATH)\n${CHECK}`],
  ["where settings of all programs are found", `HOME = etc\n${CHECK}`],
  ["where make looks for files", `VPATH = other\n${CHECK}`],
  ["options of make", `MAKEFLAGS += -i\n${CHECK}`],
  ["options of make, GNU's", `GNUMAKEFLAGS = -i\n${CHECK}`],
  ["what every program is given", `export NODE_OPTIONS = --require ./quiet.cjs\n${CHECK}`],
  ["what every program is given, tab and all", `export\tNODE_OPTIONS=--require=./quiet.cjs\n${CHECK}`],
  ["errors count no more", `.IGNORE:\n${CHECK}`],
  ["a goal of make's own", `.DEFAULT: ; @true\n${CHECK}`],
  ["another file of rules", `include other.txt\n${CHECK}`],
  ["another file of rules, dressed as a rule", `${CHECK}-include other.txt :\n`],
  ["… sinclude", `${CHECK}sinclude other.txt :\n`],
  ["… include", `${CHECK}include other.txt a:b\n`],
  ["an object to load", `${CHECK}load quiet.so a:\n`],
  ["what programs are not given", `${CHECK}unexport PATH a:\n`],
  ["a variable that is taken away", `${CHECK}undefine FLAGS a:\n`],
  ["a text that is never ended", `${CHECK}define a:\n`],
  ["what programs are given, by its name", `${CHECK}export FLAGS a:\n`],
  ["where files are looked for", `${CHECK}vpath run.mjs :\n`],
  ["a condition", `${CHECK}ifeq (a,:)\nendif\n`],
  ["… the other way", `${CHECK}ifneq (a,:)\nendif\n`],
  ["… on what is set", `${CHECK}ifdef a:\nendif\n`],
  ["… on what is not", `${CHECK}ifndef a:\nendif\n`],
  ["a rule for any target", `${CHECK}%: ; @true\n`],
  ["a target that is yet to be written out", `${CHECK}$(GOALS): ; @true\n`],
  ["a target that stands for files", `${CHECK}chec?: ; @true\n`],
  ["… any of them", `${CHECK}che*: ; @true\n`],
  ["another target beside it", `${CHECK}lint %: ; @true\n`],
  ["… of a set", `${CHECK}chec[k]: ; @true\n`],
  ["a rule hidden behind two backslashes", `${CHECK}OUT = a \\\\\ncheck:\n\t@true\n`],
  ["a rule hidden in a remark", `# so \\\n${CHECK}`],
  ["a rule hidden in a remark, with other ends of lines", `# so \\\r\n${CHECK}`],
  ["a goal is phony that no rule is for", `${CHECK}.PHONY: lint\n`],
  ["a rule for phony itself", `${CHECK}.PHONY lint: x\n`],
  ["a recipe for phony itself", `${CHECK}.PHONY: check ; true\n`],
  ["a recipe that belongs to nothing", `\t@true\n${CHECK}`],
  ["a condition around the check", `ifdef CI\n${CHECK}endif\n`],
])("any other difference is reverted: %s", (_, now) => {
  const more = behind(now);
  expect(more).not.toBeUndefined();
  // Names that the base does not mention are still allowed.
  expect(more).toMatch(/^(?:\nOUT = (?:1|a \\\\)\n)?$/);
});

test("additions follow the old text, each unchanged", () => {
  const now =
    "# new\nOUT = a \\\n  b\ncheck: ; @true\n\nlint: tools ; @x\n\n\t@y \\\n\tz\n.PHONY: check lint none\n";
  expect(behind(now)).toBe("\nOUT = a \\\n  b\n\nlint: tools ; @x\n\t@y \\\n\tz\n\n.PHONY: check lint\n");
  expect(behind(".PHONY: none lint check\nlint: ; b\n", `.PHONY: check\n${CHECK}`)).toBe(
    "\nlint: ; b\n\n.PHONY: lint\n",
  );
  expect(mergeMakefile("a: ; b\n\n\n", "c: ; d")).toBe("a: ; b\n\nc: ; d\n");
  expect(mergeMakefile("a: ; b", "c: ; d")).toBe("a: ; b\n\nc: ; d\n");
});

test("an empty base accepts the allowed additions", () => {
  expect(mergeMakefile("", "lint:\n\t@x\n")).toBeUndefined();
  expect(mergeMakefile("", "SHELL = x\nlint:\n\t@x\n")).toBe("\n\nlint:\n\t@x\n");
});

const TWO = ".PHONY: check build\n\ncheck:\n\t@sh check.sh\n\nbuild:\n\t@true\n";

test.each([
  ["recipes change places", ".PHONY: check build\ncheck:\n\t@true\nbuild:\n\t@sh check.sh\n"],
  [
    "rules change places, and so does what a bare make runs",
    TWO.replace(/(check:[^]*\n)\n(build:[^]*)/, "$2\n$1"),
  ],
  ["what is phony is phony no more", TWO.replace(".PHONY: check build\n", "")],
  ["one that is phony is phony no more", TWO.replace("check build", "build")],
])("an addition that changes the meaning of old lines is reverted: %s", (_, now) => {
  expect(mergeMakefile(TWO, now)).toBe(TWO);
});

test("a new first goal does not become the goal of a bare make", () => {
  expect(behind(`noop:\n\t@true\n${CHECK}`)).toBe("\nnoop:\n\t@true\n");
  // Neither of these is such a goal.
  const base = `%.o: %.c\n\tcc -c $<\n.PHONY: check\n${CHECK}`;
  expect(behind(`noop: ; true\n${base}`, base)).toBe("\nnoop: ; true\n");
  expect(behind(`${base}noop: ; true\n`, base)).toBeUndefined();
});

test("an addition does not separate the lines of a condition from their rule", () => {
  const base = "check:\nifdef FAST\n\t@sh fast.sh\nendif\n\t@sh check.sh\n";
  const lint = "lint:\n\t@true\n";
  expect(behind(`${base}${lint}`, base)).toBeUndefined();
  expect(behind(base.replace("ifdef", `${lint}ifdef`), base)).toBe(`\n${lint}`);
  expect(behind(base.replace("\t@sh check", `${lint}\t@sh check`), base)).toBe(`\n${lint}\t@sh check.sh\n`);
});

test("rules may be added before a condition and the rule before it", () => {
  const base = "ifdef FAST\nfast:\n\t@true\nendif\ncheck:\n\t@sh check.sh\nendif\n";
  expect(behind(base.replace("check:", "lint:\n\t@true\ncheck:"), base)).toBeUndefined();
  expect(behind(`${base}lint:\n\t@true\n`, base)).toBeUndefined();
  expect(behind(`lint = 1\n${base}`, base)).toBe("\nlint = 1\n");
});

test("a rule between two lines of a recipe is reverted, because it would take the second line", () => {
  const base = "check:\n\t@sh a.sh\n\n\t@sh b.sh\n";
  expect(mergeMakefile(base, "check:\n\t@sh a.sh\n\nlint:\n\n\t@sh b.sh\n")).toBe(
    `${base}\nlint:\n\t@sh b.sh\n`,
  );
});

test("targets of a pattern rule are still made by it", () => {
  const base = "check: a.ok sub/b.ok\n%.ok: %.in\n\t@sh compare.sh $<\n";
  expect(behind(`${base}a.ok: ; @true\n`, base)).toBe("");
  expect(behind(`${base}sub/b.ok: ; @true\n`, base)).toBe("");
  expect(behind(`${base}a.ok other: ; @true\n`, base)).toBe("");
  expect(behind(`${base}.PHONY: a.ok other\na.ok other:\n`, base)).toBe("\na.ok other:\n");
  expect(behind(`${base}.PHONY: lint\nlint: ; @true\n`, base)).toBeUndefined();
  expect(behind(`${base}axok: ; @true\n`, base)).toBeUndefined();
  expect(behind(`${base}.PHONY: a.ok\na.ok:\n`, base)).toBe("\na.ok:\n");
  expect(behind(`${base}a.ok: more.txt\n`, base)).toBeUndefined();
  expect(behind(`${base}.PHONY: a.okay aok\na.okay: ; @true\naok: ; @true\n`, base)).toBeUndefined();
  expect(behind(`${base}.ok: ; @true\n`, base)).toBe("");
  const own = `${base}a.ok: ; sh a.sh\n`;
  expect(behind(`.PHONY: a.ok\n${own}`, own)).toBeUndefined();
  const inside = "check: lib/a.ok\nlib/%.ok: %.in\n\t@sh compare.sh $<\n";
  expect(behind(`${inside}src/x.ok: ; @true\n`, inside)).toBeUndefined();
  expect(behind(`${inside}lib/x.ok: ; @true\n`, inside)).toBe("");
});

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
