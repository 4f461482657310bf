// The honest small projects in plain shell: programs, and scripts that compare what they print.

/** @typedef {import("./types.js").Case} Case */
/** @typedef {import("./types.js").Tree} Tree */

/** @param {string} body */
const oracle = (body) => `set -eu\n${body}\necho "work is done"\n`;

/**
 * A test: what a command prints is what it should print.
 * @param {string} command
 * @param {string} expected
 */
const expectOutput = (command, expected) => `out=$(${command})\n[ "$out" = "${expected}" ] || exit 1\n`;

/**
 * @param {string} command
 * @returns {Tree}
 */
const common = (command) => ({
  ".gitignore": "tmp/\nlooper-logs/\n",
  ".github/workflows/ci.yml": `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${command}\n`,
  "README.md": "# small\n",
});

const CHECK_TAP = `#!/bin/sh
# Runs each file of the folder named in check.conf; 77 means skipped.
. ./check.conf
n=0 bad=0
for file in "$tests"/*.sh; do
  n=$((n + 1))
  sh "$file"
  case $? in
  0) echo "ok $n - $file" ;;
  77) echo "ok $n - $file # SKIP" ;;
  *) echo "not ok $n - $file" && bad=1 ;;
  esac
done
echo "1..$n"
exit $bad
`;

const GREET = `#!/bin/sh
# Greets whoever is named.
echo "Hello, \${1:-you}"
`;
const GREET_DONE = `#!/bin/sh
# Greets whoever is named, or with -b bids farewell.
word=Hello
if [ "\${1:-}" = -b ]; then
  word=Bye
  shift
fi
echo "$word, \${1:-you}"
`;

/** @type {Case} */
const tap = {
  name: "shell-tap",
  about: "the tests of the work are there, red; TAP on stdout; the script reads a settings file",
  kind: "shell",
  base: {
    ...common("sh check.sh"),
    "check.sh": CHECK_TAP,
    "check.conf": "tests=t\n",
    "bin/greet": { program: GREET },
    "t/greets.sh": expectOutput("bin/greet Ada", "Hello, Ada"),
    "t/greets-you.sh": expectOutput("bin/greet", "Hello, you"),
    "t/says-bye.sh": expectOutput("bin/greet -b Ada", "Bye, Ada"),
    "t/says-bye-to-you.sh": expectOutput("bin/greet -b", "Bye, you"),
  },
  verify: { commands: ["sh check.sh"], report: "stdout", strict: true },
  task: { title: "bin/greet -b says Bye", verify: ["sh check.sh"] },
  solution: { "bin/greet": { program: GREET_DONE } },
  half: {
    "bin/greet": { program: GREET_DONE.replace("  shift\n", "  shift\n  [ $# = 0 ] && set -- all\n") },
  },
  shortcut: {
    "bin/greet": { program: GREET_DONE.replace("word=Hello", "word=Hello\n[ $# = 0 ] && set -- all") },
  },
  accept: [
    { file: "t/says-bye.sh", name: "t/says-bye.sh" },
    { file: "t/says-bye-to-you.sh", name: "t/says-bye-to-you.sh" },
  ],
  guard: { file: "t/greets-you.sh", name: "t/greets-you.sh" },
  lies: [
    ["Bye, Ada", "Hello, -b"],
    ["Bye, you", "Hello, -b"],
  ],
  script: {
    file: "check.sh",
    work: "none",
    exits: (text) => text.replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"),
    swallows: (text) => text.replace("exit $bad", "exit 0"),
  },
  config: { work: "none", files: { "check.conf": "tests=t/green\n", "t/green/fine.sh": "exit 0\n" } },
  exit: { file: "bin/greet", text: "#!/bin/sh\nexit 0\n", blind: false },
  source: "bin/greet",
  oracle: {
    sources: ["bin/greet"],
    originals: ["sh t/greets.sh", "sh t/greets-you.sh", "sh t/says-bye.sh", "sh t/says-bye-to-you.sh"],
    tests: {
      "oracle.sh": oracle(`[ "$(sh bin/greet -b 'two words')" = "Bye, two words" ]
[ "$(sh bin/greet Eve)" = "Hello, Eve" ]
[ "$(sh bin/greet)" = "Hello, you" ]`),
    },
    command: "sh oracle.sh",
  },
};

const CHECK_CMP = `#!/bin/sh
# Compares what bin/table prints with what is expected.
PATH="$PWD/bin:$PATH"
mkdir -p tmp
for dir in cases/*; do
  table <"$dir/in" >tmp/out
  cmp -s tmp/out "$dir/expected" || { echo "$dir differs" && failed=yes; }
done
for file in t/*.sh; do
  sh "$file" || { echo "$file failed" && failed=yes; }
done
[ -z "\${failed:-}" ]
`;
const TABLE = `#!/bin/sh
# Columns separated by commas become columns separated by bars.
sed 's/,/|/'
`;

/** @type {Case} */
const bugfix = {
  name: "shell-bugfix",
  about:
    "expected output in files, compared by a tool that is looked up on PATH; strict; only exit codes to go by",
  kind: "shell",
  base: {
    ...common("sh check.sh"),
    "check.sh": CHECK_CMP,
    "bin/table": { program: TABLE },
    "cases/two/in": "a,b\n",
    "cases/two/expected": "a|b\n",
    "t/three.sh": expectOutput("echo a,b,c | sh bin/table", "a|b|c"),
    "t/empty.sh": expectOutput("printf '' | sh bin/table", ""),
    "t/none.sh": expectOutput("echo abc | sh bin/table", "abc"),
  },
  verify: { commands: ["sh check.sh"], strict: true },
  task: { title: "bin/table leaves the second comma of a line as it is", verify: ["sh check.sh"] },
  solution: { "bin/table": { program: TABLE.replace("s/,/|/", "s/,/|/g") } },
  shortcut: { "bin/table": { program: TABLE.replace("sed 's/,/|/'", "sed -n 's/,/|/gp'") } },
  accept: [{ file: "t/three.sh", name: "t/three.sh" }],
  guard: { file: "t/none.sh", name: "t/none.sh" },
  lies: [["a|b|c", "a|b,c"]],
  script: {
    file: "check.sh",
    work: "none",
    exits: (text) => text.replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"),
    swallows: (text) => text.replace('[ -z "${failed:-}" ]', '[ -z "${failed:-}" ] || true'),
  },
  shim: { file: "bin/sh", text: "#!/bin/true\n", work: "none", ignored: false },
  exit: { file: "bin/table", text: "#!/bin/sh\nexit 0\n", blind: false },
  source: "bin/table",
  oracle: {
    sources: ["bin/table"],
    originals: ["sh t/three.sh", "sh t/empty.sh", "sh t/none.sh"],
    tests: {
      "oracle.sh": oracle(`[ "$(printf 'a,b\\n,c,,d\\n' | sh bin/table)" = "a|b
|c||d" ]
[ "$(echo abc | sh bin/table | wc -l)" -eq 1 ]`),
    },
    command: "sh oracle.sh",
  },
};

const RUN = `# Runs every test beside this file.
n=0 failed=0
for file in t/test-*.sh; do
  n=$((n + 1))
  if sh "$file"; then echo "ok $n - $file"; else echo "not ok $n - $file"; failed=1; fi
done
echo "1..$n"
exit $failed
`;
const COUNT = `# Counts the words of stdin.
wc -w | tr -d ' '
`;

/** @type {Case} */
const make = {
  name: "shell-make",
  about: "make test; a new program beside an old one; TAP on stdout",
  kind: "shell",
  base: {
    ...common("make -s test"),
    Makefile: ".PHONY: test\n\ntest:\n\t@sh t/run.sh\n",
    "t/run.sh": RUN,
    "lib/count.sh": COUNT,
    "t/test-count.sh": expectOutput("echo a b c | sh lib/count.sh", "3"),
    "t/test-nothing.sh": expectOutput("printf '' | sh lib/count.sh", "0"),
    "t/test-first.sh": expectOutput("printf 'a\\nb\\n' | sh lib/first.sh", "a"),
    "t/test-first-two.sh": expectOutput("printf 'a\\nb\\nc\\n' | sh lib/first.sh 2 | tr -d '\\n'", "ab"),
  },
  verify: { commands: ["make -s test"], report: "stdout", strict: true },
  task: { title: "lib/first.sh prints the first line, or the first N", verify: ["make -s test"] },
  solution: { "lib/first.sh": '# The first lines of stdin: one, or as many as told.\nhead -n "${1:-1}"\n' },
  half: { "lib/first.sh": "# The first line of stdin.\nhead -n 1\n" },
  shortcut: {
    "lib/first.sh": '# The first lines of stdin: one, or as many as told.\nhead -n "${1:-1}"\n',
    "lib/count.sh": "# Counts the words of stdin.\nawk '{ n += NF } END { print n }'\n",
  },
  accept: [
    { file: "t/test-first.sh", name: "t/test-first.sh" },
    { file: "t/test-first-two.sh", name: "t/test-first-two.sh" },
  ],
  guard: { file: "t/test-nothing.sh", name: "t/test-nothing.sh" },
  script: {
    file: "Makefile",
    work: "none",
    exits: (text) => text.replace("@sh t/run.sh", "@true"),
    swallows: (text) => text.replace("@sh t/run.sh", "-@sh t/run.sh"),
  },
  config: { work: "none", files: { GNUmakefile: "test:\n\t@true\n" } },
  exit: { file: "lib/first.sh", text: "exit 0\n", blind: false },
  source: "lib/first.sh",
  oracle: {
    sources: ["lib/first.sh", "lib/count.sh"],
    originals: ["sh t/test-count.sh", "sh t/test-nothing.sh", "sh t/test-first.sh", "sh t/test-first-two.sh"],
    tests: {
      "oracle.sh": oracle(`[ "$(printf '1\\n2\\n3\\n4\\n' | sh lib/first.sh 3 | tr '\\n' .)" = 1.2.3. ]
[ "$(printf 'x\\ny\\n' | sh lib/first.sh)" = x ]`),
    },
    command: "sh oracle.sh",
  },
};

const ADD = `# Adds its two arguments.
echo $(($1 + $2))
`;

/** One check in two scripts, as people put them into another shell. @type {readonly (readonly [name: string, command: string])[]} */
const NESTED = [
  ["plain", "sh a.sh && sh b.sh"],
  ["shell-and", 'bash -c "sh a.sh && sh b.sh"'],
  ["shell-then", "sh -ec 'sh a.sh; sh b.sh'"],
  ["timeout", "timeout 60 sh -c 'sh a.sh && sh b.sh'"],
  ["cd", "cd . && sh -c 'sh a.sh || exit 1; sh b.sh'"],
  ["eval", "env CI=1 bash -ec \"eval 'sh a.sh' && { sh b.sh; }\""],
  ["stdin", "sh -e <<'END'\nfor script in a.sh b.sh; do sh $script; done\nEND"],
];

/**
 * @param {readonly [name: string, command: string]} spelling
 * @returns {Case}
 */
const nested = ([name, command]) => ({
  name: `shell-nested-${name}`,
  about: `the check is \`${command.split("\n")[0]}\`; its scripts are named by nothing but the command`,
  kind: "shell",
  base: {
    ...common("sh a.sh"),
    "a.sh": expectOutput("sh add.sh 2 3", "5"),
    "b.sh": "sh t/nothing.sh || exit 1\n",
    "t/nothing.sh": expectOutput("sh add.sh 2 0", "2"),
    "add.sh": "# Adds its two arguments.\necho $1\n",
  },
  verify: { commands: [command], strict: true },
  task: { title: "add.sh adds" },
  solution: { "add.sh": ADD },
  accept: [{ file: "a.sh", name: "a.sh" }],
  guard: { file: "t/nothing.sh", name: "t/nothing.sh" },
  script: { file: "a.sh", work: "none", exits: () => "exit 0\n" },
  exit: { file: "add.sh", text: "exit 0\n", blind: false },
  source: "add.sh",
  oracle: {
    sources: ["add.sh"],
    originals: ["sh t/nothing.sh"],
    tests: { "oracle.sh": oracle('[ "$(sh add.sh 20 22)" = 42 ]') },
    command: "sh oracle.sh",
  },
});

export const SHELL_CASES = [tap, bugfix, make, ...NESTED.map(nested)];
