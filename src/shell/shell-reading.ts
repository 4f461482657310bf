// Reads a shell text for rules: its commands, those behind wrappers and in the code of shells, what any other word may run, and
// what cannot be told from the text. Pure. Leaves what is allowed to the engine's rules, and the gate's reading to simple-commands.ts.
import { posix } from "node:path";
import { forEachChild, type Assignment, type Command, type Redirection, type SyntaxNode } from "unbash";
import { hidesCommand, keepsInput, listCode, listMentions, PRINTS } from "./code-words.js";
import { given } from "../system/given.js";
import { POSIX_SHELL, readShellArguments, unwrapCommand } from "./invocation.js";
import { parseShell } from "./parse-shell.js";
import { runsPiped, runsUnseenText } from "./unseen.js";
import { ANY, expandWord, formatWord, inlineText } from "./words.js";

/** A program with its arguments, quotes taken off; `ANY` where only the shell knows. */
export type CalledWords = readonly string[];

export interface ShellReading {
  /**
   * The commands of the text itself, with the assignments before them. A part that runs or steers commands in another way (arithmetic, `coproc`)
   * is one too, so that only a rule for it allows it.
   */
  commands: readonly CalledWords[];
  /** All that a rule against a command may be about: also what wrappers and shells run, without folders and without first options. */
  calls: readonly CalledWords[];
  /** Commands that words may be to a program that does not leave them as they are: `python -c`, `git -c alias.x=…`, `perf stat …`. */
  mentions: readonly CalledWords[];
  /** The words of mentions that are only a part of a word in the text: names in code. */
  inCode: readonly string[];
  /** Whether all that it runs is in `calls`; else there may be more. */
  isWhole: boolean;
  /** The files that it writes by itself (`>`), apart from `/dev/null` and the streams. */
  writes: readonly string[];
  /** The files that redirections open (`<`, `>`). */
  opens: readonly string[];
  /** Words that variables and programs get: of `for`, of arrays, of assignments without a command, and of what is printed for others. */
  values: readonly string[];
  /** Whether a loop gives files that only the shell knows to the commands in it. */
  loopsOverFiles: boolean;
  /** Whether a shell runs a text that another program prints, and that is not in the text itself: `curl … | sh`. */
  runsUnseen: boolean;
}

/** Longer texts are not read. */
const LONGEST = 50_000;
/** Shells nested in shells; deeper texts are not read. */
const DEEPEST = 5;
const MOST_OPTIONS = 8;
/** Wrappers in wrappers. */
const MOST_WRAPPED = 8;

type Building = {
  -readonly [Name in keyof ShellReading]: ShellReading[Name] extends readonly (infer One)[] ? One[] : boolean;
};

/** Lists the commands that run when a shell is given the text. */
export function readShell(text: string): ShellReading {
  return readCode(text, 0);
}

function readCode(text: string, depth: number): Building {
  const reading: Building = {
    ...{ commands: [], calls: [], mentions: [], inCode: [], writes: [], opens: [], values: [] },
    ...{ isWhole: false, loopsOverFiles: false, runsUnseen: false },
  };
  if (text.length > LONGEST || depth > DEEPEST || text.includes("\0")) return reading;
  const { script, isWhole } = parseShell(text);
  reading.isWhole = isWhole;
  // `isKept`: what a command prints is not handed to one that may run it.
  const waiting: { node: SyntaxNode; isKept: boolean }[] = [{ node: script, isKept: true }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, isKept } = next;
    const isKeptIn = node.type === "Command" ? readCommand(node, { depth, isKept }, reading) : isKept;
    readPart(node, reading);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    const last = node.type === "Pipeline" ? children.findLastIndex((child) => !keepsPipe(child)) : -1;
    // The first child is read first, so that the commands are in the order of the text.
    waiting.push(
      ...children.map((child, at) => ({ node: child, isKept: isKeptIn && at >= last })).toReversed(),
    );
  }
  reading.calls = listSpellings(reading.calls);
  return reading;
}

function keepsPipe(node: SyntaxNode): boolean {
  return node.type === "Command" && node.name !== undefined && keepsInput([formatWord(node.name)]);
}

/** Returns whether the command keeps what is in its words: what a substitution in them prints is not run. */
function readCommand(
  command: Command,
  { depth, isKept }: { depth: number; isKept: boolean },
  reading: Building,
): boolean {
  const assigned = command.prefix.flatMap((one) => (one.type === "Assignment" ? [assignmentOf(one)] : []));
  const words = [
    ...(command.name === undefined ? [] : expandWord(command.name)),
    ...command.args.flatMap((arg) => (arg.type === "Assignment" ? [assignmentOf(arg)] : expandWord(arg))),
  ];
  if (assigned.length + words.length === 0) return isKept;
  reading.commands.push([...assigned, ...words]);
  const arrays = listArrays(command);
  reading.mentions.push(...arrays);
  reading.values.push(...arrays.flat());
  if (words.length === 0) reading.values.push(...assigned.map((one) => one.slice(one.indexOf("=") + 1)));
  const { called, code: ofShell } = unwrapWords(words);
  reading.calls.push(...called);
  if (called.some((one) => hidesCommand(one))) reading.isWhole = false;
  const input = command.redirects.flatMap((one) => inlineText(one) ?? []);
  const codes = ofShell === ANY && input.length > 0 ? input : [ofShell];
  for (const one of codes) if (one !== undefined) addNested(one, depth, reading);
  const keeps =
    called.every(keepsInput) && (isKept || !called.some(([program = ""]) => PRINTS.test(program)));
  const code = called.flatMap((one) => listCode(one, { assigned, isKept }));
  const mentions = [...code, ...(keeps ? [] : input)].flatMap(listMentions);
  reading.mentions.push(...mentions);
  const whole = new Set(words);
  // The words of a shell's code are read as commands.
  if (ofShell === undefined)
    reading.inCode.push(...mentions.flatMap(([first = ""]) => (whole.has(first) ? [] : [first])));
  if (!keeps)
    reading.values.push(...[...input, ...(called.every(keepsInput) ? words : [])].flatMap(splitWords));
  reading.runsUnseen ||= runsUnseenText(command);
  return words.length > 0 && keeps;
}

function addNested(code: string, depth: number, reading: Building): void {
  const { commands: _own, ...nested } = readCode(code, depth + 1);
  for (const part of ["calls", "mentions"] as const) reading[part].push(...nested[part]);
  for (const part of ["inCode", "writes", "opens", "values"] as const) reading[part].push(...nested[part]);
  reading.isWhole &&= nested.isWhole && !code.includes(ANY);
  reading.loopsOverFiles ||= nested.loopsOverFiles;
  reading.runsUnseen ||= nested.runsUnseen;
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** Reads what is not a command. */
function readPart(node: SyntaxNode, reading: Building): void {
  if (node.type === "Pipeline") reading.runsUnseen ||= runsPiped(node);
  if (node.type === "HereDoc" && node.closing === undefined) reading.isWhole = false;
  if (node.type === "Redirect") {
    const target = node.target === undefined ? ANY : formatWord(node.target);
    if (writesFile(node, target)) reading.writes.push(target);
    reading.opens.push(target);
  }
  const words = listOwnWords(node);
  if (node.type === "For" || node.type === "Select") {
    reading.values.push(...words);
    // Of `$(seq 3)` and `{1..3}` only the number is not known.
    reading.loopsOverFiles ||= (node.wordlist ?? []).some(
      (word) =>
        !/^\$\(seq [^()`]*\)$/.test(word.text) &&
        /^(?=\uffff|[/.]+\uffff)[\uffff/.]+$/.test(formatWord(word)),
    );
  }
  // Also in quotes these may run, where the shell computes: `[[ -v 'a[$(…)]' ]]`.
  const isCode = words.some((word) => /[$`(]/.test(word));
  if (isCode) reading.mentions.push(...words.flatMap(listMentions));
  if (isCode || !isHarmless(node)) reading.commands.push([node.type]);
}

/** The words of a loop, a test, `${name:=…}` and of arithmetic. */
function listOwnWords(node: SyntaxNode): string[] {
  switch (node.type) {
    case "For":
    case "Select":
      return (node.wordlist ?? []).flatMap(expandWord);
    case "ArithmeticWord":
      return [node.value];
    case "TestUnary":
    case "Default":
      return [formatWord(node.operand)];
    case "TestBinary":
      return [formatWord(node.left), formatWord(node.right)];
    default:
      return [];
  }
}

const HARMLESS =
  /^(?:Script|Statement|Pipeline|AndOr|CompoundList|Subshell|BraceGroup|If|Elif|While|Case|CaseItem|Function|Time|Negation|Command|Redirect|Redirected|FileDescriptor|Here\w+|Word|Literal|Glob|\w*Quoted|LocaleString|SimpleExpansion|CommandExpansion|ProcessSubstitution|BraceExpansion|ExtendedGlob|ArrayValue|TestCommand|TestLogical|TestNot|TestGroup|Remove|Replace|Names|CaseModification)$/;

/** Whether a part neither sets a variable that may steer programs nor computes: a value that is computed may hold a subscript, which is run. */
function isHarmless(node: SyntaxNode): boolean {
  switch (node.type) {
    case "For":
      return /^[a-z][a-z\d_]*$/.test(node.name.text);
    case "Assignment":
      return node.index === undefined;
    case "TestUnary":
      return !/^-[vR]$/.test(node.operator);
    case "TestBinary":
      return !/^-(?:eq|[nlg][et])$/.test(node.operator);
    case "ParameterExpansion":
      return node.index === undefined && (node.prefix !== "!" || node.operation?.type === "Names");
    case "Default":
      return !node.operator.includes("=");
    default:
      return HARMLESS.test(node.type);
  }
}

function writesFile(redirect: Extract<Redirection, { type: "Redirect" }>, target: string): boolean {
  if (redirect.operator === "<") return false;
  if (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(target)) return false;
  return !/^\/dev\/(?:null|stdout|stderr)$/.test(target);
}

function listArrays({ prefix, args }: Command): string[][] {
  return [...prefix, ...args].flatMap((one) =>
    one.type === "Assignment" && one.value.type === "ArrayValue"
      ? [one.value.elements.flatMap(expandWord)]
      : [],
  );
}

function assignmentOf({ name, value, append }: Assignment): string {
  return `${name}${append === true ? "+" : ""}=${value.type === "Word" ? formatWord(value) : ANY}`;
}

/** Whether a command runs others that its words name, so that only a rule that is equal to it allows it. */
export function runsOthers(words: CalledWords): boolean {
  const [first = ""] = words;
  const { called, code } = unwrapWords(words);
  const isHidden = first.includes(ANY) || HANDS_ON.test(posix.basename(first));
  return isHidden || called.length > 1 || code !== undefined;
}

/** Run what their words or their input say, in ways that are not read. */
const HANDS_ON =
  /^(?:(?:ba|da|z|k|mk|a|fi)?sh|eval|trap|alias|source|\.|su|parallel|watch|entr|unshare|nsenter|tmux|screen)$/;

/** The command and those that it runs by its words, and the code that a shell is given; `ANY` for code that cannot be seen. */
function unwrapWords(words: CalledWords): { called: CalledWords[]; code?: string } {
  const called: CalledWords[] = [words];
  let [program = "", ...args] = words;
  for (;;) {
    const inner = unwrapCommand([program, ...args]);
    if (inner !== undefined && "code" in inner)
      return { called, code: inner.code.replaceAll(/\\[_cfnrtv]/g, " ") };
    // That it runs a program of the project takes nothing away from a rule that allows it.
    if (inner === undefined || /^(?:npx|bunx)$/.test(program)) break;
    if (called.length > MOST_WRAPPED) return { called: [words], code: ANY };
    const open = args.indexOf(ANY);
    if (open >= 0 && args.slice(0, open).every((word) => /^(?:-|[\d.]+\w?$|\w+=)/.test(word)))
      called.push(args.slice(open));
    // It adds words to those it is given, or puts them in the place of a mark.
    const isGiven = posix.basename(program) === "xargs";
    const mark = args.join(" ").match(/(?<![^ ])-[A-HJ-Za-z\d]*I ?(\S+)/)?.[1] ?? "{}";
    [program, ...args] = isGiven
      ? [...inner.words.map((word) => word.replaceAll(mark, ANY)), ANY]
      : inner.words;
    called.push([program, ...args]);
  }
  const name = posix.basename(program);
  if (!/^(?:find|fd|fdfind)$/.test(name)) return { called, ...given({ code: codeOf(name, args) }) };
  const starts = args.flatMap((word, at) => (EXEC.test(word) ? [at] : []));
  const found = starts.map((at, next) =>
    unwrapWords([...args.slice(at + 1, starts[next + 1]).map((one) => one.replaceAll("{}", ANY)), ANY]),
  );
  const code = found.flatMap((one) => one.code ?? []);
  called.push(...found.flatMap((one) => one.called));
  return { called, ...(code.length === 0 ? {} : { code: code.join("\n") }) };
}

const EXEC = /^-(?:exec|execdir|ok|okdir|x|X)$|^--exec(?:-batch)?$/;

/** The shell text that a program is given. */
function codeOf(name: string, args: readonly string[]): string | undefined {
  if (name === "eval") return args.join(" ");
  if (name === "trap") return args.length > 1 ? args[0] : undefined;
  // Whatever calls the alias later may add words.
  if (name === "alias")
    return args
      .map((word) => (/^\w[^=]*=/.test(word) ? `${word.slice(word.indexOf("=") + 1)} "$@"` : ""))
      .join("\n");
  if (!POSIX_SHELL.test(name) && !/^(?:source|\.|fish)$/.test(name)) return undefined;
  const runs = readShellArguments(args);
  if (runs.what === "code") return runs.code;
  return runs.what === "file" && !/\uffff|^\/(?:dev|proc)\//.test(runs.file) ? undefined : ANY;
}

/** The spellings by which a rule may name commands. */
function listSpellings(calls: readonly CalledWords[]): CalledWords[] {
  return [...new Map(calls.flatMap(spellingsOf).map((one) => [one.join("\0"), one])).values()];
}

/** The command without its folder, and without its first options: one may have a value of its own (`git -C folder push`). */
export function spellingsOf([program = "", ...args]: CalledWords): CalledWords[] {
  const forms = [args, args.filter((arg) => !arg.startsWith("-"))];
  for (let at = 0; args[at]?.startsWith("-") === true && forms.length <= 2 * MOST_OPTIONS;) {
    forms.push(args.slice(at + 1), args.slice(at + 2));
    at += args[at + 1]?.startsWith("-") === false && args[at + 2]?.startsWith("-") === true ? 2 : 1;
  }
  // `git-push` is a program of git's own folder.
  const plain = posix.basename(program);
  const names = new Set([program, plain, plain.replace(/^git-(?=.)/, "git ")]);
  return [...names].flatMap((name) => forms.map((form) => [...name.split(" "), ...form]));
}
