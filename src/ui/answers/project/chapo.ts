// The answers of `looper chapo tools`, `sessions` and `pending` with --json. Pure. The prompts are printed as src/chapo returns
// them.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { SessionCall } from "../../../chapo/engine/calls/pending.js";
import { getOwner } from "../../../chapo/engine/children/sub-agents.js";
import type { ListedSession } from "../../../chapo/session/sessions.js";
import { classifyTool, TABLE } from "../../../chapo/rules/modes.js";
import type { Tool } from "../../../chapo/tool.js";
import { offerTools } from "../../../chapo/vocabulary.js";
import type {
  ChapoPendingAnswer,
  ChapoSessionsAnswer,
  ChapoToolsAnswer,
  PendingShape,
} from "../../shapes/project.js";

type Listed = Pick<ChapoSettings, "tools" | "mode">;

/** Every tool. `settings`: the vocabulary that the model is shown, and the mode. */
export function toolsAnswer(tools: readonly Tool[], settings: Listed): ChapoToolsAnswer {
  const row = TABLE[settings.mode ?? "default"];
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      offered_as: offerTools(settings.tools, [tool], []).map(({ name }) => name),
      agent: getOwner(tool.name),
      description: tool.description,
      parameters: tool.parameters,
      asks_first: row[classifyTool(tool)] === "ask",
    })),
  };
}

/** `looper chapo sessions --json` */
export function sessionsAnswer(listed: {
  sessions: readonly ListedSession[];
  broken: ChapoSessionsAnswer["broken"];
}): ChapoSessionsAnswer {
  const sessions = listed.sessions.map(({ pending, isHeld: _isHeld, ...rest }) => ({
    ...rest,
    pending: pending === undefined ? null : toPendingShape(pending),
  }));
  return { ...listed, sessions };
}

/** `looper chapo pending --json` */
export function pendingAnswer(sessions: readonly ListedSession[]): ChapoPendingAnswer {
  return {
    pending: sessions.flatMap(({ id, pending }) =>
      pending === undefined ? [] : [{ session: id, ...toPendingShape(pending) }],
    ),
  };
}

function toPendingShape(pending: SessionCall): PendingShape {
  const { call, tool, agent, args, preview, because, asked_at, again = null } = pending;
  return { call, tool, agent, args, preview, because, asked_at, again };
}
