// Says whether the rules open the network to a sandboxed shell. Pure.
import type { PermissionRules } from "./read-rules.js";
import { isNamed } from "./tool-names.js";

/**
 * Returns whether an allow rule is for `web_fetch` without a pattern, and no other rule is about it: a sandbox cannot tell one
 * host from another.
 */
export function allowsNetwork({ all }: PermissionRules): boolean {
  const rules = all.filter(({ tools }) => isNamed(tools, "web_fetch"));
  return (
    rules.some(({ list, pattern }) => list === "allow" && pattern === undefined) &&
    rules.every(({ list }) => list === "allow")
  );
}
