// Runs the hidden checks of a run, in rooms of their own. The log names them by their position in the settings, and the
// output of those that fail goes into a file of the user's state folder: agents can read the log.
import { join } from "node:path";
import {
  listRedHidden,
  measureHidden,
  runHidden,
  type HiddenRules,
  type HiddenVerdict,
  type RedHidden,
} from "../../../gate/rooms/hidden.js";
import { NOT_VERIFIED } from "../../../gate/verdict/reasons.js";
import { isGreen } from "../../../gate/verdict/compare.js";
import type { GateReport } from "../../../gate/verdict.js";
import { reportInterrupted } from "../../../gate/commands/gate.js";
import { errorCode } from "../../../system/errors.js";
import { listSome } from "../../../system/text/cut.js";
import type { JobFacts } from "../../step/effects.js";
import type { JudgedWork } from "../../../gate/rooms/judge-work.js";
import { revertChanges } from "./checks.js";
import { performAs } from "../perform-as.js";
import { findTaskReference } from "./run-start.js";
import type { HiddenOfRun, World } from "../world.js";

/** The first line of the evidence, which is all that an agent and the backlog learn. */
export const HIDDEN_FAILED = "hidden check failed";

/** Runs the hidden checks on the reference, once a run; returns those that fail there. */
export async function measureHiddenChecks(
  world: World,
  base: string | undefined,
  stop: AbortSignal,
): Promise<readonly RedHidden[] | "interrupted"> {
  const { hidden, memory } = world;
  const { places } = memory;
  if (hidden === undefined || places === undefined || base === undefined) return [];
  if (hidden.baseline === undefined) {
    const reference = await findTaskReference(world, places.rooms.repo, base);
    const measured = await performAs("run-baseline", () =>
      measureHidden(places, rulesOf(world, hidden), reference, stop),
    );
    if (measured.how === "interrupted") return "interrupted";
    hidden.baseline = measured.how === "done" ? measured.value : "unmeasured";
  }
  return hidden.baseline === "unmeasured" ? [] : listRedHidden(hidden.checks, hidden.baseline);
}

/** Runs the hidden checks on an attempt that all other checks let pass. */
export async function checkHidden(
  world: World,
  job: JobFacts,
  checked: JudgedWork,
  stop: AbortSignal,
): Promise<JudgedWork> {
  const { hidden, memory } = world;
  const base = memory.of(job.job).checkpoint?.base;
  const { places } = memory;
  if (hidden === undefined || places === undefined || base === undefined) return checked;
  if (!isGreen(checked.report)) return checked;
  const changes = memory.of(job.job).snapshot?.changes ?? [];
  if ((await measureHiddenChecks(world, base, stop)) === "interrupted") return interrupted(checked);
  const baseline = hidden.baseline === "unmeasured" ? undefined : hidden.baseline;
  const order = { base, changes, task: job.task_id, baseline };
  const found = await performAs("run-gate", () => runHidden(places, rulesOf(world, hidden), order, stop));
  const warnings = [...checked.warnings, ...(await revertChanges(world, job))];
  if (found === "interrupted") return { ...interrupted(checked), warnings };
  await writeDetails(world, job, found);
  if (found.stillRed.length > 0)
    warnings.push(
      `${NOT_VERIFIED}a hidden check failed before the work and still fails: ${listSome(found.stillRed)}`,
    );
  return { ...addVerdict(world, checked, found), warnings };
}

function interrupted(checked: JudgedWork): JudgedWork {
  return { ...checked, report: reportInterrupted(checked.report.cold), now: undefined };
}

function addVerdict(
  { project }: World,
  { report, ...checked }: JudgedWork,
  found: HiddenVerdict,
): JudgedWork {
  const { failed, names } = found;
  if (!failed) return { ...checked, report: { ...withHidden(report, found), hidden: { failed } } };
  const tells = project.resolved.settings.verify.hidden_tell === "names";
  const evidence = tells && names.length > 0 ? `${HIDDEN_FAILED}: ${listSome(names)}` : HIDDEN_FAILED;
  const hidden = { failed, ...(tells ? { names: [...names] } : {}) };
  const { because: _because, needs: _needs, on: _on, proof: _proof, ...rest } = report;
  return { ...checked, now: undefined, report: { ...rest, verdict: "failed", evidence, hidden } };
}

/**
 * Adds the word of hidden checks that do not fail the work: one that fails as before leaves it unbroken at best, one that failed
 * and passes now is evidence.
 */
function withHidden(report: GateReport, { stillRed, turned }: HiddenVerdict): GateReport {
  if (stillRed.length === 0) return withTurned(report, turned);
  const verdict = report.verdict === "passed" ? "unbroken" : report.verdict;
  return { ...report, verdict, because: report.because ?? "red-before" };
}

function withTurned(report: GateReport, turned: readonly string[]): GateReport {
  const isDoubtful = report.verdict === "unverified" && report.because !== "no-checks";
  if (turned.length === 0 || isDoubtful) return report;
  const { because: _because, proof = { fail_to_pass: [], new_tests: [], pass_to_pass: 0 }, ...rest } = report;
  const found = turned.map((command) => ({ command }));
  return { ...rest, verdict: "passed", proof: { ...proof, fail_to_pass: [...proof.fail_to_pass, ...found] } };
}

function rulesOf({ project }: World, { checks }: HiddenOfRun): HiddenRules {
  const { verify } = project.resolved.settings;
  return { checks, timeoutMs: verify.timeout, reports: verify.report };
}

/** Adds the output of failed checks to the run's file. A disk that cannot hold it changes no verdict. */
async function writeDetails(world: World, job: JobFacts, { details }: HiddenVerdict): Promise<void> {
  const { hidden, log, ports } = world;
  if (hidden === undefined || details === "") return;
  const title = `${job.task_id ?? ""}, attempt ${String(job.attempt)}`;
  hidden.details = `${hidden.details ?? ""}## ${title}\n\n${log.redact(details)}\n`;
  try {
    await ports.files.makeFolder(hidden.folder, 0o700);
    await ports.files.writeAtomic(join(hidden.folder, `${log.run}.txt`), hidden.details, { mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
