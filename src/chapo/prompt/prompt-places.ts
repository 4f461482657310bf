// Collects the files of a session's prompts: the bundled ones, and replacements from the settings. Pure.
import path from "node:path";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { PROMPT_OF_AGENT, type ChapoPromptName, type ChapoPromptPlaces } from "./prompts.js";

/** Collects the files. `promptsFolder`: the folder of all bundled prompts, absolute. */
export function collectPromptPlaces(
  promptsFolder: string,
  { language, corePrompt, subAgents }: Pick<ChapoSettings, "language" | "corePrompt" | "subAgents">,
): ChapoPromptPlaces {
  const instead: Partial<Record<ChapoPromptName, string>> = {};
  if (corePrompt !== undefined) instead["looper.core"] = corePrompt;
  for (const [type, { prompt }] of Object.entries(subAgents)) {
    const name = PROMPT_OF_AGENT.get(type);
    if (name !== undefined && prompt !== undefined) instead[name] = prompt;
  }
  return { folder: path.join(promptsFolder, "chapo"), language, instead };
}
