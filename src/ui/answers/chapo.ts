// The answer of `looper chapo tools --json`. Pure. The lists of prompts and sessions are printed as src/chapo returns them.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { getOwner } from "../../chapo/engine/sub-agents.js";
import type { Tool } from "../../chapo/tool.js";
import { offerTools } from "../../chapo/vocabulary.js";
import type { ChapoToolsAnswer } from "../shapes/chapo.js";

type Listed = Pick<ChapoSettings, "tools" | "trustMode">;

/** Every tool. `settings`: the vocabulary that the model is shown, and the trust mode. */
export function toolsAnswer(tools: readonly Tool[], settings: Listed): ChapoToolsAnswer {
  const asks = settings.trustMode !== "trusted";
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      offered_as: offerTools(settings.tools, [tool], []).map(({ name }) => name),
      agent: getOwner(tool.name),
      description: tool.description,
      parameters: tool.parameters,
      asks_first: asks && tool.changes,
    })),
  };
}
