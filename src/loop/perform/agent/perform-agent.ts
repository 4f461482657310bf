// Runs an agent, which may take hours: gives it its prompt, logs its events, and ends in one event.
import { dirname, join, relative } from "node:path";
import type { AgentRequest, AgentResult, Budget, Session, Used } from "../../../agents/agent.js";
import { charge, describeBudget } from "../../../agents/process/stopped.js";
import { addUsed, NOTHING_USED } from "../../../agents/usage.js";
import { hasUnknownCost } from "../../step/job/spending.js";
import { askForReason, askForReport, askToTakeMessages } from "../../../prompts/compose.js";
import { askForStageReport } from "../../../prompts/stage-report.js";
import type { StepEvent } from "../../../logging/events/events.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import { errorCode, errorMessage, type UserError, environmentError } from "../../../system/errors.js";
import { given } from "../../../system/given.js";
import type { AppendFile } from "../../../system/ports.js";
import { addEvent, type AttemptTail } from "./attempt-tail.js";
import { checkpointDraft, undoDraft } from "../perform-adopt.js";
import type { JobFacts, EffectOf } from "../../step/effects.js";
import { makeAgentEnvironment } from "../environment.js";
import { hideFromReader } from "./stage-facts.js";
import { keepTaskFiles, putTaskFilesBack } from "../outputs/task-files.js";
import { listPlacesToHide, renderPrompt, findWorkFolder } from "./prompt-for.js";
import { addRequests, noRequests, readRequests, takeReport, type AgentRequests } from "./agent-requests.js";
import { openAgentFile, type AgentLines } from "../../../logging/agent-file.js";
import { countHeard, readUnread, warnOfUnread } from "./messages.js";
import {
  endAfterAskingWhy,
  findSessionToAskWhy,
  makeFinished,
  type AgentEnd,
  endWithoutAsking,
  findSessionToAsk,
} from "./report-again.js";
import { narrowPermissions, openAgentStage, type AgentStage } from "./agent-stage.js";
import { documentOf, explainLostFiles, openTaskDocument } from "../outputs/stage-output.js";
import {
  checkStageReport,
  endAfterAskingStage,
  redactReport,
  settleByFindings,
  whyNoReport,
} from "./stage-report.js";
import { findRow } from "../stage-of.js";
import {
  findStageSession,
  rememberSession,
  findOwnSession,
  findStoppedVisit,
  introduceVisit,
  isSessionLost,
  withoutSession,
  type StoppedVisit,
} from "./stopped-visit.js";
import { blockBy, blockByCall, findCallSession, makePendingCall } from "./waiting-call.js";
import type { ConfiguredAgent, World } from "../world.js";
import { toText } from "../../../git/base/bytes.js";
import { exists } from "../../../git/base/read/diff.js";
import { asResult } from "../../../git/base/git.js";
import { diffOwnIndex, stageAll } from "../../../git/index/index-file.js";
import { namesCheck } from "../../../gate/sort/sort.js";
import { restoreTo } from "../../../git/restore/restore.js";
import { changeBacklog } from "../perform-backlog.js";
import { makeRescueLabel, takeSnapshot } from "../tree/perform-tree.js";
import { isReader } from "../../../workflow/stage-kinds.js";

type RunAgent = EffectOf<"run-agent">;

/** Runs an agent to its end. Always ends in `agent_finished`, unless the log folder cannot be written. */
export async function performAgent(world: World, effect: RunAgent, stop: AbortSignal): Promise<StepEvent> {
  const { ports, memory, log } = world;
  const { job } = effect;
  const configured = world.configuredAgents.get(job.agent);
  if (configured === undefined) throw new Error(`no agent is called ${job.agent}`);
  const began = ports.clock.monotonic();
  const step = await openStep(world, effect);
  try {
    const stage = await openAgentStage(world, job);
    memory.reader = isReader(stage?.stage.kind) ? job.job : undefined;
    if (stage !== undefined) await openTaskDocument(world, job, stage.at);
    // The last lines of another stage's agent are not for this one.
    if (job.stage !== undefined && effect.earlier.length === 0 && job.task_id !== undefined)
      memory.tails.delete(job.task_id);
    const rendering = renderPrompt(world, job, { earlier: effect.earlier, draft: step.draft, stage });
    // L1: the decision is safe against power loss before the agent starts.
    const [rendered] = await Promise.all([rendering, log.sync()]);
    const left = stage === undefined ? undefined : await findStoppedVisit(world, job);
    const prompt = log.redact(`${introduceVisit(stage, left, job)}${rendered}`);
    const promptFile = join(step.folder, "prompt.md");
    await ports.files.writeNew(promptFile, prompt, { mode: 0o600, fleeting: true });
    const guards = step.draft !== undefined || job.phase === "push";
    if (step.draft !== undefined) await checkpointDraft(world, job);
    const before = guards ? await ports.files.read(world.project.todoFile) : undefined;
    const decided = stage === undefined ? undefined : findCallSession(world, job);
    const named = stage === undefined ? undefined : await findStageSession(world, job, stage);
    const resume = decided?.session ?? findOwnSession(left, job) ?? named;
    const hidden = await hideFromReader(world, job, { stage, folder: step.folder });
    const row = findRow(world, job);
    if (row !== undefined && job.task_id !== undefined) memory.messages.set(job.task_id, row);
    const call = {
      ...{ began, effect, configured, step, prompt, promptFile, stop, hidden, row },
      ...{ stage, resume, left, answered: decided?.answered },
    };
    const kept = await keepTaskFiles(world, job);
    const again = log.redact(`${introduceVisit(stage, withoutSession(left), job)}${rendered}`);
    const worked = await startAgain(world, call, { first: await runAgent(world, call), prompt: again });
    const { end: reported, warning } = settleByFindings(await takeMessages(world, call, worked));
    if (warning !== undefined) await log.tell({ type: "warning", ...job, message: warning });
    const asked = await useRequests(world, call, await askForMissingReason(world, call, reported));
    const result = blockByCall(asked, job);
    await logSummary(world, job, result);
    await putTaskFilesBack(world, job, kept);
    // The release's own check reports the agent's other changes.
    if (guards) await putBack(world, step.draft, before);
    if ((await ports.files.stat(step.folder)) === undefined) throw await putBackWithoutLog(world, job);
    await writeLastMessage(world, call, result);
    if (step.draft !== undefined && result.outcome === "failed") await undoDraft(world, job);
    const pending = await makePendingCall(world, job, result);
    const event = makeFinished(job, result, { took: ports.clock.monotonic() - began, pending });
    memory.unpriced ||= hasUnknownCost(event);
    return event;
  } catch (error) {
    const why = explainLostFiles(world.project, job.task_id, error);
    if (why === undefined || job.stage === undefined) throw error;
    return makeFinished(job, blockBy(job, why), { took: ports.clock.monotonic() - began });
  } finally {
    await step.output.close();
    await step.stderr.close();
  }
}

/** Begins a new session if the one of a stopped visit cannot be resumed. */
async function startAgain(
  world: World,
  call: AgentCall,
  { first, prompt }: { first: AgentEnd; prompt: string },
): Promise<AgentEnd> {
  const { effect, step, left } = call;
  if (call.stop.aborted || call.answered !== undefined) return first;
  if (!(await isSessionLost(world, effect.job, { left, first }))) return first;
  const promptFile = join(step.folder, "prompt-new-session.md");
  await world.ports.files.writeNew(promptFile, prompt, { mode: 0o600, fleeting: true });
  const { resume: _resume, left: _left, ...fresh } = call;
  return runAgent(world, { ...fresh, prompt, promptFile });
}

/** Takes the requests that the agent wrote to `agent.jsonl` in this turn; a report among them is the turn's report. */
async function takeRequests(world: World, { effect, step }: AgentCall, end: AgentEnd): Promise<AgentEnd> {
  const { job } = effect;
  const turn = readRequests(await step.readRequests(), job);
  step.requests.tasks.push(...turn.tasks);
  step.requests.questions.push(...turn.questions);
  const notes = turn.notes.map((content) => ({ type: "message" as const, ...job, role: "note", content }));
  const warnings = turn.warnings.map((message) => ({ type: "warning" as const, ...job, message }));
  await world.log.tell(...notes, ...warnings);
  return takeReport(end, turn);
}

/** Adds the tasks and questions of all turns to the report. */
async function useRequests(world: World, { effect, step }: AgentCall, end: AgentEnd): Promise<AgentEnd> {
  const { result, warnings } = addRequests(end, step.requests);
  const { job } = effect;
  await world.log.tell(...warnings.map((message) => ({ type: "warning" as const, ...job, message })));
  return result;
}

/** The end of the agent's turn with its report, and with what people wrote while it worked taken into account. */
async function takeMessages(world: World, call: AgentCall, first: AgentEnd): Promise<AgentEnd> {
  const { effect, row, stage, stop } = call;
  const { job } = effect;
  let end = await askForMissingReport(world, call, first);
  // The next attempt, or the session with its answer, has the messages in its prompt.
  while (end.outcome === "ok" && end.waitingCall === undefined && !stop.aborted) {
    const unread = await readUnread(world, job, row);
    if (row === undefined || job.task_id === undefined || unread.length === 0) break;
    const why = `they came while ${job.agent} worked, and `;
    const { session } = end;
    const over = findSpent(world, call, end).find(({ spent, most }) => spent >= most);
    if (session === undefined || over !== undefined) {
      const reason = over === undefined ? "its session cannot be resumed" : describeBudget(over);
      await warnOfUnread(world, job, { row, why: `${why}${reason}` });
      break;
    }
    const prompt = askToTakeMessages(job.task_id, unread, stage?.reporting);
    const told = unread.map((content) => ({ type: "message" as const, ...job, role: "user", content }));
    await world.log.tell(...told);
    const second = await continueIn(world, call, end, { session, prompt, name: "prompt-messages.md" });
    if (second.outcome === "failed" && second.reason === "exited") {
      await warnOfUnread(world, job, { row, why: `${why}its session was not resumed: ${second.evidence}` });
      return { ...end, used: second.used };
    }
    row.after += unread.length;
    end = await askForMissingReport(world, call, second);
  }
  return end;
}

/** Asks once more for a missing report, in the same session. */
async function askForMissingReport(world: World, call: AgentCall, first: AgentEnd): Promise<AgentEnd> {
  const { effect, stop } = call;
  const { job } = effect;
  if (first.waitingCall !== undefined) return first;
  const reports = job.phase === "iteration" || job.phase === "review";
  const needs = (world.project.resolved.settings.loop.apply_summary && reports) || call.stage !== undefined;
  const session = findSessionToAsk(first);
  if (!needs || session === undefined || stop.aborted) return first;
  const over = endWithoutAsking(first, findSpent(world, call, first));
  if (over !== undefined) return settleByFindings(first).warning === undefined ? over : first;
  const turn = { session, prompt: makeReportRequest(call, first), name: "prompt-report.md" };
  return continueIn(world, call, first, { ...turn, end: endAfterAskingStage });
}

function makeReportRequest({ stage, effect: { job } }: AgentCall, { outcome, ...end }: AgentEnd): string {
  const why = outcome === "ok" && "report" in end ? whyNoReport(end.report) : "";
  if (stage === undefined || job.task_id === undefined) return askForReport(job.task_id, why);
  return askForStageReport(job.task_id, stage.reporting, why);
}

/** The budgets as they are after a turn. */
function findSpent(world: World, { began, effect }: AgentCall, { used }: AgentEnd): Budget[] {
  const elapsed = world.ports.clock.monotonic() - began;
  return (effect.budgets ?? []).map((budget) => charge(budget, used ?? NOTHING_USED, elapsed));
}

interface Turn {
  session: Session;
  prompt: string;
  /** Of the file with the prompt. */
  name: string;
  /** The end that counts, by default that of the turn. */
  end?: (first: AgentEnd, second: AgentEnd) => AgentEnd;
}

/** Runs another turn in the session of the first. Its end has the usage of both. */
async function continueIn(
  world: World,
  call: AgentCall,
  first: AgentEnd,
  { session, prompt, name, end = (_, second) => second }: Turn,
): Promise<AgentEnd> {
  const text = world.log.redact(prompt);
  const promptFile = join(call.step.folder, name);
  await world.ports.files.writeAtomic(promptFile, text, { mode: 0o600 });
  const effect = { ...call.effect, budgets: findSpent(world, call, first) };
  const second = await runAgent(world, { ...call, effect, prompt: text, promptFile, resume: session });
  const used = second.used === undefined ? first.used : addAttempt(first.used, second.used);
  const unknownEvents = first.unknownEvents + second.unknownEvents;
  return { ...end(first, { ...second, used, unknownEvents }), used, unknownEvents };
}

/** Asks once, in the same session, why existing tests or configuration changed. Without an answer the report stays as it is. */
async function askForMissingReason(world: World, call: AgentCall, first: AgentEnd): Promise<AgentEnd> {
  const { effect, stop } = call;
  const { job } = effect;
  const waits = isReader(call.stage?.stage.kind) || first.waitingCall !== undefined;
  const session = waits ? undefined : findSessionToAskWhy(first);
  if (job.task_id === undefined || session === undefined || stop.aborted) return first;
  if (findSpent(world, call, first).some(({ spent, most }) => spent >= most)) return first;
  const paths = await listChangedChecks(world, job);
  if (paths.length === 0) return first;
  const turn = { session, prompt: askForReason(job.task_id, paths), name: "prompt-reason.md" };
  return continueIn(world, call, first, { ...turn, end: endAfterAskingWhy });
}

/** Reverts a drafting agent's edit of the task file, which becomes its draft if it wrote none in the right place. */
async function putBack(world: World, draft: string | undefined, before: Uint8Array | undefined) {
  const { files } = world.ports;
  const written = await world.store.putBack(before);
  if (written === undefined || draft === undefined) return;
  if ((await files.stat(draft)) === undefined) await files.writeNew(draft, written, { mode: 0o600 });
}

interface Step {
  folder: string;
  output: AppendFile;
  stderr: AppendFile;
  draft: string | undefined;
  /** The new lines of `agent.jsonl`, and the tasks and questions of earlier ones. */
  readRequests: () => Promise<AgentLines>;
  requests: AgentRequests;
}

/** Makes the folder of an agent step, `NNN-<label>/` beside the log. */
async function openStep(world: World, { job, label }: RunAgent): Promise<Step> {
  const { ports, memory, log, project } = world;
  const number = String(++memory.stepCount).padStart(3, "0");
  const folder = join(log.folder, `${number}-${label}`);
  await ports.files.makeFolder(folder, 0o700);
  memory.of(job.job).step = folder;
  const drafts = job.phase === "bootstrap" || job.phase === "repair";
  // An agent restricted to the project can only write there.
  const inside = !relative(project.folder, folder).startsWith("..");
  const draft = !drafts ? undefined : join(inside ? folder : project.lockDir, "to-do.json");
  if (draft !== undefined) {
    await ports.files.remove(draft);
    memory.of(job.job).draft = draft;
  }
  return {
    folder,
    output: await ports.files.openAppend(join(folder, "output.jsonl"), { mode: 0o600 }),
    stderr: await ports.files.openAppend(join(folder, "stderr.log"), { mode: 0o600 }),
    draft,
    readRequests: openAgentFile(ports, folder),
    requests: noRequests(),
  };
}

/**
 * `resume`: another session than a new one: to ask in, or that of a stage. `row`: the messages of people to the task; the count of
 * those that the agent has had is kept up to date.
 */
interface AgentCall extends Pick<AgentRequest, "prompt" | "promptFile" | "resume" | "answered" | "row"> {
  /** Monotonic ms. */
  began: number;
  effect: RunAgent;
  configured: ConfiguredAgent;
  step: Step;
  stop: AbortSignal;
  /** In a workflow. */
  stage?: AgentStage;
  /** How an earlier run left the visit. */
  left?: StoppedVisit;
  /** The paths that a reader of work must not see. */
  hidden?: readonly string[];
}

async function makeRequest(world: World, call: AgentCall): Promise<AgentRequest> {
  const { effect, configured, step, stage } = call;
  const { job } = effect;
  const { permissions: own } = configured.settings;
  const document = stage === undefined ? undefined : documentOf(world.project, job.task_id ?? "");
  const run = { run: world.log.run, job, stepFolder: step.folder };
  return {
    ...{ phase: job.phase, iteration: job.iteration, attempt: job.attempt },
    ...{ prompt: call.prompt, promptFile: call.promptFile },
    cwd: await findWorkFolder(world),
    env: makeAgentEnvironment(world.env, configured.settings, { ...run, draft: step.draft, document }),
    // A review must not change files.
    permissions:
      job.phase === "review" ? "read-only" : stage === undefined ? own : narrowPermissions(own, stage.stage),
    // A hosted agent gets no key without a value.
    ...given({
      ...{ taskId: job.task_id, stage: stage?.request, budgets: effect.budgets },
      ...{ resume: call.resume, answered: call.answered, row: call.row && { ...call.row } },
      // Beside the backlog, so that another run and a copy of the project can resume them.
      sessionsFolder: stage && join(world.project.folder, ".looper", "chapo"),
    }),
    hide: [...listPlacesToHide(world), ...(call.hidden ?? [])],
  };
}

async function runAgent(world: World, call: AgentCall): Promise<AgentEnd> {
  const { log } = world;
  const { effect, configured, step, stop, stage } = call;
  const { job } = effect;
  const earlier = job.task_id === undefined ? undefined : world.memory.tails.get(job.task_id);
  let tail: AttemptTail = call.resume === undefined ? [] : (earlier ?? []);
  let used: Used | undefined;
  const output: Uint8Array[] = [];
  const events: ToldEvent[] = [];
  const heard: string[] = [];
  const write = async (lines: readonly ToldEvent[], raw: readonly Uint8Array[]): Promise<void> => {
    await Promise.all([
      raw.length === 0 ? undefined : step.output.append(Buffer.concat(raw)),
      lines.length === 0 ? undefined : log.tellClean(...lines),
    ]);
  };
  const result = await configured.agent.run(await makeRequest(world, call), {
    redact: log.redact,
    onStart: ({ pid, command }) =>
      log.tell({ type: "agent_started", ...job, label: effect.label, pid, command }),
    onSession: stage && ((id) => events.push({ type: "session", ...job, id })),
    onEvent: (event) => {
      if (event.type === "usage") {
        world.memory.used = addUsed(world.memory.used, event);
        used = addAttempt(used, event);
      }
      if (event.type === "message" && event.role === "user") heard.push(event.content);
      tail = addEvent(tail, event);
      events.push({ ...event, ...job });
    },
    onOutput: (lines) => {
      output.push(lines);
    },
    onPause: () => write(events.splice(0), output.splice(0)),
    onStderr: (text) => step.stderr.append(text),
    stop,
  });
  if (job.task_id !== undefined) world.memory.tails.set(job.task_id, tail);
  await countHeard(world, job, { row: call.row, heard });
  const end = await takeRequests(world, call, used === undefined ? result : { ...result, used });
  if (stage === undefined || end.outcome !== "ok") return end;
  rememberSession(world, job, end.session);
  // L19: a report counts only as far as its stage declares it.
  return { ...end, report: redactReport(checkStageReport(end.report, stage.expected), log.redact) };
}

async function logSummary(world: World, job: JobFacts, result: AgentResult): Promise<void> {
  if (result.outcome !== "ok" || !("found" in result.report)) return;
  const { found } = result.report;
  const { task_id, status, summary = "", files = [], blockers = [], new_tasks = [] } = found;
  world.memory.of(job.job).summary = found;
  await world.log.tell({ type: "summary", ...job, task_id, status, summary, files, blockers, new_tasks });
}

/** Adds both; the cost is known only if it is known of every part. */
function addAttempt(before: Used | undefined, more: Used): Used {
  const { cost_usd, ...tokens } = addUsed(before ?? NOTHING_USED, more);
  const isKnown = more.cost_usd !== undefined && (before === undefined || before.cost_usd !== undefined);
  return isKnown && cost_usd !== undefined ? { ...tokens, cost_usd } : tokens;
}

async function writeLastMessage(
  world: World,
  { configured, step, effect: { job } }: AgentCall,
  result: AgentResult,
): Promise<void> {
  const message = world.log.redact(result.lastMessage);
  await world.ports.files.writeNew(join(step.folder, "last-message.txt"), message, {
    mode: 0o600,
    fleeting: true,
  });
  const { lastMessage, name } = configured.settings;
  if (lastMessage === undefined) return;
  try {
    await world.ports.files.makeFolder(dirname(lastMessage));
    await world.ports.files.writeAtomic(lastMessage, message);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const why = `agents.${name}.last_message: ${errorMessage(error)}`;
    await world.log.tell({ type: "warning", ...job, message: `the last message is not written: ${why}` });
  }
}

/** Their paths; none without git, or if git fails. */
export async function listChangedChecks({ repo, memory, project }: World, job: JobFacts): Promise<string[]> {
  const base = memory.of(job.job).checkpoint?.base;
  if (repo === undefined || base === undefined) return [];
  const found = await asResult(async () => {
    await stageAll(repo);
    return diffOwnIndex(repo, base, repo.excludesSaveTodo);
  });
  if (!found.ok) return [];
  const isCheck = namesCheck(project.resolved.settings.verify.protected);
  const changed = found.value.filter(({ path, from }) => path !== repo.todo?.path && exists(from));
  return changed.map(({ path }) => toText(path)).filter(isCheck);
}

/** Puts the task file and the tree back, and returns the error that ends the run, which cannot log any more. */
export async function putBackWithoutLog(world: World, job: JobFacts): Promise<UserError> {
  const { apply_summary } = world.project.resolved.settings.loop;
  const hasBacklog = job.phase === "iteration" || job.phase === "review";
  if (hasBacklog) await changeBacklog(world, [], apply_summary ? "agent" : "idle");
  const lost = "the run's log is lost with it; `git clean -x` does this, and `-e looper-logs` spares it";
  const what = `the log folder ${world.log.folder} was removed while ${job.agent} was at work: ${lost}`;
  const again = "run again: the interrupted task resumes first";
  if (job.task_id === undefined) return environmentError(what, again);
  const way = `looper undo ${job.task_id} takes back all that ${job.task_id} changed; or ${again}`;
  // The work of stages is saved one by one: `undo` knows how to take it back.
  if (job.stage !== undefined || world.repo === undefined)
    return environmentError(what, world.repo === undefined ? again : way);
  const label = makeRescueLabel(job);
  const taken = await takeSnapshot(world, job, label);
  const before = world.memory.of(job.job).checkpoint;
  if (taken === undefined || before === undefined) return environmentError(what, way);
  // The checkpoint stays: the task resumes from it.
  const { rescue } = await restoreTo(world.repo, { checkpoint: before, run: world.log.run, label });
  const back = "the files are as they were before the task, except those that git ignores";
  const kept = rescue === undefined ? "" : `; the agent's changes are kept: looper rescue show ${label}`;
  return environmentError(`${what}; ${back}${kept}`, again);
}
