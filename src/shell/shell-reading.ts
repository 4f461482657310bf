// Reads a shell text for rules: every command in it, however it is wrapped, quoted or nested, and what cannot be told from
// the text. Pure. Leaves what is allowed to the engine's rules, and the gate's reading to simple-commands.ts.
import { posix } from "node:path";
import { forEachChild, type Assignment, type Command, type Redirection, type SyntaxNode } from "unbash";
import { listCode, listMentions, readsCode } from "./code-words.js";
import { parseShell } from "./parse-shell.js";
import { ANY, formatParts, formatWord } from "./words.js";

/** One command of a text. */
export interface ShellCommand {
  /** Its words, quotes taken off, assignments before it included; `ANY` where only the shell knows. */
  text: string;
  /** All that a rule against it may call it by: without its folder, its first options, what wraps it. */
  spellings: readonly string[];
  /** Commands that code in its words may run (`python -c`, `git -c alias.x=…`), in the form of `spellings`. */
  mentions: readonly string[];
  /**
   * `itself`: what runs is this command. `others`: it runs what its words say (`sudo`, `xargs`, `find -exec`).
   * `nothing`: it is only the shell around commands that are in the list too (`sh -c "…"`).
   */
  runs: "itself" | "others" | "nothing";
}

export interface ShellReading {
  commands: readonly ShellCommand[];
  /** Whether all that it runs is in `commands`; else there may be more. */
  isWhole: boolean;
  /** Whether it writes to a file by itself (`>`). */
  writes: boolean;
  /** The files that redirections open (`<`, `>`). */
  opens: readonly string[];
}

/** Longer texts are not read. */
const LONGEST = 50_000;
/** Shells nested in shells; deeper texts are not read. */
const DEEPEST = 5;
const MOST_WRAPPED = 40;
const MOST_OPTIONS = 8;

/** Lists the commands that run when a shell is given the text. */
export function readShell(text: string): ShellReading {
  const reading: Building = { commands: [], isWhole: true, writes: false, opens: [] };
  readCode(text, 0, reading);
  return reading;
}

interface Building {
  commands: ShellCommand[];
  isWhole: boolean;
  writes: boolean;
  opens: string[];
}

function readCode(text: string, depth: number, reading: Building): void {
  if (text.length > LONGEST || depth > DEEPEST || text.includes("\0")) {
    reading.isWhole = false;
    return;
  }
  const { script, isWhole } = parseShell(text);
  if (!isWhole) reading.isWhole = false;
  const waiting: SyntaxNode[] = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Command") readCommand(node, depth, reading);
    if (node.type === "Redirect") {
      if (writesFile(node)) reading.writes = true;
      reading.opens.push(node.target === undefined ? ANY : formatWord(node.target));
    }
    if (node.type === "HereDoc" && node.closing === undefined) reading.isWhole = false;
    forEachChild(node, (child) => waiting.push(child));
  }
}

function writesFile(redirect: Redirection): boolean {
  if (redirect.type !== "Redirect" || redirect.operator === "<") return false;
  const target = redirect.target === undefined ? ANY : formatWord(redirect.target);
  if (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(target)) return false;
  return !/^\/dev\/(?:null|stdout|stderr)$/.test(target);
}

function readCommand(command: Command, depth: number, reading: Building): void {
  const assigned = command.prefix.flatMap((one) => (one.type === "Assignment" ? [assignmentOf(one)] : []));
  const words = [
    ...(command.name === undefined ? [] : [formatWord(command.name)]),
    ...command.args.map((arg) => (arg.type === "Assignment" ? assignmentOf(arg) : formatWord(arg))),
  ];
  if (assigned.length + words.length === 0) return;
  const inner = wrappedIn(words);
  if (inner.length > MOST_WRAPPED) reading.isWhole = false;
  const called = [words, ...inner.slice(0, MOST_WRAPPED)].filter((one) => one.length > 0);
  const nested: Building = { commands: [], isWhole: true, writes: false, opens: [] };
  for (const code of called.flatMap((one) => codeOf(one, command.redirects))) {
    if (code === undefined || code.includes(ANY)) reading.isWhole = false;
    else readCode(code, depth + 1, nested);
  }
  reading.isWhole &&= nested.isWhole;
  reading.writes ||= nested.writes;
  reading.opens.push(...nested.opens);
  const code = (called.length > 0 ? called : [[]]).flatMap((one) =>
    listCode(one, [...assigned, ...one.filter(isAssignment)]),
  );
  const fed = called.some(readsCode) ? command.redirects.flatMap(readFrom) : [];
  const isShell = assigned.length === 0 && isOnlyShell(words);
  reading.commands.push({
    text: joined([...assigned, ...words]),
    spellings: [
      ...called.flatMap((one) => {
        const { forms, isWhole } = spellingsOf(one);
        reading.isWhole &&= isWhole;
        return forms;
      }),
      ...nested.commands.flatMap(({ spellings }) => spellings),
    ],
    mentions: [
      ...[...code, ...fed]
        .flatMap((text) => (text === undefined ? [] : listMentions(text)))
        .flatMap((one) => spellingsOf(one).forms),
      ...nested.commands.flatMap(({ mentions }) => mentions),
    ],
    runs: isShell ? "nothing" : runsOthers(words) ? "others" : "itself",
  });
  if (isShell) reading.commands.push(...nested.commands);
}

/** Joins words to one text. A space inside a word becomes a no-break space. */
function joined(words: readonly string[]): string {
  return words.map((word) => word.replace(/\s/g, "\u00a0")).join(" ");
}

function assignmentOf({ name, value, append }: Assignment): string {
  return `${name}${append === true ? "+" : ""}=${value.type === "Word" ? formatWord(value) : ANY}`;
}

const SHELL = /^(?:(?:ba|da|z|k|mk|a|fi)?sh|eval|trap|alias|source|\.|su|busybox)$/;
/** Run what their words say. */
const WRAPPER =
  /^(?:env|command|builtin|exec|nohup|sudo|doas|pkexec|timeout|time|nice|ionice|taskset|chrt|stdbuf|setsid|xargs|parallel|watch|entr|chroot|flock|strace|ltrace|unshare|nsenter|runuser|script|unbuffer|xvfb-run|cross-env|dotenv|caffeinate|rlwrap|ld(?:-[\w.-]+)?\.so[\d.]*)$/;
const EXEC = /^-(?:exec|execdir|ok|okdir)$/;
/** After these some programs (`npx`, `npm exec`, `uv run`) run what follows; that takes nothing away from a rule that allows them. */
const MAY_RUN = /^(?:npx|bunx|pnpx|--|exec|run|x|dlx|-x|-X|--exec|--exec-batch)$/;

function isAssignment(word: string): boolean {
  return /^\w+\+?=/.test(word);
}

function programOf([program = ""]: readonly string[]): string {
  return posix.basename(program);
}

function runsOthers(words: readonly string[]): boolean {
  const program = programOf(words);
  const isKnown = words[0]?.includes(ANY) !== true;
  return !isKnown || SHELL.test(program) || WRAPPER.test(program) || words.some((word) => EXEC.test(word));
}

/** Every command that the words may make this one run: which of its words are options of its own is not known here. */
function wrappedIn(words: readonly string[]): (readonly string[])[] {
  const program = programOf(words);
  const isWrapper =
    WRAPPER.test(program) || (SHELL.test(program) && (!READS_FILE.test(program) || takesCode(words)));
  // They add words of their own to those they are given.
  const more = /^(?:xargs|parallel)$/.test(program) ? [ANY] : [];
  const filled = words.map((word) => (more.length > 0 ? word.replaceAll("{}", ANY) : word));
  const from = isWrapper ? 0 : words.findIndex((word) => EXEC.test(word) || MAY_RUN.test(word));
  if (from < 0) return [];
  let values = 0;
  return filled.flatMap((word, at) => {
    if (at <= from || /^(?:-|\w+\+?=)/.test(word)) return [];
    // After a named program, a word that only the shell knows is an argument.
    const mayBeProgram = !word.startsWith(ANY) || (isWrapper && values <= 1);
    if (!/^[\d.]+\w?$/.test(word)) values++;
    return mayBeProgram ? [[...filled.slice(at), ...more]] : [];
  });
}

/** Run the file they are given, unless they are told that it is code. */
const READS_FILE = /sh$|^(?:source|\.)$/;

function takesCode(words: readonly string[]): boolean {
  return words.some((word) => /^[-+]\w*c/.test(word));
}

/** Exactly `sh -c CODE`, or `eval` with all its words plain. */
function isOnlyShell(words: readonly string[]): boolean {
  const [program = "", option = "", code = ""] = words;
  if (program === "eval") return words.length > 1 && !words.some((word) => word.includes(ANY));
  return /^(?:ba|da)?sh$/.test(program) && /^-l?c$/.test(option) && words.length === 3 && !code.includes(ANY);
}

/** Shell texts that a command is given; `undefined` for one that cannot be seen. */
function codeOf(words: readonly string[], redirects: readonly Redirection[]): (string | undefined)[] {
  const program = programOf(words);
  if (!SHELL.test(program))
    return WRAPPER.test(program) || MAY_RUN.test(program)
      ? words.slice(1).filter(isCode).flatMap(splitOption)
      : [];
  const given = words.slice(1);
  if (program === "eval") return [given.join(" ")];
  // Whatever calls the alias later may add words.
  if (program === "alias")
    return given.flatMap((word) =>
      /^\w[^=]*=/.test(word) ? [`${word.slice(word.indexOf("=") + 1)} "$@"`] : [],
    );
  const read = redirects.flatMap((one) => readFrom(one));
  const operands = given.filter((word) => !/^[-+]/.test(word));
  // Without a file or a text it reads its input. The content of a file that is made on the way is not known.
  const isBlind = operands.length === 0 || operands.some((word) => /^\/(?:dev|proc)\//.test(word));
  const unseen =
    operands[0]?.includes(ANY) === true || (isBlind && read.length === 0) || given.includes("-s");
  return [...read, ...given.filter(isCode), ...(unseen && program !== "trap" ? [undefined] : [])];
}

function readFrom(redirect: Redirection): (string | undefined)[] {
  switch (redirect.type) {
    case "HereDoc":
      return [redirect.body.parts === undefined ? redirect.body.text : formatParts(redirect.body.parts)];
    case "HereString":
      return [redirect.target === undefined ? undefined : formatWord(redirect.target)];
    case "Redirect":
      return redirect.operator === "<" ? [undefined] : [];
    default:
      return [];
  }
}

/** The text may be glued to an option: `-S'git push'`, `-qc'…'`, `--split-string=…`. */
function splitOption(word: string): string[] {
  if (/^-\w/.test(word)) return [word, word.slice(2), word.slice(3)];
  return word.startsWith("--") ? [word, word.slice(word.indexOf("=") + 1)] : [word];
}

/** Whether a word is more than a name: only as a shell text does it make sense to a shell. */
function isCode(word: string): boolean {
  return /\w/.test(word) && /[\s;&|<>()`$]/.test(word);
}

/** The spellings by which a rule may name a command; `isWhole`: these are all. */
function spellingsOf(words: readonly string[]): { forms: string[]; isWhole: boolean } {
  const [program = "", ...args] = words;
  const forms: string[][] = [args];
  const first = args.findIndex((arg) => !arg.startsWith("-"));
  let isWhole = true;
  if (first !== 0 && args.length > 0) {
    // An option before the first operand may have a value of its own: `git -C folder push`.
    let at = 0;
    while (args[at]?.startsWith("-") === true && forms.length <= 2 * MOST_OPTIONS) {
      forms.push(args.slice(at + 1), args.slice(at + 2));
      at += args[at + 1]?.startsWith("-") === false && args[at + 2]?.startsWith("-") === true ? 2 : 1;
    }
    isWhole = forms.length <= 2 * MOST_OPTIONS;
  }
  forms.push(args.filter((arg) => !arg.startsWith("-")));
  // `git-push` is a program of git's own folder.
  const plain = posix.basename(program);
  const names = new Set([program, plain, plain.replace(/^git-(?=.)/, "git ")]);
  return {
    forms: [
      ...new Set([...names].flatMap((name) => forms.map((form) => joined([...name.split(" "), ...form])))),
    ],
    isWhole,
  };
}
