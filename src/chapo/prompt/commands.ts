// Commands that begin with a slash: Markdown files below .looper/commands/, and those built in. A person types them, a model
// calls the tool. Leaves what /clear and /compact do to the engine.
import { z } from "zod";
import { nearest } from "../../system/text/nearest.js";
import { readFrontMatter } from "../front-matter.js";
import { readInside } from "../read-inside.js";
import { defineTool, done, failed, type Tool } from "../tool.js";
import { resolvePath, type ProjectFolder } from "../paths.js";

const FOLDER = ".looper/commands";
const LARGEST = 64 * 1024;
const MOST = 500;
const LONGEST_LINE = 20_000;

const BUILT_IN = {
  clear: "forgets the conversation so far",
  compact: "replaces older turns by a summary",
} as const;
/** One that takes effect on the session. */
export type BuiltInCommand = keyof typeof BUILT_IN;

/** A command there is: its name without the slash, and a line that says what it is for. */
export interface ListedCommand {
  name: string;
  description: string;
}

/** What a line that begins with a slash comes to. */
export type CommandRead =
  | { builtIn: BuiltInCommand }
  /** What the model is told instead of the line. */
  | { prompt: string }
  | { problem: string };

/** What a line such as `/review src/a.ts` comes to. Files are read anew each time. */
export async function readCommand(place: ProjectFolder, line: string): Promise<CommandRead> {
  const [, name = "", given = ""] = /^\s*\/?(\S*)([\s\S]*)$/.exec(line) ?? [];
  if (name === "clear" || name === "compact") return { builtIn: name };
  const files = await findCommands(place);
  const file = files.get(name.replaceAll("/", ":"));
  if (file === undefined)
    return { problem: describeUnknown(name, [...Object.keys(BUILT_IN), ...files.keys()]) };
  const read = await readFile(place, file);
  return "problem" in read ? read : { prompt: insertArguments(read.body, given.trim()) };
}

/** All there are, those built in first. A file that cannot be read is listed with what is wrong with it. */
export async function listCommands(place: ProjectFolder): Promise<ListedCommand[]> {
  const listed: ListedCommand[] = Object.entries(BUILT_IN).map(([name, description]) => ({
    name,
    description,
  }));
  for (const [name, file] of await findCommands(place)) {
    const read = await readFile(place, file);
    listed.push({ name, description: "problem" in read ? read.problem : read.description });
  }
  return listed;
}

/** The tool `slash_command`. `onBuiltIn` makes a built-in command take effect and says in a sentence that it does. */
export function createSlashTool(
  place: ProjectFolder,
  onBuiltIn: (name: BuiltInCommand) => string | Promise<string>,
): Tool {
  return defineTool({
    name: "slash_command",
    description:
      "Runs a command of the project: /name and its arguments, as Markdown files below .looper/commands/ define them, or /clear or /compact. Returns what is then to be done.",
    arguments: z.strictObject({
      command: z.string().min(1).max(LONGEST_LINE).describe("The whole line: /name arguments"),
    }),
    changes: false,
    subjects: ({ command }) => [{ kind: "name", name: command.trim() }],
    run: async ({ command }) => {
      const read = await readCommand(place, command);
      if ("problem" in read) return failed(read.problem);
      if ("builtIn" in read) return done(await onBuiltIn(read.builtIn));
      return done(`Do what the command says:\n\n${read.prompt}`);
    },
  });
}

/** Each command's file, relative to the project: `git/commit.md` is `git:commit`. */
async function findCommands(place: ProjectFolder): Promise<ReadonlyMap<string, string>> {
  const folder = await resolvePath(place, FOLDER, "read");
  const found = new Map<string, string>();
  if ("refusal" in folder || (await place.files.stat(folder.path))?.kind !== "folder") return found;
  const walked = await place.files.tree(folder.path).walk("", () => true);
  const paths = walked.filter(({ kind }) => kind === "file").map(({ path }) => decodePath(path));
  for (const path of paths
    .filter((one) => one.endsWith(".md"))
    .sort()
    .slice(0, MOST))
    found.set(path.slice(0, -".md".length).replaceAll("/", ":"), `${FOLDER}/${path}`);
  return found;
}

/** Paths of a tree are bytes, one character each. */
function decodePath(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

async function readFile(
  place: ProjectFolder,
  file: string,
): Promise<{ description: string; body: string } | { problem: string }> {
  const read = await readInside(place, file, LARGEST);
  if (read === undefined) return { problem: `${file} cannot be read` };
  if (read.cut) return { problem: `${file} is larger than 64 KB` };
  const parts = readFrontMatter(read.text);
  if ("problem" in parts) return { problem: `${file}: ${parts.problem}` };
  const said = parts.fields.get("description");
  const body = parts.body.trim();
  if (body === "") return { problem: `${file} says nothing` };
  const description = typeof said === "string" && said.trim() !== "" ? said : body;
  return { description: (description.trim().split("\n")[0] ?? "").slice(0, 200), body };
}

/** With the arguments in their place; where the text has none for them, at its end. */
function insertArguments(body: string, given: string): string {
  if (body.includes("$ARGUMENTS")) return body.replaceAll("$ARGUMENTS", () => given);
  return given === "" ? body : `${body}\n\nArguments: ${given}`;
}

function describeUnknown(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `; did you mean /${near}?`;
  const all = known.map((one) => `/${one}`).join(", ");
  return `there is no command /${name.slice(0, 100)}${hint} There are ${all}`.replace(
    /(?<!\?) There/,
    ". There",
  );
}
