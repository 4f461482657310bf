// The default settings, for projects that set none, as most projects do. Leaves their values to resolve.ts.
import { SHORT_NAMES } from "./env-layer.js";
import { resolveSettings, type ResolvedSettings } from "./resolve.js";

/** Every default, and nothing else. */
export function getDefaultSettings(): ResolvedSettings {
  return resolveSettings({ env: {}, flags: {} });
}

/** The variables that are settings though they do not begin with `LOOPER_`. */
export function listOtherVariables(): readonly string[] {
  return [...SHORT_NAMES.keys()].filter((name) => !name.startsWith("LOOPER_"));
}
