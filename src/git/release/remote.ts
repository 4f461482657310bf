// The remote that a branch is pushed to: finds it, reads its refs, and pushes. Creates no remote.
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

/** The destination of a push. */
export interface Remote {
  name: string;
  /** The configured URL, after git's rewriting (`insteadOf`). */
  url: string;
  resolved: string;
  /** The branch's full name in the remote. */
  branch: string;
}

/** A network may be slow, and a branch large. */
const LIMIT_MS = 600_000;

/** `none`: the repository has no remotes; `several`: the configuration does not name one of them. */
export type FoundRemote = { remote: Remote } | { none: true } | { several: readonly string[] };

/** The remote that `git push` would use for a branch (its full name). Starts two processes. */
export async function findRemote(repo: Repository, branch: string): Promise<FoundRemote> {
  const settings = await readSettings(repo);
  const short = branch.replace(/^refs\/heads\//, "");
  const names = [...settings.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
  const upstream = settings.get(`branch.${short}.remote`);
  const wished = [settings.get(`branch.${short}.pushremote`), settings.get("remote.pushdefault"), upstream];
  const name =
    wished.find((one) => one !== undefined && names.includes(one)) ??
    (names.length === 1 ? names[0] : names.find((one) => one === "origin"));
  if (names.length === 0) return { none: true };
  if (name === undefined) return { several: names };
  const url = settings.get(`remote.${name}.pushurl`) ?? settings.get(`remote.${name}.url`) ?? "";
  const merge = name === upstream ? settings.get(`branch.${short}.merge`) : undefined;
  const resolved = toText((await runGit(repo, ["remote", "get-url", "--push", name])).out).trimEnd();
  return { remote: { name, url, resolved, branch: merge ?? branch } };
}

/** Keys as git spells them: section and last part in lower case. The last value of each counts. */
async function readSettings(repo: Repository): Promise<Map<string, string>> {
  const pattern = String.raw`^(remote\..*|branch\..*)`;
  const { out } = await runGit(repo, ["config", "-z", "--get-regexp", pattern], { answers: [1] });
  return new Map(
    out.split("\0").flatMap((entry): [string, string][] => {
      const end = entry.indexOf("\n");
      return end < 0 ? [] : [[toText(entry.slice(0, end)), toText(entry.slice(end + 1))]];
    }),
  );
}

/** The branch and all tags in the remote, full name → object. Starts one process and uses the network. */
export async function askRemote(
  repo: Repository,
  { name, branch }: Remote,
): Promise<ReadonlyMap<string, string>> {
  const { out } = await runGit(withSsh(repo), ["ls-remote", "--", name, branch, "refs/tags/*"]);
  const found = out.split("\n").flatMap((line): [string, string][] => {
    const [oid = "", ref = ""] = line.split("\t");
    return ref === "" || ref.endsWith("^{}") ? [] : [[toText(ref), oid]];
  });
  return new Map(found);
}

/** Pushes branch and tag, both or neither. Starts one process and uses the network. */
export async function pushRelease(
  repo: Repository,
  order: { remote: Remote; branch: string; tag: string },
): Promise<void> {
  const { remote, branch, tag } = order;
  const refs = [`${branch}:${remote.branch}`, `refs/tags/${tag}:refs/tags/${tag}`];
  const args = ["push", "--quiet", "--atomic", "--no-verify", "--", remote.name, ...refs];
  await runGit(withSsh(repo), args, { limitMs: LIMIT_MS });
}

/** Adds the user's variables for ssh, which `gitEnv` removes with the other `GIT_` variables. */
function withSsh(repo: Repository): Repository {
  const own = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT"].flatMap((name): [string, string][] => {
    const value = repo.places.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...repo, env: { ...repo.env, ...Object.fromEntries(own) } };
}
