// The files that simple commands load. sort.test.ts has those behind package scripts, make goals and shells.
import { expect, test } from "vitest";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import { referenceOf } from "../testing/sorted.js";
import { ANY } from "../../shell/words.js";
import { Loads } from "./loads.js";
import { wildPattern } from "./wildcards.js";

/** The files that a command loads: of its words all that look like files are there, and `more`. */
const loaded = (text: string, more = "pre.rb pre.mjs pre.cjs x/y"): string => {
  const words = listSimpleCommands(text).flatMap((one) => one.words);
  const there = [...words.filter((word) => /^[^/-].*[./]/.test(word)), ...more.split(" ")];
  const project = referenceOf(Object.fromEntries(there.map((path) => [path, ""])));
  return [...new Loads({ project: [text], own: [] }, "", project).files.keys()].join(" ");
};

const INTERPRETERS =
  "sh bash dash zsh ksh node nodejs bun deno tsx ts-node python python3 python3.12 pypy pypy3 ruby perl php lua expect source .";

test.each(INTERPRETERS.split(" "))("%s runs a script", (program) => {
  expect(loaded(`${program} -x run all more`)).toBe("all");
});

test.each("nodemon node-gyp shellcheck ipython fish phpunit python-config".split(" "))(
  "%s runs none",
  (program) => {
    expect(loaded(`${program} all`)).toBe("");
  },
);

test.each([
  ["itself", "./accept.sh out.txt", "accept.sh"],
  ["a script", "/usr/bin/python3 -u prove.py", "prove.py"],
  ["a script that is not there yet", "node prove", "prove"],
  ["the first of two files", "node --no-warnings a.mjs b.mjs", "a.mjs"],
  ["a script called run", "sh ./ci/run x/y", "ci/run"],
  ["a script after an option's value", "python3 -W error prove.py", "prove.py"],
  ["a script with options like an interpreter's", "node gen.mjs --check x.mjs", "gen.mjs"],
  ["a short option of the script", "python3 prove.py -c conf -e prod", "prove.py"],
  ["code", "node -e code a.mjs", ""],
  ["code, bundled", "ruby -ne code a.rb", ""],
  ["code, written out", "node --eval code a.mjs", ""],
  ["code that is shown", "node --print code a.mjs", ""],
  ["code of Python", "python3 -c code a.py", ""],
  ["a module", "python3 -m pytest a.py", ""],
  ["no more than a look", "node --check a.mjs", ""],
  ["a runner of tests", "node --test a.mjs", ""],
  ["code of a shell", "bash -lc code a.sh", ""],
  ["a shell that ends at errors", "sh -e a.sh", "a.sh"],
  ["a shell with jobs", "bash -m a.sh", "a.sh"],
  ["a longer option", "node --test-timeout=5 --experimental-eval a.mjs", "a.mjs"],
  ["a word that ends like one", "ruby -I=x-e a.rb", "a.rb"],
  ["what Ruby loads by name", "ruby -rdate a.rb", "a.rb"],
  ["no script", "node --version", ""],
  ["what is loaded before", "node -r ./pre.cjs a.mjs", "pre.cjs a.mjs"],
  ["what is loaded before, in one word", "ruby -r./pre.rb a.rb", "pre.rb a.rb"],
  ["what is loaded before, without its ending", "node -r ./pre a.mjs", "pre.cjs pre.mjs a.mjs"],
  ["what is required", "node --require pre.cjs a.mjs", "pre.cjs a.mjs"],
  ["what is imported", "node --import=./pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a loader", "node --loader pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a loader, still tried", "node --experimental-loader pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a package that is loaded", "node -r dotenv a.mjs", "a.mjs"],
  ["no loader", "node --loaders a.mjs b.mjs", "a.mjs"],
  ["no loader: a word that ends alike", "node a.mjs dir-r b.mjs", "a.mjs"],
  ["an option without a value", "node a.mjs -r", "a.mjs"],
  ["what is loaded before, of other endings", "node -r x a.mjs", "x.js x.ts a.mjs", "x.js x.ts a.mjs"],
  ["what is loaded from a folder with a dot", "node -r old./x.cjs a.mjs", "old./x.cjs a.mjs"],
  ["code of a shell alone", "sh -c code a.sh", ""],
  ["a script whose name has a dash", "sh a-c.sh", "a-c.sh"],
  ["a script of Lua", "lua5.4 a.lua", "a.lua"],
  ["a plugin of pytest by its other name", "./py.test -p plug", "plug.py py.test", "plug.py"],
  ["a script of LuaJIT", "luajit a.lua", "a.lua"],
  ["a list of arguments", "java @x/y", "x/y"],
  ["no other word as a list", "java ax/y", ""],
  ["a plugin of pytest", "pytest -p plug", "plug.py", "plug.py"],
  ["a plugin of pytest in one word", "pytest -pplug a", "plug.py", "plug.py"],
  ["a plugin of pytest as a module", "python3 -m pytest -p box.plug", "box/plug.py", "box/plug.py"],
  ["no plugin of another program", "ipytest -p plug", "", "plug.py"],
  ["no plugin of a longer program", "pytest-watch -p plug", "", "plug.py"],
  ["no plugin behind another word", "pytest x-p plug", "", "plug.py"],
  ["settings", "jest --config x/y", "x/y"],
  ["settings in one word", "pytest --config-file=x/y", "x/y"],
  ["rules of make", "make -f x/y", "x/y"],
  ["rules of make in one word", "make -fx/y", "x/y"],
  ["another option", "eslint --config-lookup x/y", ""],
  ["what is handed to a compiler", "gcc -c a.c", ""],
  ["a file of every name", "sh checks/*.sh", ""],
])("a command loads files: %s", (_, text, files, there?: string) => {
  expect(loaded(text, there)).toBe(files);
});

type Files = Record<string, string>;

/** The files that the commands of a project, and a task's own, load from its files. */
const read = (project: string[], files: Files, own: string[] = [], folder = ""): Loads =>
  new Loads({ project, own }, folder, referenceOf(files));

/** Each file with the kind of loading and with who does it. */
const listed = ({ files }: Loads): string[] =>
  [...files].map(([path, { by, who }]) => `${path}: ${by}, ${who}`);

test.each([
  ["a script that it runs", ["sh a.sh"], {}, ["a.sh: command, a check command"]],
  [
    "what the script runs",
    ["sh all.sh"],
    { "all.sh": "sh a.sh" },
    ["all.sh: command, a check command", "a.sh: script, all.sh"],
  ],
  [
    "what a script without an ending runs",
    ["./run"],
    { run: "#!/bin/sh\nsh a.sh" },
    ["run: command, a check command", "a.sh: script, run"],
  ],
  [
    "what a script of Bash runs",
    ["./run"],
    { run: "#!/usr/bin/env bash\nsh a.sh" },
    ["run: command, a check command", "a.sh: script, run"],
  ],
  [
    "no words of another language",
    ["node a.mjs"],
    { "a.mjs": "sh b.sh" },
    ["a.mjs: command, a check command"],
  ],
  [
    "no words of another language behind .sh",
    ["node a.sh.mjs"],
    { "a.sh.mjs": "sh b.sh" },
    ["a.sh.mjs: command, a check command"],
  ],
  [
    "no words of a text that names a shell further down",
    ["node main"],
    { main: "// like\n#!/bin/sh\nsh b.sh" },
    ["main: command, a check command"],
  ],
  ["no file outside of the project", ["sh ../a.sh"], {}, []],
  [
    "a file that a script ran before",
    ["sh all.sh", "sh a.sh"],
    { "all.sh": "sh a.sh" },
    ["all.sh: command, a check command", "a.sh: command, a check command"],
  ],
  [
    "a file that a script runs after it",
    ["sh a.sh", "sh all.sh"],
    { "all.sh": "sh a.sh" },
    ["a.sh: command, a check command", "all.sh: command, a check command"],
  ],
  ["what it sources into a pipe", [". lib.sh | sort"], {}, ["lib.sh: command, a check command"]],
  ["what Bash sources into a pipe", ["source lib.sh | sort"], {}, ["lib.sh: command, a check command"]],
  ["no script whose output is read", ["sh a.sh | sort"], {}, []],
  ["what the shell reads first", ["BASH_ENV=env.sh bash"], {}, ["env.sh: command, a check command"]],
  [
    "what a shell in a script reads first",
    ["sh all.sh"],
    { "all.sh": "ENV='env.sh' sh" },
    ["all.sh: command, a check command", "env.sh: command, all.sh"],
  ],
  ["what Ruby reads first", ["RUBYOPT=-rpre.rb rake"], {}, ["pre.rb: command, a check command"]],
  ["what Perl reads first", ["PERL5OPT=-Mpre.pm prove"], {}, ["pre.pm: command, a check command"]],
  ["what Node reads first", ["NODE_OPTIONS=--require=a.cjs vite"], {}, ["a.cjs: command, a check command"]],
  ["… in quotes", ['NODE_OPTIONS="--import a.mjs" vite'], {}, ["a.mjs: command, a check command"]],
  [
    "a script that prints flags of a compiler",
    ["cc $(sh flags.sh) a.c"],
    { "flags.sh": "" },
    ["flags.sh: script, a check command"],
  ],
  ["no program that prints flags", ["cc $(pkg-config --cflags x) a.c"], {}, []],
  [
    "a script behind an option that prints flags",
    ["cc $(python3 -W error flags.py) a.c"],
    { "flags.py": "" },
    ["flags.py: script, a check command"],
  ],
  ["no shell alone that prints flags", ["cc $(sh -c x) a.c"], {}, []],
  ["no lost script that prints flags", ["cc $(sh flags.sh) a.c"], {}, []],
  [
    "no words of two folders as one",
    ["npm run all; cd box; npm test"],
    {
      "package.json": '{"scripts":{"all":"boxsh a.sh"}}',
      "box/package.json": '{"scripts":{"test":"sh a.sh"}}',
      "box/a.sh": "",
    },
    ["box/a.sh: command, a check command"],
  ],
] satisfies [string, string[], Files, string[]][])(
  "a check command loads %s",
  (_, commands, files, expected) => {
    expect(listed(read(commands, files))).toEqual(expected);
  },
);

test("scripts, goals and scripts of packages are followed six deep", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const next = (one: string): string => String.fromCharCode(one.charCodeAt(0) + 1);
  const paths = (loads: Loads): string[] => [...loads.files.keys()];
  const scripts = Object.fromEntries(names.map((one) => [`${one}.sh`, `sh ${next(one)}.sh`]));
  expect(paths(read(["sh a.sh"], scripts))).toEqual(["a.sh", "b.sh", "c.sh", "d.sh", "e.sh", "f.sh"]);
  const lines = names.map((one): [string, string] => [one, `sh ${one}.sh; npm run ${next(one)}`]);
  const ofPackage = { "package.json": JSON.stringify({ scripts: Object.fromEntries(lines) }) };
  expect(paths(read(["npm run a"], ofPackage))).toEqual(["a.sh", "b.sh", "c.sh", "d.sh", "e.sh"]);
  const goals = names.map((one) => `${one}:\n\tsh ${one}.sh; $(MAKE) ${next(one)}\n`).join("");
  expect(paths(read(["make a"], { Makefile: goals }))).toEqual(["a.sh", "b.sh", "c.sh", "d.sh", "e.sh"]);
});

test("files of a task's own commands are listed with the command, and apart from those of the project", () => {
  const own = ["sh a.sh", "BASH_ENV=env.sh bash", "sh checks/*.sh", "cc $(sh flags.sh) a.c"];
  const loads = read([], { "flags.sh": "", "a.sh": "sh deep.sh" }, own);
  expect(loads.own).toEqual([
    { path: "a.sh", command: "sh a.sh" },
    { path: "env.sh", command: "BASH_ENV=env.sh bash" },
  ]);
  expect(listed(loads)).toEqual(["deep.sh: script, a.sh", "flags.sh: script, a command of the task"]);
  expect(loads.globs).toEqual([]);
});

test("commands run in the folder that is given", () => {
  const loads = read(["sh a.sh", "cd sub && sh b.sh"], {}, [], "box");
  expect([...loads.files.keys()]).toEqual(["box/a.sh", "box/sub/b.sh"]);
});

test("words that stand for several files are kept as patterns", () => {
  const loads = read(["sh checks/*.sh", "sh *"], {});
  expect(loads.globs).toEqual([
    { by: "command", who: "a check command", matches: expect.any(Function) as unknown },
  ]);
  const matches = loads.globs[0]?.matches;
  expect(["checks/a.sh", "checks/a.js", "a.sh"].map((path) => matches?.(path))).toEqual([true, false, false]);
  expect([...loads.files, ...loads.own, ...loads.handedGlobs]).toEqual([]);
});

test.each<[string, string, string[]]>([
  ["files that it gets", "sort data/a.txt < data/b.txt", ["data/a.txt", "data/b.txt"]],
  ["a folder", "ls docs/", ["docs"]],
  ["values of options", "tool --data=a.txt -d=b.txt --long-one=c.txt", ["a.txt", "b.txt", "c.txt"]],
  ["a word with a dash and a sign", "tool one-x=two", ["one-x=two"]],
  ["no program", "tools/a", []],
  ["no place outside of the project", "tool ../a", []],
  ["not the folder it runs in", "cd box && tool .", []],
  ["no words for several files", "tool data/*.txt", []],
  ["nothing that a script names", "sh all.sh", ["all.sh"]],
  ["the ending of files for a runner", "bats 'cases/*.txt'", ["*.txt"]],
  ["no ending of a folder for a runner", "bats '*.d/a'", []],
])("paths that a check command names: %s", (_, command, named) => {
  expect([...read([command], { "all.sh": "sort data/a.txt" }).named]).toEqual(named);
});

test.each([
  ["npx knip", "knip"],
  ["yarn run knip src", "yarn run knip"],
  ["sh tools/a.sh knip", "sh knip"],
  ["./gradlew my.task", "gradlew"],
])("first words of a check command: %s", (command, programs) => {
  expect([...read([command], {}).programs].join(" ")).toBe(programs);
});

test.each([
  ["the goal", "make two", { Makefile: "one: ; sh a.sh\ntwo: ; sh b.sh\n" }, "b.sh"],
  ["the first file of GNU", "make", { GNUmakefile: "x: ; sh a.sh\n", Makefile: "x: ; sh b.sh\n" }, "a.sh"],
  ["the file in small letters", "make", { makefile: "x: ; sh a.sh\n", Makefile: "x: ; sh b.sh\n" }, "a.sh"],
  ["nothing without rules", "make all", {}, ""],
  ["no rules of CMake", "cmake all", { Makefile: "all: ; sh a.sh\n" }, ""],
  ["no rules of makepkg", "makepkg all", { Makefile: "all: ; sh a.sh\n" }, ""],
  ["rules in a folder", "make -C sub all", { "sub/Makefile": "all: ; sh a.sh\n" }, "sub/a.sh"],
  ["rules in a folder, in one word", "make -Csub all", { "sub/Makefile": "all: ; sh a.sh\n" }, "sub/a.sh"],
  ["… written out", "make --directory=sub all", { "sub/Makefile": "all: ; sh a.sh\n" }, "sub/a.sh"],
  ["a goal that ends like the folder's option", "make pre-C sub", { Makefile: "pre-C: ; sh a.sh\n" }, "a.sh"],
  [
    "a goal that ends like the file's option",
    "make pre-f x",
    { Makefile: "pre-f: ; sh a.sh\n", x: "" },
    "a.sh",
  ],
  ["another file of rules", "make --file=x/y all", { "x/y": "all: ; sh a.sh\n" }, "x/y a.sh"],
  ["no goal of the file's name", "make -f x y", { x: "x: ; sh a.sh\ny: ; sh b.sh\n" }, "x b.sh"],
  ["a file it includes", "make", { Makefile: "include  a.mk\n" }, "a.mk"],
  ["files that may be absent", "make", { Makefile: "-include a.mk\nsinclude b.mk\n" }, "a.mk b.mk"],
  ["no file that a remark names", "make", { Makefile: "# to include a.mk\n" }, ""],
  ["a dollar for the shell", "make", { Makefile: "x:\n\tfor i in a b; do sh $$i.sh; done\n" }, "a.sh b.sh"],
  ["a script while it reads its rules", "make", { Makefile: "A := $(shell sh a.sh)\n", "a.sh": "" }, "a.sh"],
  [
    "… in a folder",
    "make",
    { Makefile: "A := $(shell D=x; cd sub; sh $$D/a.sh)\n", "sub/x/a.sh": "" },
    "sub/x/a.sh",
  ],
] satisfies [string, string, Files, string][])("make loads %s", (_, command, files, expected) => {
  expect([...read([command], files).files.keys()].join(" ")).toBe(expected);
});

test("a file that make runs is loaded by its file; a file of rules that was not read runs nothing", () => {
  const Makefile = "A := $(shell sh a.sh)\nx: ; sh b.sh\n";
  expect(listed(read(["make"], { Makefile, "a.sh": "" }))).toEqual([
    "a.sh: script, Makefile",
    "b.sh: command, Makefile",
  ]);
  const unread = { ...referenceOf({ Makefile }), text: () => undefined };
  expect([...new Loads({ project: ["make"], own: [] }, "", unread).files]).toEqual([]);
});

const SCRIPTS = '{"scripts":{"test":"sh a.sh"}}';

test.each("npm yarn pnpm bun composer run-s run-p npm-run-all npm-run-all2 lerna turbo nx".split(" "))(
  "%s runs scripts of a package",
  (program) => {
    expect([...read([`${program} test`], { "package.json": SCRIPTS }).files.keys()]).toContain("a.sh");
  },
);

test.each("npm-check cnpm run-x jest".split(" "))("%s runs no scripts of a package", (program) => {
  expect([...read([`${program} test`], { "package.json": SCRIPTS }).files.keys()]).toEqual([]);
});

test.each([
  ["npm test", "a.sh"],
  ["npm test -w box", "box/a.sh"],
  ["npm test -ws", "box/a.sh"],
  ["npm test --workspaces", "box/a.sh"],
  ["npm test --workspace=box", "box/a.sh"],
  ["pnpm -r test", "box/a.sh"],
  ["pnpm --recursive test", "box/a.sh"],
  ["pnpm -F box test", "box/a.sh"],
  ["pnpm --filter=@x/box test", "box/a.sh"],
  ["yarn workspaces run test", "box/a.sh"],
  ["yarn workspace box test", "box/a.sh"],
  ["npx turbo test", "box/a.sh"],
  ["lerna run test", "box/a.sh"],
  ["nx test", "box/a.sh"],
  ["npm test pre-w", "a.sh"],
  ["npm test -wide", "a.sh"],
])("%s runs scripts of one package, or of all that are the project's", (command, last) => {
  const files = {
    "package.json": SCRIPTS,
    "box/package.json": SCRIPTS,
    "box/other.json": '{"scripts":{"test":"sh other.sh"}}',
    "node_modules/x/package.json": SCRIPTS,
  };
  expect([...read([command], files).files.keys()]).toEqual([...new Set(["a.sh", last])]);
});

test.each([
  [
    "before and after it",
    "npm test",
    { pretest: "sh a.sh", test: "sh b.sh", posttest: "sh c.sh" },
    "a.sh b.sh c.sh",
  ],
  ["for the short word", "npm t", { test: "sh a.sh" }, "a.sh"],
  ["for the other short word", "npm tst", { test: "sh a.sh" }, "a.sh"],
  ["for no option", "npm --all test", { "--all": "sh a.sh", test: "sh b.sh" }, "b.sh"],
  ["of PHP", "composer test", { test: "@php a.php" }, "a.php"],
  ["with a sign in a file's name", "npm test", { test: "sh a@php" }, "a@php"],
  ["whose name ends like an option", "npm run pre-C box", { "pre-C": "sh a.sh" }, "a.sh"],
])("scripts of a package: %s", (_, command, scripts, expected) => {
  const name = command.startsWith("composer") ? "composer.json" : "package.json";
  const { files } = read([command], { [name]: JSON.stringify({ scripts }) });
  expect([...files.keys()].join(" ")).toBe(expected);
});

test.each([
  "npm --prefix box test",
  "npm --prefix=box test",
  "pnpm -Cbox test",
  "yarn --cwd box test",
  "pnpm --dir box test",
])("scripts of a package in another folder run there: %s", (command) => {
  expect([...read([command], { "box/package.json": SCRIPTS }).files.keys()]).toEqual(["box/a.sh"]);
});

const RUNNERS =
  "pytest py.test unittest nose nose2 vitest jest mocha ava tap jasmine playwright cypress karma prove phpunit pest " +
  "codecept behat rspec bats cucumber busted ctest tape uvu borp";

test.each(RUNNERS.split(" "))("%s gets files of tests", (program) => {
  expect([...read([`${program} a/b`], {}).handed]).toEqual(["a/b", "a/b.py"]);
});

test.each([
  ["a file", "python3 -m pytest a/b.py", "a/b.py a/b/py.py"],
  ["a module", "python3 -m unittest a.b", "a.b a/b.py"],
  ["one test of a file", "pytest a/b.py::test_one", "a/b.py a/b/py.py"],
  ["a folder for Node's runner", "node --test a", "a a.py"],
  ["a runner in another folder", "python3 bin/pytest a", "a a.py"],
  ["no option", "jest --watch a", "a a.py"],
  ["no file outside of the project", "jest ../a", ""],
  ["nothing for another program", "node a.mjs b", ""],
  ["nothing for a longer name", "jest-codemods a", ""],
  ["nothing for a name that ends alike", "ipytest a", ""],
])("a runner of tests gets %s", (_, command, handed) => {
  expect([...read([command], {}).handed].join(" ")).toBe(handed);
});

test.each([
  ["*.check.js", "src/a.check.js"],
  ["check_*.js", "src/check_a.js"],
  ["unit.check_*.js", "unit.check_a.js"],
  ["src/*-{check,probe}.js", "src/a-probe.js"],
  ["*.{check,probe}.js", "src/a.probe.js"],
])("a pattern for a runner that says how tests are called names them everywhere: %s", (pattern, path) => {
  const { globs, handed, handedGlobs } = read([`jest '${pattern}'`], {});
  expect(globs).toEqual([
    { by: "command", who: "a runner of tests", matches: expect.any(Function) as unknown },
  ]);
  expect(globs.map(({ matches }) => [matches(path), matches(`deep/${path}`), matches("src/a.js")])).toEqual([
    [true, true, false],
  ]);
  expect([...handed, ...handedGlobs]).toEqual([]);
});

test.each([
  ["src/**/*.js", "src/a/b.js"],
  ["src/a*.check.js", "src/ab.check.js"],
  ["src/check_*-old.js", "src/check_a-old.js"],
])("any other pattern for a runner names files where it stands: %s", (pattern, path) => {
  const { globs, handed, handedGlobs } = read([`jest '${pattern}'`], {});
  expect(handedGlobs.map((matches) => [matches(path), matches(`deep/${path}`)])).toEqual([[true, false]]);
  expect([...handed, ...globs]).toEqual([]);
});

test("a pattern that leads out of the project, or that says nothing, names no tests", () => {
  const { globs, handedGlobs } = read(["jest '../*.check.js' '*'"], {});
  expect([...globs, ...handedGlobs]).toEqual([]);
});

const MANY = "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}";

test.each([
  ["letters", "a*", "ab", "ba"],
  ["digits", "1*", "12", "a1"],
  ["letters of other languages", "é*", "éa", "e"],
  ["a choice of letters beside a name", "[ab]c*", "acd", "xcd"],
  ["two choices", "{a,b}.sh", "b.sh", "c.sh"],
  ["braces around one word", "{a}*.sh", "{a}b.sh", "ab.sh"],
  ["a comma alone", "a,b*.sh", "a,bc.sh", "bc.sh"],
  ["a brace that only opens", "{a,b*", "{a,bc", "ac"],
  ["a brace that only closes", "*a,b}", "xa,b}", "xa"],
  ["three stars in a name", "a*b*c*d", "a1b2c3d", "a1d"],
  ["more stars in a name", "a*b*c*d*e", "a1e", "b1e"],
  ["more stars in a name, to its end", "a*b*c*d*e", "ae", "ab"],
  ["as many words as are told apart", `${MANY}.sh`, "ababab.sh", "abababc.sh"],
  ["more words", `${MANY}{a,b}.sh`, "abababc.sh", "c.sh"],
  ["a folder that only the shell knows", `${ANY}/a.sh`, "x/y/a.sh", "x/b.sh"],
  ["a name that only the shell knows", `checks/${ANY}.sh`, "checks/x/a.sh", "checks/a.js"],
  ["the end of a name that only the shell knows", `checks/a${ANY}`, "checks/ab", "checks/x/ab"],
])("a word stands for several files: %s", (_, word, one, other) => {
  const matches = wildPattern(word);
  expect([matches?.(one), matches?.(other)]).toEqual([true, false]);
});

test.each(["*", "*.*", "[ab]*", "[abc][d]", ANY, `${ANY}/*`])(
  "a word that limits files too little: %j",
  (word) => {
    expect(wildPattern(word)).toBeUndefined();
  },
);
