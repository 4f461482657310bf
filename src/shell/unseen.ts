// Finds shell texts that run what they do not show: a shell or an interpreter gets what another program prints. Pure.
import { posix } from "node:path";
import { forEachChild, type Command, type Pipeline, type SyntaxNode } from "unbash";
import { PRINTS } from "./code-words.js";
import { unwrapCommand } from "./invocation.js";
import { ANY, formatWord } from "./words.js";

const SHELL = /^(?:(?:ba|da|z|k|mk|a|fi)?sh|source|\.)$/;
const INTERPRETER = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|Rscript|osascript|pwsh)$/;
/** Options of interpreters with code, or a module. */
const GIVES_CODE = /^-(?!M)[a-zA-Z]{0,3}[cem]|^-[Erp].|^--(?:eval|print)/;
/** The word after it is code. */
const CODE_NEXT = /^(?:-\w*[cerE]|--eval|--print)$/;

/** Returns whether a pipe hands what is not in the text to a program that runs its input. */
export function runsPiped({ commands }: Pipeline): boolean {
  const stages = commands.map(listCommands);
  const first = stages.findIndex((stage) => stage.some(isUnseen));
  return first >= 0 && stages.slice(first + 1).some((stage) => stage.some(runsInput));
}

/** Returns whether a command runs what another one in its words prints: `bash <(curl …)`, `sh -c "$(curl …)"`, `. /dev/fd/3`. */
export function runsUnseenText(command: Command): boolean {
  const { args, redirects } = command;
  const [program = "", ...words] = unwrapAll(command).words;
  const isRunner = SHELL.test(program) || INTERPRETER.test(program);
  const code = args.filter((_, at) => CODE_NEXT.test(args[at - 1]?.text ?? "")).map(({ text }) => text);
  const isInput = runsInput(command);
  const given = redirects.flatMap((one) =>
    one.type === "HereString"
      ? (one.target?.text ?? [])
      : one.type === "HereDoc" && one.body.parts !== undefined
        ? one.body.text
        : [],
  );
  return (
    (isRunner &&
      [...code, ...(isInput ? given : [])].some((text) => /(?:^"?|[;&|\n] ?)(?:\$\((?!\()|`)/.test(text))) ||
    (isInput && words.some((word) => /^\/dev\/fd\/(?![0-2]$)|^\/proc\//.test(word))) ||
    (isInput && listSubstitutions(command, "<").flatMap(listCommands).some(isUnseen)) ||
    (isUnseen(command) && listSubstitutions(command, ">").flatMap(listCommands).some(runsInput))
  );
}

function isUnseen(command: Command): boolean {
  return !PRINTS.test(unwrapAll(command).words[0] ?? ":");
}

/** Behind more wrappers any program may be. */
const MOST_WRAPPED = 8;

/** The words behind all wrappers, with the program's name alone. */
function unwrapAll({ name, args }: Command): { words: string[]; isGiven: boolean } {
  if (name === undefined) return { words: [], isGiven: false };
  let words: [string, ...string[]] = [
    formatWord(name),
    ...args.map((one) => (one.type === "Word" ? formatWord(one) : one.text)),
  ];
  let isGiven = false;
  let wrappers = 0;
  for (
    let inner = unwrapCommand(words);
    inner !== undefined && "words" in inner;
    inner = unwrapCommand(words)
  ) {
    if (++wrappers > MOST_WRAPPED) return { words: [ANY], isGiven };
    isGiven ||= /^(?:xargs|parallel)$/.test(posix.basename(words[0]));
    words = [...inner.words];
  }
  return { words: [posix.basename(words[0]), ...words.slice(1)], isGiven };
}

/** Whether a program runs what it reads: it is given no file and no code, or code that is only what `xargs` puts in. */
function runsInput(command: Command): boolean {
  const { words, isGiven } = unwrapAll(command);
  const [program = "", ...args] = words;
  const file = args.find((word) => !/^[-+]/.test(word));
  if (program.includes(ANY)) return file === undefined;
  if (INTERPRETER.test(program))
    return (
      args.every((word) => word.startsWith("-") && !GIVES_CODE.test(word)) ||
      command.args.find(({ text }) => !text.startsWith("-"))?.text.startsWith("<(") === true
    );
  if (!SHELL.test(program)) return false;
  if (args.some((word) => /^[-+]\w*c/.test(word))) return isGiven && !/\s/.test(file ?? "");
  return file === undefined || /^(?:\uffff|\/(?:dev|proc)\/)/.test(file) || args.includes("-s");
}

/** The process substitutions of a command. `operator`: `<` those it reads from, `>` those that read what it prints. */
function listSubstitutions(command: Command, operator: "<" | ">"): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  forEachChild(command, (word) => {
    const target = word.type === "Redirect" ? word.target : word;
    if (target?.type !== "Word") return;
    for (const part of target.parts ?? [])
      if (part.type === "ProcessSubstitution" && part.operator === operator && part.script !== undefined)
        found.push(part.script);
  });
  return found;
}

function listCommands(source: SyntaxNode): Command[] {
  const found: Command[] = [];
  const waiting = [source];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Command") found.push(node);
    forEachChild(node, (child) => waiting.push(child));
  }
  return found;
}
