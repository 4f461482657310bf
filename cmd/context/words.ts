// Words that a command knows and its definition offers: told once.

/** Of `looper completion`. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** Of `looper config`. */
export const CONFIG_VERBS = ["get", "set", "unset", "path"] as const;

/** Of `looper rescue`. */
export const RESCUE_VERBS = ["list", "show", "restore", "drop"] as const;

/** Of `looper export`. */
export const EXPORT_FORMATS = ["markdown", "csv", "json"] as const;

/** Of `looper chapo`: what it lists. */
export const CHAPO_LISTS = ["prompts", "sessions", "tools"] as const;

/** How the tools of `looper chapo` can be called. */
export const VOCABULARIES = ["chapo", "claude", "anvil"] as const;

/** Of `looper chapo`: what runs without a question. */
export const TRUST_MODES = ["default", "trusted"] as const;
