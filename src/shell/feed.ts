// Finds the text that a command reads from a pipe or a process substitution, as far as the shell text shows it: what `echo`,
// `printf` and here-documents print. Pure. shell-reading.ts reads that text where the command runs its input.
import { posix } from "node:path";
import { forEachChild, type Command, type Redirection, type SyntaxNode, type Word } from "unbash";
import { ANY, expandWord, formatWord, inlineText } from "./words.js";

/** The input that other commands of the text give to a command. */
export interface Feed {
  /** The texts that are printed for it. */
  texts: readonly string[];
  /** Whether it gets more, which the text does not show: what `curl` or `base64 -d` print. */
  isUnseen: boolean;
}

/** Returns the commands that read from a pipe, each with what writes to it. */
export function listPipes(commands: readonly SyntaxNode[]): [to: SyntaxNode, from: SyntaxNode][] {
  return commands.flatMap((command, at): [SyntaxNode, SyntaxNode][] => {
    const before = commands[at - 1];
    const to = command.type === "Redirected" ? command.command : command;
    return before === undefined ? [] : [[to, before]];
  });
}

/** Returns what the command is fed. `pipe`: what writes to its input. */
export function readFeed(command: Command, pipe: SyntaxNode | undefined): Feed {
  const sources = [...(pipe === undefined ? [] : [pipe]), ...listSubstitutions(command, "<")];
  const calls = sources.flatMap(listCommands);
  return {
    texts: calls.flatMap(readPrinted),
    isUnseen: calls.some((one) => !PRINTS.test(nameOf(one)) || passesOn(one)),
  };
}

/** Print their words, or a file: a shell that reads a file is not blinder for `cat`. */
const PRINTS = /^(?:echo|printf|cat|true|:)$/;

/** Whether it prints what it is fed: `curl … | cat | sh`. */
function passesOn(command: Command): boolean {
  const isFree = command.args.every(({ text }) => text.startsWith("-")) && command.redirects.length === 0;
  return nameOf(command) === "cat" && isFree;
}

function nameOf({ name }: Command): string {
  return name === undefined ? ":" : posix.basename(formatWord(name));
}

/** Returns the process substitutions of a command. `operator`: `<` those it reads from, `>` those that read what it prints. */
export function listSubstitutions({ name, args, redirects }: Command, operator: "<" | ">"): SyntaxNode[] {
  const words: (Word | undefined)[] = [
    name,
    ...args.map((one) => (one.type === "Word" ? one : undefined)),
    ...redirects.map((one) => (one.type === "Redirect" ? one.target : undefined)),
  ];
  return words
    .flatMap((word) => word?.parts ?? [])
    .flatMap((part) =>
      part.type === "ProcessSubstitution" && part.operator === operator && part.script !== undefined
        ? [part.script]
        : [],
    );
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

function readPrinted(command: Command): string[] {
  const name = nameOf(command);
  const words = command.args.flatMap((one) => (one.type === "Word" ? expandWord(one) : [one.text]));
  if (name === "echo") return [words.filter((word) => !/^-[neE]+$/.test(word)).join(" ")];
  if (name === "printf") return [words.join(" ").replaceAll(/\\[nt0]/g, "\n")];
  return name === "cat" ? command.redirects.flatMap(readInline).filter((one) => one !== ANY) : [];
}

/** Returns the text of a here-document or a here-string; `ANY` for a file, whose text is not known. */
export function readInline(redirect: Redirection): string[] {
  const isFile = redirect.type === "Redirect" && redirect.operator === "<";
  return [inlineText(redirect) ?? (isFile ? ANY : [])].flat();
}
