// Where a push goes, from what a model asked for: one branch, by its full name, so that no setting and no spelling of git's
// makes it another. Pure; leaves asking git to git.ts.

/** Branches others build upon. */
const PROTECTED = new Set(["main", "master"]);

/** What is known of the repository. */
export interface RepositoryFacts {
  /** The branch that is checked out; `undefined` when none is. */
  current: string | undefined;
  /** Names of its remotes. */
  remotes: readonly string[];
  /** Where it pushes to where nothing is said. */
  usualRemote: string;
  allowMain: boolean;
}

/** One branch to be pushed. */
export interface PushTarget {
  remote: string;
  /** `refs/heads/…` */
  to: string;
  /** What is pushed there, a full name or HEAD. */
  from: string;
}

/** The target, or why it is refused. */
export function resolvePushTarget(
  asked: { remote?: string | undefined; branch?: string | undefined },
  facts: RepositoryFacts,
): PushTarget | { refusal: string } {
  const remote = resolveRemote(asked.remote, facts);
  if (typeof remote !== "string") return remote;
  const spelled = asked.branch ?? "HEAD";
  if (spelled.startsWith("+"))
    return { refusal: `branch: ${spelled}: a push with force is refused; push without the +` };
  const [from = "", to = from, ...more] = spelled.split(":");
  if (more.length > 0 || from === "" || to === "")
    return { refusal: `branch: ${spelled}: name one branch; deleting one by a push is refused` };
  // What is checked out may be no branch and still go to one that is named.
  const source = from === "HEAD" && spelled !== from ? "HEAD" : resolveBranch(from, facts.current);
  const target = resolveBranch(to, facts.current);
  if (typeof source !== "string") return source;
  if (typeof target !== "string") return target;
  if (PROTECTED.has(target.toLowerCase()) && !facts.allowMain)
    return {
      refusal:
        `pushing to ${target} is refused: push another branch, e.g. branch "HEAD:my-branch"; ` +
        "a person can allow it with git.allow_push_main",
    };
  return { remote, from: source === "HEAD" ? source : `refs/heads/${source}`, to: `refs/heads/${target}` };
}

/** A remote that was set up: an address would go to whoever a model names, and some run commands. */
export function resolveRemote(
  asked: string | undefined,
  facts: Pick<RepositoryFacts, "remotes" | "usualRemote">,
): string | { refusal: string } {
  const remote = asked ?? facts.usualRemote;
  if (facts.remotes.includes(remote) && !remote.startsWith("-")) return remote;
  const known = facts.remotes.length === 0 ? "there is none" : `there is ${facts.remotes.join(", ")}`;
  return { refusal: `remote: ${remote}: no such remote; ${known}` };
}

/** The name of a branch without `refs/heads/`, HEAD being the one that is checked out. */
export function resolveBranch(spelled: string, current: string | undefined): string | { refusal: string } {
  if (spelled === "HEAD" || spelled === "@") {
    if (current !== undefined) return current;
    return { refusal: "branch: no branch is checked out (detached HEAD): name the branch" };
  }
  const name = spelled.replace(/^(?:refs\/)?heads\//, "");
  if (name.startsWith("refs/")) return { refusal: `branch: ${spelled}: only branches are pushed and pulled` };
  // What git allows in the name of a branch, as far as anybody uses it; no pattern, no option, no expression.
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_./#@+-]*$/u.test(name) || name.includes("..") || name.includes("@{"))
    return { refusal: `branch: ${spelled}: not the name of a branch` };
  return name;
}
