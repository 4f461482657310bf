// Finds out from a command's words what it runs: a shell's code or script, or another command behind its own options. Pure.
// Leaves reading shell texts to simple-commands.ts, and the files that are run to the gate.
import { posix } from "node:path";
import { ANY } from "./words.js";

export type Words = readonly [program: string, ...args: string[]];

/** A shell that reads POSIX code. */
export const POSIX_SHELL = /^(?:ba|da|z|k|mk|a)?sh$/;

/** The program's name without its folder. */
export function programName([program]: Words): string {
  return posix.basename(program);
}

/** The code or file that a shell runs. `stdin`: it reads its input. */
export type ShellRuns =
  | { what: "code"; code: string; positional: readonly string[] }
  | { what: "file"; file: string; positional: readonly string[] }
  | { what: "stdin"; positional: readonly string[] };

/** Options of a shell with a value of their own: `-o pipefail`, `--rcfile FILE`. */
const SHELL_VALUE = /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/;

/** Reads the arguments of a shell. */
export function readShellArguments(args: readonly string[]): ShellRuns {
  let isCode = false;
  let isStdin = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (/^-[A-Za-z]*c/.test(arg)) isCode = true;
    if (/^-[A-Za-z]*s/.test(arg)) isStdin = true;
    if (SHELL_VALUE.test(arg)) at++;
  }
  const [first, ...rest] = args.slice(at);
  if (isCode)
    return first === undefined
      ? { what: "stdin", positional: [] }
      : { what: "code", code: first, positional: rest.slice(1) };
  if (isStdin || first === undefined) return { what: "stdin", positional: args.slice(at) };
  return { what: "file", file: first, positional: [first, ...rest] };
}

/** A program that runs the command in its words. */
interface Wrapper {
  /** Short options with a value of their own, and long ones that take the next word. */
  values?: string;
  longs?: RegExp;
  /** A word before the command that is not an option. */
  operand?: RegExp;
  /** Options whose value is shell text. */
  code?: RegExp;
}

const ANY_WORD = /^/;
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { values: "uC", longs: /^--(?:unset|chdir)$/, code: /^(?:-S|--split-string)(?:=(.*))?$/ },
  exec: { values: "a" },
  command: {},
  builtin: {},
  time: { values: "fo" },
  nice: { values: "n" },
  ionice: { values: "cnpPu" },
  nohup: {},
  setsid: {},
  chronic: {},
  unbuffer: {},
  caffeinate: { values: "tw" },
  busybox: {},
  stdbuf: { values: "ioe" },
  sudo: { values: "ughpCTrtDRU", longs: /^--(?:user|group|host|prompt|chdir|role|type|chroot)$/ },
  doas: { values: "uC" },
  timeout: { values: "ks", longs: /^--(?:kill-after|signal)$/, operand: /^(?:[\d.]+[smhd]?|\uffff.*)$/ },
  taskset: { operand: /^(?:0x)?[\da-f,-]+$/i },
  chrt: { operand: /^\d+$/ },
  flock: { values: "wE", operand: ANY_WORD, code: /^(?:-c|--command)(?:=(.*))?$/ },
  chroot: { operand: ANY_WORD },
  su: { code: /^(?:-c|--command)(?:=(.*))?$/ },
  runuser: { values: "ug", code: /^(?:-c|--command)(?:=(.*))?$/ },
  script: { values: "EtIOBT", code: /^(?:-\w*c|--command)(?:=(.*))?$/ },
  xargs: { values: "nIPLdasE", longs: /^--(?:max-args|replace|max-procs|max-lines|delimiter|arg-file)$/ },
  "xvfb-run": { values: "nsefpw" },
  "cross-env": {},
  "cross-env-shell": {},
  npx: { values: "pw", longs: /^--(?:package|workspace)$/, code: /^(?:-c|--call)(?:=(.*))?$/ },
  bunx: { values: "p" },
  strace: { values: "eopsu" },
};

/** Without code these run a shell of their own, and what follows is a user or a file. */
const OWN_SHELL = /^(?:su|script)$/;

/** The command within, or shell text; `undefined` where the words are the command themselves. */
export function unwrapCommand(words: Words): { words: Words } | { code: string } | undefined {
  const [program, ...args] = words;
  const wrapper = Object.hasOwn(WRAPPERS, programName(words)) ? WRAPPERS[programName(words)] : undefined;
  if (wrapper === undefined) return undefined;
  // `command -v sh` only looks it up.
  if (program === "command" && /^-[A-Za-z]*[vV]/.test(args[0] ?? "")) return undefined;
  const rest = [...args];
  let { operand } = wrapper;
  for (let [arg] = rest; arg !== undefined; [arg] = rest) {
    const code = wrapper.code?.exec(arg);
    if (code !== null && code !== undefined) return { code: code[1] ?? rest[1] ?? "" };
    if (arg === "--") {
      rest.shift();
      operand = undefined;
      break;
    }
    if (/^-./.test(arg) || arg === ANY) rest.splice(0, takesNext(wrapper, arg) ? 2 : 1);
    else if (/^\w+\+?=/.test(arg)) rest.shift();
    else if (operand?.test(arg) === true) {
      rest.shift();
      operand = undefined;
    } else break;
  }
  const [inner, ...more] = rest;
  if (inner === undefined) return undefined;
  if (!OWN_SHELL.test(programName(words))) return { words: [inner, ...more] };
  const late = rest.findIndex((arg) => wrapper.code?.test(arg));
  return late < 0 ? undefined : { code: rest[late + 1] ?? "" };
}

function takesNext({ values = "", longs }: Wrapper, arg: string): boolean {
  if (arg.startsWith("--")) return longs?.test(arg) === true;
  // Of several letters the last may have a value: `-0I {}`.
  return Array.from(arg).findIndex((letter, at) => at > 0 && values.includes(letter)) === arg.length - 1;
}
