// Reads a shell text for the gate: the simple commands in it, however they are wrapped, quoted or nested, where each runs, and
// whether its own exit code is looked at. Pure; `parse-shell.ts` parses. Leaves which files that comes to to the gate.
import { posix } from "node:path";
import { forEachChild, type Command, type CommandNode, type Redirection, type SyntaxNode } from "unbash";
import { given } from "../system/given.js";
import { POSIX_SHELL, programName, readShellArguments, unwrapCommand, type Words } from "./invocation.js";
import { parseShell } from "./parse-shell.js";
import { ANY, formatWord, inlineText, type ValueOf } from "./words.js";

/** A command with its words, nothing around it. */
export interface SimpleCommand {
  words: Words;
  /** The program as it is spelled: `./run` is not looked up on PATH. */
  program: string;
  /** Its own exit code is looked at: nothing else reads what it prints. */
  judged: boolean;
  /** Files it gets as its input. */
  reads: readonly string[];
  /** Where it runs, from where the text does: "" is there. */
  folder: string;
  /** The programs that start it, the outermost first: of `timeout 9 npx jest` these are `timeout` and `npx`. */
  through: readonly string[];
}

/** Programs that print what they read: a command that checks their output checks the command before them. */
const PASS_ON = /^(?:tee|cat|head|tail|ts)$/;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
/** Longer texts are not read; shells in shells in shells are not meant; loops over more words are read once. */
const LONGEST = 500_000;
const DEEPEST = 12;
const MOST = 5_000;
const MOST_TURNS = 50;

/** The simple commands of a shell text, in the order they stand there; what `$(…)` runs comes before the command around it. */
export function listSimpleCommands(text: string): SimpleCommand[] {
  const reader = new Reader();
  reader.readCode(text, { judged: true, depth: 0, scope: newScope(), writes: [], reads: [] });
  reader.readUncalled();
  const { found } = reader;
  // Output that goes into a file is judged by the command that reads the file.
  return found.map(({ writes, ...command }, at) => {
    const isRead = found
      .slice(at + 1)
      .some(({ words, reads }) => [...words, ...reads].some((word) => writes.includes(word)));
    return { ...command, judged: command.judged && !isRead };
  });
}

/** State that consecutive commands share. */
interface Scope {
  folder: string;
  values: Map<string, string>;
  /** `$1` and on; `undefined`: only the shell knows. */
  positional: readonly string[] | undefined;
  functions: Map<string, { body: SyntaxNode; isCalled: boolean }>;
}

interface Context {
  judged: boolean;
  depth: number;
  through?: readonly string[];
  scope: Scope;
  /** Files that what it prints goes into, and that it reads. */
  writes: readonly string[];
  reads: readonly string[];
  /** Shell text or files that come through a pipe. */
  feed?: { code?: string; files: readonly string[] };
}

interface Found extends SimpleCommand {
  writes: readonly string[];
}

function newScope(): Scope {
  return { folder: "", values: new Map([["PWD", "."]]), positional: undefined, functions: new Map() };
}

/** As a subshell has it: what it changes stays within. */
function inner(context: Context): Context {
  const { scope } = context;
  return { ...context, scope: { ...scope, values: new Map(scope.values) } };
}

class Reader {
  readonly found: Found[] = [];
  readonly #functions: { body: SyntaxNode; isCalled: boolean; context: Context }[] = [];

  readCode(text: string, context: Context): void {
    if (context.depth > DEEPEST || text.length > LONGEST) return;
    this.#read(parseShell(text).script, { ...context, depth: context.depth + 1, through: [] });
  }

  /** Reads functions that nothing calls: a script that sources the text may call them. */
  readUncalled(): void {
    for (const one of this.#functions) if (!one.isCalled) this.#read(one.body, one.context);
  }

  #read(node: SyntaxNode | undefined, context: Context): void {
    if (node === undefined || this.found.length >= MOST) return;
    switch (node.type) {
      case "Command":
        this.#readCommand(node, context);
        return;
      case "Statement":
        // The exit code of a background command does not count.
        this.#read(node.command, node.background === true ? { ...inner(context), judged: false } : context);
        return;
      case "Pipeline":
        this.#readPipeline(node.commands, context);
        return;
      case "Redirected":
        this.#readOutputs(node.redirects, context);
        this.#read(node.command, { ...context, ...this.#streams(node.redirects, context) });
        return;
      case "For":
        this.#readFor(node, context);
        return;
      case "Function": {
        const known = { body: node.body, isCalled: false, context: inner(context) };
        context.scope.functions.set(formatWord(node.name), known);
        this.#functions.push(known);
        return;
      }
      case "Subshell":
        this.#read(node.body, inner(context));
        return;
      case "Coproc":
        this.#read(node.body, { ...inner(context), judged: false });
        return;
      // A word, or an expression in `[[ … ]]` and `(( … ))`: it runs nothing but what is put into it.
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        this.#read(node.script, { ...inner(context), judged: false, writes: [], reads: [] });
        return;
      default:
        forEachChild(node, (child) => {
          this.#read(child, context);
        });
    }
  }

  #readPipeline(commands: readonly CommandNode[], context: Context): void {
    commands.forEach((command, at) => {
      const handsOn = commands.slice(at + 1).every((later) => PASS_ON.test(nameOf(later)));
      const feed = feedOf(commands[at - 1], valueIn(context.scope));
      const { feed: outer, ...rest } = commands.length > 1 ? inner(context) : context;
      const input = at === 0 ? outer : feed;
      const judged = context.judged && handsOn;
      this.#read(command, { ...rest, judged, ...given({ feed: input }) });
    });
  }

  #readFor(node: Extract<SyntaxNode, { type: "For" }>, context: Context): void {
    for (const word of node.wordlist ?? []) this.#readOutputs([word], context);
    const name = formatWord(node.name);
    const words = (node.wordlist ?? []).flatMap((word) => this.#expand(word, context.scope));
    const known = words.length > 0 && words.length <= MOST_TURNS;
    for (const word of known ? words : [ANY]) {
      context.scope.values.set(name, word);
      this.#read(node.body, context);
    }
  }

  /** Reads the commands inside `$(…)` and process substitutions. */
  #readOutputs(nodes: readonly SyntaxNode[], context: Context): void {
    for (const node of nodes) {
      forEachChild(node, (child) => {
        this.#read(child, context);
      });
    }
  }

  #readCommand(command: Command, context: Context): void {
    const { scope } = context;
    const all = [...(command.name === undefined ? [] : [command.name]), ...command.suffix];
    this.#readOutputs([...command.prefix, ...all], context);
    for (const one of [...command.prefix, ...command.args]) {
      if (one.type !== "Assignment" || one.value.type !== "Word") continue;
      scope.values.set(one.name, one.append === true ? ANY : formatWord(one.value, valueIn(scope)));
    }
    if (command.name === undefined) return;
    const words = [command.name, ...command.args].flatMap((word) =>
      word.type === "Assignment" ? [word.text] : this.#expand(word, scope),
    );
    const [program, ...args] = words;
    if (program === undefined) return;
    const streams = this.#streams(command.redirects, context);
    const texts = command.redirects.flatMap((one) => inlineText(one, valueIn(scope)) ?? []);
    const feed = texts.length === 0 ? context.feed : { code: texts.join("\n"), files: [] };
    this.#run([program, ...args], { ...context, ...streams, ...given({ feed }) });
  }

  #run(words: Words, context: Context): void {
    if (context.depth > DEEPEST) return;
    const deeper = { ...context, depth: context.depth + 1 };
    const [program, ...args] = words;
    const wrapped = unwrapCommand(words);
    if (wrapped !== undefined) {
      if ("code" in wrapped) this.readCode(wrapped.code, inner(context));
      else this.#run(wrapped.words, { ...deeper, through: [...(context.through ?? []), program] });
      return;
    }
    if (program === "cd" || program === "pushd") {
      const to = args.find((arg) => !/^-./.test(arg));
      if (to !== undefined && !to.includes(ANY) && to !== "-")
        context.scope.folder = posix.join(context.scope.folder, to).replace(/^\.\/?$/, "");
      return;
    }
    const called = context.scope.functions.get(program);
    this.#add(words, context);
    if (called !== undefined) {
      called.isCalled = true;
      const scope = { ...context.scope, positional: args };
      this.#read(called.body, { ...deeper, scope });
    } else if (program === "eval") this.readCode(args.join(" "), context);
    else if (program === "trap" && args.length > 1) this.readCode(args[0] ?? "", inner(context));
    else if (POSIX_SHELL.test(programName(words))) this.#runShell(words, context);
    else if (programName(words) === "find") this.#runFound(args, deeper);
    else if (programName(words) === "concurrently" || programName(words) === "watch")
      for (const arg of args) if (/\s/.test(arg)) this.readCode(arg, inner(context));
  }

  #runShell([program, ...args]: Words, context: Context): void {
    const runs = readShellArguments(args);
    const within = inner(context);
    if (runs.what === "code") {
      this.readCode(runs.code, { ...within, scope: { ...within.scope, positional: runs.positional } });
      return;
    }
    if (runs.what !== "stdin") return;
    const { feed, reads } = context;
    if (feed?.code !== undefined) this.readCode(feed.code, within);
    for (const file of [...reads, ...(feed?.files ?? [])]) this.#add([program, file], context);
  }

  #runFound(args: readonly string[], context: Context): void {
    args.forEach((arg, at) => {
      if (!FIND_RUNS.test(arg)) return;
      const rest = args.slice(at + 1);
      const end = rest.findIndex((word) => word === ";" || word === "+");
      const [program, ...more] = end < 0 ? rest : rest.slice(0, end);
      if (program !== undefined) this.#run([program, ...more], inner(context));
    });
  }

  #add([program, ...args]: Words, { judged, scope, writes, reads, through = [] }: Context): void {
    const words: Words = [here(program), ...args.map(here)];
    this.found.push({
      words,
      program,
      judged,
      folder: scope.folder,
      through,
      reads: reads.map(here),
      writes: writes.map(here),
    });
  }

  /** The words one word becomes: `"$@"` and a variable without quotes may be several. */
  #expand(word: Parameters<typeof formatWord>[0], scope: Scope): string[] {
    if (/^"?\$(?:@|\{@\}|\*)"?$/.test(word.text) && scope.positional !== undefined) {
      return [...(scope.positional.length > 0 ? scope.positional : [])];
    }
    const text = formatWord(word, valueIn(scope));
    if (!/^\$(?:\w+|\{\w+\})$/.test(word.text) || text.includes(ANY)) return [text];
    return text.split(/\s+/).filter((part) => part !== "");
  }

  #streams(redirects: readonly Redirection[], context: Context): Pick<Context, "writes" | "reads"> {
    const writes = [...context.writes];
    const reads = [...context.reads];
    for (const one of redirects) {
      if (one.type !== "Redirect" || one.target === undefined) continue;
      const target = formatWord(one.target, valueIn(context.scope));
      if (one.operator === "<" || one.operator === "<>") reads.push(target);
      else if (/^&?>{1,2}\|?$/.test(one.operator) && isOutput(one) && target !== "/dev/null")
        writes.push(target);
    }
    return { writes, reads };
  }
}

/** Errors that go into a file say nothing of what is printed. */
function isOutput({ operator, descriptor }: Extract<Redirection, { type: "Redirect" }>): boolean {
  if (operator.startsWith("&")) return true;
  return descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
}

function valueIn(scope: Scope): ValueOf {
  return (name) => {
    if (!/^\d+$/.test(name)) return scope.values.get(name);
    return name === "0" ? undefined : scope.positional?.[Number(name) - 1];
  };
}

/** The input that a command before a pipe gives to a shell after it: the text it prints, or the files it reads. */
function feedOf(before: CommandNode | undefined, valueOf: ValueOf): Context["feed"] {
  if (before?.type !== "Command" || before.name === undefined) return undefined;
  const args = before.args.map((arg) => (arg.type === "Assignment" ? arg.text : formatWord(arg, valueOf)));
  const plain = args.filter((arg) => !/^-./.test(arg));
  switch (nameOf(before)) {
    case "cat":
      return { files: plain };
    case "echo":
      return { code: plain.join(" "), files: [] };
    case "printf":
      return { code: plain.join("\n").replaceAll("\\n", "\n"), files: [] };
    default:
      return undefined;
  }
}

function nameOf(node: CommandNode): string {
  return node.type === "Command" && node.name !== undefined ? posix.basename(formatWord(node.name)) : "";
}

/** A path as it is named from the folder it runs in. */
function here(word: string): string {
  return word.replace(/^(?:\.\/+)+(?=[^/])/, "");
}
