// Reads a shell text for rules: every command in it, however it is wrapped, quoted or nested, and what cannot be told from
// the text. Pure. Leaves what is allowed to the engine's rules, and the gate's reading to simple-commands.ts.
import { posix } from "node:path";
import {
  forEachChild,
  type Assignment,
  type Command,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import {
  hidesCommand,
  keepsInput,
  listCode,
  listGuesses,
  listMentions,
  mayExpand,
  readsCode,
} from "./code-words.js";
import { listPipes, listSubstitutions, readFeed, readInline } from "./feed.js";
import { parseShell } from "./parse-shell.js";
import { ANY, expandWord, formatWord } from "./words.js";

/** One command of a text. */
export interface ShellCommand {
  /** Its words, quotes taken off, assignments before it included; `ANY` where only the shell knows. */
  text: string;
  /** All that a rule against it may call it by: without its folder, its first options, what wraps it. */
  spellings: readonly string[];
  /** Commands that code in its words may run (`python -c`, `git -c alias.x=…`), in the form of `spellings`. */
  mentions: readonly string[];
  /** Commands in the words of a program that is not known to leave them as they are (`perf stat …`), in the same form. */
  guesses: readonly string[];
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
  /** The files that it writes by itself (`>`), apart from `/dev/null` and the streams. */
  writes: readonly string[];
  /** The files that redirections open (`<`, `>`). */
  opens: readonly string[];
  /** Words that variables get: of `for`, of arrays, and of assignments without a command. */
  values: readonly string[];
  /** Whether a shell runs a text that another program prints, and that is not in the text itself: `curl … | sh`. */
  runsUnseen: boolean;
}

/** Longer texts are not read. */
const LONGEST = 50_000;
/** Shells nested in shells; deeper texts are not read. */
const DEEPEST = 5;
const MOST_WRAPPED = 40;
const MOST_OPTIONS = 8;

/** Lists the commands that run when a shell is given the text. */
export function readShell(text: string): ShellReading {
  const reading = createReading();
  readCode(text, 0, reading);
  return reading;
}

interface Building {
  commands: ShellCommand[];
  isWhole: boolean;
  writes: string[];
  opens: string[];
  values: string[];
  runsUnseen: boolean;
}

function createReading(): Building {
  return { commands: [], isWhole: true, writes: [], opens: [], values: [], runsUnseen: false };
}

function readCode(text: string, depth: number, reading: Building): void {
  if (text.length > LONGEST || depth > DEEPEST || text.includes("\0")) {
    reading.isWhole = false;
    return;
  }
  const { script, isWhole } = parseShell(text);
  if (!isWhole) reading.isWhole = false;
  const waiting: SyntaxNode[] = [script];
  const pipes = new Map<SyntaxNode, SyntaxNode>();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Pipeline") listPipes(node.commands).forEach(([to, from]) => pipes.set(to, from));
    if (node.type === "Command")
      for (const to of listSubstitutions(node, ">")) pipes.set(to, pipes.get(node) ?? node);
    if (node.type === "Command") readCommand(node, { depth, from: pipes.get(node) }, reading);
    readOpen(node, reading);
    if (node.type === "Redirect") {
      const target = node.target === undefined ? ANY : formatWord(node.target);
      if (writesFile(node, target)) reading.writes.push(target);
      reading.opens.push(target);
    }
    if (node.type === "HereDoc" && node.closing === undefined) reading.isWhole = false;
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    // The commands of a subshell or a loop read the pipe into it.
    const from = node.type === "Command" ? undefined : pipes.get(node);
    for (const child of children) if (from !== undefined && !pipes.has(child)) pipes.set(child, from);
    // The first child is read first, so that the commands are in the order of the text.
    waiting.push(...children.toReversed());
  }
}

function writesFile(redirect: Extract<Redirection, { type: "Redirect" }>, target: string): boolean {
  if (redirect.operator === "<") return false;
  if (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(target)) return false;
  return !/^\/dev\/(?:null|stdout|stderr)$/.test(target);
}

function readCommand(
  command: Command,
  { depth, from }: { depth: number; from: SyntaxNode | undefined },
  reading: Building,
): void {
  const assigned = command.prefix.flatMap((one) => (one.type === "Assignment" ? [assignmentOf(one)] : []));
  const words = [
    ...(command.name === undefined ? [] : expandWord(command.name)),
    ...command.args.flatMap((arg) => (arg.type === "Assignment" ? [assignmentOf(arg)] : expandWord(arg))),
  ];
  if (assigned.length + words.length === 0) return;
  const arrays = listArrays(command);
  reading.values.push(...arrays.flat());
  if (words.length === 0) reading.values.push(...assigned.map((one) => one.slice(one.indexOf("=") + 1)));
  const inner = wrappedIn(words);
  if (inner.length > MOST_WRAPPED) reading.isWhole = false;
  const called = [words, ...inner.slice(0, MOST_WRAPPED)].filter((one) => one.length > 0);
  const nested = createReading();
  const fed = readFeed(command, from);
  const isFed = called.some(readsInput);
  const texts = called.flatMap((one) => codeOf(one, command.redirects));
  for (const code of [...texts, ...(isFed ? fed.texts : [])]) {
    if (code === undefined || code.includes(ANY)) reading.isWhole = false;
    if (code !== undefined && code !== ANY) readCode(code, depth + 1, nested);
  }
  reading.isWhole &&= nested.isWhole;
  reading.writes.push(...nested.writes);
  reading.opens.push(...nested.opens);
  reading.values.push(...nested.values);
  const runsFed =
    isFed || called.some((one) => runsInput(one, command) || mayBeShell(one)) || runsItsWords(called);
  reading.runsUnseen ||=
    nested.runsUnseen || (runsFed && fed.isUnseen) || runsPrinted(command, called) || called.some(runsOpened);
  const code = (called.length > 0 ? called : [[]]).flatMap((one) =>
    listCode(one, [...assigned, ...one.filter(isAssignment)]),
  );
  const fedTexts = [...command.redirects.flatMap(readInline), ...fed.texts];
  const input = called.some(readsCode) ? fedTexts : [];
  const guessed = [...called.flatMap(listGuesses), ...(called.every(keepsInput) ? [] : fedTexts)];
  if (called.some(hidesCommand)) reading.isWhole = false;
  if (called.some((one) => HANDS_ON.test(programOf(one))) || !called.every(keepsInput))
    reading.values.push(...fedTexts.flatMap(splitWords));
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
      ...[...code, ...input]
        .flatMap(listMentions)
        .concat(arrays)
        .flatMap((one) => spellingsOf(one).forms),
      ...nested.commands.flatMap(({ mentions }) => mentions),
    ],
    guesses: [
      ...guessed.flatMap(listMentions).flatMap((one) => spellingsOf(one).forms),
      ...nested.commands.flatMap(({ guesses }) => guesses),
    ],
    runs: isShell ? "nothing" : runsOthers(words) ? "others" : "itself",
  });
  if (isShell) reading.commands.push(...nested.commands);
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/**
 * Reads the parts outside of commands. Their words, quoted or not, may run where the shell computes: `[[ -v 'a[$(…)]' ]]`. A part
 * that may run, or that steers the commands after it, is a command of the list, so that only a rule for it allows it.
 */
function readOpen(node: SyntaxNode, reading: Building): void {
  const isLoop = node.type === "For" || node.type === "Select";
  const words = isLoop ? (node.wordlist ?? []).flatMap(expandWord) : listOwnWords(node);
  if (isLoop) reading.values.push(...words);
  // It gives files that only the shell knows to the commands in it.
  const isOpen = isLoop && (node.wordlist ?? []).some(isOpenWord);
  const isCode = isLoop ? words.some((word) => /[$`(]/.test(word)) : words.some(mayExpand);
  const isPart = isCode || computes(node);
  if (!isPart && !isOpen) return;
  const mentions = (isCode ? words : []).flatMap(listMentions).flatMap((one) => spellingsOf(one).forms);
  const runs = isPart ? "itself" : "nothing";
  reading.commands.push({ text: node.type, spellings: [], mentions, guesses: [], runs });
}

/** Whether nothing of a word is known but that it is more than a number: `$(ls)`, `*`. */
function isOpenWord(word: Word): boolean {
  return (
    !/^\$\(seq [^()`]*\)$/.test(word.text) && /^(?=\uffff|[/.]+\uffff)[\uffff/.]+$/.test(formatWord(word))
  );
}

/** The words of a test, of `${name:=…}` and of arithmetic. */
function listOwnWords(node: SyntaxNode): string[] {
  if (node.type === "ArithmeticWord") return [node.value];
  if (node.type === "TestUnary") return [formatWord(node.operand)];
  if (node.type === "TestBinary") return [formatWord(node.left), formatWord(node.right)];
  return node.type === "Default" ? [formatWord(node.operand)] : [];
}

/** A number, or a variable that the shell itself sets to one. */
const NUMBER = /^"?(?:-?\d+|\$[?#$!]|\$\{#\w+\})"?$/;

/** Whether a part sets a variable that may steer programs, or computes with a value that may hold a subscript, which is run. */
function computes(node: SyntaxNode): boolean {
  switch (node.type) {
    case "For":
    case "Select":
      return !/^[a-z][a-z\d_]*$/.test(node.name.text);
    case "Coproc":
      return node.name !== undefined;
    case "FileDescriptorVariable":
      return true;
    case "ArithmeticWord":
      return !NUMBER.test(node.value);
    case "TestUnary":
      return /^-[vR]$/.test(node.operator) && !/^\w+$/.test(node.operand.text);
    case "TestBinary":
      return /^-(?:eq|[nlg][et])$/.test(node.operator) && ![node.left, node.right].every(isNumber);
    case "ParameterExpansion":
      return (
        (node.prefix === "!" && node.operation?.type !== "Names") ||
        (node.index !== undefined && !/^[@*]$/.test(node.index.text) && !isNumber(node.index))
      );
    case "Slice":
      return !isNumber(node.offset) || (node.length !== undefined && !isNumber(node.length));
    case "Transform":
      return node.operand.text === "P";
    case "Default":
      return node.operator.includes("=");
    default:
      return false;
  }
}

function isNumber({ text }: { text: string }): boolean {
  return NUMBER.test(text.trim());
}

function listArrays({ prefix, args }: Command): string[][] {
  return [...prefix, ...args].flatMap((one) =>
    one.type === "Assignment" && one.value.type === "ArrayValue"
      ? [one.value.elements.flatMap(expandWord)]
      : [],
  );
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
  /^(?:env|command|builtin|exec|nohup|sudo|doas|pkexec|timeout|time|nice|ionice|taskset|chrt|stdbuf|setsid|xargs|parallel|watch|entr|chroot|flock|strace|ltrace|unshare|nsenter|runuser|script|unbuffer|xvfb-run|cross-env|dotenv|caffeinate|rlwrap|linux(?:32|64)|setarch|tmux|screen|ld(?:-[\w.-]+)?\.so[\d.]*)$/;
const EXEC = /^-(?:exec|execdir|ok|okdir)$/;
/** Give what they read to other commands, as their words. */
const HANDS_ON = /^(?:xargs|parallel|read|mapfile|readarray)$/;
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
  // They add words of their own to those they are given, or put them in their place.
  const more = /^(?:xargs|parallel|fd|fdfind)$/.test(program) ? [ANY] : [];
  const isFilled = more.length > 0 || program === "find";
  const [mark = "{}"] = words.flatMap((word, at) => {
    const [, glued] = /^-[A-HJ-Za-z\d]*I(.*)$/.exec(word) ?? [];
    return (glued === "" ? words[at + 1] : glued) || [];
  });
  const own = words.indexOf(":::");
  const filled = words
    .slice(0, own < 0 ? words.length : own)
    .map((word) => (isFilled ? word.replaceAll(program === "xargs" ? mark : "{}", ANY) : word));
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
      ? (program === "env" ? words.slice(1).map(unescapeSplit) : words.slice(1))
          .filter(isCode)
          .flatMap(splitOption)
      : [];
  const given = words.slice(1);
  if (program === "eval") return [given.join(" ")];
  // Whatever calls the alias later may add words.
  if (program === "alias")
    return given.flatMap((word) =>
      /^\w[^=]*=/.test(word) ? [`${word.slice(word.indexOf("=") + 1)} "$@"`] : [],
    );
  const read = redirects.flatMap(readInline);
  const operands = given.filter((word) => !/^[-+]/.test(word));
  // Without a file or a text it reads its input. The content of a file that is made on the way is not known.
  const isBlind = operands.length === 0 || operands.some((word) => /^\/(?:dev|proc)\//.test(word));
  const unseen =
    operands[0]?.includes(ANY) === true || (isBlind && read.length === 0) || given.includes("-s");
  return [...read, ...given.filter(isCode), ...(unseen && program !== "trap" ? [undefined] : [])];
}

/** Whether a shell, or `source`, runs what it reads: from its input, or from a file that only the shell knows. */
function readsInput(words: readonly string[]): boolean {
  const program = programOf(words);
  if (!SHELL.test(program) || !READS_FILE.test(program) || takesCode(words)) return false;
  const [first] = words.slice(1).filter((word) => !/^[-+]/.test(word));
  return first === undefined || /^(?:\uffff|\/(?:dev|proc)\/)/.test(first) || words.includes("-s");
}

const INTERPRETER = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|Rscript|osascript|pwsh)$/;

/** Options of interpreters with code, or a module. */
const GIVES_CODE = /^-(?!M)[a-zA-Z]{0,3}[cem]|^-[Erp].|^--(?:eval|print)/;

/** Whether a program that only the shell knows may be a shell: its words are options alone. */
function mayBeShell([program = "", ...args]: readonly string[]): boolean {
  return program.includes(ANY) && args.every((word) => word.startsWith("-"));
}

/** Whether a shell runs what another command opened: `. /dev/fd/3`. */
function runsOpened(words: readonly string[]): boolean {
  return readsInput(words) && words.some((word) => /^\/dev\/fd\/(?![0-2]$)|^\/proc\//.test(word));
}

/** Whether an interpreter runs its input: it is given no file, no module and no code; or what a command prints as its file. */
function runsInput(words: readonly string[], { args }: Command): boolean {
  if (!INTERPRETER.test(programOf(words))) return false;
  const file = args.find(({ text }) => !text.startsWith("-"));
  const isFed = words.slice(1).every((word) => word.startsWith("-") && !GIVES_CODE.test(word));
  return isFed || file?.text.startsWith("<(") === true;
}

/** Whether `xargs` gives what it reads to a shell as code: `xargs -I{} sh -c '{}'`. */
function runsItsWords(called: readonly (readonly string[])[]): boolean {
  return (
    called.some((one) => /^(?:xargs|parallel)$/.test(programOf(one))) &&
    called.some(
      (one) => /^(?:ba|da|z|k)?sh$/.test(programOf(one)) && takesCode(one) && one.at(2)?.[0] === ANY,
    )
  );
}

/** Whether a shell or an interpreter is given code that begins with what a command prints: `sh -c "$(curl …)"`. */
function runsPrinted(command: Command, called: readonly (readonly string[])[]): boolean {
  const { args, redirects } = command;
  const isPrinted = ({ text }: { text: string }): boolean => /(?:^"?|[;&|\n] ?)(?:\$\((?!\()|`)/.test(text);
  const isHanded = redirects.some(
    (one) =>
      (one.type === "HereString" && one.target !== undefined && isPrinted(one.target)) ||
      (one.type === "HereDoc" && one.body.parts !== undefined && isPrinted(one.body)),
  );
  // Of an interpreter only the word after the option is code: the others are its arguments.
  const isCodeAt = (at: number): boolean => /^(?:-\w*[cerE]|--eval|--print)$/.test(args[at - 1]?.text ?? "");
  return (
    (args.some(isPrinted) &&
      called.some(
        (one) => READS_FILE.test(programOf(one)) && SHELL.test(programOf(one)) && takesCode(one),
      )) ||
    (args.some((one, at) => isPrinted(one) && isCodeAt(at)) &&
      called.some((one) => INTERPRETER.test(programOf(one)))) ||
    (isHanded && called.some((one) => readsInput(one) || runsInput(one, command)))
  );
}

/** `env -S` writes a space as `\_`, and `-S` may be among other letters: `-ivS'git push'`. */
function unescapeSplit(word: string): string {
  return word.replace(/^-\w*?S/, "-S").replaceAll(/\\[_cfnrtv]/g, " ");
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
