// `looper __complete`: what may be typed next, for the scripts of `looper completion`: commands, flags and
// the ids of tasks. Where it says nothing, the shell offers files; in a broken project it says nothing and
// never fails. Contract: what it prints has no line breaks, tabs or control characters, and no id that looks
// like a flag.
import { Argument, type Command, type Option } from "commander";
import { openProject } from "../../src/config/project/open-project.js";
import { resolvePath } from "../../src/config/read/places.js";
import { checkBacklog } from "../../src/todo/check/check.js";
import { orderForListing, withoutMarker } from "../../src/todo/model/select.js";
import { clean, cut } from "../../src/ui/text.js";
import type { CommandRow, WorkingCommand } from "../context/command.js";
import { SHELLS } from "../context/words.js";
import type { CommandContext } from "../context/command-context.js";
import { makeCommand, makeProgram } from "../context/commander.js";

type Offer = readonly [word: string, says: string];

/** Options whose value is a task. */
const TASK_OPTIONS = ["--task", "--depends-on"];
/** The most columns of a title. */
const COLUMNS = 60;
const LONGEST = 200;

export const offerWords = (rows: readonly CommandRow[]): WorkingCommand<{ words: readonly string[] }> => ({
  arguments: [new Argument("<shell>", "the shell"), new Argument("[words...]", "the words so far")],
  work: async (context, { words: [shell = "", ...typed] }) => {
    if (!SHELLS.some((one) => one === shell)) return "ok";
    const words = wordsOf(shell, typed);
    const current = words.at(-1) ?? "";
    // Other commands report the error. Here it would interrupt a person who is typing.
    const offers = await offersAt(context, rows, words.slice(0, -1), current).catch(() => []);
    const fitting = offers.filter(([word]) => word.length <= LONGEST && clean(word) === word);
    await context.out.write(
      shell === "bash" ? forBash(fitting, current, typed.at(-1) ?? "") : forOthers(fitting, current),
    );
    return "ok";
  },
});

/** The words as they are meant; the last one is being typed. */
function wordsOf(shell: string, typed: readonly string[]): string[] {
  if (shell !== "bash") return [...typed];
  const words: string[] = [];
  let isOpen = false;
  for (const piece of typed) {
    // bash hands out what is around = and : as words of their own, and quotation marks as they were typed.
    const parts = /^[=:]+$/.test(piece);
    if (words.length > 0 && (isOpen || parts)) words.push(`${words.pop() ?? ""}${piece}`);
    else words.push(piece);
    isOpen = parts;
  }
  return words.map((word) => word.replace(/\\(.)|["']/gsu, "$1"));
}

/** bash replaces what follows the last = or :, and takes the text as it is: so it is quoted here. */
function forBash(offers: readonly Offer[], current: string, piece: string): string {
  if (/["']/.test(piece)) return "";
  const kept = /^[^]*[=:]/.exec(current)?.[0].length ?? 0;
  return offers
    .filter(([word]) => word.startsWith(current))
    .map(([word]) => `${word.slice(kept).replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&")}\n`)
    .join("");
}

function forOthers(offers: readonly Offer[], current: string): string {
  return offers
    .filter(([word]) => word.toLowerCase().startsWith(current.toLowerCase()))
    .map(([word, says]) => `${word}\t${cut(clean(says), COLUMNS)}\n`)
    .join("");
}

async function offersAt(
  context: CommandContext,
  rows: readonly CommandRow[],
  before: readonly string[],
  current: string,
): Promise<Offer[]> {
  const facts = { version: context.version };
  const program = makeProgram(rows, facts);
  const { operands, unknown } = program.parseOptions([...before]);
  const [name, ...rest] = [...operands, ...unknown];
  const shown = rows.filter(({ hidden }) => hidden !== true);
  const isFlag = current.startsWith("-") && !before.includes("--");
  if (name === undefined || name === "help") {
    if (isFlag) return flagsOf(program);
    return [...shown, { name: "help", summary: "show help for looper or a command" }].map((row) => [
      row.name,
      row.summary,
    ]);
  }
  const row = rows.find((one) => one.name === name);
  if (row === undefined) return [];
  const asked = makeCommand(row, (await row.load()).command, facts);
  const last = rest.at(-1) ?? "";
  const pending = asked.options.find(
    (option) => (option.required || option.optional) && [option.short, option.long].includes(last),
  );
  // The value is left out, for commander would miss it.
  const typed = asked.parseOptions(pending === undefined ? [...rest] : rest.slice(0, -1)).operands;
  if (pending === undefined && isFlag) return flagsOf(asked);
  const argument = asked.registeredArguments[typed.length] ?? asked.registeredArguments.at(-1);
  if (!(pending === undefined ? takesTask(name, argument, typed.length) : namesTask(pending))) return [];
  const { C: folder, file } = { ...program.opts<Place>(), ...asked.opts<Place>() };
  const tasks = await tasksAt(context, { ...(folder && { C: folder }), ...(file && { file }) });
  return tasks.filter(([id]) => !id.startsWith("-") && !typed.includes(id));
}

function flagsOf({ options }: Command): Offer[] {
  return options.map((option) => [option.long ?? option.short ?? "", option.description]);
}

function namesTask({ long }: Option): boolean {
  return TASK_OPTIONS.includes(long ?? "");
}

/** Abandoned work has ids of its own. */
function takesTask(name: string, argument: Argument | undefined, typed: number): boolean {
  if (argument === undefined || name === "rescue" || !/^ids?$/.test(argument.name())) return false;
  return argument.variadic || typed === 0;
}

interface Place {
  C?: string;
  file?: string;
}

/** In the order of `looper ls`; none for a file that is not a valid backlog. */
async function tasksAt(
  { ports: { files }, cwd, home, env }: CommandContext,
  { C: folder, file }: Place,
): Promise<Offer[]> {
  const start = folder === undefined ? cwd : resolvePath(folder, { project: cwd, home });
  const named = file === undefined ? {} : { file: resolvePath(file, { project: start, home }) };
  const { todoFile } = await openProject(files, { cwd: start, env, home, flags: {}, ...named });
  const checked = checkBacklog((await files.read(todoFile)) ?? new Uint8Array());
  if (checked.kind !== "ok") return [];
  return withoutMarker(orderForListing(checked.backlog.tasks)).map(({ id, title }) => [id, title]);
}
