// Shell lines as people write them, and what they run. Which of it is held: see protected-commands.test.ts.
import { expect, test } from "vitest";
import { filesRun, inlineShell, scriptOf, simpleCommands, type SimpleCommand } from "./command-words.js";

/** The commands of a text, words joined by `·`; those that something else judges begin with `?`. */
const read = (text: string): string[] =>
  simpleCommands(text).map(({ words, judged }) => (judged ? "" : "?") + words.join("·"));
const firstIn = (text: string): SimpleCommand["words"] => {
  const [first] = simpleCommands(text);
  if (first === undefined) throw new Error(`no command: ${text}`);
  return first.words;
};

test.each([
  ["nothing", "", []],
  ["nothing but a comment", "# npm test", []],
  ["nothing between two ends", "a;; b", ["a", "b"]],
  ["nothing but an assignment", "CI=1", []],
  ["one after another", "a x; b y\nc z", ["a·x", "b·y", "c·z"]],
  ["one if the other", "a && b || c", ["a", "b", "c"]],
  ["a subshell", "(a; b) && c", ["a", "b", "c"]],
  ["a line that goes on", "node \\\n  run.mjs \\\n  -v", ["node·run.mjs·-v"]],
  ["a word that goes on", "node run\\\n.mjs", ["node·run.mjs"]],
  ["a comment behind", "npm test # all; of it\nnpm run lint", ["npm·test", "npm·run·lint"]],
  ["a comment in between", "npm test\n# npm run x\n  #y\nnpm run lint", ["npm·test", "npm·run·lint"]],
  ["a # in a word is none", "curl host/a#b && go", ["curl·host/a#b", "go"]],
])("commands of a text: %s", (_, text, commands) => {
  expect(read(text)).toEqual(commands);
});

test.each([
  ["a pipe", "node a.mjs | grep -q ok", ["?node·a.mjs", "grep·-q·ok"]],
  ["a pipe that only hands on", "node a.mjs | tee log", ["node·a.mjs", "tee·log"]],
  ["a pipe without spaces", "a|tail", ["a", "tail"]],
  ["all that hands on", "a | cat | head | tail | ts | tee x", "a cat head tail ts tee·x".split(" ")],
  ["a pipe for both streams", "npm test |& tee log", ["npm·test", "tee·log"]],
  ["a name that begins alike", "a | headers", ["?a", "headers"]],
  ["a word further on", "a | grep tee | cat", ["?a", "grep·tee", "cat"]],
  ["handed on, then looked at", "a | tee x | wc -l", ["?a", "?tee·x", "wc·-l"]],
  ["what comes out", 'test "$(node a.mjs)" = 3', ["?node·a.mjs", "test· ·=·3"]],
  ["what comes out of many", "x $(a b; c|d && e\nf)", ["?a·b", "?c", "?d", "?e", "?f", "x"]],
  ["what comes out, the old way", "test `a b; c|d` = 3", ["?a·b", "?c", "?d", "test·=·3"]],
  ["one in the other", "x `a $(b)`", ["?a", "?b", "x"]],
  ["what comes out ends a word", "cat log/$(date).txt", ["?date", "cat·log/·.txt"]],
  ["in the background", "node a.mjs & curl x", ["?node·a.mjs", "curl·x"]],
  ["all in the background", "a & b | c & d &", ["?a", "?b", "?c", "?d"]],
  ["in the background, with CRLF", "a & b\r\nc", ["?a", "b", "c"]],
  ["streams are no background", "a 2>&1 && b >&2; c &>x; d <&3", ["a·2·&1", "b·&2", "c·&·x", "d·&3"]],
])("whether its own exit code says how it went: %s", (_, text, commands) => {
  expect(read(text)).toEqual(commands);
});

test.each([
  ["read afterwards", "a >out.txt && diff out.txt want", true],
  ["added to", "a >> out.txt; grep ok out.txt", true],
  ["named with ./", "a >./out.txt; grep ok out.txt", true],
  ["in the folder above", "a >../out.txt; grep ok ../out.txt", true],
  ["in a subshell", "(a >out.txt); grep ok out.txt", true],
  ["read by nobody", "a >out.txt; b", false],
  ["another file is read", "a >out.txt; b in.txt", false],
  ["read only before", "b out.txt; a >out.txt", false],
  ["errors", "a 2>err.txt; grep x err.txt", false],
  ["thrown away", "a >/dev/null; ls /dev/null", false],
  ["another stream", "a >&2; b 2 '&2'", false],
])("what goes into a file is judged by who reads it: %s", (_, text, isRead) => {
  expect(simpleCommands(text).find(({ words }) => words[0] === "a")?.judged).toBe(!isRead);
});

test.each([
  ["double quotes", 'echo "a  b" c', "echo·a  b·c"],
  ["single quotes", "echo 'a  b' c", "echo·a  b·c"],
  ["a quote in quotes", `echo "it's" 'so "so"'`, `echo·it's·so "so"`],
  ["no word in quotes", 'echo "" x', "echo··x"],
  ["a part in quotes", `jest --config="build/a b.js" 'x'.js`, "jest·--config=build/a b.js·x.js"],
  ["an end of quotes alone", "node run.mjs'", "node·run.mjs"],
  ["here", "./run ./a ../b c/./d", "run·a·../b·c/./d"],
  ["here, written out", 'node $PWD/a "${PWD}/b" -I$PWD/c $PWDS/d', "node·a·b·-I$PWD/c·$PWDS/d"],
  ["what is read and written", "a <in >out", "a·in·out"],
])("words: %s", (_, text, words) => {
  expect(read(text)).toEqual([words]);
});

test.each(
  "env exec command time nice nohup sudo timeout xvfb-run cross-env npx bunx then do else elif if while until ! {".split(
    " ",
  ),
)("%s only says how a command runs", (prefix) => {
  expect(read(`${prefix} node run.mjs`)).toEqual(["node·run.mjs"]);
});

test.each([
  ["variables", "CI=1 NODE_ENV=test node run.mjs", "node·run.mjs"],
  ["variables in quotes", `A="1 2" B='x' node run.mjs`, "node·run.mjs"],
  ["its options", "env -i --chdir=sub A=1 node run.mjs", "node·run.mjs"],
  ["its numbers", "nice -n 10 node run.mjs", "node·run.mjs"],
  ["a time", "timeout 90 node run.mjs", "node·run.mjs"],
  ["minutes", "timeout -k 5s 1.25m node run.mjs", "node·run.mjs"],
  ["a loop until it is well", "until node run.mjs", "node·run.mjs"],
  ["several", "if ! time npx --yes tsx run.ts", "tsx·run.ts"],
  ["a program with a number behind", "timeout 90 python3 run.py", "python3·run.py"],
  ["a program with a number before", "timeout 90 7z t a.zip", "7z·t·a.zip"],
  ["a program with a dash", "timeout 90 apt-get check", "apt-get·check"],
  ["a program that begins like one", "timeouts 90", "timeouts·90"],
  ["a program that ends like one", "build-time 90", "build-time·90"],
  ["a program with = in its name", "x-n=3 run", "x-n=3·run"],
  ["a number where nothing is before", "7 node run.mjs", "7·node·run.mjs"],
])("before a command: %s", (_, text, words) => {
  expect(read(text)).toEqual([words]);
});

const INTERPRETERS =
  "sh bash dash zsh ksh node nodejs bun deno tsx ts-node python python3 python3.12 pypy pypy3 ruby perl php lua expect source .";

test.each(INTERPRETERS.split(" "))("%s runs a script", (program) => {
  expect(scriptOf(program, ["-x", "run", "all", "more"])).toBe("all");
});

test.each("./check nodemon node-gyp shellcheck ipython fish phpunit python-config".split(" "))(
  "%s is what is run itself",
  (program) => {
    expect(scriptOf(program, ["all"])).toBe(program);
  },
);

test.each([
  ["a script", "/usr/bin/python3 -u prove.py", "prove.py"],
  ["code", "node -e code a.mjs", undefined],
  ["code, bundled", "ruby -ne code a.rb", undefined],
  ["code, written out", "node --eval code a.mjs", undefined],
  ["code that is shown", "node --print code a.mjs", undefined],
  ["code of Python", "python3 -c code a.py", undefined],
  ["a module", "python3 -m pytest a.py", undefined],
  ["no more than a look", "node --check a.mjs", undefined],
  ["a runner of tests", "node --test a.mjs", undefined],
  ["code of a shell", "bash -lc code a.sh", undefined],
  ["a shell that ends at errors", "sh -e a.sh", "a.sh"],
  ["a shell with jobs", "bash -m a.sh", "a.sh"],
  ["an option of the script", "node gen.mjs --check", "gen.mjs"],
  ["a short option of the script", "python3 prove.py -c conf -e prod", "prove.py"],
  ["a longer option", "node --test-timeout=5 --experimental-eval a.mjs", "a.mjs"],
  ["a word that ends like one", "ruby -I=x-e a.rb", "a.rb"],
  ["what Ruby loads", "ruby -rdate a.rb", "a.rb"],
  ["no script", "node --version", undefined],
])("what an interpreter is told: %s", (_, text, script) => {
  const [program, ...args] = firstIn(text);
  expect(scriptOf(program, args)).toBe(script);
});

test.each([
  ["sh -c 'node run.mjs'", "node run.mjs"],
  ["/bin/bash -lc 'node run.mjs'", "node run.mjs"],
  ["dash -ec 'node run.mjs'", "node run.mjs"],
  ["zsh -ce 'node run.mjs' x", "node run.mjs"],
  ["ksh -o pipefail -c 'node run.mjs'", "node run.mjs"],
  ["sh -e run.sh", undefined],
  ["sh lib/objective-c 'node run.mjs'", undefined],
  ["bash --rc 'node run.mjs'", undefined],
  ["fish -c 'node run.mjs'", undefined],
  ["shellcheck -c 'node run.mjs'", undefined],
  ["python3 -c 'node run.mjs'", undefined],
])("the code a shell is given: %s", (text, code) => {
  expect(inlineShell(firstIn(text))).toBe(code);
});

/** The files that a command runs, each once: of its words all that look like files here are there, and `more`. */
const run = (text: string, more = "pre.rb pre.mjs", roots = [""]): string => {
  const words = firstIn(text);
  const there = new Set([...words.filter((word) => /^[^/].*[./]/.test(word)), ...more.split(" ")]);
  return [...new Set(filesRun(words, { has: (word) => there.has(word), roots }))].join(" ");
};

test.each([
  ["itself", "./accept.sh out.txt", "accept.sh"],
  ["a script", "node --no-warnings a.mjs b.mjs", "a.mjs"],
  ["a script called run", "sh ./ci/run x/y", "ci/run"],
  ["a script after an option's value", "python3 -W error prove.py", "prove.py"],
  ["a script with options like an interpreter's", "node gen.mjs --check x.mjs", "gen.mjs"],
  ["code", "node -e code a.mjs", ""],
  ["code of a shell, after options", "bash -o pipefail -c code a.sh", ""],
  ["no code: a shell that ends at errors", "sh -e a.sh", "a.sh"],
  ["what is loaded before", "node -r ./pre.cjs a.mjs", "pre.cjs a.mjs"],
  ["what is loaded before, in one word", "ruby -r./pre.rb a.rb", "pre.rb a.rb"],
  ["what is required", "node --require pre.cjs a.mjs", "pre.cjs a.mjs"],
  ["what is imported", "node --import=./pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a loader", "node --loader pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a loader, still tried", "node --experimental-loader pre.mjs a.mjs", "pre.mjs a.mjs"],
  ["a package that is loaded", "node -r dotenv a.mjs", "a.mjs"],
  ["no loader", "node --loaders a.mjs b.mjs", "a.mjs"],
  ["no loader: a word that ends alike", "node a.mjs dir-r b.mjs", "a.mjs"],
  ["an option without a value", "node a.mjs -r", "a.mjs"],
])("files a command runs: %s", (_, text, files) => {
  expect(run(text)).toBe(files);
});

const RUNNERS =
  "vitest mocha ava tap c8 nyc pytest tox eslint prettier playwright cypress phpunit ruff mypy flake8 pylint".split(
    " ",
  );

test.each([
  "make -f x/y",
  "gmake --file x/y",
  "make --makefile=x/y",
  "make -fx/y",
  "make -f./x/y",
  "make -f ./x/y",
  "awk -f x/y",
  "gawk -f x/y",
  "mawk -f x/y",
  "sed -f x/y",
  "just --justfile x/y",
  "rake --rakefile=./x/y",
  "task -t x/y",
  "task -tx/y",
  "task --taskfile=x/y",
  "/usr/bin/jest --config x/y",
  ...RUNNERS.map((tool) => `${tool} -c x/y`),
  "pytest --config-file=x/y",
  "phpunit --configuration x/y",
  "pylint --rcfile=x/y",
  "pytest -cx/y",
])("goes by the rules it names: %s", (text) => {
  expect(run(text, "x/y")).toBe("x/y");
});

test.each([
  ["another tool", "cmake -f x/y"],
  ["a tool that is named alike", "makefile2graph -f x/y"],
  ["a tool of Windows", "tawk -f x/y"],
  ["another task", "multitask -t x/y"],
  ["tasks", "tasks -t x/y"],
  ["a runner that ends alike", "pre-eslint -c x/y"],
  ["a runner that begins alike", "eslint_d -c x/y"],
  ["another option", "make -t x/y"],
  ["another tool's option", "eslint -f x/y"],
  ["an option that begins alike", "eslint --config-lookup x/y"],
  ["a folder that ends alike", "eslint objective-c x/y"],
  ["a goal that ends alike", "make pdf-f x/y"],
  ["an option of make that begins alike", "make --file-times x/y"],
  ["a task that ends alike", "task x-t x/y"],
  ["an option of task that begins alike", "task --taskfiles x/y"],
  ["above the folder", "task --taskfile=./../x/y"],
  ["no value", "make -f"],
])("goes by no such rules: %s", (_, text) => {
  expect(run(text, "x/y")).toBe("");
});

test("rules above the folder keep their name", () => {
  expect(run("make --file=../x/y", "../x/y")).toBe("../x/y");
});

test.each("coverage uv poetry pipenv pdm hatch bundle pnpm yarn c8 nyc dotenv".split(" "))(
  "%s runs what is named behind it",
  (wrapper) => {
    expect(run(`${wrapper} exec a.rb b.rb`)).toBe("a.rb");
  },
);

test.each([
  ["pnpm exec node -r ./pre.cjs a.mjs", "pre.cjs a.mjs"],
  ["yarn node --check a.mjs", ""],
  ["uv run a.mjs python3 b.py", "b.py"],
  ["c8 --config x/y node a.mjs", "x/y a.mjs"],
  ["uvx run a.py", ""],
  ["my-nyc a.mjs", ""],
  ["pnpm test", ""],
])("what a wrapper runs: %s", (text, files) => {
  expect(run(text)).toBe(files);
});

test.each([
  ["a module", "python3 -m accept", "", "accept.py accept/__init__.py accept/__main__.py"],
  ["bundled", "pypy -Im accept", "", "accept.py accept/__init__.py accept/__main__.py"],
  ["in one word", "python -maccept", "", "accept.py accept/__init__.py accept/__main__.py"],
  ["by a wrapper", "coverage run -m accept", "", "accept.py accept/__init__.py accept/__main__.py"],
  ["another module", "python3 -m pytest", "", ""],
  ["no module", "python3 -m", "", ""],
  ["no option", "python3 --x-m accept", "", ""],
  ["another language", "ruby -m accept", "", ""],
])("a module that is run, and what would be found in its place: %s", (_, text, __, files) => {
  expect(run(text, "accept.py")).toBe(files);
});

test("a module may be a package, in any of the folders that are looked in", () => {
  const all = "lib/a.py lib/a/__init__.py lib/a/b.py lib/a/b/__init__.py lib/a/b/__main__.py";
  expect(run("python3 -m a.b", "lib/a/b/__main__.py", ["", "lib"])).toBe(all);
  expect(run("python3 -m a.b", "lib/a/b/__init__.py", ["", "lib"])).toBe("");
});
