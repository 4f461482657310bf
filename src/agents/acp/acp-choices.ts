// Chooses the options of a new session of the Agent Client Protocol among those the agent offers: the mode that fits the
// permissions, the model, the effort. Pure.
import type { Permissions } from "../../workflow/words.js";
import { field, listField, textField } from "../fields.js";

/** The options that the settings ask for. */
export interface AcpWishes {
  permissions: Permissions;
  model?: string;
  reasoning?: string;
}

/** A request to be made, and what it sets. */
export interface AcpCall {
  sets: "mode" | "model" | "reasoning";
  method: string;
  params: Readonly<Record<string, string>>;
}

/** Modes by the names agents give them, the most fitting first. Without any of them what the agent asks is all there is. */
const MODES: Readonly<Record<Permissions, readonly string[]>> = {
  "read-only": ["read-only", "plan"],
  workspace: ["workspace-write", "default"],
  full: ["agent-full-access"],
};

/** The requests, in order; `missing`: what was wanted and cannot be chosen. `session`: what the agent answered to its beginning. */
export function chooseSettings(
  sessionId: string,
  session: unknown,
  wishes: AcpWishes,
): { calls: AcpCall[]; missing: ("model" | "reasoning")[] } {
  const options = listField(session, "configOptions");
  const setOption = (sets: AcpCall["sets"], category: string, value: string): AcpCall | undefined => {
    const id = options
      .filter((option) => textField(option, "category") === category)
      .map((option) => textField(option, "id"))[0];
    return id === undefined
      ? undefined
      : { sets, method: "session/set_config_option", params: { sessionId, configId: id, value } };
  };
  const mode = modeCall(sessionId, session, wishes.permissions);
  const model =
    wishes.model === undefined
      ? undefined
      : (setOption("model", "model", wishes.model) ?? modelCall(sessionId, session, wishes.model));
  const effort =
    wishes.reasoning === undefined ? undefined : setOption("reasoning", "thought_level", wishes.reasoning);
  return {
    calls: [mode, model, effort].filter((call) => call !== undefined),
    missing: [
      ...(wishes.model !== undefined && model === undefined ? (["model"] as const) : []),
      ...(wishes.reasoning !== undefined && effort === undefined ? (["reasoning"] as const) : []),
    ],
  };
}

function modeCall(sessionId: string, session: unknown, permissions: Permissions): AcpCall | undefined {
  const modes = field(session, "modes");
  const offered = listField(modes, "availableModes").map((mode) => textField(mode, "id"));
  const fitting = MODES[permissions].find((mode) => offered.includes(mode));
  if (fitting !== undefined) {
    if (textField(modes, "currentModeId") === fitting) return undefined;
    return { sets: "mode", method: "session/set_mode", params: { sessionId, modeId: fitting } };
  }
  const option = listField(session, "configOptions").find((one) => textField(one, "category") === "mode");
  const values = listField(option, "options").map((one) => textField(one, "value"));
  const value = MODES[permissions].find((mode) => values.includes(mode));
  const id = textField(option, "id");
  if (value === undefined || id === undefined || textField(option, "currentValue") === value)
    return undefined;
  return { sets: "mode", method: "session/set_config_option", params: { sessionId, configId: id, value } };
}

/** An older way, which some agents have alone. */
function modelCall(sessionId: string, session: unknown, modelId: string): AcpCall | undefined {
  return field(session, "models") === undefined
    ? undefined
    : { sets: "model", method: "session/set_model", params: { sessionId, modelId } };
}
