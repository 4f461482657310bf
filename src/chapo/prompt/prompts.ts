// Chapo's prompts: files in prompts/chapo/<language>/. The user may replace each by a file of their own. The prompts have no
// variables. system-prompt.ts puts them together.
import path from "node:path";
import { UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";

/** The prompts and their files. */
const FILES = {
  "looper.core": "core.md",
  "looper.decision": "decision.md",
  "looper.decision_json": "decision_json.md",
  "looper.routing": "routing.md",
  "looper.validation": "validation.md",
  "looper.memory": "memory.md",
  "looper.summary": "summary.md",
  "looper.compaction": "compaction.md",
  "looper.agent.developer": "developer.md",
  "looper.agent.searcher": "searcher.md",
  "looper.agent.document_manager": "document_manager.md",
  "looper.agent.commander": "commander.md",
  "looper.agent.explore": "explore.md",
  "looper.agent.plan": "plan.md",
  "looper.agent.code": "code.md",
  "looper.agent.test": "test.md",
} as const;

/** A prompt's name, as listed by `looper chapo prompts --json`. */
export type ChapoPromptName = keyof typeof FILES;

/** The prompts' texts by name. `looper.decision_json` and `looper.routing` are only for models that cannot call tools. */
export type ChapoPrompts = Readonly<Record<ChapoPromptName, string>>;

const AGENTS = [
  "developer",
  "searcher",
  "document_manager",
  "commander",
  "explore",
  "plan",
  "code",
  "test",
] as const;

/** The prompt of each sub-agent that has a bundled one, by its type. */
export const PROMPT_OF_AGENT: ReadonlyMap<string, ChapoPromptName> = new Map(
  AGENTS.map((type) => [type, `looper.agent.${type}`] as const),
);

/** The folders and files of the prompts. */
export interface ChapoPromptPlaces {
  /** The folder of the bundled prompts, absolute, with `en/` and `de/` in it. */
  folder: string;
  language: "en" | "de";
  /** Replacements by prompt, absolute. */
  instead: Readonly<Partial<Record<ChapoPromptName, string>>>;
}

/** The most bytes of a prompt. */
const LARGEST = 256 * 1024;

/** Reads all prompts. If a file named in the settings cannot be read, throws a `usage` error. */
export async function readChapoPrompts(files: Files, places: ChapoPromptPlaces): Promise<ChapoPrompts> {
  const prompts: Record<ChapoPromptName, string> = { ...FILES };
  for (const name of listKeys(FILES)) prompts[name] = await readPrompt(files, places, name);
  return prompts;
}

/** Reads the prompts of sub-agents without a bundled one from the files in the settings, by type. */
export async function readFurtherPrompts(
  files: Files,
  agents: Readonly<Record<string, { prompt?: string }>>,
): Promise<ReadonlyMap<string, string>> {
  const further = new Map<string, string>();
  for (const [type, { prompt }] of Object.entries(agents))
    if (prompt !== undefined && !PROMPT_OF_AGENT.has(type))
      further.set(type, await readFile(files, { file: prompt, own: true, name: `sub_agents.${type}` }));
  return further;
}

function readPrompt(
  files: Files,
  { folder, language, instead }: ChapoPromptPlaces,
  name: ChapoPromptName,
): Promise<string> {
  const own = instead[name];
  return readFile(files, {
    file: own ?? path.join(folder, language, FILES[name]),
    own: own !== undefined,
    name,
  });
}

/** Reads a prompt's file. `own`: the settings name it. */
async function readFile(
  files: Files,
  { file, own, name }: { file: string; own: boolean; name: string },
): Promise<string> {
  const stat = await files.stat(file);
  if (stat?.kind === "file" && stat.size <= LARGEST) {
    const text = new TextDecoder().decode(await files.readRange(file, 0, LARGEST));
    return text.replaceAll("\r\n", "\n").trim();
  }
  if (!own) throw new Error(`the bundled prompt ${file} is missing`);
  const why = stat?.kind === "file" ? `${file} is larger than 256 KB` : `${file} is not a file`;
  throw new UserError("usage", `cannot read the prompt ${name}: ${why}`, "correct the setting");
}

function listKeys<T extends object>(record: T): Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = [];
  for (const key in record) keys.push(key);
  return keys;
}
