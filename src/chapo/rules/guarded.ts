// Which paths a rule or their name protects, for the search for other names of the same files. Pure.
// session/permissions/hard-links.ts finds those names.
import { meetsPath } from "./patterns.js";
import type { PermissionRules } from "./read-rules.js";
import { hasSecretName } from "./secret-names.js";
import { ONE, STAR } from "./wildcard.js";

/** Returns whether a deny or ask rule names the path, or its name is known for secrets. */
export function isGuarded({ all, root }: PermissionRules, path: string): boolean {
  const isRuled = all.some(
    ({ list, pattern }) =>
      list !== "allow" && pattern !== undefined && meetsPath(pattern.path, path, { root, wide: true }),
  );
  return isRuled || hasSecretName(path);
}

/** Returns the paths that deny and ask rules name in full. They may be where no search for files looks. */
export function listGuardedPaths({ all }: PermissionRules): string[] {
  const paths = all
    .filter(({ list }) => list !== "allow")
    .flatMap(({ pattern }) => pattern?.path.ways.map((way) => way.join("/")) ?? []);
  return paths.filter((one) => one !== "" && !one.includes(STAR) && !one.includes(ONE));
}
