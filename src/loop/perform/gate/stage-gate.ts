// The gate of a stage: what the stage's `gate` means for the gate of an attempt, and the tests that earlier stages wrote and this
// one must not change. checks.ts runs the commands.
import { toText } from "../../../git/base/bytes.js";
import { joinChanges, sameVersion, type DiffEntry } from "../../../git/base/read/diff.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import { diffTrees } from "../../../git/index/index-file.js";
import { readWork } from "../../../git/saved-work/work-ref.js";
import type { Reference } from "../../../gate/influence/reference.js";
import type { GateReport } from "../../../gate/verdict.js";
import { listSome } from "../../../system/text/cut.js";
import type { JobFacts } from "../../step/effects.js";
import { getStage } from "../stage-of.js";
import type { World } from "../world.js";

/** How the work of a stage is checked. `commands`: instead of the project's; `check`: they are the stage. */
interface StageGate {
  how: "verify" | "red" | "none" | "commands" | "check";
  commands: readonly string[];
}

/** The gate of a job's stage; of the ends, and outside workflows, it is the project's checks. */
export function getStageGate(world: World, job: JobFacts): StageGate {
  const { commands, gate = "verify" } = getStage(world, job)?.stage ?? {};
  if (commands !== undefined) return { how: "check", commands };
  return typeof gate === "string" ? { how: gate, commands: [] } : { how: "commands", commands: gate };
}

/** The report of a stage that is not checked. */
export const NOT_CHECKED: GateReport = {
  verdict: "unverified",
  cold: false,
  commands: [],
  tampered: [],
  evidence: "",
  because: "no-checks",
};

/** The report of a check stage: only how its commands end counts. */
export function judgeCheck(report: GateReport): GateReport {
  if (report.verdict !== "unverified" && report.verdict !== "unbroken") return report;
  const { because: _because, ...rest } = report;
  return { ...rest, verdict: "passed" };
}

/**
 * The report of a stage that writes tests: it passes if a new test fails and nothing else does. `onlyTests`: no source was changed,
 * so that a command whose cases are not known can only fail for the new tests.
 */
export function judgeRed(report: GateReport, onlyTests: boolean): GateReport {
  if (report.verdict === "interrupted" || report.verdict === "tampered") return report;
  const { because: _because, needs: _needs, on: _on, proof: _proof, ...rest } = report;
  const failed = (evidence: string): GateReport => ({ ...rest, verdict: "failed", evidence });
  const red = report.commands.filter(({ verdict }) => verdict === "new" || verdict === "regressed");
  const stopped = red.filter(({ end }) => end !== "exited");
  if (stopped.length > 0) return failed(report.evidence);
  const regressed = red.flatMap(({ tests }) => tests?.regressed ?? []);
  if (regressed.length > 0)
    return failed(`tests that passed before fail now: ${listSome(regressed)}\n\n${report.evidence}`);
  const isNew = red.some(({ tests }) => (tests?.new.length ?? 0) > 0);
  const unknown = red.filter(({ tests, own }) => tests === undefined && !own);
  if (!isNew && unknown.length > 0 && !onlyTests)
    return failed(
      `${listSome(unknown.map(({ command }) => command))} fails, but names no test, and more than tests was changed: nothing shows that only a new test fails\n\n${report.evidence}`,
    );
  if (!isNew && unknown.length === 0 && !red.some(({ own }) => own))
    return failed(
      "no new test fails: this stage writes tests that fail because the work is not done yet, and every check passes",
    );
  return { ...rest, verdict: "passed", evidence: "" };
}

/** The tests that earlier stages left, and who may not change them. */
export interface ProtectedTests {
  /** The changes of the stages that are not source. */
  tests: readonly DiffEntry[];
  stages: readonly string[];
}

/**
 * The changes of the stages that this stage protects, up to their last visit. At finish: of every stage that some stage protects.
 */
export async function findProtected(
  world: World,
  repo: Repository,
  job: JobFacts,
): Promise<{ changes: readonly DiffEntry[]; stages: readonly string[] } | undefined> {
  const at = getStage(world, job);
  if (at === undefined || job.task_id === undefined) return undefined;
  const all = at.end === undefined ? [at.stage] : Object.values(at.workflow.stages);
  const stages = [...new Set(all.flatMap((one) => one?.protects ?? []))];
  if (stages.length === 0) return undefined;
  const work = await readWork(repo, job.task_id);
  const last = work?.visits.findLast(
    ({ facts }) => facts.discarded === undefined && stages.includes(facts.stage),
  );
  if (work === undefined || last === undefined) return undefined;
  return { changes: await diffTrees(repo, last.commit, work.base), stages };
}

/** The reference with the protected tests in it, and the changes of the attempt to that. */
export function withProtected(
  order: { reference: Reference; changes: readonly DiffEntry[] },
  tests: readonly DiffEntry[],
): { reference: Reference; changes: readonly DiffEntry[] } {
  const left = new Map(tests.map(({ path, to }) => [path, to]));
  const changed = new Set(order.changes.map(({ path }) => path));
  const own = order.changes.map((entry) => ({ ...entry, from: left.get(entry.path) ?? entry.from }));
  // A test that the attempt put back to the base is not among its changes any more.
  const undone = tests
    .filter(({ path }) => !changed.has(path))
    .map(({ path, from, to }) => ({ path, from: to, to: from }));
  return {
    reference: { ...order.reference, persons: joinChanges(order.reference.persons, tests) },
    changes: [...own, ...undone].filter(({ from, to }) => !sameVersion(from, to)),
  };
}

/** An attempt that passes only with a change to protected tests fails, and the change is named. */
export function judgeProtected(
  report: GateReport,
  { tests, stages }: ProtectedTests,
  changes: readonly DiffEntry[],
): GateReport {
  const paths = new Set(tests.map(({ path }) => toText(path)));
  const named =
    report.needs === undefined
      ? changes.map(({ path }) => toText(path))
      : report.needs.map(({ path }) => path);
  const needed = report.because === "influence" ? named.filter((path) => paths.has(path)) : [];
  if (report.verdict !== "unverified" || needed.length === 0) return report;
  const evidence = `the checks pass only with a change to the tests of ${listSome(stages)}: ${listSome(needed)}; put ${needed.length === 1 ? "it" : "them"} back as ${needed.length === 1 ? "it was" : "they were"}, and change the source instead`;
  const { proof: _proof, ...rest } = report;
  return { ...rest, verdict: "failed", evidence };
}
