// The files that simple commands load. sort.test.ts has those behind package scripts, make goals and shells.
import { expect, test } from "vitest";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import { referenceOf } from "../testing/sorted.js";
import { Loads } from "./loads.js";

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
  ["settings", "jest --config x/y", "x/y"],
  ["settings in one word", "pytest --config-file=x/y", "x/y"],
  ["rules of make", "make -f x/y", "x/y"],
  ["rules of make in one word", "make -fx/y", "x/y"],
  ["another option", "eslint --config-lookup x/y", ""],
  ["what is handed to a compiler", "gcc -c a.c", ""],
  ["a file of every name", "sh checks/*.sh", ""],
])("a command loads files: %s", (_, text, files) => {
  expect(loaded(text)).toBe(files);
});
