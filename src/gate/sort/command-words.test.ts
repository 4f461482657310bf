// The files that simple commands run or read rules from. sort/sort.test.ts has those that are checks.
import { expect, test } from "vitest";
import type { Words } from "../../shell/invocation.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import { listRunFiles, findScript } from "./command-words.js";

const firstIn = (text: string): Words => {
  const [first] = listSimpleCommands(text);
  if (first === undefined) throw new Error(`no command: ${text}`);
  return first.words;
};

const INTERPRETERS =
  "sh bash dash zsh ksh node nodejs bun deno tsx ts-node python python3 python3.12 pypy pypy3 ruby perl php lua expect source .";

test.each(INTERPRETERS.split(" "))("%s runs a script", (program) => {
  expect(findScript(program, ["-x", "run", "all", "more"])).toBe("all");
});

test.each("./check nodemon node-gyp shellcheck ipython fish phpunit python-config".split(" "))(
  "%s is what is run itself",
  (program) => {
    expect(findScript(program, ["all"])).toBe(program);
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
])("an interpreter runs its script: %s", (_, text, script) => {
  const [program, ...args] = firstIn(text);
  expect(findScript(program, args)).toBe(script);
});

/** The files that a command runs, each once: of its words all that look like files here are there, and `more`. */
const run = (text: string, more = "pre.rb pre.mjs"): string => {
  const words = firstIn(text);
  const there = new Set([...words.filter((word) => /^[^/].*[./]/.test(word)), ...more.split(" ")]);
  return [...new Set(listRunFiles(words, (word) => there.has(word)))].join(" ");
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
])("a command runs files: %s", (_, text, files) => {
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
])("a command reads the rules it names: %s", (text) => {
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
])("a command reads no named rules: %s", (_, text) => {
  expect(run(text, "x/y")).toBe("");
});

test("rules above the folder keep their path", () => {
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
])("a wrapper runs files: %s", (text, files) => {
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
])("a Python module has its files and those found before them: %s", (_, text, __, files) => {
  expect(run(text, "accept.py")).toBe(files);
});

test("a module may be in a package", () => {
  expect(run("python3 -m a.b", "a/b/__main__.py")).toBe(
    "a.py a/__init__.py a/b.py a/b/__init__.py a/b/__main__.py",
  );
  expect(run("python3 -m a.b", "a/b/__init__.py")).toBe("");
});
