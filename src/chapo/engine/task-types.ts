// The types of sub-agents that can work by themselves: those built in, and Markdown files of the project below .looper/agents/.
// Leaves their work to delegate.ts.
import { readFrontMatter } from "../front-matter.js";
import { readInside } from "../read-inside.js";
import { resolvePath, type ProjectFolder } from "../paths.js";
import { LOOPER, WORKERS } from "./sub-agents.js";
import type { SubAgent } from "./world.js";

const FOLDER = ".looper/agents";
const LARGEST = 64 * 1024;
const MOST = 100;
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
/** On whose behalf the engine itself asks a model. */
const TAKEN = new Set([LOOPER, "validation", "summary", "compaction"]);

/** What a type of sub-agents can do, and by what it is led. */
export interface TaskType {
  name: string;
  /** For the model. */
  description: string;
  /** Canonical names of tools; `fs_*` is all that begin so. */
  tools: readonly string[];
  prompt: string;
  /** `provider/model`; absent: that of who starts it. */
  model?: string;
}

/** What the types are put together from. */
export interface TaskTypeParts {
  agents: readonly SubAgent[];
  /** What a type built in or named in the settings is led by. */
  promptOf: (type: string) => string | undefined;
  /** By type. */
  settings: Readonly<Record<string, { model?: string; tools?: readonly string[] }>>;
  /** Those of the project; they go before one built in with the same name. */
  own: readonly TaskType[];
}

/** All types, by name. */
export function collectTaskTypes({
  agents,
  promptOf,
  settings,
  own,
}: TaskTypeParts): ReadonlyMap<string, TaskType> {
  const built = [
    ...Object.entries(WORKERS).map(([name, worker]) => ({ name, ...worker })),
    ...agents.map(({ type, description, tools }) => ({ name: type, description, tools })),
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

/** The project's own types, and what is wrong with each file that cannot be used. `canonical`: our name of a tool, as the file spells it. */
export async function readTaskTypes(
  place: ProjectFolder,
  canonical: (tool: string) => string,
): Promise<{ types: TaskType[]; problems: string[] }> {
  const types: TaskType[] = [];
  const problems: string[] = [];
  const folder = await resolvePath(place, FOLDER, "read");
  const names = "refusal" in folder ? [] : await place.files.list(folder.path).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".md")).slice(0, MOST)) {
    const file = `${FOLDER}/${name}`;
    const read = await readInside(place, file, LARGEST);
    const type =
      read === undefined
        ? "cannot be read, or lies outside of the project"
        : read.cut
          ? "is larger than 64 KB"
          : readType(read.text, name.slice(0, -".md".length), canonical);
    if (typeof type === "string") problems.push(`${file}: ${type}`);
    else types.push(type);
  }
  return { types, problems };
}

/** The type, or what is wrong with it. */
function readType(text: string, fileName: string, canonical: (tool: string) => string): TaskType | string {
  const parts = readFrontMatter(text);
  if ("problem" in parts) return parts.problem;
  const { fields, body } = parts;
  const name = fields.get("name") ?? fileName;
  if (typeof name !== "string" || !NAME.test(name))
    return "name: letters, digits, dashes and underscores, at most 64";
  if (TAKEN.has(name)) return `name: ${name} is taken by the engine`;
  const description = fields.get("description") ?? `The sub-agent ${name} of this project.`;
  if (typeof description !== "string") return "description: must be a text";
  const tools = readTools(fields.get("tools"));
  if (tools === undefined) return "tools: must be a list of names, or a text with commas between them";
  const model = fields.get("model") ?? "inherit";
  if (typeof model !== "string" || (model !== "inherit" && !model.includes("/")))
    return 'model: must be provider/model, or "inherit"';
  if (body.trim() === "") return "says nothing: the text below its front matter leads the sub-agent";
  return {
    name,
    description: description.trim().slice(0, 2000),
    tools: tools.map((tool) => (tool.endsWith("*") ? tool : canonical(tool))),
    prompt: body.trim(),
    ...(model === "inherit" ? {} : { model }),
  };
}

/** All where nothing is said. */
function readTools(said: unknown): string[] | undefined {
  if (said === undefined || said === null) return ["*"];
  const list: unknown = typeof said === "string" ? said.split(",") : said;
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((one): one is string => typeof one === "string").map((one) => one.trim());
  return names.length === list.length ? names.filter((one) => one !== "") : undefined;
}
