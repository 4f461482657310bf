// The settings where nobody set any, as nearly everybody who lists tasks has them. In the built program they stand here
// ready (scripts/default-settings.mjs): to make the table takes longer than to read and check a backlog. Leaves what they are
// to resolve.ts.
import { SHORT_NAMES } from "./env-layer.js";
import { GO_VARIABLES } from "../table/go-program-names.js";
import { resolveSettings, type Resolved } from "./resolve.js";

/** Every default, and nothing else. */
export function unsetSettings(): Resolved {
  return resolveSettings({ env: {}, flags: {} });
}

/** The variables that are settings though they do not begin with `LOOPER_`. */
export function otherVariables(): readonly string[] {
  return [...SHORT_NAMES.keys(), ...GO_VARIABLES.keys()].filter((name) => !name.startsWith("LOOPER_"));
}
