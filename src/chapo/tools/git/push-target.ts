// Resolves the target of a push that a model asks for: one branch, by its full name, so that no git setting or spelling can
// redirect it. Pure; git.ts runs git.

/** Branches that other people build on. */
const PROTECTED = new Set(["main", "master"]);

/** The state of the repository and the setting that decide about a push. */
export interface RepositoryFacts {
  /** The branch that is checked out; `undefined` for a detached HEAD. */
  current: string | undefined;
  /** The names of the remotes. */
  remotes: readonly string[];
  /** The remote to push to by default. */
  usualRemote: string;
  allowMain: boolean;
}

/** One branch to push. */
export interface PushTarget {
  remote: string;
  /** `refs/heads/…` */
  to: string;
  /** The source of the push: a full name or HEAD. */
  from: string;
}

/** Resolves the target, or returns the reason for a refusal. */
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
    return { refusal: `branch: ${spelled}: name one branch; deleting a branch with a push is refused` };
  // A detached HEAD can still be pushed to a named branch.
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

/** Accepts only configured remotes: a model could name any address, and some address schemes run commands. */
export function resolveRemote(
  asked: string | undefined,
  facts: Pick<RepositoryFacts, "remotes" | "usualRemote">,
): string | { refusal: string } {
  const remote = asked ?? facts.usualRemote;
  if (facts.remotes.includes(remote) && !remote.startsWith("-")) return remote;
  const known = facts.remotes.length === 0 ? "none is configured" : `available: ${facts.remotes.join(", ")}`;
  return { refusal: `remote: ${remote}: no such remote; ${known}` };
}

/** Returns a branch name without `refs/heads/`; HEAD means the branch that is checked out. */
export function resolveBranch(spelled: string, current: string | undefined): string | { refusal: string } {
  if (spelled === "HEAD" || spelled === "@") {
    if (current !== undefined) return current;
    return { refusal: "branch: no branch is checked out (detached HEAD): name the branch" };
  }
  const name = spelled.replace(/^(?:refs\/)?heads\//, "");
  if (name.startsWith("refs/"))
    return { refusal: `branch: ${spelled}: only branches can be pushed and pulled` };
  // The characters that branch names use in practice; excludes patterns, options and expressions.
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_./#@+-]*$/u.test(name) || name.includes("..") || name.includes("@{"))
    return { refusal: `branch: ${spelled}: not a valid branch name` };
  return name;
}
