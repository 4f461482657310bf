// Names the branches and tags that changed while an agent worked that was to change nothing. They are not moved back: a person
// may have changed them too. settle-head.ts moves back the branch of HEAD.
import type { HeadState } from "../base/repository/head.js";

const KINDS = [
  { kind: "branch", folder: "refs/heads/", put: "git branch -f", remove: "git branch -D" },
  { kind: "tag", folder: "refs/tags/", put: "git tag -f", remove: "git tag -d" },
] as const;

/** A warning for each tag, and each branch but that of HEAD: how it changed, and the command that takes the change back. Pure. */
export function warnOfRefs(
  before: Pick<HeadState, "branch" | "refs">,
  now: Pick<HeadState, "refs">,
): string[] {
  const names = [...new Set([...before.refs.keys(), ...now.refs.keys()])].sort();
  return KINDS.flatMap(({ kind, folder, put, remove }) =>
    names.flatMap((name) => {
      const [was, is] = [before.refs.get(name), now.refs.get(name)];
      if (was === is || name === before.branch || !name.startsWith(folder)) return [];
      const short = name.slice(folder.length);
      if (was === undefined)
        return [
          `the ${kind} ${short} was made during the attempt, and stays; to remove it: ${remove} ${short}`,
        ];
      const how = is === undefined ? "removed" : "moved";
      return [`the ${kind} ${short} was ${how} during the attempt; to put it back: ${put} ${short} ${was}`];
    }),
  );
}
