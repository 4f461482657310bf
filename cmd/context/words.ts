// Words that both a command and its definition need.

/** The verbs of `looper config`. */
export const CONFIG_VERBS = ["get", "set", "unset", "path"] as const;

/** The verbs of `looper rescue`. */
export const RESCUE_VERBS = ["list", "show", "restore", "drop"] as const;

/** The lists of `looper chapo`. */
export const CHAPO_LISTS = ["pending", "prompts", "sessions", "tools"] as const;

/** The verbs of `looper chapo` that name a session. */
export const CHAPO_VERBS = ["answer", "approve", "reject", "steer", "undo"] as const;

/** The sets of tool names of `looper chapo`. */
export const VOCABULARIES = ["chapo", "claude", "anvil"] as const;

/** The verbs of `looper workflows`. */
export const WORKFLOW_VERBS = ["show", "copy", "check"] as const;
