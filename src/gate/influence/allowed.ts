// The checks that a task may change, by a person's word: the patterns of its `changes`. Pure.
import { isBelow, matchPatterns, relative } from "../sort/files.js";

/** Looper's own settings, which a general pattern such as `*.json` would match. */
const OF_LOOPER = /(?:^|\/)(?:\.looper\/|looper\.config\.[^/]*$)/iu;

/** Returns whether patterns as in .gitignore, relative to the project's folder, name a path (text, from the top). */
export function matchAllowed(patterns: readonly string[], project: string): (path: string) => boolean {
  const matches = matchPatterns(patterns);
  return (path) => {
    const local = relative(project, path);
    return isBelow(path, project) && !OF_LOOPER.test(local) && matches(local);
  };
}
