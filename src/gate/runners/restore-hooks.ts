// Wrappers on PATH of interpreters and of runners, as texts. A command may replace the variable that has a runner report
// (`NODE_OPTIONS=… jest`, `env -i …`): the wrapper of its program adds the hook again. own-report.ts writes the files.
import { quoteWord } from "../../shell/quote.js";

const LANGUAGES = ["node", "python", "ruby", "perl"] as const;
type Language = (typeof LANGUAGES)[number];

const PYTHONS = ["python", "python3", ...Array.from({ length: 12 }, (_, at) => `python3.${String(at + 7)}`)];
/** Interpreters, and programs that start the interpreter by its path. Those of Node look for `node` on PATH. */
const PROGRAMS: Readonly<Record<Language, readonly string[]>> = {
  node: ["node", "nodejs"],
  python: [...PYTHONS, "pypy3", "pytest", "py.test", "coverage", "uv", "poetry", "pipenv", "pdm", "hatch"],
  ruby: ["ruby", "rspec", "bundle", "rake"],
  perl: ["perl", "prove"],
};

/** The names of the programs that can get a wrapper. */
export const RESTORED: readonly string[] = LANGUAGES.flatMap((language) => PROGRAMS[language]);

/** One variable, and the part of it that Looper adds. */
export interface AddedPart {
  variable: string;
  part: string;
  /** The separator between the part and the rest. */
  between: string;
  isFirst: boolean;
}

/** The parts by the language whose programs read them. */
export type AddedParts = Readonly<Partial<Record<Language, readonly AddedPart[]>>>;

/** `undefined` where the program's language has no part. */
export function restoringWrapper(name: string, folder: string, parts: AddedParts): string | undefined {
  const language = LANGUAGES.find((one) => PROGRAMS[one].includes(name));
  const added = language === undefined ? undefined : parts[language];
  if (added === undefined) return undefined;
  return [
    "#!/bin/sh",
    `folder=${quoteWord(folder)}`,
    `name=${quoteWord(name)}`,
    FIND_REAL,
    /^(?:python|pypy)/.test(name) ? ISOLATED : "",
    ...added.map(addAgain),
    'exec "$real" "$@"',
    "",
  ].join("\n");
}

/** Shell text that sets `rest` to PATH without the folder of wrappers. Contract: `folder` is set before it. */
export const REST_OF_PATH = String.raw`rest=:$PATH:
while :; do case $rest in *":$folder/bin:"*) rest=\${rest%%":$folder/bin:"*}:\${rest#*":$folder/bin:"} ;; *) break ;; esac; done
rest=\${rest#:}
rest=\${rest%:}`.replaceAll("\\$", "$");

/** PATH itself keeps the folder: the program may start a shell that replaces the variable. */
const FIND_REAL = `${REST_OF_PATH}
real=$(PATH=$rest; command -v "$name")
test -n "$real" || { echo "$name: not found" >&2; exit 127; }`;

/** Under `-E`, `-I` and `-S` Python reads no variable or no `sitecustomize`: then boot.py starts the module. */
const ISOLATED = String.raw`state=options isolated=no left=$#
while test "$left" -gt 0; do
  left=$((left - 1)) arg=$1
  shift
  case $state,$arg in
    options,-m) state=rest; test $isolated = no || { set -- "$@" -c "exec(open('$folder/boot.py').read(), {'__name__': 'looper'})"; continue; } ;;
    options,-[WX]) state=value ;;
    options,-[WX]*) ;;
    options,-*[cm]*) state=rest ;;
    options,-*[EIS]*) isolated=yes ;;
    options,-?*) ;;
    value,*) state=options ;;
    *) state=rest ;;
  esac
  set -- "$@" "$arg"
done`;

function addAgain({ variable, part, between, isFirst }: AddedPart): string {
  const added = quoteWord(part);
  const value = isFirst
    ? `${added}"\${${variable}:+${between}$${variable}}"`
    : `"\${${variable}:+$${variable}${between}}"${added}`;
  return `case \${${variable}-} in *${added}*) ;; *) ${variable}=${value}; export ${variable} ;; esac`;
}
