// The git part of a release: what there is to release and where it is pushed to, the tag, and the push. Creates no remote.
import { toBytes, toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { zeroLike } from "../base/repository/head.js";
import { listChanged, listRefs, putRefsBack } from "../base/list-refs.js";
import { withSsh, type Repository } from "../base/repository/repository.js";
import { TRAILER } from "../commit/message.js";

/** Where a release is pushed to. */
export interface Remote {
  name: string;
  url: string;
  /** The branch's full name in the remote. */
  branch: string;
}

/** A network may be slow, and a branch large. */
const LIMIT_MS = 600_000;
const MOST_SUBJECTS = 500;
const TAGS = "refs/tags/";

/** The remote that `git push` would use for a branch (its full name); `several`: the configuration names none of them. */
export async function findRemote(
  repo: Repository,
  branch: string,
): Promise<Remote | undefined | { several: readonly string[] }> {
  const [asked = []] = await listRefs(repo, ["push:remotename", "push:remoteref"], [branch]);
  const [wished = "", there = ""] = asked.map(toText);
  const names = lines(await runGit(repo, ["remote"])).map(toText);
  const name = names.find((one) => one === wished) ?? (names.length === 1 ? names[0] : undefined);
  const chosen = name ?? names.find((one) => one === "origin");
  if (chosen === undefined) return names.length === 0 ? undefined : { several: names };
  const keys = `^remote\\.${chosen.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\.(push)?url$`;
  const urls = lines(await runGit(repo, ["config", "--get-regexp", keys], { answers: [1] })).map(toText);
  const url = urls.find((line) => /^\S+\.pushurl /.test(line)) ?? urls.at(-1) ?? "";
  return { name: chosen, url: url.replace(/^\S+ /, ""), branch: there === "" ? branch : there };
}

/** Asks the remote whether it would take HEAD as the branch; throws its reason if not. Uses the network. */
export async function tryPush(repo: Repository, { name, branch }: Remote): Promise<void> {
  const args = ["push", "--quiet", "--dry-run", "--no-verify", "--", name, `HEAD:${branch}`];
  await runGit(withSsh(repo), args, { limitMs: LIMIT_MS });
}

/** Pushes branch and tag, both or neither. Uses the network. */
export async function pushRelease(
  repo: Repository,
  { remote, branch, tag }: { remote: Remote; branch: string; tag: string },
): Promise<void> {
  const refs = [`${branch}:${remote.branch}`, `${TAGS}${tag}:${TAGS}${tag}`];
  const args = ["push", "--quiet", "--atomic", "--no-verify", "--", remote.name, ...refs];
  await runGit(withSsh(repo), args, { limitMs: LIMIT_MS });
}

/** The paths that `git status` lists. */
export async function listUncommitted(repo: Repository): Promise<readonly string[]> {
  const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"];
  const { out } = await runGit(repo, args);
  return out
    .split("\0")
    .slice(0, -1)
    .map((line) => toText(line.slice(3)));
}

/** The commits of HEAD since a commit: how many, and the subjects of the newest. Without `since`: the whole history. */
export async function listCommitsSince(
  repo: Repository,
  since: string | undefined,
): Promise<{ count: number; subjects: readonly string[] }> {
  const range = since === undefined ? ["HEAD"] : ["HEAD", `^${since}`];
  const count = Number((await runGit(repo, ["rev-list", "--count", ...range])).out);
  const args = ["log", `--max-count=${String(MOST_SUBJECTS)}`, "--format=%h %s", ...range];
  return { count, subjects: lines(await runGit(repo, args)).map(toText) };
}

/** The tag that HEAD's commit was made for, if it is a release's. */
export async function releaseOfHead(repo: Repository): Promise<string | undefined> {
  const format = `--format=%(trailers:key=${TRAILER.release},valueonly)`;
  const tag = toText((await runGit(repo, ["log", "-1", format, "HEAD"])).out).trim();
  return tag === "" ? undefined : tag;
}

/** Every tag without `refs/tags/` → its object. */
export async function listTags(repo: Repository, ...only: readonly string[]): Promise<Map<string, string>> {
  const found = await listRefs(repo, ["refname", "objectname"], [TAGS], ...only);
  return new Map(found.map(([ref = "", oid = ""]) => [toText(ref.slice(TAGS.length)), oid]));
}

/** Makes an annotated tag; fails if one of that name exists. */
export async function makeTag(
  repo: Repository,
  tag: { name: string; commit: string; message: string },
): Promise<void> {
  const { who, zone } = await repo.identity();
  const seconds = Math.floor(repo.ports.clock.now() / 1000);
  const head = `object ${tag.commit}\ntype commit\ntag ${toBytes(tag.name)}\n`;
  const input = `${head}tagger ${toBytes(who)} ${String(seconds)} ${zone}\n\n${toBytes(tag.message)}`;
  const oid = (await runGit(repo, ["mktag"], { input })).out.trimEnd();
  await runGit(repo, ["update-ref", "-m", "looper: release", `${TAGS}${tag.name}`, oid, zeroLike(oid)]);
}

/** Puts the tags back that an agent made, moved or deleted; returns a warning for each, with the object that it had. */
export async function putTagsBack(
  repo: Repository,
  before: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const changed = listChanged(before, await listTags(repo));
  await putRefsBack(
    repo,
    changed.map((one) => ({ ...one, name: `${TAGS}${toBytes(one.name)}` })),
  );
  return changed.map(({ name, was, is }) => {
    const did = is === undefined ? "deleted" : was === undefined ? "made" : "moved";
    return `the agent ${did} the tag ${name}: put back${is === undefined ? "" : `; it was ${is}`}`;
  });
}

function lines({ out }: { out: string }): string[] {
  return out.split("\n").slice(0, -1);
}
