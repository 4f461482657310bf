import { expect, test } from "vitest";
import { formatHook, planHookCall } from "./run-hook.js";

const GIVEN = ["T1", "done", "/log/summary.json", "iter-1"] as const;

/** Renders the call of a hook on one line, without the four arguments if they come last. */
function called(hook: string | readonly string[]): string {
  const { command, args } = planHookCall(hook, GIVEN);
  expect(args.slice(-4)).toEqual(GIVEN);
  const [option, line, name, ...rest] = args.slice(0, -4);
  return command === "/bin/sh" && option === "-c" && name === "looper-hook" && rest.length === 0
    ? `sh: ${String(line)}`
    : ["exec:", command, ...args.slice(0, -4)].join(" ");
}

test.each([
  ["./notify.sh", 'sh: ./notify.sh "$@"'],
  ["  ./notify.sh\n", 'sh:   ./notify.sh "$@"\n'],
  ["'./my hook.sh'", "sh: './my hook.sh' \"$@\""],
  ["./my\\ hook.sh", 'sh: ./my\\ hook.sh "$@"'],
  ["notify-send", 'sh: notify-send "$@"'],
  ["~/notify.sh", 'sh: ~/notify.sh "$@"'],
  ["$HOME/notify.sh", 'sh: $HOME/notify.sh "$@"'],
  // A line that is one simple command.
  ["node notify.js --loud", 'sh: node notify.js --loud "$@"'],
  ["node notify.js # tells me", 'sh: node notify.js "$@" # tells me'],
  ["node notify.js \\\n", 'sh: node notify.js "$@" \\\n'],
  ["LOUD=1 ./notify.sh", 'sh: LOUD=1 ./notify.sh "$@"'],
  ["echo $(date)", 'sh: echo $(date) "$@"'],
  ["exec ./notify.sh", 'sh: exec ./notify.sh "$@"'],
  ["echo 'a; b | c'", "sh: echo 'a; b | c' \"$@\""],
  // A line that uses its arguments.
  ["echo $1", "sh: echo $1"],
  ['curl -d "$2" example.org', 'sh: curl -d "$2" example.org'],
  ["./notify.sh ${3}", "sh: ./notify.sh ${3}"],
  ["./notify.sh ${4:-none}", "sh: ./notify.sh ${4:-none}"],
  ['./notify.sh "$@"', 'sh: ./notify.sh "$@"'],
  ['./notify.sh "$*"', 'sh: ./notify.sh "$*"'],
  ["awk '{print $1}' notes.txt", "sh: awk '{print $1}' notes.txt"],
  // A line with more than one simple command.
  ["a | b", "sh: a | b"],
  ["a > log", "sh: a > log"],
  ["a < in", "sh: a < in"],
  ["a 2>&1", "sh: a 2>&1"],
  ["a; b", "sh: a; b"],
  ["a && b", "sh: a && b"],
  ["a || b", "sh: a || b"],
  ["a &", "sh: a &"],
  ["a\nb", "sh: a\nb"],
  ["! a", "sh: ! a"],
  ["(a b)", "sh: (a b)"],
  ["if a; then b; fi", "sh: if a; then b; fi"],
  ["f() { a; }", "sh: f() { a; }"],
  ["x=1", "sh: x=1"],
  ["# nothing", "sh: # nothing"],
  ["echo 'a", "sh: echo 'a"],
  // A command to which further words are an error or mean something else.
  ["exit 3", "sh: exit 3"],
  ["exec", "sh: exec"],
  ["[ -f done ]", "sh: [ -f done ]"],
])("%j is called as %j", (hook, expected) => {
  expect(called(hook)).toBe(expected);
});

test("a list of words is started as a command, whatever the words contain", () => {
  expect(called(["./notify.sh", "--to", "$1; a"])).toBe("exec: ./notify.sh --to $1; a");
});

test("a hook is shown on one line, its words quoted where a shell needs it", () => {
  expect(formatHook("a | b")).toBe("a | b");
  expect(formatHook(["./a.sh", "two words", "it's", ""])).toBe("./a.sh 'two words' 'it'\\''s' ''");
});
