// The texts Chapo is led by: files under prompts/chapo/<language>/, each of which a person may replace by one of theirs.
// Leaves putting them together to system-prompt.ts. They hold no variables: they go out as they are written.
import path from "node:path";
import { UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";

/** Each, and its file. */
const FILES = {
  "looper.core": "core.md",
  "looper.decision": "decision.md",
  "looper.decision_json": "decision_json.md",
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

/** A prompt's name, as `looper chapo prompts --json` lists it. */
export type ChapoPromptName = keyof typeof FILES;

/** Each prompt's text, by name. `looper.decision_json` is for models that cannot call tools, and for no other. */
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

/** Where they lie. */
export interface ChapoPromptPlaces {
  /** Of the bundled ones, absolute: it holds `en/` and `de/`. */
  folder: string;
  language: "en" | "de";
  /** Files used instead, by prompt; absolute. */
  instead: Readonly<Partial<Record<ChapoPromptName, string>>>;
}

/** Bytes of one prompt: more than that is no prompt. */
const LARGEST = 256 * 1024;

/** All of them, in a fixed order. A file that a person named and that cannot be read is a `usage` error. */
export async function readChapoPrompts(files: Files, places: ChapoPromptPlaces): Promise<ChapoPrompts> {
  const prompts: Record<ChapoPromptName, string> = { ...FILES };
  for (const name of listKeys(FILES)) prompts[name] = await readPrompt(files, places, name);
  return prompts;
}

/** Those of sub-agents that have no bundled one, from the files a person named for them, by type. */
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

/** `own`: a person named it. */
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
  const what = stat?.kind === "file" ? `${file} is larger than 256 KB` : `there is no file ${file}`;
  throw new UserError(
    "usage",
    `${what}, which the settings name for the prompt ${name}`,
    "correct the setting",
  );
}

function listKeys<T extends object>(record: T): Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = [];
  for (const key in record) keys.push(key);
  return keys;
}
