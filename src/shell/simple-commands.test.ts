// Shell texts as people write them, and the commands in them.
import { expect, test } from "vitest";
import { listSimpleCommands } from "./simple-commands.js";
import { ANY } from "./words.js";

/** The commands of a text, words joined by `·`; those that something else judges begin with `?`, `▒` is not known. */
const read = (text: string): string[] =>
  listSimpleCommands(text).map(
    ({ words, judged, folder }) =>
      (judged ? "" : "?") + (folder === "" ? "" : `${folder}: `) + words.join("·").replaceAll(ANY, "▒"),
  );

test.each([
  ["nothing", "", []],
  ["nothing but a comment", "# npm test", []],
  ["nothing between two ends", "a;\n\nb", ["a", "b"]],
  ["nothing but an assignment", "CI=1", []],
  ["one after another", "a x; b y\nc z", ["a·x", "b·y", "c·z"]],
  ["one if the other", "a && b || c", ["a", "b", "c"]],
  ["a subshell", "(a; b) && c", ["a", "b", "c"]],
  ["a line that continues", "node \\\n  run.mjs \\\n  -v", ["node·run.mjs·-v"]],
  ["a word that continues", "node run\\\n.mjs", ["node·run.mjs"]],
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
  ["what comes out", 'test "$(node a.mjs)" = 3', ["?node·a.mjs", "test·▒·=·3"]],
  ["what comes out of many", "x $(a b; c|d && e\nf)", ["?a·b", "?c", "?d", "?e", "?f", "x·▒"]],
  ["what comes out, the old way", "test `a b; c|d` = 3", ["?a·b", "?c", "?d", "test·▒·=·3"]],
  ["one in the other", "x `a $(b)`", ["?b", "?a·▒", "x·▒"]],
  ["what comes out ends a word", "cat log/$(date).txt", ["?date", "cat·log/▒.txt"]],
  ["in the background", "node a.mjs & curl x", ["?node·a.mjs", "curl·x"]],
  ["all in the background", "a & b | c & d &", ["?a", "?b", "?c", "?d"]],
  ["in the background, with CRLF", "a & b\r\nc", ["?a", "b", "c"]],
  ["a redirection is not a background job", "a 2>&1 && b >&2; c &>x; d <&3", ["a", "b", "c", "d"]],
])("whether its own exit code says how it went: %s", (_, text, commands) => {
  expect(read(text)).toEqual(commands);
});

test.each([
  ["read afterwards", "a >out.txt && diff out.txt want", true],
  ["added to", "a >> out.txt; grep ok out.txt", true],
  ["named with ./", "a >./out.txt; grep ok out.txt", true],
  ["in the folder above", "a >../out.txt; grep ok ../out.txt", true],
  ["in a subshell", "(a >out.txt); grep ok out.txt", true],
  ["never read", "a >out.txt; b", false],
  ["another file is read", "a >out.txt; b in.txt", false],
  ["read only before", "b out.txt; a >out.txt", false],
  ["errors", "a 2>err.txt; grep x err.txt", false],
  ["thrown away", "a >/dev/null; ls /dev/null", false],
  ["another stream", "a >&2; b 2 '&2'", false],
])("what goes into a file is judged by who reads it: %s", (_, text, isRead) => {
  expect(listSimpleCommands(text).find(({ words }) => words[0] === "a")?.judged).toBe(!isRead);
});

test.each([
  ["double quotes", 'echo "a  b" c', "echo·a  b·c"],
  ["single quotes", "echo 'a  b' c", "echo·a  b·c"],
  ["a quote in quotes", `echo "it's" 'so "so"'`, `echo·it's·so "so"`],
  ["no word in quotes", 'echo "" x', "echo··x"],
  ["a part in quotes", `jest --config="build/a b.js" 'x'.js`, "jest·--config=build/a b.js·x.js"],
  ["an end of quotes alone", "node run.mjs'", "node·run.mjs"],
  ["here", "./run ./a ../b c/./d", "run·a·../b·c/./d"],
  ["here, written out", 'node $PWD/a "${PWD}/b" -I$PWD/c $PWDS/d', "node·a·b·-I./c·▒/d"],
  ["what is read and written", "a <in >out", "a"],
])("words: %s", (_, text, words) => {
  expect(read(text)).toEqual([words]);
});

test.each(
  "env exec command builtin time nice nohup sudo doas timeout xvfb-run cross-env npx bunx setsid stdbuf busybox xargs !".split(
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

test.each([
  'bash -c "sh a.sh && sh b.sh"',
  "sh -c 'sh a.sh; sh b.sh'",
  "timeout 60 sh -c 'sh a.sh; sh b.sh'",
  "cd . && sh -c 'sh a.sh || exit 1'",
  "env -u X A=1 sh -c 'sh a.sh'",
  "env -S 'sh a.sh'",
  "nohup nice -n 5 time sh a.sh",
  "sudo -u me -E sh a.sh",
  "echo x | xargs -I{} sh -c 'sh a.sh'",
  "echo x | xargs -n1 sh a.sh",
  'eval "sh a.sh"',
  "sh -ec 'sh a.sh'",
  "sh -e -c 'sh a.sh'",
  "bash -lc 'sh a.sh'",
  "bash -o pipefail -c 'sh a.sh'",
  "bash --norc -c 'sh a.sh'",
  "/bin/bash -c 'sh a.sh'",
  "busybox sh -c 'sh a.sh'",
  "(sh a.sh)",
  "{ sh a.sh; }",
  "f() { sh a.sh; }; f",
  'f() { sh "$1"; }; f a.sh',
  "if sh a.sh; then :; else exit 1; fi",
  "if true; then sh a.sh; fi",
  "while ! sh a.sh; do exit 1; done",
  "case $X in *) sh a.sh ;; esac",
  "sh <<EOF\nsh a.sh\nEOF",
  "sh <<'EOF'\nsh a.sh\nEOF",
  "sh <<< 'sh a.sh'",
  "echo 'sh a.sh' | sh",
  "cat a.sh | sh",
  "sh < a.sh",
  "s\"h\" a'.'sh",
  "\\sh a\\.sh",
  "sh ./a.sh",
  'sh "$PWD/a.sh"',
  "F=a.sh; sh $F",
  'export F=a.sh && sh "${F}"',
  "C='sh a.sh'; $C",
  "for f in a.sh b.sh; do sh $f || exit 1; done",
  "sh -c 'sh \"$1\"' x a.sh",
  "sh -c 'sh \"$@\"' x a.sh",
  "find . -maxdepth 0 -exec sh a.sh \\;",
  "flock lock sh a.sh",
  "flock lock -c 'sh a.sh'",
  "su -c 'sh a.sh' me",
  "script -qec 'sh a.sh' /dev/null",
  "sh a.sh 2>&1 | tee log",
  "set -e\nsh a.sh\n",
  "trap 'sh a.sh' EXIT",
  'sh -c "sh -c \'sh -c \\"sh a.sh\\"\'"',
])("a command is found in what is around it, and its exit code counts: %s", (text) => {
  expect(read(text)).toContain("sh·a.sh");
});

test.each([
  ["only looked up", "command -v sh a.sh", ["command·-v·sh·a.sh"]],
  ["a text that is printed", "echo 'sh a.sh'", ["echo·sh a.sh"]],
  ["a file of another shell's name", "shellcheck -c 'sh a.sh'", ["shellcheck·-c·sh a.sh"]],
  ["a here-document that is not code", "cat <<EOF\nsh a.sh\nEOF", ["cat"]],
  ["a comment", "true # sh a.sh", ["true"]],
])("a command is not run that is %s", (_, text, commands) => {
  expect(read(text)).toEqual(commands);
});

test.each([
  ["a subshell's folder is its own", "(cd web && a); b", ["web: a", "b"]],
  ["a shell's folder is its own", "sh -c 'cd web && a'; b", ["sh·-c·cd web && a", "web: a", "b"]],
  ["a folder only the shell knows", 'cd "$DIR"; a', ["a"]],
  ["a pipe's folder is its own", "cd web | a; b", ["a", "b"]],
])("where a command runs: %s", (_, text, commands) => {
  expect(read(text)).toEqual(commands);
});

test("texts that never end, or are in one another for ever, are read as far as they go", () => {
  expect(read("f() { f; }; f").length).toBeGreaterThan(0);
  expect(read("sh a.sh; ( if [ x").at(0)).toBe("sh·a.sh");
  expect(
    read(
      "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do for c in 1 2 3 4 5 6 7 8 9; do x; done; done; done",
    ).length,
  ).toBe(729);
});
