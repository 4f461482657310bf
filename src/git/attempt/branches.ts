// Names the branches that changed while an agent worked that was to change nothing. They are not moved back: a person may
// have changed them too. settle-head.ts moves back the branch of HEAD.
import type { HeadState } from "../base/repository/head.js";

const BRANCHES = "refs/heads/";

/** A warning for each branch but that of HEAD: how it changed, and the command that takes the change back. Pure. */
export function warnOfBranches(
  before: Pick<HeadState, "branch" | "refs">,
  now: Pick<HeadState, "refs">,
): string[] {
  const names = new Set([...before.refs.keys(), ...now.refs.keys()]);
  return [...names]
    .filter((name) => name.startsWith(BRANCHES) && name !== before.branch)
    .sort()
    .flatMap((name) => {
      const [was, is] = [before.refs.get(name), now.refs.get(name)];
      if (was === is) return [];
      const short = name.slice(BRANCHES.length);
      if (was === undefined)
        return [
          `the branch ${short} was made during the attempt, and stays; to remove it: git branch -D ${short}`,
        ];
      const how = is === undefined ? "removed" : "moved";
      return [
        `the branch ${short} was ${how} during the attempt; to put it back: git branch -f ${short} ${was}`,
      ];
    });
}
