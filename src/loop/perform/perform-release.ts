// Effects of a release: runs the checks, judges the agent's work, makes the release, pushes and publishes it.
// releasing.ts decides what follows from each.
import { asResult } from "../../git/base/git.js";
import { toText } from "../../git/base/bytes.js";
import { dropCheckpoint } from "../../git/checkpoint/checkpoint.js";
import { prepareCommit } from "../../git/commit/commit.js";
import { exists, type DiffEntry, type Version } from "../../git/base/read/diff.js";
import { formatReleaseMessage, formatTagMessage } from "../../git/commit/message.js";
import { readBlobs } from "../../git/base/objects.js";
import { publish } from "../../git/commit/publish.js";
import { askRemote, pushRelease } from "../../git/release/remote.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { makeTag } from "../../git/release/tags.js";
import type { StepEvent } from "../../logging/events/events.js";
import { markOf } from "../../system/processes/mark.js";
import { never } from "../../system/never.js";
import { runAll } from "./gate/checks.js";
import type { Effect, PlannedRelease } from "../step/effects.js";
import { THE_RELEASE } from "./tree/keep-attempt.js";
import { publishRelease } from "../../release/github.js";
import { judgeRelease, type ReleasedFile, type ReleaseProblem } from "../../release/judge.js";
import type { ReleaseFacts } from "../../release/survey.js";
import { isPreRelease } from "../../release/version.js";
import { given } from "../../system/given.js";
import type { World } from "./world.js";

type DoRelease = Extract<Effect, { kind: "release" }>;
type Done = Extract<StepEvent, { type: "release_step" }>;
type StepResult = Pick<Done, "outcome"> & Partial<Done>;

/** The context of a release step. */
interface StepContext {
  world: World;
  repo: Repository;
  facts: ReleaseFacts;
  /** Aborted when the step must stop. */
  stop: AbortSignal;
}

/** Performs one step of a release. */
export async function performRelease(world: World, effect: DoRelease): Promise<StepEvent> {
  const { job, what } = effect;
  const { repo, release: facts, memory, ports, log } = world;
  if (repo === undefined || facts === undefined) throw new Error("the run has no release");
  const stop = new AbortController();
  memory.stops.set(job.job, stop);
  // A stop ends git and gh with all their processes; the checks end theirs themselves.
  const sweep = (): void => void ports.processes.sweep(markOf(log.folder));
  if (what === "push" || what === "publish") stop.signal.addEventListener("abort", sweep, { once: true });
  try {
    const result = await performStep({ world, repo, facts, stop: stop.signal }, effect);
    const outcome = stop.signal.aborted && result.outcome === "failed" ? "interrupted" : result.outcome;
    return { type: "release_step", ...job, what, problems: [], ...result, outcome };
  } finally {
    memory.stops.delete(job.job);
  }
}

async function performStep(site: StepContext, { job, what, release }: DoRelease): Promise<StepResult> {
  switch (what) {
    case "before":
    case "after":
      return runChecks(site, job, what);
    case "judge":
      return judgeChanges(site, job);
    case "make":
      return makeRelease(site, job, requirePlan(release));
    case "push":
      return pushTag(site, requirePlan(release));
    case "publish":
      return publishOnGithub(site, requirePlan(release));
    default:
      return never(what);
  }
}

function requirePlan(release: PlannedRelease | undefined): PlannedRelease {
  if (release === undefined) throw new Error("no release is planned");
  return release;
}

async function runChecks(
  { world, stop }: StepContext,
  job: DoRelease["job"],
  when: "before" | "after",
): Promise<StepResult> {
  const done = await runAll(world, job, stop);
  if (done === "interrupted") return { outcome: "interrupted" };
  const commands = done.ran.map(({ command, end, duration_ms, tail }) => ({
    command,
    passed: end.how === "exited" && end.code === 0,
    end: end.how,
    duration_ms,
    tail,
    ...(end.how === "exited" ? { exit_code: end.code } : {}),
  }));
  for (const message of done.warnings) await world.log.tell({ type: "warning", ...job, message });
  const red = commands.filter(({ passed }) => !passed);
  const because = when === "before" ? "before anything was changed" : "with the release in the tree";
  const problems = red.map(({ command }) => ({ check: "checks", message: `${command} fails, ${because}` }));
  return { outcome: red.length === 0 ? "ok" : "failed", commands, problems };
}

async function judgeChanges(site: StepContext, job: DoRelease["job"]): Promise<StepResult> {
  const { world, repo, facts } = site;
  const changes = world.memory.snapshots.get(job.job)?.changes ?? [];
  const judged = judgeRelease(facts.known, await readChanges(repo, changes));
  const { version, strange, notes } = judged;
  const problems = [...judged.problems, ...(await findRemoteProblems(site))];
  return {
    outcome: problems.length === 0 && version !== undefined ? "ok" : "failed",
    problems,
    ...(version === undefined ? {} : { version, tag: facts.known.prefix + version }),
    paths: changes.map(({ path }) => toText(path)),
    strange: [...strange],
    notes,
  };
}

/** Larger files are not read as text. */
const LARGEST = 8 << 20;

async function readChanges(repo: Repository, changes: readonly DiffEntry[]): Promise<ReleasedFile[]> {
  const sides = changes.flatMap(({ from, to }) => [from, to]).filter(isFile);
  const oids = sides.map(({ oid }) => oid);
  const blobs = await readBlobs(repo, oids, LARGEST);
  const textOf = (side: Version): string | undefined => {
    const bytes = isFile(side) ? blobs.get(side.oid) : undefined;
    return bytes === undefined || bytes.includes("\0") ? undefined : toText(bytes);
  };
  return changes.map(({ path, from, to }) => {
    const [before, after] = [textOf(from), textOf(to)];
    return {
      path: toText(path),
      ...given({ before, after }),
      plain: isFile(to) && (exists(from) ? from.mode === to.mode : to.mode === "100644"),
    };
  });
}

function isFile({ mode }: Version): boolean {
  return mode.startsWith("100");
}

/** Finds refs that changed at the remote while the agent worked, since it may have pushed by itself. */
async function findRemoteProblems({ repo, facts }: StepContext): Promise<ReleaseProblem[]> {
  const { remote, refs } = facts;
  if (remote === undefined) return [];
  const asked = await asResult(() => askRemote(repo, remote));
  if (!asked.ok) return [{ check: "remote", message: `cannot reach ${remote.name}: ${asked.error.message}` }];
  const names = new Set([...refs.keys(), ...asked.value.keys()]);
  const moved = [...names].filter((ref) => refs.get(ref) !== asked.value.get(ref));
  return moved.map((ref) => ({
    check: "remote",
    message: `${ref.replace(/^refs\/(?:heads|tags)\//, "")} changed at ${remote.name} while the agent worked: the agent or another person pushed`,
  }));
}

async function makeRelease(
  site: StepContext,
  job: DoRelease["job"],
  release: PlannedRelease,
): Promise<StepResult> {
  const { world, repo } = site;
  const { tag, notes } = release;
  await world.log.sync();
  const commit = release.commit ?? (await commitRelease(site, job, release));
  await makeTag(repo, { name: tag, commit, message: formatTagMessage({ tag, notes }) });
  await dropCheckpoint(repo, THE_RELEASE);
  return { outcome: "ok", commit };
}

async function commitRelease(
  { world, repo, facts }: StepContext,
  job: DoRelease["job"],
  { version, tag, notes }: PlannedRelease,
): Promise<string> {
  const taken = world.memory.snapshots.get(job.job);
  if (taken === undefined) throw new Error("the release has no snapshot");
  const message = formatReleaseMessage({ version, tag, notes, run: world.log.run, agent: job.agent });
  // A backlog that git does not track is not committed.
  const own = taken.backlogMode === undefined ? { ...repo, todo: undefined } : repo;
  const backlog = (await world.ports.files.read(world.project.todoFile)) ?? new Uint8Array();
  const order = { taskId: undefined, run: world.log.run, snapshot: taken, backlog, message };
  const prepared = await prepareCommit(own, { ...order, facts: { release: tag } });
  // Nothing to commit: no file has a version, and the changelog entry was written before.
  if (prepared === "nothing") return facts.head;
  const { commit, warnings } = await publish(own, prepared);
  for (const warning of warnings) await world.log.tell({ type: "warning", ...job, message: warning });
  return commit;
}

async function pushTag({ world, repo, facts }: StepContext, { tag }: PlannedRelease): Promise<StepResult> {
  const { remote, branch } = facts;
  if (remote === undefined) throw new Error("the release has no remote");
  await world.log.sync();
  const pushed = await asResult(() => pushRelease(repo, { remote, branch, tag }));
  if (pushed.ok) return { outcome: "ok" };
  return {
    outcome: "failed",
    problems: [{ check: "push", message: `${remote.name} rejected the push: ${pushed.error.message}` }],
  };
}

async function publishOnGithub(
  { world, repo, facts }: StepContext,
  release: PlannedRelease,
): Promise<StepResult> {
  const { github, made } = facts;
  if (github === undefined) throw new Error("the release has no GitHub repository");
  const { tag, version } = release;
  const notes = release.notes === "" ? (made?.notes ?? "") : release.notes;
  const place = { ports: world.ports, cwd: repo.cwd, env: world.env };
  const order = { repo: github, tag, notes, pre: isPreRelease(version) };
  const published = await publishRelease(place, order);
  if (published.ok) return { outcome: "ok", url: published.value };
  return { outcome: "failed", problems: [{ check: "publish", message: published.error }] };
}
