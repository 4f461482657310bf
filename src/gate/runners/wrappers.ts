// Wrappers on PATH, as texts. `go` and `cargo`, which no variable reaches, get one that writes their report. A command may replace
// the variable that has a runner report (`NODE_OPTIONS=… jest`, `env -i …`): the wrapper of its program adds the hook again.
// own-report.ts writes the files.
import { quoteWord } from "../../shell/quote.js";

/** The wrappers by the names of their programs. `option`: what loads the hook of Node. */
export function wrappersIn(folder: string, option: string): [name: string, text: string][] {
  const wrap = (name: string, text: string): [string, string] => [
    name,
    `#!/bin/sh\nfolder=${quoteWord(folder)}\n${text}`,
  ];
  const restore = (name: string, text: string): [string, string] =>
    wrap(name, [`name=${quoteWord(name)}`, FIND_REAL, text, 'exec "$real" "$@"', ""].join("\n"));
  const node = addNodeOption(quoteWord(option));
  const python = addPythonPath(quoteWord(folder));
  return [
    ...Object.entries(REPORTING).map(([name, text]) => wrap(name, text)),
    ...NODES.map((name) => restore(name, node)),
    ...PYTHONS.map((name) => restore(name, python)),
  ];
}

// Interpreters, and programs that start the interpreter by its path. Those of Node look for `node` on PATH.
const NODES = ["node", "nodejs"];
const VERSIONS = Array.from({ length: 12 }, (_, at) => `python3.${String(at + 7)}`);
const PYTHONS = [
  ...["python", "python3", ...VERSIONS, "pypy3"],
  ...["pytest", "py.test", "coverage", "uv", "poetry", "pipenv", "pdm", "hatch"],
];

/** Sets `rest` to PATH without the folder of wrappers. Contract: `folder` is set before it. */
const REST_OF_PATH = String.raw`rest=:$PATH:
while :; do case $rest in *":$folder/bin:"*) rest=\${rest%%":$folder/bin:"*}:\${rest#*":$folder/bin:"} ;; *) break ;; esac; done
rest=\${rest#:}
rest=\${rest%:}`.replaceAll("\\$", "$");

/** PATH itself keeps the folder: the program may start a shell that replaces the variable. */
const FIND_REAL = `${REST_OF_PATH}
real=$(PATH=$rest; command -v "$name")
test -n "$real" || { echo "$name: not found" >&2; exit 127; }`;

const addNodeOption = (option: string): string =>
  `case \${NODE_OPTIONS-} in *${option}*) ;; *) NODE_OPTIONS="\${NODE_OPTIONS:+$NODE_OPTIONS }"${option}; export NODE_OPTIONS ;; esac`;
const addPythonPath = (folder: string): string =>
  `case \${PYTHONPATH-} in *${folder}*) ;; *) PYTHONPATH=${folder}"\${PYTHONPATH:+:$PYTHONPATH}"; export PYTHONPATH ;; esac`;

/** Starts the program of its name, without the folder of wrappers on PATH. */
const WITHOUT_WRAPPERS = `${REST_OF_PATH}
PATH=$rest
export PATH
`;

/** The wrappers that write a report, by name. */
const REPORTING: Readonly<Record<string, string>> = {
  cargo: `${WITHOUT_WRAPPERS}
tests=no
for arg; do case $arg in
  test|t) tests=yes ;;
  --list|--no-run|-h|--help|--version|-q|--quiet|--nocapture|--no-capture|--show-output|--format*|-Z*) exec cargo "$@" ;;
esac; done
test $tests = yes && command -v tee mv >/dev/null || exec cargo "$@"
mkfifo "$folder/$$.pipe" || exec cargo "$@"
tee "$folder/$$.part" <"$folder/$$.pipe" &
cargo "$@" >"$folder/$$.pipe"
code=$?
wait
mv "$folder/$$.part" "$folder/$$.cargo"
exit $code
`,
  go: `${WITHOUT_WRAPPERS}
verbose=0
test "$1" = test || exec go "$@"
for arg; do case $arg in
  -json|--json|-c|-n|-list*|-h|-help|--help|-fuzz*|-bench*) exec go "$@" ;;
  -v|--v|-v=true|-test.v) verbose=1 ;;
esac; done
command -v awk mv >/dev/null || exec go "$@"
mkfifo "$folder/$$.pipe" || exec go "$@"
: >"$folder/$$.part"
awk -v verbose=$verbose -v part="$folder/$$.part" '
/^ *=== (RUN|PAUSE|CONT|NAME) / { if (!verbose) next }
/^ *--- (PASS|FAIL|SKIP): / {
  line = $0; sub(/^ *--- /, "", line); status = substr(line, 1, 4); sub(/^....: /, "", line); sub(/ [(][^)]*[)]$/, "", line)
  found[++count] = (status == "PASS" ? "passed" : status == "FAIL" ? "failed" : "skipped") "\t" line
  if (!verbose && status != "FAIL") next
}
/^(ok  |FAIL)\t/ { split($0, words, "\t"); for (at = 1; at <= count; at++) print words[2] "\t" found[at] >part; count = 0 }
/^PASS$/ { if (!verbose) next }
{ print; fflush() }
' <"$folder/$$.pipe" &
shift
go test -v "$@" >"$folder/$$.pipe"
code=$?
wait
mv "$folder/$$.part" "$folder/$$.go"
exit $code
`,
};
