// The permission modes of the built-in engine. Pure. src/chapo/rules/modes.ts says what each does.

/** `agents.*.chapo.mode`. */
export const MODES = [
  "default",
  "plan",
  "acceptEdits",
  "dontAsk",
  "bypassPermissions",
  "auto",
  "trusted",
  "staged",
  "claude",
  "anvil",
  "dangerous",
] as const;
export type PermissionMode = (typeof MODES)[number];
