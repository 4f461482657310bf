// The attempts at a task, as the logs know them: their rows, and one with its verdict and decisions.
import path from "node:path";
import { z } from "zod";
import { GateReport } from "../../src/gate/verdict.js";
import { CheckedCommand } from "../../src/logging/events/event-parts.js";
import type { Sealed } from "../../src/logging/events/events.js";
import { readEvent, readLines } from "../../src/logging/read.js";
import type { Ports } from "../../src/system/ports.js";
import { attemptsIn } from "../../src/ui/answers/backlog/show.js";
import { ShowAnswer } from "../../src/ui/shapes/runs.js";
import { reasonsOf } from "../../src/ui/view/judged.js";
import { readViewOf, readViews } from "../../src/ui/view/read-view.js";
import type { View } from "../../src/ui/view/view.js";
import { listOwnRuns } from "../lookup/find-run.js";
import type { ApiCall } from "./route.js";

/** A row: `looper show --json` has the same without `ended` and `model`. */
export const Attempt = ShowAnswer.shape.history.element.extend({
  ended: z.string().nullable().describe("RFC 3339; null while it is in progress, or if its run was killed"),
  model: z.string().nullable().describe("As its settings name it; null: its client chooses"),
});
export type Attempt = z.infer<typeof Attempt>;

const Step = z.object({
  seq: z.int(),
  at: z.string().describe("RFC 3339"),
  type: z.string(),
  duration_ms: z.number().optional(),
});

const Failure = z.object({
  ...{ reason: z.string(), evidence: z.string(), next: z.string(), until: z.string().optional() },
});

export const AttemptDetail = z.object({
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

/** Every attempt that the logs know, the newest first. */
export async function listAttempts({ context, site }: ApiCall, task: string): Promise<Attempt[]> {
  const project = await site.project();
  const all: Attempt[] = [];
  for (const run of (await listOwnRuns(context, project)).toReversed())
    all.push(...(await attemptsOf({ context, site }, path.join(project.logDir, "runs", run), task)));
  return all;
}

/** A job of an agent: an attempt at a task, a review, a draft or a repair. */
export const AgentJob = z.object({
  run: z.string(),
  job: z.int(),
  phase: z.string(),
  task: z.string().nullable(),
  stage: z.string().nullable(),
  agent: z.string(),
  attempt: z.int(),
  started: z.string().describe("RFC 3339"),
  duration_ms: z.number().describe("Until now, of the one in progress"),
  result: z.string().nullable().describe("In a word; null while it is in progress, or if its run was killed"),
  verdict: z.string().nullable(),
  why: z.string(),
  tokens: z.int(),
  cost_usd: z.number().nullable(),
});
type AgentJob = z.infer<typeof AgentJob>;

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

/** The newest jobs of an agent, at most so many. */
export async function listJobs({ context, site }: ApiCall, agent: string, most: number): Promise<AgentJob[]> {
  const jobs: AgentJob[] = [];
  for await (const view of readViews(context.ports, await site.project())) {
    jobs.push(
      ...jobsOf(view)
        .reverse()
        .filter((one) => one.agent === agent),
    );
    if (jobs.length >= most) break;
  }
  return jobs.slice(0, most);
}

/** Those of one run, the newest first. */
export async function attemptsOf(
  { context: { ports }, site }: Pick<ApiCall, "context" | "site">,
  folder: string,
  task: string,
): Promise<Attempt[]> {
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
export async function readAttempt({ ports }: ApiCall["context"], folder: string, attempt: Attempt) {
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
  const judged = (): AttemptDetail["gate"] => {
    if (gate === undefined) return null;
    const { seq, duration_ms, verdict } = gate;
    const isUnsure = verdict === "unbroken" || verdict === "unverified";
    return {
      ...GateReport.parse(gate),
      seq,
      duration_ms,
      reasons: isUnsure ? reasonsOf(gate, baseline ?? []) : [],
    };
  };
  return {
    baseline: baseline ?? null,
    gate: judged(),
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
