// The words of workflows that the settings use as well. Kept apart from workflow.ts: every command reads the table of settings,
// and zod alone takes longer to load than a listing.

/** The pattern of a name; objects are looked up by names, and every object has `constructor`. */
export const NAME_PATTERN = /^(?!constructor$)[a-z][a-z0-9_-]{0,39}$/u;

/** The rule of a name, for people who gave another. */
export const NAME_RULE = "a name is a lower-case letter, then at most 39 lower-case letters, digits, - and _";

/** The words of the setting `permissions` of an agent, the narrowest first. A stage may only narrow what its agent has. */
export const PERMISSIONS = ["read-only", "workspace", "full"] as const;
export type Permissions = (typeof PERMISSIONS)[number];

/** The workflow without stages to speak of: one attempt by one agent, then the gate, then the commit. */
export const DEFAULT_WORKFLOW = "default";
