// After an attempt or a review is settled: counts reviews, drops an agent that cannot be used, then starts the hooks. Pure.
// settle.ts does the settling.
import { describeSkipped } from "../../../agents/failure-words.js";
import { endReleased } from "../edits.js";
import { startNext } from "../choose.js";
import { startAfter } from "./job.js";
import { isVisit } from "./routes.js";
import { takeMoved } from "./visit.js";
import { dropJob, replaceJob, uncount } from "../jobs.js";
import { dropsAgent, endsRun, backsOffAgent } from "./verdict.js";
import { canContinueWithout } from "../schedule/schedule.js";
import type { Job, RunState, Work } from "../state.js";
import type { Decision } from "../decision.js";

/** Continues once the backlog holds the result of a job. */
export function continueAfterSettle(
  settled: Work,
  job: Job,
  refused: readonly { op: string; id?: string | undefined }[],
  decision: Decision,
): RunState {
  const { task_id: id } = job.facts;
  const isTaken = id !== undefined && refused.some((one) => one.id === id && one.op !== "advance");
  const seen =
    job.final === true && id !== undefined && !isTaken
      ? { ...settled, final: settled.final.with(id, true) }
      : settled;
  const work = takeMoved(seen, job, refused, decision);
  decision.because = { rule: "settled", why: job.verdict?.kind ?? "" };
  // L16: a person took the task from the job before its result was written: the edit counts.
  if (isTaken && !isVisit(job.route)) return startNext(endReleased(work, job), decision);
  if (job.released === true) return startNext(endReleased(work, job), decision);
  // L17: this does not count as an attempt, so no hook runs for it.
  if (backsOffAgent(job.verdict) || job.verdict?.kind === "held")
    return startNext(uncount(dropJob(work, job), job), decision);
  const then = dropsAgent(job.verdict)
    ? dropAgent(work, job, decision)
    : job.facts.phase === "review"
      ? countReview(work, job, decision)
      : work;
  const silent = then.stopping >= 2 || job.verdict?.kind === "interrupted";
  const after = silent ? undefined : startAfter(job, then.rules, decision);
  if (after !== undefined) return { phase: "working", work: replaceJob(then, after) };
  return endJob(then, job, decision);
}

/** Ends the job; the next one waits for the delay, if one is set. */
export function endJob(work: Work, job: Job, decision: Decision): RunState {
  const { delay_ms } = work.rules;
  const rest = dropJob(work, job);
  return startNext(delay_ms > 0 ? { ...rest, resumeAt: decision.at + delay_ms } : rest, decision);
}

function countReview(work: Work, job: Job, decision: Decision): Work {
  const { reviews } = work;
  const { verdict } = job;
  if (verdict?.kind === "failed") {
    const failed = reviews.failed + 1;
    const { reason, evidence } = verdict;
    const next = failed < 2 && !endsRun(job.end) ? "retry" : "end";
    decision.notes.push({ type: "attempt_failed", ...job.facts, reason, evidence, next });
    return { ...work, reviews: { ...reviews, failed } };
  }
  if (verdict?.kind !== "reviewed") return work;
  return verdict.added > 0
    ? { ...work, reviews: { added: reviews.added + 1, failed: 0, clean: false } }
    : { ...work, reviews: { ...reviews, failed: 0, clean: true } };
}

/** Drops an agent that cannot be used. The attempt does not count; the next agent in the schedule takes the task. */
function dropAgent(work: Work, job: Job, decision: Decision): Work {
  const { agent } = job.facts;
  const dropped = new Set([...work.dropped, agent]);
  const end = job.verdict?.kind === "failed" ? job.verdict : undefined;
  const message = `${agent}: ${end?.evidence ?? "cannot be used"}`;
  decision.notes.push({
    type: "warning",
    ...job.facts,
    message: describeSkipped(agent, end ?? { evidence: "" }),
  });
  const left = uncount({ ...work, dropped }, job);
  if (canContinueWithout(work.rules, dropped)) return left;
  return { ...left, closing: work.closing ?? { ending: "environment", message } };
}
