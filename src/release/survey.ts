// Collects the facts of a release before anything starts, and checks that it can be made. Writes nothing, starts no agent.
// judge.ts judges the agent's work.
import { basename, dirname, relative } from "node:path";
import { toText } from "../git/base/bytes.js";
import { asResult, withHint } from "../git/base/git.js";
import { headOf } from "../git/base/repository/head.js";
import { filesOf, readBlobs } from "../git/base/objects.js";
import { findOperation } from "../git/index/operation.js";
import { askRemote, findRemote, type Remote } from "../git/release/remote.js";
import type { Repository } from "../git/base/repository/repository.js";
import {
  listCommitsSince,
  hasAncestor,
  findLastRelease,
  listUncommitted,
  type Since,
} from "../git/release/since.js";
import { listTags, type Tag } from "../git/release/tags.js";
import type { Project } from "../config/project/open-project.js";
import { UserError, usageError, environmentError } from "../system/errors.js";
import { given } from "../system/given.js";
import type { Ports } from "../system/ports.js";
import { listSome } from "../system/text/cut.js";
import { readEntries, findChangelog } from "./changelog.js";
import { readGithubName, isPublished, isSignedIn } from "./github.js";
import type { ProjectFacts } from "./judge.js";
import { resolveWantedVersion } from "./judge.js";
import { isLeading, mayHoldVersion, findVersions, type VersionLocation } from "./places.js";
import { compareVersions, isVersion, removeLeadingV } from "./version.js";

/** The facts of a release before it starts. */
export interface ReleaseFacts {
  known: ProjectFacts;
  /** The full name of HEAD's branch; `head`: its commit. */
  branch: string;
  head: string;
  lastTag?: string;
  since: Since;
  tags: readonly Tag[];
  remote?: Remote;
  /** The refs of the remote: full name → object. */
  refs: ReadonlyMap<string, string>;
  /** `owner/name` on GitHub, if a release can be made there. */
  github?: string;
  /** A release that was made before and is not published yet. */
  made?: { version: string; tag: string; commit: string; tagged: boolean; pushed: boolean; notes: string };
}

/** Larger files are not searched for a version. */
const LARGEST = 8 << 20;
const MOST_SUBJECTS = 500;

interface SurveyRequest {
  ports: Ports;
  project: Project;
  env: Readonly<Record<string, string>>;
  /** patch, minor, major or a version; absent, the agent chooses. */
  wanted: string | undefined;
}

/** The hint for git failures while a release is prepared. */
export const SURVEY_HINT = "fix the git error";

/** Collects the facts; throws a `UserError` if a release cannot start. */
export function surveyRelease(request: SurveyRequest, repo: Repository): Promise<ReleaseFacts> {
  return withHint(SURVEY_HINT, () => survey(request, repo));
}

async function survey(request: SurveyRequest, repo: Repository): Promise<ReleaseFacts> {
  const { branch, commit: head } = await readBranch(repo);
  await requireCleanTree(repo);
  const found = await findRemote(repo, branch);
  if ("several" in found) throw makeRemotesError(found.several, branch);
  const remote = "remote" in found ? found.remote : undefined;
  const refs = remote === undefined ? new Map<string, string>() : await readRemoteRefs(repo, remote, head);
  const tags = await listTags(repo);
  const files = await readVersionFiles(request, repo, head);
  const { prefix, last } = findLastTag(tags);
  const from = files.from ?? last?.version;
  const known: ProjectFacts = {
    prefix,
    wanted: request.wanted,
    places: files.places,
    folder: files.folder,
    from,
    tagged: last?.version,
    tags: new Set([
      ...tags.map(({ name }) => name),
      ...[...refs.keys()].map((ref) => ref.replace(/^refs\/tags\//, "")),
    ]),
    ...files.changelog,
  };
  const github = remote === undefined ? undefined : await findGithubRepository(request, repo, remote);
  const facts = {
    known,
    branch,
    head,
    tags,
    refs,
    lastTag: last?.name,
    since: await listCommitsSince(repo, last?.commit, MOST_SUBJECTS),
    remote,
    github,
  };
  const made = await findMade(request, repo, facts);
  if (made !== undefined) {
    const before = await readVersionBefore(request, repo, made.commit);
    return { ...facts, made, known: { ...known, ...given({ from: before }) } };
  }
  checkWish(known, facts.since, last?.name);
  return facts;
}

async function readBranch(repo: Repository): Promise<{ branch: string; commit: string }> {
  const progress = await findOperation(repo);
  if (progress !== undefined) throw new UserError("no", progress.message, progress.hint);
  const { branch, commit } = await headOf(repo);
  if (branch === undefined)
    throw new UserError(
      "no",
      "HEAD is on no branch: nothing can be pushed",
      "switch to the branch to release with `git switch`",
    );
  if (commit === undefined) throw new UserError("no", "the branch has no commit: nothing can be released");
  return { branch, commit };
}

async function requireCleanTree(repo: Repository): Promise<void> {
  const paths = await listUncommitted(repo);
  if (paths.length === 0) return;
  throw new UserError(
    "no",
    `the working tree is not clean: ${listSome(paths)}`,
    "commit these files, stash them (git stash -u), or have git ignore them",
  );
}

function makeRemotesError(names: readonly string[], branch: string): UserError {
  const short = branch.replace(/^refs\/heads\//, "");
  return new UserError(
    "no",
    `cannot choose a remote for ${short}: ${names.join(", ")}`,
    `choose one: git config branch.${short}.pushRemote ${names[0] ?? "NAME"}`,
  );
}

/** Reads the refs of the remote; throws if its branch has newer commits, because the push would be rejected. */
async function readRemoteRefs(
  repo: Repository,
  remote: Remote,
  head: string,
): Promise<ReadonlyMap<string, string>> {
  const asked = await asResult(() => askRemote(repo, remote));
  if (!asked.ok) {
    const why = asked.error.message.split("\n").at(0) ?? "";
    throw environmentError(
      `cannot reach ${remote.name} (${remote.url}): ${why}`,
      "fix the git error: a release starts only if it can be pushed",
    );
  }
  const there = asked.value.get(remote.branch);
  if (there !== undefined && (await hasAncestor(repo, there, head)) !== true) {
    const short = remote.branch.replace(/^refs\/heads\//, "");
    throw new UserError(
      "no",
      `${remote.name}/${short} has commits that are not here`,
      "git pull, then push again",
    );
  }
  return asked.value;
}

/** The prefix and the version in a tag. */
const VERSION_TAG = /^(.*?)(\d+\.\d+\S*)$/;

/** The greatest version among the tags of HEAD's history, and the prefix of tags. */
function findLastTag(tags: readonly Tag[]): {
  prefix: string;
  last?: { name: string; version: string; commit: string };
} {
  const found = tags.flatMap(({ name, commit, merged }) => {
    const [, prefix = "", version = ""] = VERSION_TAG.exec(name) ?? [];
    return merged && isVersion(version) ? [{ name, prefix, version, commit }] : [];
  });
  const usual = found.filter(({ prefix }) => prefix === "v" || prefix === "");
  const last = (usual.length > 0 ? usual : found)
    .sort((a, b) => compareVersions(a.version, b.version))
    .at(-1);
  return last === undefined ? { prefix: "v" } : { prefix: last.prefix, last };
}

interface VersionFiles {
  from?: string;
  places: VersionLocation[];
  folder: string;
  changelog: { changelog?: string; changelogText?: string };
}

async function readVersionFiles(
  { project, ports }: SurveyRequest,
  repo: Repository,
  head: string,
): Promise<VersionFiles> {
  const real = (await ports.files.realPath(project.folder)) ?? project.folder;
  const folder = relative(repo.cwd, real).split("\\").join("/");
  const files = await filesOf(repo, head);
  const names = [...files.keys()]
    .map(toText)
    .filter((path) => dirname(path) === (folder === "" ? "." : folder));
  const log = findChangelog(names.map((path) => basename(path)));
  const changelog = names.find((path) => basename(path) === log);
  const wanted = [...files].filter(([path, { mode }]) => {
    const text = toText(path);
    return mode.startsWith("100") && isBelow(folder, text) && (mayHoldVersion(text) || text === changelog);
  });
  const oids = wanted.map(([, { oid }]) => oid);
  const blobs = await readBlobs(repo, oids, LARGEST);
  const texts = wanted.map(([path, { oid }]) => ({ path: toText(path), text: toText(blobs.get(oid) ?? "") }));
  const all = texts.flatMap(({ path, text }) => findVersions(path, text));
  const from = findCurrentVersion(all, folder);
  return {
    folder,
    from,
    places: all.filter(({ version }) => version === from),
    changelog:
      changelog === undefined
        ? {}
        : { changelog, changelogText: texts.find(({ path }) => path === changelog)?.text ?? "" },
  };
}

function isBelow(folder: string, path: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

/** The version of the topmost manifests; throws if they differ. */
function findCurrentVersion(places: readonly VersionLocation[], folder: string): string | undefined {
  const atTop = (place: VersionLocation): boolean => dirname(place.path) === (folder === "" ? "." : folder);
  const leading = places.filter(isLeading);
  const asked = [leading.filter(atTop), leading, places].find((list) => list.length > 0) ?? [];
  const versions = [...new Set(asked.map(({ version }) => version))];
  if (versions.length <= 1) return versions[0];
  const list = asked.map(({ path, version }) => `${path} has ${version}`).join(", ");
  throw new UserError(
    "no",
    `cannot tell the current version: ${list}`,
    "make them the same, and commit that",
  );
}

async function findGithubRepository(
  { ports, env }: SurveyRequest,
  repo: Repository,
  remote: Remote,
): Promise<string | undefined> {
  const name = readGithubName(remote);
  return name !== undefined && (await isSignedIn({ ports, cwd: repo.cwd, env })) ? name : undefined;
}

/** Finds a release that this program made and that is not published yet: it is finished before another one is made. */
async function findMade(
  { ports, env }: SurveyRequest,
  repo: Repository,
  facts: Omit<ReleaseFacts, "made">,
): Promise<ReleaseFacts["made"]> {
  const { tags, refs, remote, head, known, github } = facts;
  const last = await findLastRelease(repo);
  if (last === undefined) return undefined;
  const { tag, commit } = last;
  const isTagged = tags.some(({ name, commit: of }) => name === tag && of === commit);
  // Its tag was removed by hand and commits followed, so it no longer counts as a release.
  if (!isTagged && commit !== head) return undefined;
  const version = VERSION_TAG.exec(tag)?.[2] ?? tag;
  const notes = readEntries(known.changelogText ?? "").find((one) => one.version === version)?.text ?? "";
  const isThere = remote !== undefined && refs.has(`refs/tags/${tag}`) && refs.has(remote.branch);
  if (!isTagged || (remote !== undefined && !isThere))
    return { version, tag, commit, notes, tagged: isTagged, pushed: false };
  const place = { ports, cwd: repo.cwd, env };
  const isOut = github === undefined || commit !== head || (await isPublished(place, github, tag));
  return isOut ? undefined : { version, tag, commit, notes, tagged: true, pushed: true };
}

/** The version before a release that was made, since HEAD's files have the new one already. */
async function readVersionBefore(
  request: SurveyRequest,
  repo: Repository,
  commit: string,
): Promise<string | undefined> {
  const { from } = await readVersionFiles(request, repo, `${commit}^`);
  return from;
}

/** Refuses a release without commits, and a version that is not greater or has a tag already. */
function checkWish(known: ProjectFacts, { count }: Since, lastTag: string | undefined): void {
  const { wanted, from, tagged, prefix, tags } = known;
  if (count === 0 && lastTag !== undefined)
    throw new UserError("no", `nothing was committed since ${lastTag}: nothing can be released`);
  const version = resolveWantedVersion(wanted, from);
  // Without a version to raise, the agent chooses one.
  if (version === undefined) return;
  const last = [from, tagged]
    .filter((one) => one !== undefined)
    .sort(compareVersions)
    .at(-1);
  if (last !== undefined && compareVersions(version, last) <= 0)
    throw new UserError("no", `${version} is not greater than the current version ${last}`);
  if (tags.has(prefix + version)) throw new UserError("no", `tag ${prefix}${version} exists already`);
}

/** Reads the requested part or version; a `usage` error if it is neither. */
export function readWish(wanted: string | undefined): string | undefined {
  if (wanted === undefined || ["patch", "minor", "major"].includes(wanted)) return wanted;
  if (isVersion(wanted)) return removeLeadingV(wanted);
  throw usageError(
    `${wanted} is not a version; allowed: patch, minor, major, or one like 1.2.0`,
    "looper push minor",
  );
}

/** Makes a path relative to `folder`, as an agent working there would write it. */
export function makeRelative(folder: string, path: string): string {
  return folder === "" ? path : relative(folder, path);
}
