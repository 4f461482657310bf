// Slash commands: Markdown files in .looper/commands/ and the built-in ones. A person types them, and a model calls the tool
// `slash_command`. The engine carries out /clear and /compact.
import { z } from "zod";
import { nearest } from "../../system/text/nearest.js";
import {
  listDefinitions,
  readDefinition,
  readFrontMatter,
  type DefinitionFile,
  type DefinitionPlace,
} from "../definitions.js";
import { defineTool, done, failed, type Tool } from "../tool.js";

const LONGEST_LINE = 20_000;

/** The commands that Looper brings, which a person may type. A model may call /clear and /compact. */
export const BUILT_IN = {
  clear: "clear the conversation",
  compact: "replace older turns with a summary",
  undo: "take back what the last message changed in the files",
  rewind: "list the messages, or go back to before one: /rewind N",
  init: "write an AGENTS.md from the project's files",
  help: "list the commands",
  model: "list the models, or change it: /model N, /model provider/name",
  effort: "show how much the model thinks, or change it: /effort high",
  cost: "show the tokens and the cost of this session",
  permissions: "show the mode and the rules for calls",
  agents: "list the sub-agents",
  hooks: "list the hooks",
  resume: "list the sessions of this project, or go to one: /resume N",
} as const;
export type BuiltInName = keyof typeof BUILT_IN;
/** A command that acts on the session. */
export type BuiltInCommand = "clear" | "compact";

/** Returns whether a command is built in. */
export function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(BUILT_IN, name);
}

/** A command in a list: its name without the slash, and its purpose in one line. */
export interface ListedCommand {
  name: string;
  description: string;
}

/** The result of reading a line that begins with a slash. */
export type CommandRead =
  | { builtIn: BuiltInCommand }
  /** The prompt that replaces the line. */
  | { prompt: string }
  | { problem: string };

/** Reads a line such as `/review src/a.ts`. The command's file is read again each time. */
export async function readCommand(place: DefinitionPlace, line: string): Promise<CommandRead> {
  const [, name = "", given = ""] = /^\s*\/?(\S*)([\s\S]*)$/.exec(line) ?? [];
  if (name === "clear" || name === "compact") return { builtIn: name };
  if (Object.hasOwn(BUILT_IN, name))
    return { problem: `/${name} is for a person: they type it in \`looper chapo\`` };
  const files = await findCommands(place);
  const file = files.get(name.replaceAll("/", ":"));
  if (file === undefined)
    return { problem: describeUnknown(name, [...Object.keys(BUILT_IN), ...files.keys()]) };
  const read = await readFile(file);
  return "problem" in read ? read : { prompt: insertArguments(read.body, given.trim()) };
}

/** Lists all commands, the built-in ones first. A file that cannot be read is listed with its problem. */
export async function listCommands(place: DefinitionPlace): Promise<ListedCommand[]> {
  const listed: ListedCommand[] = Object.entries(BUILT_IN).map(([name, description]) => ({
    name,
    description,
  }));
  for (const [name, file] of await findCommands(place)) {
    const read = await readFile(file);
    listed.push({ name, description: "problem" in read ? read.problem : read.description });
  }
  return listed;
}

/** Creates the tool `slash_command`. `onBuiltIn` runs a built-in command and returns a sentence about it. */
export function createSlashTool(
  place: DefinitionPlace,
  onBuiltIn: (name: BuiltInCommand) => string | Promise<string>,
): Tool {
  return defineTool({
    name: "slash_command",
    description:
      "Runs a command of the project: /name and its arguments, as defined by Markdown files in .looper/commands/, or /clear or /compact. Returns the instructions to follow.",
    arguments: z.strictObject({
      command: z.string().min(1).max(LONGEST_LINE).describe("The whole line: /name arguments"),
    }),
    changes: false,
    subjects: ({ command }) => [{ kind: "name", name: command.trim() }],
    run: async ({ command }) => {
      const read = await readCommand(place, command);
      if ("problem" in read) return failed(read.problem);
      if ("builtIn" in read) return done(await onBuiltIn(read.builtIn));
      return done(`Follow the command's instructions:\n\n${read.prompt}`);
    },
  });
}

/** Returns each command's file: `git/commit.md` is `git:commit`. The nearest folder's comes first. */
async function findCommands(place: DefinitionPlace): Promise<ReadonlyMap<string, DefinitionFile>> {
  const found = new Map<string, DefinitionFile>();
  for (const file of await listDefinitions(place, "commands")) {
    const name = file.name.replaceAll("/", ":");
    if (!found.has(name)) found.set(name, file);
  }
  return found;
}

async function readFile(
  file: DefinitionFile,
): Promise<{ description: string; body: string } | { problem: string }> {
  const { shown } = file;
  const read = await readDefinition(file);
  if ("problem" in read) return { problem: `${shown} ${read.problem}` };
  const parts = readFrontMatter(read.text);
  if ("problem" in parts) return { problem: `${shown}: ${parts.problem}` };
  const said = parts.fields.get("description");
  const body = parts.body.trim();
  if (body === "") return { problem: `${shown} is empty` };
  const description = typeof said === "string" && said.trim() !== "" ? said : body;
  return { description: (description.trim().split("\n")[0] ?? "").slice(0, 200), body };
}

/** Inserts the arguments at $ARGUMENTS, or at the end of a text without it. */
function insertArguments(body: string, given: string): string {
  if (body.includes("$ARGUMENTS")) return body.replaceAll("$ARGUMENTS", () => given);
  return given === "" ? body : `${body}\n\nArguments: ${given}`;
}

function describeUnknown(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `did you mean /${near}? `;
  const all = known.map((one) => `/${one}`).join(", ");
  return `unknown command /${name.slice(0, 100)}; ${hint}available: ${all}`;
}
