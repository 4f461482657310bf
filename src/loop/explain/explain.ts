// Explains the last verdict on a task: the kind of each path that its attempt changed and, if it is unverified because of what
// the attempt changed, the smallest set that is needed, searched for without a limit. Rooms run again as in the run; the
// project and its logs are not changed. The logs say what was judged.
import { basename, dirname, join } from "node:path";
import { whyNotVerified, type CheckBefore } from "../../gate/verdict/reasons.js";
import { Baseline, type Because, type GateReport, type GateVerdict, type Need } from "../../gate/verdict.js";
import { findReference } from "../../gate/influence/reference.js";
import type { Sorted } from "../../gate/sort/sort.js";
import { sortAttempt, runColdGate } from "../../gate/rooms/judge-work.js";
import type { ColdOrder } from "../../gate/rooms/cold-pass.js";
import { removeSetupCache } from "../../gate/rooms/setup/setup.js";
import { pathFromTop, type ColdPlaces } from "../../gate/rooms/cold-room.js";
import { readRecords } from "../../git/commit/run-refs.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import { runGit, withHint } from "../../git/base/git.js";
import { attemptRef } from "../../git/base/names.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { diffTrees } from "../../git/index/index-file.js";
import { StepEvent, type EventOf } from "../../logging/events/events.js";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { listRuns, readLines } from "../../logging/read.js";
import { parseStart } from "../../logging/run-id.js";
import { environmentError, UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { readPatterns } from "../../todo/model/changes/changes.js";
import type { Task } from "../../todo/model/task.js";
import { makePlan } from "../perform/gate/checks.js";
import { acceptedTasks, allowedByTasks, readRunStart } from "../perform/gate/run-start.js";
import { takeRunLocks } from "../runs/locks.js";
import { findHiddenChecks } from "../start/before/find-hidden-checks.js";
import { makeProjectRoom, mayRun, openPlaces, type GateRequest } from "./project-room.js";
import { openProjectRepository } from "../runs/run-request.js";
import { takeOver } from "../undo/undo-site.js";

export interface ExplainRequest extends GateRequest {
  task: Task;
  /** All tasks of the backlog. */
  tasks: readonly Task[];
  /** The backlog's `project.root`. */
  root: string | undefined;
  judged: JudgedAttempt;
}

/** The findings of the gate when it judged the attempt again. */
export interface Explained {
  verdict: GateVerdict;
  because: Because | undefined;
  needs: readonly Need[];
  on: readonly string[];
  /** Why it is not verified, in words. */
  reasons: readonly string[];
  /** Every path that the attempt changed. */
  changed: readonly Sorted[];
}

/** Whether commands of the project run for it. */
export function mustRunChecks({ gate }: JudgedAttempt): boolean {
  return gate.because === "influence";
}

/** Explains a verdict; throws a `UserError` if the logs or refs it needs are gone. */
export async function explain(request: ExplainRequest): Promise<Explained | "interrupted"> {
  const { task, tasks, judged } = request;
  const repo = await openProjectRepository(request, {
    lacking: "no attempt was kept",
    hint: "without git a task's changes are not recorded",
  });
  const { gate, before } = judged;
  return withHint("git cannot read what the run kept", async () => {
    const { places, order } = await restoreOrder(request, repo);
    const changed = await sortAttempt(places, order);
    if (!mustRunChecks(judged)) return { ...findingsOf(gate, whyNotVerified(gate, before)), changed };
    const lists = [[task], [...tasks.filter(({ status }) => status !== "done"), task], tasks];
    if (!(await mayRun(request, lists)))
      throw environmentError(
        "the project's own files name commands that have not been approved yet",
        "pass --trust, or approve them with a run on a terminal",
      );
    const verdict = await runInRooms(request, { repo, places, order });
    if (verdict === "interrupted") return verdict;
    const { report, warnings } = verdict;
    const isRed = report.verdict === "failed" || report.verdict === "tampered";
    const reasons = isRed ? [report.evidence] : whyNotVerified({ ...report, warnings }, before);
    return { ...findingsOf(report, reasons), changed };
  });
}

function findingsOf(report: GateReport, reasons: readonly string[]): Omit<Explained, "changed"> {
  const { verdict, because, needs = [], on = [] } = report;
  return { verdict, because, needs, on, reasons };
}

interface Restored {
  places: ColdPlaces;
  order: ColdOrder;
}

/** Runs the gate under the locks of a run, and ends every process that it leaves. */
async function runInRooms(
  { ports, project, stop }: ExplainRequest,
  { repo, places, order }: Restored & { repo: Repository },
): Promise<Awaited<ReturnType<typeof runColdGate>> | "interrupted"> {
  const locks = await takeRunLocks(ports, project, repo);
  try {
    const mark = await takeOver({ ports, project, repo, locks }, "explain");
    const verdict = await runColdGate(places, order, stop);
    await ports.processes.sweep(mark);
    return stop.aborted || verdict.report.verdict === "interrupted" ? "interrupted" : verdict;
  } finally {
    await removeSetupCache(ports, places);
    await locks.release();
  }
}

/** The gate's order as in the run, from the kept trees; settings and tasks are those of now. */
async function restoreOrder(request: ExplainRequest, repo: Repository): Promise<Restored> {
  const { ports, project, task, tasks, judged } = request;
  const { verify } = project.resolved.settings;
  const room = await makeProjectRoom(request, request.root);
  const { checks } = await findHiddenChecks(request);
  const opened = await openPlaces(request, { repo, room, hidden: checks });
  const places: ColdPlaces = { ...opened, thorough: true };
  const { base, changes } = await readAttempt(repo, judged, task.id);
  const { run, earlier, gate } = judged;
  const accepted = acceptedTasks(tasks, parseStart(run));
  const runStart = await readRunStart(
    { ports, logDir: project.logDir, repo },
    { run, base, earlier, accepted, upTo: gate.job },
  );
  const isAllowed = allowedByTasks(tasks, pathFromTop(places.rooms, places.projectDir));
  const order: ColdOrder = {
    base,
    changes,
    reference: await findReference(repo, runStart, base, isAllowed),
    plan: makePlan(request, task.verify ?? []),
    strict: verify.strict,
    baseline: await baselineOf(request),
    allowed: readPatterns(task.changes ?? []).allowed,
  };
  return { places, order };
}

/** Reads the changes of the attempt, and the commit of its checkpoint. */
async function readAttempt(
  repo: Repository,
  { run, gate, base: logged }: JudgedAttempt,
  task: string,
): Promise<{ base: string; changes: readonly DiffEntry[] }> {
  const records = await readRecords(repo, run);
  const commit = records?.attempts.get(attemptRef(run, task, gate.job));
  if (commit === undefined)
    throw new UserError(
      "no",
      `the attempt of run ${run} at ${task} is not kept any more: its refs are gone`,
      "looper clean removes them with the logs, and so does deleting refs/looper/attempts",
    );
  const own = (await diffTrees(repo, commit)).filter(({ path }) => path !== repo.todo?.path);
  const base = await findCommit(repo, [...(logged === undefined ? [] : [logged]), `${commit}^`]);
  // The commit of a task is on top of HEAD, which lacks what a person had not committed.
  const paths = new Set(own.map(({ path }) => path));
  const changes = (await diffTrees(repo, commit, base)).filter(({ path }) => paths.has(path));
  return { base, changes };
}

/** The id of the first of these that is a commit. A checkpoint's commit may have been collected as garbage by now. */
async function findCommit(repo: Repository, names: readonly string[]): Promise<string> {
  const { out } = await runGit(repo, ["cat-file", "--batch-check"], { input: `${names.join("\n")}\n` });
  const [found = ""] = out.split("\n").flatMap((line) => /^(\w+) commit \d/.exec(line)?.[1] ?? []);
  return found;
}

async function baselineOf({ ports, judged }: ExplainRequest): Promise<Baseline | undefined> {
  const { baseline: file } = judged;
  if (file === undefined) return undefined;
  const bytes = await ports.files.read(file);
  const baseline = bytes === undefined ? undefined : Baseline.safeParse(parseJson(bytes)).data;
  if (baseline !== undefined) return baseline;
  throw new UserError(
    "no",
    `the results of the checks before the task are gone: ${file} cannot be read`,
    "have the task done again to see what it needs: looper undo",
  );
}

/** A verdict on an attempt at a task. */
export interface JudgedAttempt {
  run: string;
  /** The runs before it, newest first. */
  earlier: readonly string[];
  gate: EventOf<"gate_finished">;
  /** The commit of the checkpoint, where the log has it. */
  base?: string;
  /** The results of the checks before the task: their file (absolute), and what the log has of them. */
  baseline?: string;
  before: readonly CheckBefore[];
}

const TELLING = ["run_started", "checkpoint", "baseline_finished", "gate_finished"].map(
  (type) => `"type":"${type}"`,
);

/** Finds the last one that was not interrupted, in the newest run that has one. */
export async function findJudged(
  ports: Pick<Ports, "files">,
  place: LogPlace,
  task: string,
): Promise<JudgedAttempt | undefined> {
  const { logDir } = place;
  const runs = (await listRuns(ports, logDir)).reverse();
  for (const [at, run] of runs.entries()) {
    const judged = await judgedIn(ports, join(logDir, "runs", run), { place, task });
    if (judged === undefined) continue;
    const { baseline: file, ...rest } = judged;
    // The file is always in the logs: a log from another machine must not make us read any other path.
    const baseline =
      file === undefined ? undefined : join(logDir, "runs", basename(dirname(file)), basename(file));
    return { run, earlier: runs.slice(at + 1), ...rest, baseline };
  }
  return undefined;
}

type Found = Omit<JudgedAttempt, "run" | "earlier">;

async function judgedIn(
  ports: Pick<Ports, "files">,
  folder: string,
  { place, task }: { place: LogPlace; task: string },
): Promise<Found | undefined> {
  let begun: Omit<Found, "gate"> = { before: [] };
  let judged: Found | undefined;
  for await (const { value } of readLines(ports, folder, 0, { holding: TELLING })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "run_started" && !isOfTaskFile(event, place)) return undefined;
    if (event === undefined || !("task_id" in event) || event.task_id !== task) continue;
    if (event.type === "checkpoint") begun = { ...begun, base: event.base ?? begun.base };
    if (event.type === "baseline_finished")
      begun = { before: event.commands, base: begun.base, baseline: event.file };
    if (event.type === "gate_finished" && event.verdict !== "interrupted") judged = { ...begun, gate: event };
  }
  return judged;
}
