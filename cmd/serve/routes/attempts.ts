// Routes of the attempts at a task, as the logs know them: their list, one of them with its verdict and its
// decisions, and what it changed.
import path from "node:path";
import { z } from "zod";
import { GateReport } from "../../../src/gate/verdict.js";
import { GitError } from "../../../src/git/base/git.js";
import { attemptRef } from "../../../src/git/base/names.js";
import { changedFiles, filePatch, treesOf, type Trees } from "../../../src/git/base/read/file-diff.js";
import { openRepository, type Repository } from "../../../src/git/base/repository/repository.js";
import { listRescues } from "../../../src/git/bring-back/bring-back.js";
import { CheckedCommand } from "../../../src/logging/events/event-parts.js";
import type { Sealed } from "../../../src/logging/events/events.js";
import { readEvent, readLines } from "../../../src/logging/read.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import { quoteIfNeeded } from "../../../src/shell/quote.js";
import type { Ports } from "../../../src/system/ports.js";
import { attemptsIn } from "../../../src/ui/answers/backlog/show.js";
import { ShowAnswer } from "../../../src/ui/shapes/runs.js";
import { whyNotVerified } from "../../../src/gate/verdict/reasons.js";
import { readViewOf, readViews } from "../../../src/ui/view/read-view.js";
import type { View } from "../../../src/ui/view/view.js";
import { listOwnRuns } from "../../lookup/find-run.js";
import { ApiError } from "../api-error.js";
import { count, route, type ApiCall, type ApiRoute } from "../route.js";
import { folderOf } from "../run-folder.js";
import { findRow } from "./tasks.js";

/** A row: `looper show --json` has the same without `ended` and `model`. */
const Attempt = ShowAnswer.shape.history.element.extend({
  ended: z.string().nullable().describe("RFC 3339; null while it is in progress, or if its run was killed"),
  model: z.string().nullable().describe("As its settings name it; null: its client chooses"),
});
type Attempt = z.infer<typeof Attempt>;

const Step = z.object({
  seq: z.int(),
  at: z.string().describe("RFC 3339"),
  type: z.string(),
  duration_ms: z.number().optional(),
});

const Failure = z.object({
  ...{ reason: z.string(), evidence: z.string(), next: z.string(), until: z.string().optional() },
});

const AttemptDetail = z.object({
  attempt: Attempt,
  baseline: z.array(CheckedCommand).nullable().describe("The checks before its work; null: not measured"),
  gate: GateReport.extend({
    seq: z.int().describe("The line of the log"),
    duration_ms: z.number(),
    reasons: z.array(z.string()).describe("Why it is not verified; empty if it is, or if it failed"),
  })
    .nullable()
    .describe("The verdict on each check, with its evidence; null: no gate ran"),
  report: z.looseObject({}).nullable().describe("As the agent reported it; null: it has not, or not in form"),
  usage: z.looseObject({}).nullable(),
  failure: Failure.nullable(),
  steps: z.array(Step).describe("Its lines of the log without those of its agent, in order"),
  decisions: z
    .array(
      z.object({
        seq: z.int(),
        of: z.int().describe("The line that it was decided on"),
        because: z.looseObject({ rule: z.string() }),
        effects: z.array(z.string()),
      }),
    )
    .describe("The decisions on them, and why"),
});
type AttemptDetail = z.infer<typeof AttemptDetail>;

/** A job of an agent: an attempt at a task, a review, a draft or a repair. */
export const AgentJob = ShowAnswer.shape.history.element
  .pick({ run: true, job: true, agent: true, attempt: true, started: true, tokens: true, cost_usd: true })
  .extend({
    phase: z.string(),
    task: z.string().nullable(),
    stage: z.string().nullable(),
    duration_ms: z.number().describe("Until now, of the one in progress"),
    result: z
      .string()
      .nullable()
      .describe("In a word; null while it is in progress, or if its run was killed"),
    verdict: z.string().nullable(),
    why: z.string(),
  });
export type AgentJob = z.infer<typeof AgentJob>;

/** The finished jobs of a run as they began, then the one in progress. `now`: of a run that works. */
export function jobsOf({ run, finished, current, at }: View, now = at): AgentJob[] {
  const open = current === undefined ? [] : [{ ...current, result: null, ms: now - current.began, why: "" }];
  return [...finished, ...open].map(({ taskId, stage, judged, spent, ms, began, ...one }) => ({
    ...{ run, job: one.job, phase: one.phase, task: taskId ?? null, stage: stage ?? null, agent: one.agent },
    ...{ attempt: one.attempt, started: new Date(began).toISOString(), duration_ms: Math.max(0, ms) },
    ...{ result: one.result, verdict: judged?.verdict ?? null, why: one.why },
    ...{ tokens: spent.tokens, cost_usd: spent.cost ?? null },
  }));
}

/** The attempts of one run, the newest first. */
async function attemptsOf({ context, site }: ApiCall, folder: string, task: string): Promise<Attempt[]> {
  const { ports } = context;
  const { tasksDir } = (await site.project()).paths;
  const { run } = (await site.changes.state()).status;
  const isLive = run?.state === "running" && run.run === path.basename(folder);
  const view = await readViewOf(ports, folder, task);
  const now = isLive ? ports.clock.now() : undefined;
  const found = attemptsIn({ id: task }, view, { now, tasksDir });
  if (found.length === 0) return [];
  const models = await modelsOf(ports, folder);
  return found.toReversed().map((one) => ({
    ...one,
    ended: one.result === null ? null : new Date(Date.parse(one.started) + one.duration_ms).toISOString(),
    model: models.get(one.agent) ?? null,
  }));
}

/** The models of a run's agents, by its first line. */
async function modelsOf(ports: Pick<Ports, "files">, folder: string): Promise<Map<string, string>> {
  for await (const line of readLines(ports, folder)) {
    const event = await readEvent(ports, folder, line);
    const agents = event?.type === "run_started" ? event.agents : [];
    return new Map(agents.flatMap(({ name, model }) => (model === undefined ? [] : [[name, model]])));
  }
  return new Map();
}

/** Lines of the agent's own, which a client reads as events. */
const SAID: ReadonlySet<string> = new Set(
  "message tool_use tool_result command error usage summary task_updated".split(" "),
);

/** One attempt, by the lines of its job. */
async function readAttempt({ ports }: ApiCall["context"], folder: string, attempt: Attempt) {
  const events = new Map<number, Sealed>();
  const decisions: AttemptDetail["decisions"] = [];
  const holding = [`"job":${attempt.job},`, `"job":${attempt.job}}`, '"type":"decided"'];
  const but = (type: string): boolean => SAID.has(type);
  for await (const line of readLines(ports, folder, 0, { but, holding })) {
    const event = await readEvent(ports, folder, line);
    if (event?.type === "decided") {
      const { seq, of, because, effects } = event;
      if (events.has(of)) decisions.push({ seq, of, because, effects: effects.map(({ kind }) => kind) });
    } else if (event !== undefined && "job" in event && event.job === attempt.job)
      events.set(event.seq, event);
  }
  return { attempt, ...factsOf([...events.values()]), decisions };
}

function factsOf(events: readonly Sealed[]): Omit<AttemptDetail, "attempt" | "decisions"> {
  const last = <T extends Sealed["type"]>(type: T): Extract<Sealed, { type: T }> | undefined =>
    events.findLast((one): one is Extract<Sealed, { type: T }> => one.type === type);
  const [gate, agent, failed] = [last("gate_finished"), last("agent_finished"), last("attempt_failed")];
  const baseline = last("baseline_finished")?.commands;
  const { report } = agent ?? {};
  const isUnsure = gate?.verdict === "unbroken" || gate?.verdict === "unverified";
  const reasons = isUnsure ? whyNotVerified(gate, baseline ?? []) : [];
  const judged = gate && { ...GateReport.parse(gate), seq: gate.seq, duration_ms: gate.duration_ms, reasons };
  return {
    baseline: baseline ?? null,
    gate: judged ?? null,
    report: report !== undefined && "found" in report ? report.found : null,
    usage: agent?.usage ?? null,
    failure: failed === undefined ? null : Failure.parse(failed),
    steps: events.map((one) => ({
      seq: one.seq,
      at: one.timestamp,
      type: one.type,
      ...("duration_ms" in one && one.duration_ms !== undefined ? { duration_ms: one.duration_ms } : {}),
    })),
  };
}

const MOST_PATCH = 2 << 20;
const MOST_FILES = 5_000;

/** The attempt of the path; throws 404 where the log has none. */
async function findAttempt(call: ApiCall): Promise<{ folder: string; attempt: Attempt }> {
  const { id = "", job = "" } = call.params;
  const folder = await folderOf(call);
  const attempt = (await attemptsOf(call, folder, id)).find((one) => String(one.job) === job);
  if (attempt === undefined)
    throw new ApiError(404, "no-attempt", `run ${path.basename(folder)} has no attempt ${job} at ${id}`);
  return { folder, attempt };
}

const OF = ["attempt", "commit", "rescue"] as const;

/** The trees before and after: of its commit, of what was put aside, or of the tree as its agent left it. */
async function treesFor(
  repo: Repository,
  { run, job, commit, rescue }: Attempt,
  { id, of }: { id: string; of: (typeof OF)[number] },
): Promise<Trees> {
  const saved = of === "rescue" ? (await listRescues(repo)).find(({ ref }) => ref === rescue) : undefined;
  const tip = of === "attempt" ? attemptRef(run, id, job) : of === "commit" ? commit : null;
  const found = saved && { from: saved.from, to: saved.commit };
  const trees = found ?? (tip === null ? undefined : await treesOf(repo, tip));
  if (trees !== undefined) return trees;
  throw new ApiError(404, "no-work", `this attempt has no ${of}, or no longer`);
}

export const ATTEMPT_ROUTES: readonly ApiRoute[] = [
  route("GET", "/agents/{name}/history", {
    does: "The newest jobs of an agent with their results, 20 or `limit`.",
    query: z.strictObject({ limit: count(1_000).optional() }),
    answer: z.object({ agent: z.string(), jobs: z.array(AgentJob) }),
    handle: async (call) => {
      const { name: agent = "" } = call.params;
      const { limit = 20 } = call.query;
      const jobs: AgentJob[] = [];
      for await (const view of readViews(call.context.ports, await call.site.project())) {
        const own = jobsOf(view).filter((one) => one.agent === agent);
        jobs.push(...own.reverse());
        if (jobs.length >= limit) break;
      }
      return { agent, jobs: jobs.slice(0, limit) };
    },
  }),
  route("GET", "/tasks/{id}/attempts", {
    does: "Every attempt at it that the logs know, the newest first.",
    answer: z.object({ task: z.string(), attempts: z.array(Attempt) }),
    errors: [404],
    handle: async (call) => {
      const { id: task = "" } = call.params;
      const project = await call.site.project();
      const attempts: Attempt[] = [];
      for (const run of (await listOwnRuns(call.context, project)).toReversed())
        attempts.push(...(await attemptsOf(call, path.join(project.logDir, "runs", run), task)));
      // Of a task that was removed the logs know more than the task file.
      if (attempts.length === 0) await findRow(call);
      return { task, attempts };
    },
  }),
  route("GET", "/tasks/{id}/attempts/{run}/{job}", {
    does: "One attempt: the verdict on each check with its evidence, decisions with their reasons, usage.",
    answer: AttemptDetail,
    errors: [404],
    handle: async (call) => {
      const { folder, attempt } = await findAttempt(call);
      return readAttempt(call.context, folder, attempt);
    },
  }),
  route("GET", "/tasks/{id}/attempts/{run}/{job}/diff", {
    does: "Its changes: the files with their lines, or with `path` the patch of one of them, at most 2 MiB. `of`: its `commit`, its `rescue`, or the tree as its agent left it (`attempt`).",
    query: z.strictObject({ of: z.enum(OF).optional(), path: z.string().min(1).optional() }),
    answer: z.object({
      of: z.enum(OF),
      from: z.string(),
      to: z.string(),
      total: z.int().describe("How many files it changed"),
      files: z.array(
        z.object({
          path: z.string(),
          added: z.int().nullable().describe("Lines; null: binary"),
          removed: z.int().nullable(),
        }),
      ),
      patch: z.string().optional().describe("Only with `path`"),
    }),
    errors: [404, 409, 413],
    handle: async (call) => {
      const { attempt } = await findAttempt(call);
      const { of = attempt.commit !== null ? "commit" : "attempt", path: one } = call.query;
      const places = makeRepositoryPlaces({ project: await call.site.project(), env: call.context.env });
      const opened = await openRepository(call.context.ports, places);
      if (!opened.ok) throw new ApiError(409, "no-git", opened.error.message);
      const repo = opened.value;
      try {
        const trees = await treesFor(repo, attempt, { id: call.params["id"] ?? "", of });
        const all = await changedFiles(repo, trees);
        const head = { of, ...trees, total: all.length };
        if (one === undefined) return { ...head, files: all.slice(0, MOST_FILES) };
        const files = all.filter((file) => file.path === one);
        if (files.length === 0) throw new ApiError(404, "no-file", `it did not change ${one}`);
        const patch = await filePatch(repo, trees, { path: one, most: MOST_PATCH });
        if (patch === undefined)
          throw new ApiError(413, "size", `the patch of ${one} has more than ${MOST_PATCH} bytes`, {
            hint: `git diff ${trees.from} ${trees.to} -- ${quoteIfNeeded(one)}`,
          });
        return { ...head, files, patch };
      } catch (error) {
        if (error instanceof GitError) throw new ApiError(409, "no-work", error.message);
        throw error;
      }
    },
  }),
];
