// Chapo's prompts: files in prompts/chapo/<language>/. The user may replace each by a file of their own, and give further
// sub-agents one. The prompts have no variables. system-prompt.ts puts them together.
import path from "node:path";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { usageError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { readStart } from "../paths.js";

/** The bundled prompts: each is the file of the last part of its name. */
const BUNDLED = [
  "looper.core",
  "looper.decision",
  "looper.decision_json",
  "looper.routing",
  "looper.validation",
  "looper.memory",
  "looper.summary",
  "looper.compaction",
  "looper.agent.developer",
  "looper.agent.searcher",
  "looper.agent.document_manager",
  "looper.agent.commander",
  "looper.agent.explore",
  "looper.agent.plan",
  "looper.agent.code",
  "looper.agent.test",
] as const;
type BundledPrompt = (typeof BUNDLED)[number];

/**
 * The prompts' texts by name, as listed by `looper chapo prompts --json`; `looper.agent.<type>` is that of a sub-agent.
 * `looper.decision_json` and `looper.routing` are only for models that cannot call tools.
 */
export type ChapoPrompts = Readonly<Record<BundledPrompt, string> & Record<`looper.agent.${string}`, string>>;

/** The most bytes of a prompt. */
const LARGEST = 256 * 1024;

/**
 * Reads all prompts. `promptsFolder`: the folder of all bundled prompts, absolute. If a file named in the settings cannot be
 * read, throws a `usage` error.
 */
export async function readChapoPrompts(
  files: Files,
  promptsFolder: string,
  { language, corePrompt, subAgents }: Pick<ChapoSettings, "language" | "corePrompt" | "subAgents">,
): Promise<ChapoPrompts> {
  const own = new Map<string, string | undefined>([["looper.core", corePrompt]]);
  for (const [type, { prompt }] of Object.entries(subAgents)) own.set(`looper.agent.${type}`, prompt);
  const prompts: Record<string, string> = {};
  for (const name of new Set([...BUNDLED, ...own.keys()])) {
    const file = path.join(promptsFolder, "chapo", language, `${name.split(".").at(-1) ?? ""}.md`);
    const instead = own.get(name) ?? (BUNDLED.some((one) => one === name) ? file : undefined);
    if (instead !== undefined) prompts[name] = await readPrompt(files, name, instead);
  }
  return prompts as ChapoPrompts;
}

async function readPrompt(files: Files, name: string, file: string): Promise<string> {
  const read = await readStart(files, file, LARGEST);
  if (read?.cut === false) return read.text.trim();
  const why = read === undefined ? `${file} is not a file` : `${file} is larger than 256 KB`;
  throw usageError(`cannot read the prompt ${name}: ${why}`, "correct the setting");
}
