// Collects the facts of a release before anything starts, and checks that one can be made. Writes nothing, starts no agent.
import { join, relative } from "node:path";
import { asResult } from "../../git/base/git.js";
import { headOf } from "../../git/base/repository/head.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { findOperation } from "../../git/index/operation.js";
import {
  findRemote,
  listCommitsSince,
  listTags,
  listUncommitted,
  releaseOfHead,
  tryPush,
  type Remote,
} from "../../git/release/release.js";
import type { PushFacts } from "../../prompts/compose.js";
import { environmentError, UserError, usageError } from "../../system/errors.js";
import { listSome } from "../../system/text/cut.js";
import type { RunRequest } from "../runs/run-request.js";
import {
  checkVersion,
  findChangelog,
  findVersionFile,
  readVersion,
  resolveWanted,
  type ProjectFacts,
  BUMPS,
  compareVersions,
  isVersion,
} from "./judge-release.js";

/** The facts of a release before it starts. */
export interface ReleaseFacts {
  known: ProjectFacts;
  /** The full name of HEAD's branch. */
  branch: string;
  /** The commit of HEAD. */
  head: string;
  tags: ReadonlyMap<string, string>;
  remote?: Remote;
  /** The facts in the agent's prompt. */
  prompt: PushFacts;
}

/** How many characters of the changelog a prompt shows. */
const CHANGELOG_HEAD = 6_000;

/** Collects the facts; throws a `UserError` if a release cannot start. */
export async function surveyRelease(request: RunRequest, repo: Repository): Promise<ReleaseFacts> {
  const { ports, project } = request;
  const { branch, head } = await requireReady(repo);
  const remote = await chooseRemote(repo, branch);
  if (remote !== undefined) await requirePushable(repo, remote);
  const tags = await listTags(repo);
  const { prefix, last } = findLastTag([...(await listTags(repo, "--merged=HEAD")).keys()]);
  const names = await ports.files.list(project.folder);
  const [file, changelog] = [findVersionFile(names), findChangelog(names)];
  const read = async (name: string | undefined): Promise<string> =>
    name === undefined
      ? ""
      : Buffer.from((await ports.files.read(join(project.folder, name))) ?? []).toString("utf8");
  const version = file === undefined ? undefined : readVersion(file, await read(file));
  const folder = relative(repo.cwd, (await ports.files.realPath(project.folder)) ?? project.folder);
  const { wanted = "" } = request.release ?? {};
  const known: ProjectFacts = {
    prefix,
    from: version ?? last,
    tagged: last,
    ...(wanted === "" ? {} : { wanted }),
    tags: new Set(tags.keys()),
    ...(file === undefined || version === undefined ? {} : { versionFile: join(folder, file) }),
    ...(changelog === undefined ? {} : { changelog: join(folder, changelog) }),
  };
  const since = await listCommitsSince(repo, last === undefined ? undefined : `refs/tags/${prefix}${last}`);
  checkWish(known, since.count);
  const prompt = {
    project: { folder: project.folder },
    from: known.from ?? "",
    wanted,
    versionFile: version === undefined ? "" : (file ?? ""),
    tag: last === undefined ? "" : prefix + last,
    count: since.count,
    changes: since.subjects,
    changelog: changelog ?? "",
    changelogHead: (await read(changelog)).slice(0, CHANGELOG_HEAD),
    checks: project.resolved.settings.verify.commands,
  };
  return { known, branch, head, tags, remote, prompt };
}

/** Reads the requested part or version; a `usage` error if it is neither. */
export function readWish(wanted: string | undefined): string | undefined {
  if (wanted === undefined || BUMPS.some((bump) => bump === wanted)) return wanted;
  if (isVersion(wanted)) return wanted.replace(/^v/i, "");
  throw usageError(
    `${wanted} is not a version; allowed: patch, minor, major, or one like 1.2.0`,
    "looper push minor",
  );
}

async function requireReady(repo: Repository): Promise<{ branch: string; head: string }> {
  const progress = await findOperation(repo);
  if (progress !== undefined) throw new UserError("no", progress.message, progress.hint);
  const { branch, commit: head } = await headOf(repo);
  if (branch === undefined)
    throw new UserError(
      "no",
      "HEAD is on no branch: nothing can be pushed",
      "switch to the branch to release with `git switch`",
    );
  if (head === undefined) throw new UserError("no", "the branch has no commit: nothing can be released");
  const paths = await listUncommitted(repo);
  if (paths.length > 0)
    throw new UserError(
      "no",
      `the working tree is not clean: ${listSome(paths)}`,
      "commit these files, stash them (git stash -u), or have git ignore them",
    );
  const made = await releaseOfHead(repo);
  if (made !== undefined && !(await listTags(repo)).has(made))
    throw new UserError(
      "no",
      `the last commit is the release ${made}, which has no tag`,
      `git tag -a ${made} -m ${made}, then git push --follow-tags`,
    );
  return { branch, head };
}

async function chooseRemote(repo: Repository, branch: string): Promise<Remote | undefined> {
  const found = await findRemote(repo, branch);
  if (found === undefined || !("several" in found)) return found;
  const short = shortenBranch(branch);
  throw new UserError(
    "no",
    `cannot choose a remote for ${short}: ${found.several.join(", ")}`,
    `choose one: git config branch.${short}.pushRemote ${found.several[0] ?? "NAME"}`,
  );
}

export function shortenBranch(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** Throws if the remote would not take HEAD as its branch. */
async function requirePushable(repo: Repository, remote: Remote): Promise<void> {
  const asked = await asResult(() => tryPush(repo, remote));
  if (asked.ok) return;
  const lines = asked.error.message.split("\n");
  const why = lines.find((line) => line.includes("[rejected]")) ?? lines[0] ?? "";
  throw environmentError(
    `cannot push to ${remote.name} (${remote.url}): ${why.trim()}`,
    "git pull, or fix what git says: a release starts only if it can be pushed",
  );
}

/** The greatest version among tags, and the prefix of tags. */
function findLastTag(names: readonly string[]): { prefix: string; last?: string } {
  const found = names.flatMap((name) => {
    const [, prefix = "", version = ""] = /^(.*?)(\d+\.\d+\S*)$/.exec(name) ?? [];
    return isVersion(version) ? [{ prefix, version }] : [];
  });
  const usual = found.filter(({ prefix }) => prefix === "v" || prefix === "");
  const greatest = (usual.length > 0 ? usual : found)
    .sort((a, b) => compareVersions(a.version, b.version))
    .at(-1);
  return greatest === undefined ? { prefix: "v" } : { prefix: greatest.prefix, last: greatest.version };
}

/** Refuses a release without commits, and a version that is not greater or has a tag already. */
function checkWish(known: ProjectFacts, count: number): void {
  const { tagged, prefix } = known;
  if (count === 0 && tagged !== undefined)
    throw new UserError(
      "no",
      `nothing was committed since ${prefix}${tagged}: nothing can be released`,
      "if that release is not pushed yet: git push --follow-tags",
    );
  const version = resolveWanted(known);
  const [problem] = version === undefined ? [] : checkVersion(known, version);
  if (problem !== undefined) throw new UserError("no", problem);
}
