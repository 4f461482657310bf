// The types of sub-agents that can be given a task: the built-in ones, and the Markdown files of the project and the
// user.
// delegate.ts starts them.
import { readModelName } from "../../../config/settings/model-names.js";
import { toToolPatterns } from "../../rules/tool-names.js";
import { readFrontMatter } from "../../front-matter.js";
import { readInside } from "../../read-inside.js";
import { resolvePath } from "../../paths.js";
import { listDefinitionFolders, type DefinitionFolder, type DefinitionPlace } from "../../definitions.js";
import { isRouted, LOOPER, WORKERS } from "./sub-agents.js";
import type { SubAgent } from "../world.js";

const LARGEST = 64 * 1024;
const MOST = 100;
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
/** Names that the engine uses for its own requests to a model. */
const TAKEN = new Set([LOOPER, "validation", "summary", "compaction"]);

/** A type of sub-agents: its tools and its prompt. */
export interface TaskType {
  name: string;
  /** Shown to the model. */
  description: string;
  /** Canonical names of tools; `fs_*` means all that begin with `fs_`. */
  tools: readonly string[];
  prompt: string;
  /** Whether the model is told about it; false for the built-in agents that calls are routed to. */
  listed?: false;
  /** `provider/model`; absent: the model of the conversation that starts it. */
  model?: string;
}

/** The sources of the types. */
export interface TaskTypeParts {
  agents: readonly SubAgent[];
  /** Returns the prompt of a type that is built in or named in the settings. */
  promptOf: (type: string) => string | undefined;
  /** The settings by type. */
  settings: Readonly<Record<string, { model?: string; tools?: readonly string[] }>>;
  /** The project's and the user's types, which replace built-in types of the same name. */
  own: readonly TaskType[];
}

/** Returns all types by name. */
export function collectTaskTypes({
  agents,
  promptOf,
  settings,
  own,
}: TaskTypeParts): ReadonlyMap<string, TaskType> {
  const built = [
    ...Object.entries(WORKERS).map(([name, worker]) => ({ name, ...worker })),
    ...agents.map(({ type, description, tools }) => ({
      ...{ name: type, description, tools },
      ...(isRouted(type) ? { listed: false as const } : {}),
    })),
  ].map((type): TaskType => {
    const set = Object.hasOwn(settings, type.name) ? settings[type.name] : undefined;
    return {
      ...type,
      tools: set?.tools ?? type.tools,
      prompt: promptOf(type.name) ?? `You are ${type.name}. ${type.description}`,
      ...(set?.model === undefined ? {} : { model: set.model }),
    };
  });
  return new Map([...built, ...own].map((type) => [type.name, type]));
}

/** Reads the types of the project and of the user, and reports each file that cannot be used, and what is left out of one. */
export async function readTaskTypes(
  place: DefinitionPlace,
): Promise<{ types: TaskType[]; problems: string[] }> {
  const types = new Map<string, { type: TaskType; file: string }>();
  const problems: string[] = [];
  for (const folder of listDefinitionFolders(place, "agents"))
    for (const name of await listMarkdown(folder)) {
      const file = `${folder.shown}/${name}`;
      const type = await readTypeFile(folder, name, (problem) => {
        problems.push(`${file}: ${problem}`);
      });
      const nearer = typeof type === "string" ? undefined : types.get(type.name);
      if (typeof type === "string") problems.push(`${file}: ${type}`);
      else if (nearer !== undefined)
        problems.push(`${file}: the agent ${type.name} is left out; ${nearer.file} is nearer`);
      else types.set(type.name, { type, file });
    }
  return { types: [...types.values()].map(({ type }) => type), problems };
}

async function listMarkdown({ place, folder }: DefinitionFolder): Promise<string[]> {
  const resolved = await resolvePath(place, folder, "read");
  const names = "refusal" in resolved ? [] : await place.files.list(resolved.path).catch(() => []);
  return names.filter((one) => one.endsWith(".md")).slice(0, MOST);
}

async function readTypeFile(
  { place, folder }: DefinitionFolder,
  name: string,
  warn: (problem: string) => void,
): Promise<TaskType | string> {
  const read = await readInside(place, `${folder}/${name}`, LARGEST);
  if (read === undefined) return "cannot be read, or is outside the project";
  return read.cut ? "is larger than 64 KB" : readType(read.text, name.slice(0, -".md".length), warn);
}

/** Returns the type, or a problem. `warn` gets what is left out of the type. */
function readType(text: string, fileName: string, warn: (problem: string) => void): TaskType | string {
  const parts = readFrontMatter(text);
  if ("problem" in parts) return parts.problem;
  const { fields, body } = parts;
  const name = fields.get("name") ?? fileName;
  if (typeof name !== "string" || !NAME.test(name))
    return "name: must be letters, digits, dashes and underscores, at most 64";
  if (TAKEN.has(name)) return `name: ${name} is reserved for the engine`;
  const description = fields.get("description") ?? `The sub-agent ${name} of this project.`;
  if (typeof description !== "string") return "description: must be a text";
  const tools = readTools(fields.get("tools"));
  if (tools === undefined) return "tools: must be a list of names, or a text with commas between them";
  const model = fields.get("model") ?? "inherit";
  if (typeof model !== "string") return 'model: must be provider/model, or "inherit"';
  if (body.trim() === "") return "is empty: the text below the front matter is the sub-agent's prompt";
  const isModel = model !== "inherit" && !("problem" in readModelName(model));
  if (model !== "inherit" && !isModel)
    warn(`model: unknown model ${JSON.stringify(model)}; the session's model is used`);
  return {
    name,
    description: description.trim().slice(0, 2000),
    tools: tools.flatMap((tool) => {
      const patterns = toToolPatterns(tool);
      if (patterns.length === 0) warn(`tools: unknown tool ${JSON.stringify(tool)}; it is left out`);
      return patterns;
    }),
    prompt: body.trim(),
    ...(isModel ? { model } : {}),
  };
}

/** Reads a list of tools; a missing one means all tools. */
function readTools(said: unknown): string[] | undefined {
  if (said === undefined || said === null) return ["*"];
  const list: unknown = typeof said === "string" ? said.split(",") : said;
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((one): one is string => typeof one === "string").map((one) => one.trim());
  return names.length === list.length ? names.filter((one) => one !== "") : undefined;
}
