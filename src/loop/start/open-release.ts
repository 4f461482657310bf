// The start of a release: finishes or saves what a killed release left, then collects the facts to release. For `--dry-run`,
// collects them without starting or writing anything.
import { z } from "zod";
import { checkpoint, dropCheckpoint } from "../../git/checkpoint/checkpoint.js";
import { withHint } from "../../git/base/git.js";
import { headOf } from "../../git/base/repository/head.js";
import { listInHand } from "../../git/checkpoint/in-hand.js";
import { recoverPending } from "../../git/commit/pending.js";
import { publish } from "../../git/commit/publish.js";
import { findRemote } from "../../git/release/remote.js";
import { restoreTo } from "../../git/restore/restore.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { formatStamp } from "../../logging/run-log.js";
import type { ReleaseRules } from "../../logging/rules.js";
import { UserError } from "../../system/errors.js";
import { resolveReleaseAgent, openReleaseRepository, type Assembly } from "./assemble.js";
import { checkRequest } from "./before/check-request.js";
import { THE_RELEASE } from "../perform/tree/keep-attempt.js";
import { renderPrompt } from "../perform/agent/prompt-for.js";
import { PUSH_LABEL } from "../step/releasing.js";
import { SURVEY_HINT, surveyRelease, type ReleaseFacts } from "../../release/survey.js";
import { given } from "../../system/given.js";
import type { RunRequest } from "../runs/run-request.js";
import { createMemory } from "../perform/world.js";

const ReleaseCommit = z.object({ release: z.string() });

/** Adds the facts of a release, if the run is one. Contract: the locks are held, and dead runs are swept. */
export async function prepareRelease(
  request: RunRequest,
  assembly: Assembly,
): Promise<Assembly & { release?: ReleaseFacts }> {
  const { repo, rules } = assembly;
  if (request.release === undefined || repo === undefined) return assembly;
  const left = await withHint(SURVEY_HINT, async () => {
    await requireConfirmation(request, repo, rules.baseline);
    return endKilled(request, repo);
  });
  const warnings = [...assembly.warnings, ...left];
  const release = await collectFacts(request, repo);
  return { ...assembly, warnings, release, rules: { ...rules, release: makeReleaseRules(request, release) } };
}

function collectFacts(request: RunRequest, repo: Repository): Promise<ReleaseFacts> {
  return surveyRelease({ ...request, wanted: request.release?.wanted }, repo);
}

/** Requires confirmation by the user or by -y, before anything starts, for a push and for a release without checks. */
async function requireConfirmation(
  { yes, terminal, confirm }: RunRequest,
  repo: Repository,
  checks: boolean,
): Promise<void> {
  if (yes || (terminal && confirm !== undefined)) return;
  const { branch } = await headOf(repo);
  const found = branch === undefined ? { none: true } : await findRemote(repo, branch);
  const reasons = [
    ...("remote" in found ? [`a release is pushed to ${found.remote.name}`] : []),
    ...(checks ? [] : ["nothing checks this release: verify.commands is empty"]),
  ];
  if (reasons.length > 0)
    throw new UserError("usage", "confirmation needed: pass -y", `without a terminal: ${reasons.join("; ")}`);
}

/** Finishes the pending commit of a killed release; without one, saves its changes as a rescue. */
async function endKilled({ ports }: RunRequest, repo: Repository): Promise<string[]> {
  const pending = await recoverPending(repo);
  if (pending !== undefined) {
    if (!ReleaseCommit.safeParse(pending.facts).success)
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

/** The rules of the release machine. */
function makeReleaseRules(request: RunRequest, facts: ReleaseFacts): ReleaseRules {
  const { known, branch, remote, github, made } = facts;
  const { from, wanted } = known;
  const isAsked = request.terminal && request.confirm !== undefined;
  const { verify } = request.project.resolved.settings;
  return {
    ...given({ from, wanted }),
    checks: verify.commands.length > 0,
    answers: request.yes ? "yes" : isAsked ? "person" : "nobody",
    branch: shortenBranch(branch),
    ...(remote === undefined
      ? {}
      : {
          remote: {
            name: remote.name,
            url: removePassword(remote.url),
            branch: shortenBranch(remote.branch),
          },
        }),
    ...given({ github }),
    ...(made === undefined ? {} : { made: omitNotes(made) }),
  };
}

function omitNotes(made: NonNullable<ReleaseFacts["made"]>): ReleaseRules["made"] {
  const { notes: _long, ...rest } = made;
  return rest;
}

function shortenBranch(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** Removes a password or token from a URL. */
function removePassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, "$1");
}

/** The plan of a release. */
export interface ReleasePlan {
  facts: ReleaseFacts;
  rules: ReleaseRules;
  agent: string;
  /** Absent if the release was made before and only has to be pushed. */
  prompt?: string;
}

/** Plans a release; starts no agent, writes nothing. */
export async function planRelease(request: RunRequest): Promise<ReleasePlan> {
  const { ports, project, promptsFolder } = request;
  const { tasks } = await checkRequest(request);
  const repo = await openReleaseRepository(request);
  const { agent, check } = await resolveReleaseAgent(request, tasks);
  const release = await collectFacts(request, repo);
  const rules = makeReleaseRules(request, release);
  if (release.made !== undefined) return { facts: release, rules, agent };
  const world = { ports, project, check, promptsFolder, memory: createMemory(), repo, release };
  const job = { job: 1, iteration: 1, phase: "push" as const, agent, attempt: 1 };
  const prompt = await renderPrompt(world, job, { earlier: [], draft: undefined });
  return { facts: release, rules, agent, prompt };
}
