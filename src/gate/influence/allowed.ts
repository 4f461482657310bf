// The checks that a task may change, by a person's word: the patterns of its `changes`. Pure.
import ignore from "ignore";

/** Looper's own settings, which a general pattern such as `*.json` would match. */
const OF_LOOPER = /(?:^|\/)(?:\.looper\/|looper\.config\.[^/]*$)/iu;

/** Returns whether patterns as in .gitignore, relative to the project's folder, name a path (text, from the top). */
export function matchAllowed(patterns: readonly string[], project: string): (path: string) => boolean {
  const matcher = ignore({ ignorecase: false }).add([...patterns]);
  return (path) => {
    if (patterns.length === 0 || (project !== "" && !path.startsWith(`${project}/`))) return false;
    const local = project === "" ? path : path.slice(project.length + 1);
    if (OF_LOOPER.test(local)) return false;
    return matcher.ignores(local.replaceAll(/[\n\r]/g, "_"));
  };
}
