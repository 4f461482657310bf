// A release, one step after the other: an agent prepares it, the runner checks it, commits and tags it, and pushes and
// publishes it where the user agrees. A release that fails before its commit has its tree restored; one that was made is
// pushed by hand. judge-release.ts judges the agent's work, survey-release.ts collects what is known before.
import { z } from "zod";
import { toText } from "../../git/base/bytes.js";
import { asResult } from "../../git/base/git.js";
import { readBlobs } from "../../git/base/objects.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { checkpoint, dropCheckpoint, listInHand } from "../../git/checkpoint/checkpoint.js";
import { prepareCommit, readPending, publish } from "../../git/commit/commit.js";
import { formatReleaseMessage, formatTagMessage } from "../../git/commit/message.js";
import { makeTag, pushRelease, putTagsBack } from "../../git/release/release.js";
import { restoreTo } from "../../git/restore/restore.js";
import type { Ending, StepEvent, EventOf } from "../../logging/events/events.js";
import { formatStamp } from "../../logging/run-log.js";
import { errorMessage, UserError, usageError } from "../../system/errors.js";
import type { ProcessResult } from "../../system/ports.js";
import { markOf } from "../../system/processes/mark.js";
import { err, ok, type Result } from "../../system/result.js";
import { runAll } from "../perform/gate/checks.js";
import { perform } from "../perform/perform.js";
import { renderPrompt } from "../perform/agent/prompt-for.js";
import { PUSH_LABEL, THE_RELEASE } from "../perform/tree/keep-attempt.js";
import { createMemory, type World } from "../perform/world.js";
import { takeRunLocks, type RunLocks } from "../runs/locks.js";
import { recoverRun } from "../runs/recover.js";
import type { RunRequest } from "../runs/run-request.js";
import { assembleRelease, type Assembly } from "../start/assemble.js";
import { listenToOthers } from "../start/listen.js";
import { closeRun, makeRunStarted, openWorld, type OpenRun, type RunEnd } from "../start/open-run.js";
import { isEnvironmentFailure } from "../step/drive.js";
import type { Effect } from "../step/effects.js";
import { judgeRelease, type ReleasedFile, preReleaseOf } from "./judge-release.js";
import { shortenBranch, surveyRelease, type ReleaseFacts } from "./survey-release.js";

/** The result of a release. */
export interface Released {
  from?: string;
  version?: string;
  tag?: string;
  commit?: string;
  pushed: boolean;
  /** The address of the release on GitHub. */
  published?: string;
  /** The command for the step that was not done. */
  next?: string;
  /** Why it went no further. */
  problems: readonly string[];
  /** The ref that keeps the agent's reverted changes. */
  rescue?: string;
}

/** The plan of a release: what is known, and the prompt. */
export interface ReleasePlan {
  facts: ReleaseFacts;
  agent: string;
  prompt: string;
}

interface Site {
  world: World;
  repo: Repository;
  request: RunRequest;
  facts: ReleaseFacts;
  job: ReturnType<typeof makeJob>;
  stop: AbortController;
  released: Released;
}

function makeJob(agent: string) {
  return { job: 1, iteration: 1, phase: "push" as const, agent, attempt: 1 };
}

/** Plans a release; starts no agent, writes nothing. */
export async function planRelease(request: RunRequest): Promise<ReleasePlan> {
  const { ports, project, promptsFolder } = request;
  const { repo, rules, check } = await assembleRelease({ ...request, trust: true });
  const facts = await surveyRelease(request, repo);
  const agent = rules.agent ?? "";
  const world = { ports, project, check, promptsFolder, memory: createMemory(), repo, release: facts.prompt };
  const prompt = await renderPrompt(world, makeJob(agent), { earlier: [], draft: undefined });
  return { facts, agent, prompt };
}

/** Starts a release; throws a `UserError` if it cannot start. */
export async function openRelease(
  request: RunRequest,
): Promise<OpenRun & { ended: Promise<RunEnd & { released: Released }> }> {
  const { ports, project } = request;
  const assembly = await assembleRelease(request);
  const locks = await takeRunLocks(ports, project, assembly.repo);
  try {
    return await startRelease(request, assembly, locks);
  } catch (error) {
    await locks.release();
    throw error;
  }
}

async function startRelease(
  request: RunRequest,
  assembly: Assembly & { repo: Repository },
  locks: RunLocks,
): Promise<Awaited<ReturnType<typeof openRelease>>> {
  const { ports } = request;
  const { repo, rules } = assembly;
  const recovered = await recoverRun(ports, locks, repo);
  const left = await endKilled(request, repo);
  const facts = await surveyRelease(request, repo);
  const { remote } = facts;
  const reasons = [
    ...(remote === undefined ? [] : [`a release is pushed to ${remote.name}`]),
    ...(facts.prompt.checks.length > 0 ? [] : ["nothing checks this release: verify.commands is empty"]),
  ];
  if (!request.yes && !canAsk(request) && reasons.length > 0)
    throw usageError("confirmation needed: pass -y", `without a terminal: ${reasons.join("; ")}`);
  const world = await openWorld(request, assembly, { locks, release: facts.prompt });
  const ready = { ...assembly, rules: { ...rules, release: {} }, warnings: [...assembly.warnings, ...left] };
  await world.log.tell(
    makeRunStarted(request, { ...ready, head: { commit: facts.head, branch: facts.branch } }, world.log.run),
    recovered,
  );
  const stop = new AbortController();
  const released: Released = { from: facts.known.from, pushed: false, problems: [] };
  const job = makeJob(rules.agent ?? "");
  const site: Site = { world, repo, request, facts, job, stop, released };
  let signal: string | undefined;
  const interrupt = (event: EventOf<"run_interrupted">): void => {
    void world.log.tell(event);
    const how = signal === undefined ? "now" : "kill";
    signal = event.signal;
    stop.abort();
    for (const running of world.memory.stops.values()) running.abort(how);
    // The push and gh end with all their processes; before that, git restores the tree.
    if (released.commit !== undefined) void ports.processes.sweep(markOf(world.log.folder));
  };
  return {
    run: world.log.run,
    folder: world.log.folder,
    redact: world.log.redact,
    interrupt: (name) => {
      if (name !== "SIGHUP" || request.hangsUp)
        interrupt({ type: "run_interrupted", signal: name, terminal: request.hangsUp });
    },
    ended: closeRun(world, locks, async () => {
      const stopListening = listenToOthers(ports, { folder: world.log.folder }, (event) => {
        if (event.type === "run_interrupted") interrupt(event);
      });
      try {
        const ending = await release(site);
        const message = site.released.problems.join("; ");
        const end = { ending, signal, message: message === "" ? undefined : message };
        await world.log.tell(
          await perform(world, { kind: "finish", ...end, done: 0, tasks: 0, iterations: 0 }),
        );
        return { ...end, released: site.released };
      } finally {
        stopListening();
      }
    }),
  };
}

function canAsk({ terminal, confirm }: RunRequest): boolean {
  return terminal && confirm !== undefined;
}

async function ask({ request, stop }: Site, question: string): Promise<boolean> {
  if (request.yes || stop.signal.aborted) return !stop.signal.aborted;
  return canAsk(request) && (await request.confirm?.(question, [])) === true;
}

/** Finishes the pending commit of a killed release; without one, saves its changes as a rescue. */
async function endKilled({ ports }: RunRequest, repo: Repository): Promise<string[]> {
  const pending = await readPending(repo);
  if (pending !== undefined) {
    if (!z.object({ release: z.string() }).safeParse(pending.facts).success)
      throw new UserError(
        "no",
        "a run that was killed left a commit unfinished",
        "looper run finishes it; then push",
      );
    await publish(repo, pending);
    await dropCheckpoint(repo, THE_RELEASE);
    return ["finished the commit of a release that was killed"];
  }
  if ((await listInHand(repo, [THE_RELEASE])).length === 0) return [];
  const run = `push-${formatStamp(ports.clock.now())}`;
  const kept = await checkpoint(repo, { id: THE_RELEASE, run, reuse: true });
  const { rescue } = await restoreTo(repo, { checkpoint: kept, run, label: PUSH_LABEL });
  await dropCheckpoint(repo, THE_RELEASE);
  return rescue === undefined
    ? []
    : [`a release was killed before it was made; what it changed is kept: ${rescue}`];
}

async function release(site: Site): Promise<Ending> {
  const { world, stop, facts } = site;
  const unchecked = facts.prompt.checks.length === 0;
  if (unchecked)
    await world.log.tell({
      type: "warning",
      message: "nothing checks this release: verify.commands is empty",
    });
  if (unchecked && !(await ask(site, "Nothing checks this release. Release it?")))
    return end(site, "no confirmation");
  try {
    await performLogged(site, { kind: "checkpoint", job: site.job, reuse: false });
    const planned = await prepare(site);
    if (!planned.ok)
      return await putBack(site, stop.signal.aborted ? "interrupted" : "blocked", planned.error);
    await make(site, planned.value);
    return await send(site, planned.value);
  } catch (error) {
    if (!isEnvironmentFailure(error)) throw error;
    if (site.released.commit !== undefined) return end(site, errorMessage(error), "environment");
    return putBack(site, "environment", [errorMessage(error)]);
  }
}

function end(site: Site, problem: string, ending: Ending = "blocked"): Ending {
  site.released.problems = [problem];
  return site.stop.signal.aborted ? "interrupted" : ending;
}

async function performLogged<K extends StepEvent["type"]>(
  { world }: Site,
  effect: Effect,
): Promise<EventOf<K>> {
  const event = await perform(world, effect);
  await world.log.tell(event);
  return event as EventOf<K>;
}

/** Saves the agent's work as a rescue and restores the tree. */
async function putBack(site: Site, ending: Ending, problems: readonly string[]): Promise<Ending> {
  const { rescue } = await performLogged<"restored">(site, { kind: "restore", job: site.job });
  Object.assign(site.released, { rescue, problems });
  return ending;
}

/** A release that passed everything. */
interface Planned {
  version: string;
  tag: string;
  notes: string;
}

/** Has the agent prepare the release, and checks it; the problems if it is not one. */
async function prepare(site: Site): Promise<Result<Planned, readonly string[]>> {
  const { world, repo, facts, job, stop } = site;
  const before = await runChecks(site, "before anything was changed");
  if (before.length > 0) return err(before);
  const agent = await performLogged<"agent_finished">(site, {
    kind: "run-agent",
    job,
    label: PUSH_LABEL,
    earlier: [],
  });
  if (stop.signal.aborted) return err(["interrupted"]);
  if (agent.outcome !== "ok")
    return err([`the agent ${job.agent} failed (${agent.reason ?? ""}): ${agent.evidence ?? ""}`]);
  const taken = await performLogged<"snapshot">(site, { kind: "snapshot", job });
  for (const message of [...taken.warnings, ...(await putTagsBack(repo, facts.tags))])
    await world.log.tell({ type: "warning", ...job, message });
  if (taken.head === "moved") return err([taken.why ?? "the agent moved HEAD"]);
  const changes = await readChanges(repo, world.memory.of(job.job).snapshot?.changes ?? []);
  const changelog = `${repo.cwd}/${facts.known.changelog ?? "CHANGELOG.md"}`;
  const text = Buffer.from((await world.ports.files.read(changelog)) ?? []).toString("utf8");
  const { version, notes, problems } = judgeRelease(facts.known, changes, text);
  if (version === undefined || problems.length > 0) return err(problems);
  const tag = facts.known.prefix + version;
  Object.assign(site.released, { version, tag });
  await tellStep(
    site,
    `${facts.known.from ?? "nothing"} → ${version} in ${changes.map(({ path }) => path).join(", ")}`,
  );
  const after = await runChecks(site, "with the release in the tree");
  return after.length > 0 ? err(after) : ok({ version, tag, notes });
}

async function tellStep({ world }: Site, text: string): Promise<void> {
  await world.log.tell({ type: "release_step", text });
}

/** Runs the project's checks; returns those that fail. */
async function runChecks(site: Site, when: string): Promise<string[]> {
  const { world, job, stop, facts } = site;
  if (facts.prompt.checks.length === 0) return stop.signal.aborted ? ["interrupted"] : [];
  const done = await runAll(world, job, stop.signal);
  if (done === "interrupted" || stop.signal.aborted) return ["interrupted"];
  for (const message of done.warnings) await world.log.tell({ type: "warning", ...job, message });
  const red = done.ran.filter(({ end: how }) => how.how !== "exited" || how.code !== 0);
  for (const one of done.ran) {
    const tail = red.includes(one) ? `\n${one.tail.trimEnd().split("\n").slice(-TAIL).join("\n")}` : "";
    await tellStep(site, `${red.includes(one) ? "failed" : "passed"}: ${one.command}${tail}`);
  }
  return red.map(({ command }) => `${command} fails, ${when}`);
}

/** How many lines of a check's output are shown. */
const TAIL = 20;
/** Larger files are not read as text. */
const LARGEST = 8 << 20;

async function readChanges(repo: Repository, changes: readonly DiffEntry[]): Promise<ReleasedFile[]> {
  const oids = changes
    .flatMap(({ from, to }) => [from, to])
    .flatMap(({ mode, oid }) => (mode.startsWith("100") ? [oid] : []));
  const blobs = await readBlobs(repo, oids, LARGEST);
  const textOf = (oid: string): string | undefined => {
    const bytes = blobs.get(oid);
    return bytes === undefined || bytes.includes("\0") ? undefined : toText(bytes);
  };
  return changes.map(({ path, from, to }) => ({
    path: toText(path),
    before: textOf(from.oid),
    after: textOf(to.oid),
    plain: to.mode.startsWith("100") && (exists(from) ? from.mode === to.mode : to.mode === "100644"),
  }));
}

/** Commits and tags the release. */
async function make(site: Site, { version, tag, notes }: Planned): Promise<void> {
  const { world, repo, facts, job } = site;
  const taken = world.memory.of(job.job).snapshot;
  if (taken === undefined) throw new Error("the release has no snapshot");
  await world.log.sync();
  const message = formatReleaseMessage({ version, tag, notes, run: world.log.run, agent: job.agent });
  // A backlog that git does not track is not committed.
  const own = taken.backlogMode === undefined ? { ...repo, todo: undefined } : repo;
  const backlog = (await world.ports.files.read(world.project.todoFile)) ?? new Uint8Array();
  const order = { taskId: undefined, run: world.log.run, snapshot: taken, backlog, message };
  const prepared = await prepareCommit(own, { ...order, facts: { release: tag } });
  const made = prepared === "nothing" ? { commit: facts.head, warnings: [] } : await publish(own, prepared);
  site.released.commit = made.commit;
  for (const warning of made.warnings) await world.log.tell({ type: "warning", ...job, message: warning });
  await makeTag(repo, { name: tag, commit: made.commit, message: formatTagMessage({ tag, notes }) });
  await dropCheckpoint(repo, THE_RELEASE);
  await tellStep(site, `committed ${made.commit.slice(0, 12)}, tagged ${tag}`);
}

/** Pushes and publishes, each where the user agrees. */
async function send(site: Site, { version, tag, notes }: Planned): Promise<Ending> {
  const { world, repo, facts, released } = site;
  const { remote, branch } = facts;
  if (remote === undefined) return "complete";
  const name = shortenBranch(branch);
  released.next = `git push --atomic ${remote.name} ${name} ${tag}`;
  const url = remote.url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, "$1");
  if (!(await ask(site, `Push ${name} and ${tag} to ${remote.name} (${url})?`)))
    return end(site, "it is not pushed");
  await world.log.sync();
  const pushed = await asResult(() => pushRelease(repo, { remote, branch, tag }));
  if (!pushed.ok) return end(site, `${remote.name} rejected the push: ${pushed.error.message}`);
  released.pushed = true;
  released.next = `gh release create ${tag}`;
  await tellStep(site, `pushed ${name} and ${tag} to ${remote.name}`);
  const { processes } = world.ports;
  const gh = await processes.which("gh", world.env["PATH"] ?? "", repo.cwd);
  const [, on] =
    /(?:^|[@/.])github\.com(?::\d+)?[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(remote.url) ?? [];
  if (gh === undefined || on === undefined) return "complete";
  if (!(await ask(site, `Publish the release ${tag} on ${on}?`))) return "complete";
  const flags = ["--repo", on, "--title", tag, "--verify-tag", "--notes-file", "-"];
  const pre = preReleaseOf(version) === "" ? [] : ["--prerelease"];
  const env = { ...world.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1", GH_NO_UPDATE_NOTIFIER: "1" };
  const args = ["release", "create", tag, ...flags, ...pre];
  const made = await processes.run(
    { command: gh, args, cwd: repo.cwd, env, input: notes },
    { timeoutMs: PUBLISH_MS },
  );
  const published = Buffer.from(made.stdout).toString("utf8").trim();
  if (hasPassed(made)) Object.assign(released, { published });
  else released.problems = [`not published: ${made.stderr.trim().split("\n")[0] ?? "gh failed"}`];
  await tellStep(site, hasPassed(made) ? `published ${published}` : (released.problems[0] ?? ""));
  return "complete";
}

const PUBLISH_MS = 120_000;

function hasPassed({ end: how, timedOut }: ProcessResult): boolean {
  return !timedOut && how.how === "exited" && how.code === 0;
}
